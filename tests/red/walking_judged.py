"""Walks put before the certifier, many in one file, and its answers held against the world's.

The only module of the walks that touches the certifier, and it asks for verdicts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from oraclelib.sagas import written
from walking import walk
from walking_lies import lies
from walking_lines import Line
from walking_world import World

from agent_saga.certify.report import Choices, SagaReport, Verdict
from agent_saga.certify.run import Options, certify

BATCH = 150
"""Sagas of one file: of one rule a thousand findings are listed for an input, and none may go unlisted."""
FALSE = "certified"
"""How a false certificate is told from another wrong answer: the worst that can be seen here."""
OF_THE_WORLD = {"AS201", "AS202", "AS214", "AS218", "AS501", "AS502"}
"""Rules about what exists in the end, which the world judges as well: none of them may be broken where it sees no lie.

The others also judge form and the way there, which the world does not know: a double that was undone, an undo that
nobody named.
"""


@dataclass
class Tally:
    """What a run saw. codes: the rules broken. wrong: what the two do not agree on, each with its trace."""

    walks: int = 0
    dishonest: int = 0
    certified: int = 0
    codes: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        shares = f"{self.dishonest:,} with a lie, {self.certified:,} certified"
        return f"{self.walks:,} walks, {shares}, {len(self.wrong):,} judged wrongly"


def judge(
    seeds: Iterable[int],
    folder: Path,
    ignored: tuple[str, ...] = (),
    world_of: Callable[[list[Line]], World] = World,
) -> Tally:
    """Judge the walks of these seeds twice. ignored: rules that the certifier leaves out. folder: for the traces."""
    tally, path, rest = Tally(), folder / "walks.jsonl", iter(seeds)
    while batch := list(islice(rest, BATCH)):
        walks = {f"walk-{seed}": walk(seed) for seed in batch}
        path.write_bytes(b"".join(written(saga, lines) for saga, lines in walks.items()))
        report = certify([str(path)], Options(Choices(ignored=ignored), keep_sagas=True))
        answers = {saga.saga: saga for saga in report.sagas}
        for saga, lines in walks.items():
            codes = {finding.code for finding in report.findings if finding.saga == saga}
            _compare(tally, world_of(lines), answers.get(saga), codes)
    return tally


def _compare(tally: Tally, world: World, answer: SagaReport | None, codes: set[str]) -> None:
    untrue = lies(world)
    tally.walks += 1
    tally.dishonest += bool(untrue)
    tally.certified += answer is not None and answer.verdict is Verdict.CERTIFIED
    tally.codes |= codes
    wrong = _wrong(world, untrue, answer, codes)
    if wrong and answer:
        trace = written(answer.saga, world.lines).decode()
        tally.wrong.append(f"{answer.saga}: {wrong}; its lines, to be pinned:\n{trace}")
    elif wrong:
        tally.wrong.append(wrong)


def _wrong(world: World, untrue: list[str], answer: SagaReport | None, codes: set[str]) -> str:
    """What the certifier says wrongly of a saga; "" when it is right."""
    if answer is None:
        return "not judged"
    if answer.verdict is Verdict.CERTIFIED:
        if untrue:
            return f"{FALSE}, although {untrue}"
        left = answer.in_force + answer.unknown
        return "" if left == len(world.standing()) else f"counts {left} in force, but {world.standing()} stand"
    if not untrue and (not codes or codes & OF_THE_WORLD):
        return f"refused for {sorted(codes)}, but nothing is untrue"
    return ""
