"""Behaviours: what one effect does, and what is done about it. The alphabet from which sagas are spelled."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

Line = dict[str, Any]

TOOLS: dict[str, dict[str, str]] = {
    "look": {"version": "1", "semantics": "preview"},
    "hold": {"version": "1", "semantics": "reversible", "undo": "free"},
    "free": {"version": "1", "semantics": "reversible"},
    "charge": {"version": "1", "semantics": "compensable", "undo": "refund", "amount_from": "/amount"},
    "refund": {"version": "1", "semantics": "compensable", "amount_from": "/amount"},
}
TOOL_OF = {"preview": "look", "reversible": "hold", "compensable": "charge"}

OUTCOMES: dict[str, tuple[str, ...]] = {
    "ok": ("try", "succeeded"),
    "failed": ("try", "failed"),
    "unknown": ("try", "unknown"),
    "landed": ("try", "unknown", "landed"),
    "absent": ("try", "unknown", "absent"),
    "unresolved": ("try", "unknown", "unresolved"),
    "retry": ("try", "failed", "try", "succeeded"),
}
MORE_OUTCOMES: dict[str, tuple[str, ...]] = {
    "silent": ("try",),
    "no undo known": ("try", "succeeded bare"),
    "lost, no undo known": ("try", "unknown bare"),
    "lost, then told": ("try", "unknown", "succeeded"),
    "lost, then failed": ("try", "unknown", "failed"),
    "absent, retried": ("try", "unknown", "absent", "try", "succeeded"),
    "unresolved, landed": ("try", "unknown", "unresolved", "landed"),
    "blind retry": ("try", "unknown", "try", "succeeded"),
    "blind retry failed": ("try", "unknown", "try", "failed"),
    "retry, other key": ("try", "failed", "try otherwise", "succeeded"),
    "told twice": ("try", "succeeded", "succeeded"),
    "told away": ("try", "succeeded", "failed"),
    "denied by the provider": ("try", "succeeded", "absent"),
    "cheap undo": ("try", "succeeded cheap"),
}
UNDOS: dict[str, tuple[str, ...]] = {
    "none": (),
    "proper": ("undo", "succeeded"),
    "wrong args": ("undo of another", "succeeded"),
    "wrong tool": ("undo by another", "succeeded"),
    "partial": ("undo a part", "succeeded"),
    "failed": ("undo", "failed"),
    "unknown": ("undo", "unknown"),
}
MORE_UNDOS: dict[str, tuple[str, ...]] = {
    "in parts": ("undo a part", "succeeded", "undo the rest", "succeeded"),
    "a part, the rest fails": ("undo a part", "succeeded", "undo the rest", "failed"),
    "too much": ("undo too much", "succeeded"),
    "whole and a part": ("undo", "succeeded", "undo a part", "succeeded"),
    "other currency": ("undo in yen", "succeeded"),
    "retried": ("undo", "failed", "again", "succeeded"),
    "landed": ("undo", "unknown", "landed"),
    "absent": ("undo", "unknown", "absent"),
    "absent, retried": ("undo", "unknown", "absent", "again", "succeeded"),
    "blind retry": ("undo", "unknown", "again", "succeeded"),
    "another after unknown": ("undo", "unknown", "undo anew", "succeeded"),
    "another after failed": ("undo", "failed", "undo anew", "succeeded"),
    "a part untold, the rest": ("undo a part", "undo the rest", "succeeded"),
    "parts at once": ("undo a part", "undo the rest", "first succeeded", "succeeded"),
    "part unknown, the rest": ("undo a part", "unknown", "undo the rest", "succeeded"),
    "part unknown, the whole": ("undo a part", "unknown", "undo anew", "succeeded"),
    "part unknown, rest, then landed": (
        "undo a part",
        "unknown",
        "undo the rest",
        "succeeded",
        "first landed",
    ),
    "twice": ("undo", "succeeded", "undo anew", "succeeded"),
    "silent": ("undo",),
    "wrong, failed, then right": ("undo of another", "failed", "undo anew", "succeeded"),
}
ALL_OUTCOMES = OUTCOMES | MORE_OUTCOMES
ALL_UNDOS = UNDOS | MORE_UNDOS


class Act(NamedTuple):
    """One effect of a saga: its class, what became of it, and how it was undone."""

    semantics: str
    outcome: str
    undo: str


def acts(semantics: str, outcomes: dict[str, Any], undos: dict[str, Any]) -> list[Act]:
    """Every behaviour of one class. Parts and currencies need an amount."""
    money = ("part", "much", "currency")
    kept = [name for name in undos if semantics == "compensable" or not any(word in name for word in money)]
    return [Act(semantics, outcome, undo) for outcome, undo in product(outcomes, kept)]


ALPHABET = [
    *acts("preview", {"ok": 0, "failed": 0, "unknown": 0}, {"none": 0}),
    Act("preview", "ok", "proper"),
    *acts("reversible", OUTCOMES, UNDOS),
    *acts("compensable", OUTCOMES, UNDOS),
]
"""For sagas of two effects."""

LETTERS = [
    Act("preview", "ok", "none"),
    *(Act("reversible", "ok", undo) for undo in ("none", "proper", "failed", "unknown")),
    *(Act("compensable", "ok", undo) for undo in ("none", "proper", "partial", "wrong args")),
    *(Act("compensable", outcome, "none") for outcome in ("failed", "unknown", "absent", "landed")),
    *(Act("reversible", outcome, "proper") for outcome in ("unknown", "absent", "retry")),
    Act("reversible", "unresolved", "none"),
]
"""For sagas of three effects."""

EVERYTHING = [
    *acts("preview", ALL_OUTCOMES, {"none": 0, "proper": 0}),
    *acts("reversible", ALL_OUTCOMES, ALL_UNDOS),
    *acts("compensable", ALL_OUTCOMES, ALL_UNDOS),
]
"""For sagas of one effect, and for the sample of four."""

PARALLEL = [
    *(Act("compensable", "ok", undo) for undo in ("none", "proper", "failed", "in parts")),
    *(Act("reversible", outcome, "proper") for outcome in ("ok", "unknown", "landed", "retry", "absent")),
    *(Act("reversible", outcome, "none") for outcome in ("failed", "absent", "unknown")),
    Act("preview", "ok", "none"),
]
"""For two effects at once."""
