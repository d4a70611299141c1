"""Walks put before the certifier, many in one file, and its answers held against the world's.

The only module of the walks that touches the certifier, and it asks for verdicts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from oraclelib.sagas import written
from rulelib.signing import REGISTRY_FILE
from walking import family
from walking_lies import lies, stranded
from walking_lines import Line
from walking_world import World

from agent_saga.certify.report import Choices, SagaReport, Verdict
from agent_saga.certify.run import Options, certify

BATCH = 150
"""Seeds of one file: of one rule a thousand findings are listed for an input, and none may go unlisted."""
FALSE = "certified"
"""How a false certificate is told from another wrong answer: the worst that can be seen here."""
OF_THE_WORLD = {"AS201", "AS202", "AS214", "AS218", "AS501", "AS502"}
"""Rules about what exists in the end, which the world judges as well: no saga may be refused for these alone where it
sees no lie.

The others also judge form and the way there, which the world does not know: a double that was undone, an undo that
nobody named, or a child of an effect that may be gone by such an undo. Where one of them speaks, what is left in the
end is a matter of opinion.
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
    """Judge the walks of these seeds, and their children, twice.

    ignored: rules that the certifier leaves out. world_of: who says what exists. folder: for the traces.
    """
    registry = folder / "registry.json"
    registry.write_bytes(REGISTRY_FILE)
    tally, path, rest = Tally(), folder / "walks.jsonl", iter(seeds)
    while batch := list(islice(rest, BATCH)):
        sagas = {saga: lines for seed in batch for saga, lines in family(seed).items()}
        path.write_bytes(b"".join(written(saga, lines) for saga, lines in sagas.items()))
        report = certify([str(path)], Options(Choices(ignored=ignored, registry=str(registry)), keep_sagas=True))
        answers = {saga.saga: saga for saga in report.sagas}
        worlds = {saga: world_of(lines) for saga, lines in sagas.items()}
        for saga in worlds:
            codes = {finding.code for finding in report.findings if finding.saga == saga}
            _compare(tally, saga, worlds, answers.get(saga), codes)
    return tally


def _untrue(world: World, worlds: dict[str, World]) -> list[str]:
    parent = world.lines[0].get("parent")
    return lies(world) + (list(stranded(world, worlds[parent["saga"]])) if parent else [])


def _compare(tally: Tally, saga: str, worlds: dict[str, World], answer: SagaReport | None, codes: set[str]) -> None:
    untrue = _untrue(worlds[saga], worlds)
    tally.walks += 1
    tally.dishonest += bool(untrue)
    tally.certified += answer is not None and answer.verdict is Verdict.CERTIFIED
    tally.codes |= codes
    if wrong := _wrong(worlds[saga], untrue, answer, codes):
        root = saga.partition("-child")[0]
        kin = [(name, world) for name, world in worlds.items() if name.partition("-child")[0] == root]
        trace = b"".join(written(name, world.lines) for name, world in kin).decode()
        tally.wrong.append(f"{saga}: {wrong}; the lines of its family, to be pinned:\n{trace}")


def _wrong(world: World, untrue: list[str], answer: SagaReport | None, codes: set[str]) -> str:
    """What the certifier says wrongly of a saga; "" when it is right."""
    if answer is None:
        return "not judged"
    if answer.verdict is Verdict.CERTIFIED:
        if untrue:
            return f"{FALSE}, although {untrue}"
        left = answer.in_force + answer.unknown
        return "" if left == len(world.standing()) else f"counts {left} in force, but {world.standing()} stand"
    if not untrue and codes <= OF_THE_WORLD:
        return f"refused for {sorted(codes)}, but nothing is untrue"
    return ""
