"""A log certified in steps comes to what it comes to when it is certified whole."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.fleet.errors import StateFault
from agent_saga.fleet.incremental import certify_since
from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins

ROOT = Path(__file__).resolve().parents[2]
ORIGIN = "shop.example/audit"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
NOW = "2026-11-30T02:00:00.000000Z"
FILES = sorted(
    path
    for folder in ("fixtures/rules", "fixtures/faults", "fixtures/good")
    for path in (ROOT / folder).rglob("*.jsonl")
    if path.read_bytes().startswith(b'{"v":1,')
)


def options(lines: list[bytes], *sizes: int, policy: str = "", **choices: str) -> Options:
    """A pin, and checkpoints over the first so many lines."""
    leaves = [leaf(line) for line in lines]
    points = (Checkpoint(ORIGIN, size, root_of(leaves[:size])) for size in sizes)
    notes = tuple(str(sign_checkpoint(point, KEY.vkey, KEY)).encode() for point in points)
    made = replace(Choices(), policies=(policy,) if policy else (), **choices)  # type: ignore[arg-type]
    return Options(choices=made, wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), notes))


ENTRIES = [
    entry
    for entry in json.loads((ROOT / "fixtures/rules/MANIFEST.json").read_text("utf-8"))["files"]
    if (ROOT / "fixtures/rules" / entry["file"]) in FILES and not {"--checkpoint", "--pin"} & {*entry.get("args", [])}
]


def named(entry: dict[str, Any]) -> dict[str, str]:
    """The files that the manifest names for this fixture."""
    args = entry.get("args", [])
    return {
        name: str(ROOT / "fixtures/rules" / args[args.index(f"--{name}") + 1])
        for name in ("registry", "policy", "waivers")
        if f"--{name}" in args
    }


def write(path: Path, lines: list[bytes]) -> None:
    """A plain trace."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def in_steps(folder: Path, lines: list[bytes], sizes: list[int], **more: str) -> Report:
    """The report after the last step."""
    log, state = folder / "log.jsonl", folder / "state"
    for size in sizes:
        write(log, lines[:size])
        report = certify_since(str(log), options(lines, size, **more), state, NOW)
    return report


def told(report: Report) -> list[tuple[object, ...]]:
    """What was found. That a key was lost is said in other words where an approval was judged before it was known."""
    return sorted(
        (one.code, one.saga, one.subject, str(one.severity), one.inconclusive, *_words(one)) for one in report.findings
    )


def _words(one: Finding) -> tuple[object, ...]:
    return () if "in other hands" in one.because else (one.because, one.witness)


def same(stepped: Report, whole: Report) -> None:
    """Both say the same of the log."""
    assert told(stepped) == told(whole)
    assert (stepped.verdict, stepped.exit_code) == (whole.verdict, whole.exit_code)
    assert (stepped.saga_count, stepped.exceptions) == (whole.saga_count, whole.exceptions)
    assert stepped.inputs[0].lines == whole.inputs[0].lines
    assert stepped.inputs[0].bytes == whole.inputs[0].bytes
    assert stepped.inputs[0].checkpoint == whole.inputs[0].checkpoint
    assert stepped.rules_not_exercised == whole.rules_not_exercised


def logs(chosen: random.Random, count: int) -> Iterator[list[bytes]]:
    """Logs in which the lines of several fixtures stand between each other, whatever sagas those share."""
    for _ in range(count):
        files = [path.read_bytes().splitlines() for path in chosen.sample(FILES, chosen.randint(2, 7))]
        lines = []
        while any(files):
            file = chosen.choice([file for file in files if file])
            take = chosen.randint(1, 4)
            lines += file[:take]
            del file[:take]
        yield lines


def steps(chosen: random.Random, lines: list[bytes]) -> list[int]:
    """Sizes at which it is certified, the last of them the whole."""
    return [*sorted(chosen.sample(range(1, len(lines) + 1), min(len(lines), chosen.randint(1, 5)))), len(lines)]


def agree(folder: Path, seed: int, count: int) -> None:
    """Compare so many logs."""
    chosen = random.Random(seed)
    for number, lines in enumerate(logs(chosen, count)):
        place = folder / str(number)
        place.mkdir()
        stepped = in_steps(place, lines, steps(chosen, lines))
        same(stepped, certify([str(place / "log.jsonl")], options(lines, len(lines))))


def test_there_are_fixtures_of_all_kinds() -> None:
    assert len(FILES) > 250


@pytest.mark.parametrize("seed", range(4))
def test_steps_come_to_what_the_whole_comes_to(tmp_path: Path, seed: int) -> None:
    agree(tmp_path, seed, 25)


def agrees_on(folder: Path, entry: dict[str, Any], every: int) -> None:
    """Compare a fixture that is certified every so many lines with the whole of it."""
    lines, more = (ROOT / "fixtures/rules" / entry["file"]).read_bytes().splitlines(), named(entry)
    quiet = len(lines)  # the last night finds nothing new
    stepped = in_steps(folder, lines, [*range(1, len(lines), every), len(lines), quiet], **more)
    same(stepped, certify([str(folder / "log.jsonl")], options(lines, len(lines), **more)))


@pytest.mark.parametrize("entry", ENTRIES[::2], ids=lambda entry: str(entry["file"]))
def test_a_fixture_certified_in_steps_gives_what_it_gives_whole(tmp_path: Path, entry: dict[str, Any]) -> None:
    agrees_on(tmp_path, entry, 6)


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["file"]))
def test_a_fixture_certified_line_by_line_gives_what_it_gives_whole(tmp_path: Path, entry: dict[str, Any]) -> None:
    agrees_on(tmp_path, entry, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_steps_come_to_what_the_whole_comes_to_at_length(tmp_path: Path, seed: int) -> None:
    agree(tmp_path, seed, 150)


def test_a_log_shorter_than_its_state_is_refused(tmp_path: Path) -> None:
    (lines,) = logs(random.Random(1), 1)
    in_steps(tmp_path, lines, [len(lines)])
    with pytest.raises(StateFault, match="covers"):
        certify_since(str(tmp_path / "log.jsonl"), options(lines, len(lines) - 1), tmp_path / "state", NOW)
