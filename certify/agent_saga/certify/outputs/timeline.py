"""Where each event of a saga stands in its picture: rows in order of lines, lanes for steps, effects, undos ...

An effect has a track of its own from its intent to the undo that took effect, or to the end. The picture says only what
the marks say: without a mark's ``target`` an undo is drawn without a track to end.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.certify.report import Mark

LANES: Final = ("steps", "effects", "undos", "checks", "person")
MAX_ROWS: Final = 120
"""Rows of one picture: what still fits two printed pages."""
KEPT_AT_ENDS: Final = 40
MAX_TRACKS: Final = 8
"""Effects drawn side by side; further ones share the last track."""

_STATES: Final = {
    "intended": "intended",
    "succeeded": "applied",
    "failed": "failed",
    "unknown": "unknown",
    "landed": "applied",
    "absent": "failed",
    "unresolved": "unknown",
}
_OTHERS: Final = {
    "saga.started": ("steps", "bar"),
    "saga.ended": ("steps", "bar"),
    "step.proposed": ("steps", "intended"),
    "step.refused": ("steps", "failed"),
    "rollback.started": ("steps", "bar"),
    "branch.chosen": ("steps", "bar"),
    "approval.requested": ("person", "intended"),
    "approval.recorded": ("person", "decided"),
    "person.decided": ("person", "decided"),
    "saga.halted": ("person", "bar"),
    "saga.escalated": ("person", "bar"),
    "saga.paused": ("person", "bar"),
}
_CHECKS: Final = {"passed": "passed", "failed": "missed", "true": "passed", "false": "missed"}


@dataclass(frozen=True, slots=True)
class Row:
    """One drawn line; mark is None where ``hidden`` lines are left out. state names its shape and colour.

    tool: that of the mark, or of an earlier mark of the same effect or undo.
    """

    mark: Mark | None
    lane: str = ""
    state: str = ""
    hidden: int = 0
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Track:
    """The life of one effect in rows. ended: ``undone``, ``failed``, ``unknown``, ``applied`` or ``intended``."""

    effect: str
    column: int
    first: int
    applied: int | None
    last: int
    ended: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The picture in rows and tracks.

    arrows: the row of an undo that took effect, and the effect's track. linked: every such undo names its effect, so
    a track that runs to the bottom was truly never undone.
    """

    rows: tuple[Row, ...]
    tracks: tuple[Track, ...]
    arrows: tuple[tuple[int, Track], ...]
    linked: bool = True

    @property
    def columns(self) -> int:
        """How many tracks stand side by side at most."""
        return max((track.column for track in self.tracks), default=0) + 1

    def first_of_line(self, number: int) -> bool:
        """Whether a row is the first of its line: several events of a foreign source may share one."""
        mark, above = self.rows[number].mark, self.rows[number - 1].mark if number else None
        return mark is not None and mark.line > 0 and (above is None or above.line != mark.line)


def layout(marks: Sequence[Mark], keep: Collection[int] = ()) -> Timeline:
    """Place the marks.

    Args:
        marks: in order of lines.
        keep: line numbers that must be drawn even where the picture is shortened.
    """
    rows, row_of = _rows(marks, keep)
    targets = _targets(marks)
    tracks = _tracks(marks, targets, row_of, len(rows) - 1)
    by_effect = {track.effect: track for track in tracks}
    undos = [(row_of[number], mark.ref) for number, mark in enumerate(marks) if place_of(mark) == ("undos", "applied")]
    arrows = [
        (row, by_effect[targets[undo]])
        for row, undo in undos
        if targets.get(undo) in by_effect and rows[row].mark is not None
    ]
    return Timeline(rows, tracks, tuple(arrows), all(undo in targets for _, undo in undos))


def place_of(mark: Mark) -> tuple[str, str]:
    """The lane and the state of a mark; what is unknown to this release stands among the steps."""
    subject, _, event = mark.type.partition(".")
    result = mark.result
    if subject in ("effect", "undo"):
        state = _STATES.get(result if event == "reconciled" else event, "other")
        return ("effects" if subject == "effect" else "undos", state)
    if subject == "check":
        return "checks", _CHECKS.get(result, "other")
    return _OTHERS.get(mark.type, ("steps", "other"))


def _rows(marks: Sequence[Mark], keep: Collection[int]) -> tuple[tuple[Row, ...], list[int]]:
    """The rows, and for each mark the row that shows it or stands for it."""
    rows: list[Row] = []
    row_of: list[int] = []
    tools: dict[tuple[str, str], str] = {}
    for number, mark in enumerate(marks):
        lane, state = place_of(mark)
        tool = mark.tool or tools.get((lane, mark.ref), "")
        if lane in ("effects", "undos"):
            tools[lane, mark.ref] = tool
        if len(marks) <= MAX_ROWS or _is_kept(number, len(marks), mark.line in keep):
            rows.append(Row(mark, lane, state, tool=tool))
        elif rows and rows[-1].mark is None:
            rows[-1] = Row(None, hidden=rows[-1].hidden + 1)
        else:
            rows.append(Row(None, hidden=1))
        row_of.append(len(rows) - 1)
    return tuple(rows), row_of


def _is_kept(number: int, count: int, wanted: bool) -> bool:
    return wanted or number < KEPT_AT_ENDS or number >= count - KEPT_AT_ENDS


def _targets(marks: Sequence[Mark]) -> dict[str, str]:
    undos = [mark for mark in marks if mark.type.startswith("undo.")]
    return {mark.ref: mark.target for mark in undos if mark.target}


def _tracks(marks: Sequence[Mark], targets: dict[str, str], row_of: list[int], bottom: int) -> tuple[Track, ...]:
    # Over all marks, also those that are not drawn: an undo in a gap still ends its effect's track.
    lives: dict[str, list[tuple[int, str]]] = {}
    for row, mark in zip(row_of, marks, strict=True):
        lane, state = place_of(mark)
        if lane == "effects" and mark.ref:
            lives.setdefault(mark.ref, []).append((row, state))
        elif (lane, state) == ("undos", "applied") and targets.get(mark.ref) in lives:
            lives[targets[mark.ref]].append((row, "undone"))
    return _columns([_track(effect, life, bottom) for effect, life in lives.items()])


def _track(effect: str, life: list[tuple[int, str]], bottom: int) -> Track:
    seen = [state for _, state in life]
    applied = next((number for number, state in life if state == "applied"), None)
    ended = next((state for state in ("undone", "applied") if state in seen), seen[-1])
    # A track without an end runs to the bottom: that is what a reader has to see.
    last = life[-1][0] if ended in ("undone", "failed") else bottom
    return Track(effect, 0, life[0][0], applied, last, ended)


def _columns(tracks: list[Track]) -> tuple[Track, ...]:
    free: list[int] = []
    placed = []
    for track in tracks:
        column = next((c for c, until in enumerate(free) if until < track.first), len(free))
        column = min(column, MAX_TRACKS - 1)
        free[column : column + 1] = [track.last]
        placed.append(Track(track.effect, column, track.first, track.applied, track.last, track.ended))
    return tuple(placed)
