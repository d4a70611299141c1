"""From the first call to the auditor: every part over what the parts before it made, by the commands that people type.

Each part has tests of its own; these see to it that no two of them disagree about a log that is good. `make test` takes
a few journeys in which any two choices meet, `make test-long` all of them.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from journey_shop import CARD, IBAN, KEY, Way, covering, pairs, played, ways

from agent_saga.proofs.log import write_checkpoint

ALL = list(ways())
FEW = covering(ALL)
SAGAS = ("s0", "s1")
UNDECIDED = 3
COMMAND = Path(sys.executable).with_name("agent-saga")


def typed(*args: object, codes: tuple[int, ...] = (0,)) -> str:
    """What a command says. It must end with one of these exit codes."""
    done = subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in codes, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def journey(way: Way, folder: Path) -> None:
    """Run, certify; where there is a log: checkpoint, two nights, a bundle of each saga, and erasure."""
    path = asyncio.run(played(way, folder, SAGAS, time.time() - 60))
    by = ["--no-config", "--registry", folder / "registry.json"]
    by += ["--policy", folder / "policy.yaml"] if way.rules == "policy" else []
    typed("certify", path, *by)
    if way.log == "log":
        pin = folder / "log.pin"
        pin.write_text(typed("log", "pin", path), "utf-8")
        write_checkpoint(str(path), KEY, now=time.time(), random=os.urandom)
        under = ["--checkpoint", f"{path}.log/checkpoint", "--pin", pin]
        typed("certify", path, *by, *under)
        for _ in "two nights":
            typed("certify", path, *by, *under, "--state", folder / "state")
        audited(way, folder, path, [*by, "--pin", pin])
        if way.values == "concealed":
            erased(way, folder, path, [*by, *under], pin)


def audited(way: Way, folder: Path, path: Path, by: list[object]) -> None:
    """One saga, for who sees no other: verified, and certified but for limits, which other sagas count for."""
    pin = by[-1]
    open_questions = (0, UNDECIDED) if way.rules == "policy" else (0,)
    for saga in SAGAS:
        bundle, opened = folder / f"{saga}.bundle", folder / f"{saga}.open.bundle"
        typed("prove", saga, "--store", path, "-o", bundle)
        typed("prove", saga, "--store", path, "--reveal", "all", "-o", opened)
        assert "WHOLE SAGA" in typed("verify", bundle, "--pin", pin)
        typed("certify", opened, *by, codes=open_questions)
        hidden = way.values == "concealed"
        typed("certify", bundle, *by, codes=(0, UNDECIDED) if hidden else open_questions)
        assert (CARD.encode() in bundle.read_bytes()) is not hidden


def erased(way: Way, folder: Path, path: Path, by: list[object], pin: Path) -> None:
    """What was concealed is gone; what was proven stays proven."""
    for saga in SAGAS:
        typed("erase", path, saga, "--all", "--yes")
    for file in folder.glob(f"{path.name}*"):
        if file.is_file():
            assert CARD.encode() not in file.read_bytes()
            assert IBAN.encode() not in file.read_bytes()
    typed("certify", path, *by, codes=(0, UNDECIDED))
    typed("verify", folder / "s0.bundle", "--pin", pin)


@pytest.mark.parametrize("way", FEW, ids=str)
def test_every_part_agrees_about_what_the_parts_before_it_made(way: Way, tmp_path: Path) -> None:
    journey(way, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in ALL if way not in FEW], ids=str)
def test_all_ways_lead_there(way: Way, tmp_path: Path) -> None:
    journey(way, tmp_path)


def test_any_two_choices_meet_in_the_few() -> None:
    assert {pair for way in FEW for pair in pairs(way)} == {pair for way in ALL for pair in pairs(way)}
    assert len(FEW) < 12
