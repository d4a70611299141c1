"""What the benchmark measures is real: its traces certify, every shape of saga is in them, and it runs."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import approved
import measure
import policed
import pytest
from shapes import SHAPES, Story
from traces import Trace

import policies
import proofs
from agent_saga.certify.report import Verdict
from agent_saga.certify.run import certify
from agent_saga.trace import decode


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert list(Trace(300, 20).lines()) == list(Trace(300, 20).lines())
    assert list(Trace(300, 20).lines()) != list(Trace(300, 20, seed=2).lines())


def test_sagas_are_interleaved_as_widely_as_asked() -> None:
    trace = Trace(2_000, 50)
    seen = Counter(decode(line)[0].saga for line in trace.lines())
    assert (trace.written, trace.sagas, trace.most_open) == (seen.total(), len(seen), 50)
    assert trace.written >= 2_000
    assert 5 <= min(seen.values()) <= max(seen.values()) <= 20


@pytest.mark.parametrize("size, open_at_once", [(3_000, 200), (60, 1)])
def test_every_trace_certifies_without_a_finding(size: int, open_at_once: int, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    Trace(size, open_at_once).write(path)
    report = certify([str(path)])
    assert report.findings == ()
    assert report.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_ends_as_its_name_says(shape: type) -> None:

    *_, (last, _, members) = shape(Story(random.Random(1), 1))
    assert last == "saga.ended"
    assert members["status"] == ("compensated_verified" if shape.__name__ == "compensated" else "succeeded_verified")


def test_a_command_is_measured(tmp_path: Path) -> None:
    cost = measure.run([sys.executable, "-c", "x = b'x' * 80_000_000; raise SystemExit(3)"])
    assert cost.code == 3
    assert cost.peak_mb > 80
    assert cost.cpu > 0


def test_a_command_beyond_its_limit_is_stopped() -> None:
    assert measure.run([sys.executable, "-c", "while True: pass"], limit=0.5).code < 0


def test_the_benchmark_runs_and_prints_its_tables() -> None:
    command = [sys.executable, str(measure.HERE), "--lines", "200", "400", "--records", "100", "--no-rival"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    for word in ("floor", "jobs 2", "growth", "where the processor's time goes", "not measured", "sagas/s"):
        assert word in done.stdout
    assert "NOT CERTIFIED" not in done.stdout


def test_a_log_is_signed_and_its_proofs_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proofs.run(tmp_path, 600, rounds=1)
    said = capsys.readouterr().out
    assert re.search(r"log of \d{3} lines, \d\d sagas", said)
    assert re.search(r"checkpoint +\d+\.\d\d +\d+\.\d\d +[\d,]+ +\d+\.\d\d +\d+\.\d\d +\d+$", said, re.M)
    assert [*re.findall(r"^  (proof|bundle|verify) .*p50 +\d+\.\d\d ms   p99 +\d+\.\d\d ms$", said, re.M)] == [
        "proof",
        "bundle",
        "verify",
    ]
    assert list(tmp_path.iterdir()) == []


def test_conditions_are_evaluated_alike_by_every_engine_and_measured(capsys: pytest.CaptureFixture[str]) -> None:
    policies.run(200, rounds=1)
    told = capsys.readouterr().out
    for name in ("Python by hand", "closure", "closure for wires", "whole policy", "cel-expr-python", "cedarpy"):
        assert re.search(rf"^  {name} +[\d,]+ +[\d.]+", told, re.M), name
    assert re.search(r"goal 500,000: (met|NOT MET)$", told, re.M)


def test_an_engine_that_answers_otherwise_is_not_measured() -> None:
    with pytest.raises(SystemExit, match="cedarpy answers otherwise"):
        policies._check("cedarpy", [True], [False])


def test_a_log_of_approvals_is_certified_and_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approved.run(tmp_path, 20, rounds=1)
    told = capsys.readouterr().out
    assert "NOT CERTIFIED" not in told
    assert re.search(r"jobs 2 +[\d.]+ +[\d.]+ +[\d,]+", told)


def test_a_policy_is_tried_on_traces_and_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policed.run(tmp_path, 2_000, rounds=1)
    told = capsys.readouterr().out
    assert "SOMETHING IS WRONG" not in told
    assert re.search(r"backtest +[\d.]+ +[\d.]+ +[\d,]+", told)
    assert "times the processor time of certify without one" in told
