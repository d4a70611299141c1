"""The rules as the judge calls them: by the moment, and by the type of the line.

A rule that the source's format cannot answer is left out of the book, not asked and overruled.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from agent_saga.certify.history.attempts import Fold
from agent_saga.certify.history.fold import FOLD
from agent_saga.certify.rule import AtEnd, OnCall, OnChain, OnEvent, OnLate, OnLeft, OnUse
from agent_saga.certify.rules import all_rules

_OPENINGS: Final = frozenset({"saga.started", "log.opened"})


class RuleBook(NamedTuple):
    """The functions of the rules that are run, by the moment at which they are called."""

    on: dict[str, tuple[tuple[str, OnEvent], ...]]
    on_text: tuple[tuple[str, OnEvent], ...]
    on_chain: tuple[tuple[str, OnChain], ...]
    on_late: tuple[tuple[str, OnLate], ...]
    on_left: dict[str, OnLeft]
    on_use: tuple[tuple[str, OnUse], ...]
    on_call: tuple[tuple[str, OnCall], ...]
    at_end: tuple[tuple[str, AtEnd], ...]
    at_open: tuple[tuple[str, AtEnd], ...]


def rule_book(leave_out: Iterable[str] = ()) -> RuleBook:
    """All rules but those left out because the source's format cannot answer them."""
    skipped = set(leave_out)
    rules = [rule for code, rule in all_rules().items() if code not in skipped]
    on = {name: tuple((rule.code, rule.on[name]) for rule in rules if name in rule.on) for name in FOLD}
    return RuleBook(
        on,
        tuple((rule.code, rule.on_text) for rule in rules if rule.on_text),
        tuple((rule.code, rule.on_chain) for rule in rules if rule.on_chain),
        tuple((rule.code, rule.on_late) for rule in rules if rule.on_late),
        {rule.code: rule.on_left for rule in rules if rule.on_left},
        tuple((rule.code, rule.on_use) for rule in rules if rule.on_use),
        tuple((rule.code, rule.on_call) for rule in rules if rule.on_call),
        tuple((rule.code, rule.at_end) for rule in rules if rule.at_end),
        tuple((rule.code, rule.at_open) for rule in rules if rule.at_open),
    )


Move = tuple[bool, tuple[tuple[str, OnEvent], ...], Fold]
"""What is done about a line of one type: whether it opens a saga, the checks made before it, and its fold."""


class Moves(dict[str, Move]):
    """Line type to what is done about it; holds the types that were met."""

    def __init__(self, book: RuleBook) -> None:
        super().__init__()
        self._book = book

    def __missing__(self, kind: str) -> Move:
        self[kind] = kind in _OPENINGS, self._book.on[kind], FOLD[kind]
        return self[kind]
