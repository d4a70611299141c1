"""What people were asked and what they answered, as the lines say. Records only; no judgement is made here."""

from msgspec import Struct

from agent_saga.trace.events import ApprovalRecorded, ApprovalRequested


class Asked(Struct, frozen=True, gc=False):
    """An approval.requested line. leaf: "" from sources without leaves."""

    line: int
    leaf: str
    event: ApprovalRequested


class Approval(Struct, frozen=True, gc=False):
    """A recorded answer of a person. leaf: of its line; "" from sources without leaves.

    signed: whether there is anything that could be verified.
    """

    line: int
    leaf: str
    event: ApprovalRecorded
    signed: bool

    @property
    def step(self) -> str:
        """The step that it is about."""
        return self.event.step

    @property
    def action(self) -> str:
        """The digest of the action, as the line says."""
        return self.event.action

    @property
    def decision(self) -> str:
        """approve, deny or break_glass."""
        return self.event.decision

    @property
    def person(self) -> str:
        """Who answered, as the line says."""
        return self.event.person


def carries_signature(proof: dict[str, object]) -> bool:
    """Whether a proof holds a request and says how it was signed; what lacks that is a mere claim."""
    return isinstance(proof.get("request"), dict) and isinstance(proof.get("scheme"), str)
