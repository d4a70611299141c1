"""An event as a mark on its saga's timeline: what it is about and how it came out, never a payload value."""

from typing import Any, Final

from agent_saga.certify.report import Mark

_REFS: Final = ("undo", "effect", "check", "step", "target", "branch")
"""Members that name what an event is about, the most telling first."""


def mark_of(event: Any, line: int) -> Mark:
    """The mark of one event."""
    kind = event.type
    undo = kind.startswith("undo.")
    names = _REFS if undo else _REFS[1:]
    ref = next((getattr(event, name) for name in names if hasattr(event, name)), "")
    return Mark(
        line=line,
        at=event.at,
        type=kind,
        ref=ref,
        tool=getattr(event, "tool", ""),
        target=event.effect if kind == "undo.intended" else "",
        result=_result(event),
    )


def _result(event: Any) -> str:
    if event.type == "check.evaluated":
        return "passed" if event.passed else "failed"
    for name in ("found", "status", "verdict", "decision", "winner"):
        if hasattr(event, name):
            return str(getattr(event, name))
    return ""
