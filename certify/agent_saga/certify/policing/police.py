"""What the policy in force says of one call that a trace shows, asked at the first intent of each effect.

With one policy every call is judged by it. With several, versions of what the risk team signed over time, the log's own
lines say which one was in force, and only where they go back to a registry that the user trusts: else the judged party
would choose the kindest.

Source: docs/rules.md, "Policies"; docs/adr/0010-policies-are-judged-by-the-users-copy.md.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_saga.certify.approving.use import Use
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.asked import Then
from agent_saga.certify.policing.given import UNRECORDED, Given, given_to
from agent_saga.certify.policing.statute import Statute
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.certify.standing.authority import Authority
from agent_saga.trace.events import EffectIntended
from agent_saga.trace.instants import micros

if TYPE_CHECKING:
    from agent_saga.policies.answers import Decision, Spend
    from agent_saga.policies.model import Approve, ToolRule
    from agent_saga.policies.undoing import Terms


@dataclass(slots=True)
class Ruling:
    """One call and what the policy says of it, limits apart.

    statute: the policy. decision: by tool, agent and rules, and by limits of which nobody can tell what the call takes.
    spends: what it takes from limits, each with the digest of its policy, and what the limit asks if that was too much.
    untold: digests of policies that came into force later, and of whose limits nobody can tell what it takes. sealed:
    those with their limits, where a concealed value keeps that open. default: the approval that an irreversible call
    needs where no limit asks for one; None where a rule asks, or none is needed.
    """

    saga: Saga
    event: EffectIntended
    line: int
    decision: "Decision"
    given: Given
    statute: Statute
    spends: "tuple[tuple[str, Spend, Then], ...]" = ()
    untold: tuple[str, ...] = ()
    sealed: tuple[tuple[str, str], ...] = ()
    default: "Approve | None" = None

    @property
    def certain(self) -> "Decision":
        """The answer without what cannot be decided: a value that is concealed hides nothing else."""
        if self.decision.code != "undecidable":
            return self.decision
        from agent_saga.policies.deciding.merging import conclude

        return conclude([one for one in self.decision.fired if one.outcome != "undecidable"], self.decision.digest)

    @property
    def lapsed(self) -> tuple[tuple[str, str], ...]:
        """Waivers that would have lifted something on another day, each with what it is for."""
        return tuple((name, one.id) for one in self.decision.fired if one.binds for name in one.lapsed)


class Police:
    """Asks the user's policies about calls. One in each process; what it finds is gathered elsewhere."""

    def __init__(self, trust: PolicyTrust, authority: Authority, *, foreign: bool, approvals: bool = True) -> None:
        """foreign: the format has no lines of the log's own. approvals: whether it has a field for them."""
        self.trust, self._authority, self._approvals = trust, authority, approvals
        given = () if foreign and trust.earlier else trust.all
        self.statutes: Mapping[str, Statute] = {
            one.digest: Statute(one.policy, one) for one in given if one.policy is not None
        }
        """By digest, in the order in which they were in force; none where a format cannot say which one was."""
        self._last = next(reversed(self.statutes.values()), None)
        self.several = len(self.statutes) > 1
        """Whether it takes the log's own lines to say which policy a call is judged by."""
        self._says_of_undos = not foreign and any(one.says_of_undos for one in self.statutes.values())

    def __bool__(self) -> bool:
        return self._last is not None

    def in_force(self, line: int) -> str | None:
        """Digest of the policy that the log's own lines put in force at a line, if the user's trust reaches them.

        None where it does not, or where they put none in force.
        """
        return self._authority.adopted(line) if self._authority.vouched else None

    def at(self, line: int) -> Statute | None:
        """The policy that calls at a line are judged by.

        None where none was given, and where it cannot be told which of them was in force, or none of them was: AS402.
        """
        return self.statutes.get(self.in_force(line) or "") if self.several else self._last

    def tool(self, name: str, line: int) -> "ToolRule | None":
        """What the policy says of a tool; None for an undeclared one, and where no policy judges it."""
        statute = self.at(line)
        return statute.tool(name) if statute else None

    def terms(self, tool: str, line: int) -> "Terms | None":
        """What the undos of a call must be whose first intent stands at a line; None where no policy says anything."""
        if not self._says_of_undos:
            return None
        statute = self.at(line)
        return statute.terms(tool) if statute else None

    def rule(self, saga: Saga, event: EffectIntended, line: int, use: Use | None) -> Ruling | None:
        """What the policy says of this call; None where none judges it.

        use: the approvals that it names, verified; None where it names none.
        """
        statute = self.at(line)
        if statute is None:
            return None
        given = given_to(saga, event, use) if self._approvals else UNRECORDED
        decision, noted = statute.answer(statute.call(saga, event), self._revoked(line))
        ruling = Ruling(saga, event, line, decision, given, statute, noted)
        if self.several:
            self._counted(ruling)
        # where nothing that counts the call has an effect, no limit can ask for another approval than the default
        asked_for = bool(noted) and event.semantics == "irreversible" and decision.effect == "allow"
        if asked_for and (event.approvals or saga.foreign):  # else AS301
            ruling.default = statute.policy.irreversible
        return ruling

    def _revoked(self, line: int) -> Collection[str]:
        """Keys whose waivers lift nothing at a line, since the log revoked them before it."""
        history = self._authority.history
        if history is None or self.trust.waivers is None:
            return ()
        place = self._authority.place(line)
        return [key for key, one in history.last.revoked.items() if one.index < place]

    def lost(self, since: int = 0) -> dict[str, tuple[int, int]]:
        """Waivers whose signer's key is said to have been in other hands before it was revoked, as all lines tell.

        since: index of the first line whose word counts. By waiver: the line that revokes the key, and from which
        instant on (microseconds) anybody could have signed what was missing.
        """
        history, waivers = self._authority.history, self.trust.waivers
        if history is None or waivers is None:
            return {}
        known = {key: one for key, one in history.last.revoked.items() if one.index >= since}
        told = [(one.id, known[one.key]) for one in waivers.waivers if one.key in known]
        first = self._authority.begins - 1
        return {name: (one.index - first, micros(one.since)) for name, one in told if one.since is not None}

    def _counted(self, ruling: Ruling) -> None:
        """Add what the call takes from limits of the policies that do not judge it."""
        later = False
        for one in self.statutes.values():
            if one is ruling.statute:
                later = True
                continue
            taken, gaps = one.counted(ruling.saga, ruling.event)
            ruling.spends += taken
            if later and any(not concealed for _, concealed in gaps):
                ruling.untold += (one.digest,)
            if later:
                ruling.sealed += tuple((one.digest, limit) for limit, concealed in gaps if concealed)
