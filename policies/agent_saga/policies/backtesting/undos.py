"""Undos in a back-test: what outcomes of a trace recorded as the inverse of a call, and whether the policy lets it be.

Source: docs/spec/policy-v1.md, "Undos"; docs/guide/backtest.md.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from agent_saga.policies.cel import Undecided
from agent_saga.policies.compiled import Compiled

MAX_KEPT: Final = 1_000
"""Undos that are kept with their lines; all are counted."""


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An inverse that an outcome recorded. line: of the outcome, 1-based. args: of the call; undo: of its inverse."""

    line: int
    saga: str
    effect: str
    tool: str
    args: dict[str, Any]
    by: str
    undo: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unfit:
    """A recorded inverse that would not be made. file, line: of the outcome."""

    file: str
    line: int
    saga: str
    effect: str
    tool: str
    why: str


@dataclass(slots=True)
class Undos:
    """What was found. judged: inverses that a policy says something of. refused: how many would not be made, and were
    by the old policy; allowed: the other way round; sealed: how many nobody can tell, since a value is concealed.
    """

    judged: int = 0
    refused: int = 0
    allowed: int = 0
    sealed: int = 0
    kept: list[Unfit] = field(default_factory=list)

    def note(self, file: str, one: Recorded, new: Compiled, old: Compiled | None) -> None:
        """Judge one inverse. old: the policy of before; None where the trace itself shows that it was let through."""
        after, sealed = _wrong(one, new)
        before = _wrong(one, old)[0] if old is not None else ""
        self.judged += 1
        self.sealed += sealed
        if after and not before and not sealed:
            self.refused += 1
            if len(self.kept) < MAX_KEPT:
                self.kept.append(Unfit(file, one.line, one.saga, one.effect, one.tool, after))
        self.allowed += bool(before and not after)

    @property
    def changed(self) -> int:
        """How many would be treated otherwise."""
        return self.refused + self.allowed


def tools_of(*policies: Compiled | None) -> frozenset[str]:
    """The tools of whose undos one of these policies says something."""
    known = [one.policy.tools.values() for one in policies if one is not None]
    return frozenset(tool.name for tools in known for tool in tools if tool.inverse is not None)


def _wrong(one: Recorded, compiled: Compiled) -> tuple[str, bool]:
    """Why a policy would not let it be made, and whether only a concealed value keeps that open."""
    terms = compiled.terms(one.tool)
    if terms is None or one.by != terms.undo:
        return "", False
    try:
        return terms.wrong(one.args, one.undo), False
    except Undecided as fault:
        return fault.words, fault.concealed
