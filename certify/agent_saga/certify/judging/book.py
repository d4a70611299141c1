"""The rules as the judge calls them: by the moment, and by the type of the line.

A rule that the source's format cannot answer is left out of the book, not asked and overruled.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from agent_saga.certify.history.attempts import Fold
from agent_saga.certify.history.fold import FOLD
from agent_saga.certify.rule import AtEnd, OnAnswer, OnCall, OnChain, OnEvent, OnLate, OnLeft, OnUse
from agent_saga.certify.rules import all_rules

_OPENINGS: Final = frozenset({"saga.started", "log.opened"})


class RuleBook(NamedTuple):
    """The functions of the rules that are run, by the moment at which they are called."""

    on: dict[str, tuple[tuple[str, OnEvent, frozenset[str]], ...]]
    """The third: what must have come before (:attr:`Rule.only_after`); empty: nothing."""
    on_text: tuple[tuple[str, OnEvent], ...]
    on_chain: tuple[tuple[str, OnChain], ...]
    on_late: tuple[tuple[str, OnLate], ...]
    on_left: dict[str, OnLeft]
    on_use: tuple[tuple[str, OnUse], ...]
    on_answer: tuple[tuple[str, OnAnswer], ...]
    on_call: tuple[tuple[str, OnCall], ...]
    at_end: tuple[tuple[str, AtEnd], ...]
    at_open: tuple[tuple[str, AtEnd], ...]

    @property
    def waited_for(self) -> frozenset[str]:
        """What checks wait for."""
        return frozenset(name for checks in self.on.values() for _, _, after in checks for name in after)


def rule_book(leave_out: Iterable[str] = ()) -> RuleBook:
    """All rules but those left out because the source's format cannot answer them."""
    skipped = set(leave_out)
    rules = [rule for code, rule in all_rules().items() if code not in skipped]
    on = {
        name: tuple(
            (rule.code, rule.on[name], frozenset(rule.only_after.get(name, ()))) for rule in rules if name in rule.on
        )
        for name in FOLD
    }
    return RuleBook(
        on,
        tuple((rule.code, rule.on_text) for rule in rules if rule.on_text),
        tuple((rule.code, rule.on_chain) for rule in rules if rule.on_chain),
        tuple((rule.code, rule.on_late) for rule in rules if rule.on_late),
        {rule.code: rule.on_left for rule in rules if rule.on_left},
        tuple((rule.code, rule.on_use) for rule in rules if rule.on_use),
        tuple((rule.code, rule.on_answer) for rule in rules if rule.on_answer),
        tuple((rule.code, rule.on_call) for rule in rules if rule.on_call),
        tuple((rule.code, rule.at_end) for rule in rules if rule.at_end),
        tuple((rule.code, rule.at_open) for rule in rules if rule.at_open),
    )


class Move(NamedTuple):
    """What is done about a line of one type. opens: it opens a saga. then: the moves after it, None for the same."""

    opens: bool
    checks: tuple[tuple[str, OnEvent], ...]
    fold: Fold
    then: "Moves | None"


class Moves(dict[str, Move]):
    """Line type to what is done about it in a saga that has shown certain things; holds the types that were met.

    What a saga has shown decides which rules are asked about its next line (:attr:`Rule.only_after`), and changes two
    or three times in a saga. So each saga has its moves, and those of sagas that have shown the same are the same.
    """

    def __init__(self, book: RuleBook, shown: frozenset[str], known: "_Known | None" = None) -> None:
        """shown: the line types that checks wait for, as far as they came, and what holds for the whole input."""
        super().__init__()
        self.book, self.shown = book, shown
        self._known: _Known = {shown: self} if known is None else known

    @property
    def met(self) -> set[str]:
        """The line types met by any saga."""
        return {kind for moves in self._known.values() for kind in moves}

    def __missing__(self, kind: str) -> Move:
        asked = [(code, check) for code, check, after in self.book.on[kind] if not after or after & self.shown]
        self[kind] = Move(kind in _OPENINGS, tuple(asked), FOLD[kind], self._after(kind))
        return self[kind]

    def _after(self, kind: str) -> "Moves | None":
        shown = self.shown | (self.book.waited_for & {kind})
        if shown == self.shown:
            return None
        if shown not in self._known:
            self._known[shown] = Moves(self.book, shown, self._known)
        return self._known[shown]


_Known = dict[frozenset[str], Moves]
"""All moves of one input, by what was shown."""
