"""``agent-saga approvals registry adopt``: the registry's next version, as a signed line of the log's own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from agent_saga.cli.approvals.changing import append_effective, change_by, history_of, in_force, own_line
from agent_saga.cli.approvals.gathering import Gathering
from agent_saga.cli.approvals.given import NO, StoreArgument, answered, now, told
from agent_saga.cli.approvals.recording import registry_value
from agent_saga.cli.grouped import grouped
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry
    from agent_saga.approvals.registry.history import InForce

_OTHERWISE: Final = "no registry can be adopted in it; give the new file with --registry, and pin its digest"


@grouped
def adopt(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The registry's next version, a JSON file.")],
    store: StoreArgument,
    gathering: Gathering,
) -> int:
    """Put the next version of the registry in force in a log that was opened with one, by the quorum that it asks for.

    What differs is shown first. --export for each of the others, `approvals sign` where they are, and their files with
    --proof here. Requests that wait stay under the version that they began under. Exit codes: 0 adopted, 1 refused.
    """

    def work() -> int:
        change = _next(file, store)
        if change is None:
            return NO
        return gathering.carry(change.by, change.standing.registry, change.write)

    return answered(work)


@dataclass(frozen=True, slots=True)
class _Adoption:
    """A registry that may follow the one in force. value: as in its file. log: the log's own lines."""

    store: str
    log: list[bytes]
    standing: "InForce"
    value: dict[str, Any]
    digest: str
    version: int

    def by(self, key: str) -> dict[str, Any]:
        """What the holder of this key signs. Raises NotApproved."""
        return change_by(self.standing, "enroll", self.digest, key)

    def write(self, proofs: list[dict[str, Any]]) -> int:
        """Write the line, unless it would have no effect. Raises NotApproved, StoreError."""
        members = {"registry": self.value, "proof": {"signatures": proofs}}
        append_effective(self.store, self.log, own_line(self.log, now(), "keys.enrolled", members))
        say(visible(f"adopted: registry version {self.version}, digest {self.digest}") + "\n")
        return 0


def _next(file: str, store: str) -> _Adoption | None:
    """The registry in the file, if it may follow the one in force; None if that is the same.

    Raises RegistryFault, NotApproved, BadParameter, SourceError.
    """
    from agent_saga.approvals.registry import registry_digest

    value = registry_value(file)
    log, standing = in_force(store, _OTHERWISE)
    digest = registry_digest(value)
    if digest == standing.digest:
        told(f"registry version {standing.registry.version} is in force already")
        return None
    registry = history_of(log).following(value)
    _tell_differences(standing.registry, registry)
    return _Adoption(store, log, standing, value, digest, registry.version)


def _tell_differences(old: "Registry", new: "Registry") -> None:
    """A change names the new registry by its digest alone; whoever signs has to see what that is."""
    from agent_saga.approvals.registry import diff

    for line in diff(old, new):
        told(line)
    if new.changes is None:
        told("this version says of nobody that they may change it: it would be the last one")
