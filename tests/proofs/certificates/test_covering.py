"""A log under its checkpoint: what the lines must come to, what stands behind it, in one process and in two."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import logs
import pytest
from certified_logs import codes, held, settled
from samples import whole

from agent_saga.certify.judging import dividing
from agent_saga.certify.report import Choices, Exit, Report
from agent_saga.certify.run import Options, certify
from agent_saga.proofs.checkpoints import Checkpoint, sign_checkpoint
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.rooting import Roots
from agent_saga.trace.errors import SourceError
from agent_saga.trace.limits import MAX_LINE


def test_the_roots_of_a_stream_are_those_of_its_beginnings() -> None:
    lines = [b"line %d" % number for number in range(1_100)]
    leaves = [leaf(line) for line in lines]
    sizes = [0, 1, 2, 255, 256, 257, 511, 513, 1_024, 1_099]
    for step in (1, 7, 256, 1_100):
        found = Roots(sizes, whole=True)
        for at in range(0, len(lines), step):
            found.add(lines[at : at + step])
        assert found.at == {size: root_of(leaves[:size]) for size in sizes}
        assert (found.size, found.root()) == (1_100, root_of(leaves))


def test_lines_behind_the_last_wanted_size_are_counted_and_not_hashed() -> None:
    found = Roots([2])
    found.add([b"a", b"b", b"c"])
    found.add([b"d"])
    assert (found.size, set(found.at), found.root()) == (4, {2}, found.at[2])


@pytest.mark.parametrize("name", ["orders.jsonl", "orders.db"])
def test_a_log_under_its_checkpoint_is_certified_and_says_so(tmp_path: Path, name: str) -> None:
    report = held(settled(tmp_path, name))
    assert report.exit_code is Exit.CERTIFIED, report.findings
    pinned = report.inputs[0].checkpoint
    assert pinned is not None
    assert pinned.agrees
    assert any("none is missing there" in sentence for sentence in report.inputs[0].assumptions)
    assert not any("no checkpoint" in sentence for sentence in report.inputs[0].assumptions)


def test_a_compressed_copy_stands_under_it_too(tmp_path: Path) -> None:
    store = settled(tmp_path)
    packed = tmp_path / "copy.jsonl.gz"
    packed.write_bytes(gzip.compress(store.read_bytes()))
    assert held(packed, Path(f"{store}.log/checkpoint")).exit_code is Exit.CERTIFIED


def test_without_a_checkpoint_the_report_says_that_the_end_may_be_cut_off(tmp_path: Path) -> None:
    report = certify([str(settled(tmp_path))])
    assert report.exit_code is Exit.CERTIFIED
    assert any("cut off the end" in sentence for sentence in report.inputs[0].assumptions)


def test_a_whole_saga_that_was_dropped_shows(tmp_path: Path) -> None:
    store = settled(tmp_path)
    lines = store.read_bytes().splitlines(keepends=True)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"".join(line for line in lines if b'"saga":"saga-2"' not in line))
    assert certify([str(copy)]).exit_code is Exit.CERTIFIED, "alone nobody can see it"
    assert codes(held(copy, Path(f"{store}.log/checkpoint"))) == ["AS115"]


def test_a_log_written_anew_with_all_its_chains_shows(tmp_path: Path) -> None:
    store = settled(tmp_path)
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "orders.jsonl"
    logs.begin(other)
    logs.append(other, [line for number in (2, 1, 0) for line in whole(f"saga-{number}")])
    logs.mark(other)
    (tmp_path / "other" / "pin").write_bytes((tmp_path / "pin").read_bytes())
    assert held(other).exit_code is Exit.CERTIFIED
    assert codes(held(other, Path(f"{store}.log/checkpoint"))) == ["AS111"]


def test_two_checkpoints_of_one_size_with_two_roots_show_a_fork(tmp_path: Path) -> None:
    store = settled(tmp_path)
    size = len(store.read_bytes().splitlines())
    fork = sign_checkpoint(Checkpoint(logs.ORIGIN, size, bytes(32)), logs.KEY.vkey, logs.KEY)
    (tmp_path / "fork").write_text(str(fork), "utf-8")
    report = held(store, Path(f"{store}.log/checkpoint"), tmp_path / "fork")
    assert codes(report) == ["AS111"]
    assert any("forked" in found.because or found.count > 1 for found in report.findings)


def test_an_earlier_checkpoint_is_held_against_the_same_lines(tmp_path: Path) -> None:
    store = settled(tmp_path)
    earlier = Path(f"{store}.log/checkpoint").read_bytes()
    (tmp_path / "earlier").write_bytes(earlier)
    logs.append(store, whole("later"))
    logs.mark(store, logs.NOON + 60)
    report = held(store, tmp_path / "earlier", Path(f"{store}.log/checkpoint"))
    assert report.exit_code is Exit.CERTIFIED
    assert report.inputs[0].checkpoint is not None
    assert report.inputs[0].checkpoint.earlier == (earlier.decode(),)


def test_lines_behind_the_checkpoint_are_judged_and_told_and_a_saga_that_ended_there_is_refused(tmp_path: Path) -> None:
    store = settled(tmp_path)
    logs.append(store, whole("later"))
    report = held(store)
    assert codes(report) == ["AS110"]
    (found,) = report.findings
    assert found.saga == "later"
    assert report.saga_count == 4
    count = len(whole("later"))
    assert any(f"{count} lines are not yet under a checkpoint" in text for text in report.inputs[0].assumptions)


def test_what_stands_behind_it_and_has_not_ended_is_no_as110(tmp_path: Path) -> None:
    store = settled(tmp_path)
    logs.append(store, whole("later")[:3])
    report = held(store, open="inconclusive")
    assert codes(report) == ["AS503"]
    assert report.exit_code is Exit.INCONCLUSIVE


def test_expected_size_and_root_are_compared(tmp_path: Path) -> None:
    store = settled(tmp_path)
    lines = store.read_bytes().splitlines()
    root = root_of([leaf(line) for line in lines]).hex()

    def expect(**choices: object) -> list[str]:
        return codes(certify([str(store)], Options(Choices(**choices))))  # type: ignore[arg-type]

    assert expect(expected_root=root, expected_size=len(lines)) == []
    assert expect(expected_root="0" * 64) == ["AS111"]
    assert expect(expected_size=len(lines) + 1) == ["AS115"]
    assert expect(expected_size=len(lines) - 1) == ["AS110"]


def test_a_log_of_another_format_is_under_no_checkpoint_of_ours(tmp_path: Path) -> None:
    store = settled(tmp_path)
    foreign = Path(__file__).resolve().parents[3] / "fixtures/sources/agent-saga-log/good_happy.wal"
    copy = tmp_path / "foreign.wal"
    copy.write_bytes(foreign.read_bytes())
    assert "AS110" in codes(held(copy, Path(f"{store}.log/checkpoint")))


def test_a_checkpoint_without_a_pin_is_refused_before_anything_is_judged(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="needs a pin"):
        certify([str(settled(tmp_path))], Options(Choices(checkpoints=("c",))))


def test_a_line_longer_than_any_is_hashed_as_it_stands(tmp_path: Path) -> None:
    from agent_saga.certify.judging.covering import Wanted, Watch, read_wanted

    lines = [b"a", b"b" * (3 * MAX_LINE), b"c"]
    data = b"\n".join(lines) + b"\n"
    wanted = Wanted(root="0" * 64)
    for step in (1 << 16, len(data), MAX_LINE + 3):
        watch = Watch(wanted, read_wanted(wanted))
        chunks = [data[at : at + step] for at in range(0, len(data), step)]
        assert list(watch.through(iter(chunks))) == chunks
        assert (watch.seen().lines, watch.seen().root) == (3, root_of([leaf(line) for line in lines]))


def test_two_processes_give_the_same_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = settled(tmp_path, sagas=40)
    logs.append(store, whole("later"))
    monkeypatch.setattr(dividing, "SPLIT", 1)

    def judged(jobs: int) -> Report:
        made = Choices(checkpoints=(f"{store}.log/checkpoint",), pin=str(tmp_path / "pin"))
        return certify([str(store)], Options(made, jobs=jobs))

    alone, together = judged(1), judged(2)
    assert codes(alone) == ["AS110"]
    assert replace(alone, sagas=()) == replace(together, sagas=())
