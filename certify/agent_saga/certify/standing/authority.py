"""Which registry and policy are in force at a line, and whether the user trusts them.

A log that begins with log.opened tells by its own lines; each counts only with a proof under what was in force before
it. Without log.opened the saga's first line names a digest, and the user's file must have it.

Source: docs/rules.md, "Approvals"; docs/adr/0009-the-logs-own-lines-are-judged-first.md.
"""

from typing import TYPE_CHECKING, NamedTuple

from agent_saga.certify.standing.trust import NOBODY, Trust, told
from agent_saga.trace.events import Event, LogOpened

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import History
    from agent_saga.approvals.registry.model import Registry


class Standing(NamedTuple):
    """What holds at a line. registry: None where it is not trusted, and why says why not.

    wrong: another registry is in force than the one that the user trusts, which is an error and no open question.
    """

    keys: str | None
    policy: str | None
    registry: "Registry | None"
    why: str = ""
    wrong: bool = False


class Authority:
    """Who may approve, line by line. first: digest of the registry that log.opened holds, "" without one.

    met: whether any signature was looked at. begins: where the lines judged begin in the log, when they are numbered
    from their own first one, as those of a bundle are.
    """

    def __init__(self, trust: Trust = NOBODY) -> None:
        self.trust, self.first = trust, ""
        self.history: History | None = None
        self.met, self.begins = False, 0
        self._given: Registry | None = None

    def hear(self, line: int, leaf: str, event: Event) -> None:
        """Take in a line of the log's own that continues its chain. line: 1-based."""
        from agent_saga.approvals.registry.history import History

        if isinstance(event, LogOpened) and self.history is None:
            self.history = History(event, leaf)
            self.first = self.history.last.digest
        elif self.history is not None:
            self.history.add(line - 1, leaf, event)

    def know(self, history: "History", first: str, begins: int) -> None:
        """Take in what the log's own lines put in force, all of it. first: digest of the registry in log.opened."""
        self.history, self.first, self.begins = history, first, begins

    def place(self, line: int) -> int:
        """The index in the log of a line that is judged (1-based)."""
        return line - 1 + self.begins

    def adopted(self, line: int) -> str | None:
        """Digest of the policy that the log's own lines put in force at a line (1-based); None where they put none."""
        return self.history.at(self.place(line)).policy if self.history is not None else None

    @property
    def vouched(self) -> bool:
        """Whether what the log's own lines put in force goes back to a registry that the user trusts."""
        trust = self.trust
        return self.history is not None and bool(trust) and (trust.first_use or trust.digest == self.first)

    def standing(self, line: int, keys: str | None, policy: str | None) -> Standing:
        """What holds at a line (1-based). keys, policy: what the saga's first line names."""
        if self.history is None:
            return self._by_file(keys, policy)
        state, trust = self.history.at(self.place(line)), self.trust
        if not trust:
            return Standing(state.digest, state.policy, None, "no registry is pinned")
        if self.vouched:
            return Standing(state.digest, state.policy, state.registry)
        why = f"the log began with the registry {self.first[:16]}..., and {trust.digest[:16]}... is pinned"
        return Standing(state.digest, state.policy, None, why, wrong=True)

    def _by_file(self, keys: str | None, policy: str | None) -> Standing:
        if not self.trust:
            return Standing(keys, policy, None, "no registry is pinned")
        if self.trust.digest and keys != self.trust.digest:
            why = f"the saga names the registry {(keys or 'none')[:16]}, and {self.trust.digest[:16]}... is pinned"
            return Standing(keys, policy, None, why, wrong=True)
        if not self.trust.registry:
            return Standing(keys, policy, None, "the log does not hold the registry itself: give it with --registry")
        return Standing(keys, policy, self._file())

    def _file(self) -> "Registry":
        from agent_saga.approvals.registry import read_registry

        if self._given is None:
            self._given, _ = read_registry(self.trust.registry)
        return self._given

    def assumptions(self) -> tuple[str, ...]:
        """What has to be believed about the signatures that were looked at."""
        return told(self.trust, self.first) if self.met else ()
