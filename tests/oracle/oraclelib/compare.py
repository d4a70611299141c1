"""Asking both judges about the same sagas, thousands in one file, and listing where they disagree."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from agent_saga.certify.report import SagaReport, Verdict
from agent_saga.certify.run import Options, certify

from .cases import Case
from .facts import effects, in_force
from .judge import broken
from .sagas import Line, written

BATCH = 150
"""Sagas of one file: the certifier lists a thousand findings of one rule in one input, and no saga may go
unlisted."""
SOUND = {"AS201", "AS202", "AS207", "AS210", "AS211", "AS214", "AS501", "AS502", "AS503"}
"""What may be wrong with a saga whose effects can still be told: no line contradicts another or undoes it
badly."""


@dataclass
class Tally:
    """What a run saw."""

    sagas: int = 0
    lines: int = 0
    certified: int = 0
    disagreements: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        refused = self.sagas - self.certified
        words = f"{self.sagas:,} sagas, {self.lines:,} lines: {self.certified:,} certified, {refused:,} refused"
        return f"{words}, {len(self.disagreements):,} disagreements"


def compare(cases: Iterable[Case]) -> Tally:
    """Judge each case twice."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sagas.jsonl"
        for batch in _batches(cases):
            _compare(batch, path, tally)
    return tally


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    rest = iter(cases)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _compare(batch: list[Case], path: Path, tally: Tally) -> None:
    made = [case.make() for case in batch]
    path.write_bytes(b"".join(written(f"saga-{n}", lines) for n, lines in enumerate(made)))
    report = certify([str(path)], Options(keep_sagas=True))
    answers = {saga.saga: saga for saga in report.sagas}
    codes: dict[str, set[str]] = {}
    for finding in report.findings:
        codes.setdefault(finding.saga, set()).add(finding.code)
    for n, (case, lines) in enumerate(zip(batch, made, strict=True)):
        name = f"saga-{n}"
        tally.sagas, tally.lines = tally.sagas + 1, tally.lines + len(lines)
        wrong = broken(lines)
        tally.certified += not wrong
        difference = _difference(lines, wrong, answers.get(name))
        if difference:
            said = sorted(codes.get(name, ()))
            tally.disagreements.append(f"{difference}: {case.name}: oracle {sorted(wrong)}, certifier {said}")


def _difference(lines: list[Line], wrong: set[str], answer: SagaReport | None) -> str:
    """Where the two judges differ about one saga; "" where they agree."""
    if answer is None:
        return "not judged"
    if (answer.verdict is Verdict.CERTIFIED) != (not wrong):
        return "verdict"
    if wrong - SOUND:
        return ""
    standing = sum(in_force(lines, name) for name in effects(lines))
    told = answer.in_force + answer.unknown
    return f"in force {standing} != {told}" if standing != told else ""
