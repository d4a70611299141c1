"""A night says of a log that was emptied, cut or replaced what the whole says; no other database becomes a state."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rulelib.ask import lines_of
from rulelib.lines import chain, written

from agent_saga.certify.judging import bench
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.judging.crossing import Crossing
from agent_saga.certify.policing.spending import Bucket, Spending
from agent_saga.certify.report import Report
from agent_saga.certify.run import Options, certify
from agent_saga.fleet.errors import StateFault
from agent_saga.fleet.incremental import certify_since
from agent_saga.fleet.memory import Memory
from agent_saga.fleet.state import State
from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pins

GOOD = Path(__file__).resolve().parents[2] / "fixtures/good"
ORIGIN, NOW = "shop.example/audit", "2026-11-30T02:00:00.000000Z"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
FIRST = (GOOD / "plain_success.jsonl").read_bytes().splitlines()
LINES = FIRST + (GOOD / "three_interleaved.jsonl").read_bytes().splitlines()
OTHER = (GOOD / "compensated_in_reverse.jsonl").read_bytes().splitlines()
REPLACED = {
    "emptied": [],
    "cut": LINES[:-1],
    "cut to one line": LINES[:1],
    "another log": OTHER * 3,
    "another last line": [*LINES[:-1], LINES[0]],
    "a fork behind a common beginning": [*FIRST, *OTHER, *OTHER],
}


def root(lines: list[bytes]) -> bytes:
    """The root of all these lines."""
    return root_of([leaf(line) for line in lines])


def options(lines: list[bytes], size: int, expected_root: str = "", expected_size: int = 0) -> Options:
    """A checkpoint over the first so many lines, and the pin of its key."""
    note = str(sign_checkpoint(Checkpoint(ORIGIN, size, root(lines[:size])), KEY.vkey, KEY)).encode()
    return Options(wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), (note,), expected_root, expected_size))


def write(folder: Path, lines: list[bytes]) -> str:
    """A plain trace of these lines."""
    path = folder / "log.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return str(path)


def night(folder: Path, lines: list[bytes], chosen: Options) -> Report:
    """One night over a log that now has these lines."""
    return certify_since(write(folder, lines), chosen, folder / "state", NOW)


@pytest.mark.parametrize("name", REPLACED)
def test_a_quiet_night_over_a_log_that_was_replaced_is_not_certified(name: str, tmp_path: Path) -> None:
    chosen = options(LINES, len(LINES))
    assert night(tmp_path, LINES, chosen).exit_code == 0
    report = night(tmp_path, REPLACED[name], chosen)
    assert report.exit_code == 1
    assert [one.code for one in report.findings] == ["AS115" if len(REPLACED[name]) < len(LINES) else "AS111"]
    assert night(tmp_path, LINES, chosen).exit_code == 0, "the state is left as it was"


@pytest.mark.parametrize("name", REPLACED)
def test_a_log_that_was_replaced_and_grew_is_not_certified(name: str, tmp_path: Path) -> None:
    assert night(tmp_path, LINES, options(LINES, len(LINES))).exit_code == 0
    grown = LINES + OTHER
    assert night(tmp_path, REPLACED[name], options(grown, len(grown))).exit_code == 1
    assert night(tmp_path, grown, options(grown, len(grown))).exit_code == 0


def test_a_state_of_another_log_under_one_origin_is_no_state_of_this_one(tmp_path: Path) -> None:
    night(tmp_path, OTHER, options(OTHER, len(OTHER)))
    with pytest.raises(StateFault, match="not of the log"):
        night(tmp_path, LINES, options(LINES, len(LINES)))


@pytest.mark.parametrize("expected", [{"expected_size": len(FIRST)}, {"expected_root": root(FIRST).hex()}], ids=str)
def test_what_is_expected_of_all_lines_counts_those_behind_the_checkpoint(
    expected: dict[str, object], tmp_path: Path
) -> None:
    chosen = options(LINES, len(FIRST), **expected)  # type: ignore[arg-type]
    stepped, whole = night(tmp_path, LINES, chosen), certify([str(tmp_path / "log.jsonl")], chosen)
    subjects = [one for one in whole.findings if one.subject == "checkpoint"]
    assert subjects
    assert [replace(one, source="") for one in stepped.findings] == [replace(one, source="") for one in subjects]
    assert night(tmp_path, FIRST, chosen).exit_code == 0


def test_another_database_is_no_state_and_stays_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with closing(sqlite3.connect(state)) as other, other:
        other.execute("CREATE TABLE lines (idx INTEGER PRIMARY KEY)")
    before = state.read_bytes()
    with pytest.raises(StateFault, match="another database"):
        night(tmp_path, LINES, options(LINES, len(LINES)))
    assert state.read_bytes() == before


def test_a_state_that_lost_a_table_is_none(tmp_path: Path) -> None:
    night(tmp_path, LINES, options(LINES, len(LINES)))
    with closing(sqlite3.connect(tmp_path / "state")) as damaged, damaged:
        damaged.execute("DROP TABLE ended")
    with pytest.raises(StateFault, match="ended"):
        night(tmp_path, LINES, options(LINES, len(LINES)))


def test_two_that_begin_one_state_at_once_both_can(tmp_path: Path) -> None:
    faults: list[Exception] = []

    def begin(path: Path) -> None:
        try:
            Memory(path).close()
        except StateFault as fault:
            faults.append(fault)

    for number in range(10):
        threads = [threading.Thread(target=begin, args=(tmp_path / str(number),)) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert not faults


MANY = 12
ENDED = lines_of(
    "\n".join(
        [f"start saga=s{number}" for number in range(MANY)]
        + [f"end aborted_clean saga=s{number}" for number in range(MANY)]
    )
)


def test_more_open_sagas_than_findings_are_listed_leave_nothing_once_they_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "MAX_KINDS", 5)
    lines = written(chain(ENDED)).splitlines()
    first = night(tmp_path, lines[:MANY], options(lines, MANY))
    assert [one.count for one in first.findings if one.subject == bench.FURTHER] == [MANY - 5]
    half = night(tmp_path, lines[: MANY + 4], options(lines, MANY + 4))
    assert sum(one.count for one in half.findings) == MANY - 4
    report = night(tmp_path, lines, options(lines, len(lines)))
    assert (report.exit_code, report.findings) == (0, ())


def test_findings_beyond_those_that_are_listed_stay_where_their_sagas_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "MAX_KINDS", 5)
    script = "\n".join(
        f"start saga=s{n}\ndo e1 payments.charge saga=s{n}\nend aborted_clean saga=s{n}" for n in range(MANY)
    )
    lines = written(chain(lines_of(script))).splitlines()
    for size in (len(lines) // 2, len(lines), len(lines)):
        report = night(tmp_path, lines[:size], options(lines, size))
    whole = certify([str(tmp_path / "log.jsonl")], options(lines, len(lines)))
    assert sum(one.count for one in report.findings) == sum(one.count for one in whole.findings) == MANY
    assert report.exit_code == whole.exit_code == 1


def test_what_a_limit_counts_by_is_kept_as_a_hash(tmp_path: Path) -> None:
    spending = Spending()
    spending.put(1, 5, [(Bucket("p" * 64, "daily", '["DE89370400440532013000"]', 60, 100), 42)])
    crossing = Crossing()
    crossing.policing.spending = spending
    memory = Memory(tmp_path / "state")
    memory.learn(State(ORIGIN, 1, "", [], "", "", NOW), crossing, {}, {}, 0)
    memory.close()
    with closing(sqlite3.connect(tmp_path / "state")) as state:
        rows = state.execute("SELECT key, amount FROM spends").fetchall()
    assert [amount for _, amount in rows] == [42]
    assert b"DE8937" not in (tmp_path / "state").read_bytes()
