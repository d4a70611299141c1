"""What waits in a store, read without writing to it, and the key registry that is in force there."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import typer

from agent_saga.cli.approvals.given import NothingWaits, registry_of

if TYPE_CHECKING:
    from agent_saga.approvals.registry import Registry
    from agent_saga.approvals.registry.history import InForce
    from agent_saga.runtime.approving import Paused, Pending

_BATCH: Final = 4_096
"""Lines that are looked at together: some megabytes."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits in a store. standing: what is in force by the log's own lines; None where it begins with none.

    known: registries that were ever in force there, by digest.
    """

    store: str
    requests: "list[Pending]"
    pauses: "list[Paused]"
    standing: "InForce | None"
    known: "Mapping[str, Registry]" = field(default_factory=dict)

    def request(self, saga: str, step: str) -> "Pending":
        """The request of this saga and step; "" stands for the only one. Raises NothingWaits, BadParameter."""
        found = [one for one in self.requests if saga in ("", one.saga) and step in ("", one.step)]
        if not found:
            raise NothingWaits(f"{self.store}: no approval of {saga or 'any saga'} {step} waits for a person".rstrip())
        if len(found) > 1:
            known = ", ".join(f"{one.saga} {one.step}" for one in found[:8])
            raise typer.BadParameter(f"{len(found)} requests wait: name SAGA and STEP, such as {known}")
        return found[0]

    def pause(self, saga: str) -> "Paused":
        """What this saga waits for a decision about. Raises NothingWaits."""
        found = next((one for one in self.pauses if one.saga == saga), None)
        if found is None:
            known = ", ".join(one.saga for one in self.pauses[:8]) or "none"
            raise NothingWaits(f"{self.store}: saga {saga} waits for no decision; those that do: {known}")
        return found

    def registry(self, path: str, asked_under: str | None = None) -> "tuple[Registry, frozenset[str]]":
        """The registry by which an answer is judged, and the keys that were revoked. path: ``--registry``.

        asked_under: digest of the registry that a request names; later ones give nobody a right to answer it. Without,
        the one in force. Raises BadParameter.
        """
        if self.standing is None:
            if not path:
                raise typer.BadParameter(f"{self.store}: its log names no key registry: give it with --registry FILE")
            return registry_of(path)[0], frozenset()
        if path and registry_of(path)[1] not in (self.standing.digest, asked_under):
            raise typer.BadParameter(
                f"{path}: is not the registry in force in {self.store}, whose digest is {self.standing.digest}"
            )
        return self.known.get(asked_under or "", self.standing.registry), frozenset(self.standing.revoked)


def look(store: str) -> Waiting:
    """Look at a store or trace file. Raises SourceError, LineError."""
    from agent_saga.runtime.approving import paused, pending
    from agent_saga.runtime.approving.standing import standings

    lines, own = open_lines(store)
    found = standings(own)
    known = {one.digest: one.registry for one in found}
    return Waiting(store, pending([*own, *lines]), paused(lines), found[-1] if found else None, known)


def open_lines(store: str) -> tuple[list[bytes], list[bytes]]:
    """The lines of all sagas that have not ended, and the log's own, each in order. Raises SourceError, LineError."""
    from agent_saga.trace.heads import sagas_of
    from agent_saga.trace.limits import LOG_SAGA

    ended = {saga for batch in _batches(_lines(store)) for saga in _ends(batch)}
    lines: list[bytes] = []
    own: list[bytes] = []
    for batch in _batches(_lines(store)):
        for line, saga in zip(batch, sagas_of(batch), strict=True):
            if saga == LOG_SAGA.encode():
                own.append(line)
            elif saga not in ended:
                lines.append(line)
    return lines, own


def _ends(batch: list[bytes]) -> Iterator[bytes]:
    """Sagas that end in these lines. The quick look may take another line for an end: it is decoded."""
    from agent_saga.trace.codec import decode
    from agent_saga.trace.heads import ends, sagas_of

    for line, saga in zip(batch, sagas_of(batch), strict=True):
        if ends(line) and decode(line)[0].type == "saga.ended":
            yield saga


def _lines(store: str) -> Iterable[bytes]:
    from agent_saga.trace.errors import SourceError
    from agent_saga.trace.store.following import lines_since
    from agent_saga.trace.store.postgres.addresses import is_address

    try:
        if not (is_address(store) or os.path.isfile(store)):
            raise SourceError(f"{store}: no such store")
        yield from lines_since(store, 0)
    except (OSError, ValueError) as fault:
        raise SourceError(f"{store}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    left = iter(lines)
    while batch := list(islice(left, _BATCH)):
        yield batch


def disclosures_of(store: str, saga: str, files: Iterable[str] | None) -> list[str]:
    """What opens the concealed values of a saga: kept beside the store, and in these files."""
    from agent_saga.cli.approvals.given import opened_values
    from agent_saga.trace.store.moving import disclosures_for

    return [*disclosures_for(store, saga), *opened_values(files)]


def is_carried(path: str) -> bool:
    """Whether a file is a request, decision or change that is carried by hand, told from its first bytes."""
    if path == "-":
        return True
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            return stream.read(16).startswith((b'{"action":', b'{"issued_at":', b'{"change":'))
    except (OSError, ValueError):
        return False


def summary(one: "Pending") -> dict[str, Any]:
    """A request that waits, for programs."""
    from agent_saga.approvals.digests import fingerprint

    asked = one.requested
    action = {"action": asked.action, "fingerprint": fingerprint(bytes.fromhex(asked.action))}
    due = {"quorum": asked.quorum, "roles": list(asked.roles), "strength": asked.strength, "not_after": asked.not_after}
    about = {"saga": one.saga, "name": one.name, "step": one.step, "about": one.about, "proposer": one.proposer}
    state = {"answered": list(one.answered), "denied": one.denied or None, "wrong": one.wrong or None}
    return about | action | due | state
