"""The command and the judge together: what a user types, on small logs, and what comes back."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

COMMAND = str(Path(sys.executable).with_name("agent-saga"))


def _traces() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cli_traces", Path(__file__).with_name("traces.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _traces()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with a good, a bad, an open and an empty log, and one in a folder of its own."""
    (tmp_path / "pyproject.toml").touch()
    for name in ("good", "bad", "open"):
        (tmp_path / f"{name}.jsonl").write_bytes(made.trace(getattr(made, name.upper()), f"s-{name}"))
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "nothing").mkdir()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "packed.jsonl.gz").write_bytes(gzip.compress(made.trace(made.GOOD, "s-packed")))
    return tmp_path


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["good.jsonl"], 0),
        (["more"], 0),
        (["more/**/*.gz", "good.jsonl"], 0),
        (["bad.jsonl"], 1),
        (["good.jsonl", "bad.jsonl"], 1),
        (["good.jsonl", "empty.jsonl"], 1),
        (["good.jsonl", "no-such.jsonl"], 1),
        (["open.jsonl"], 1),
        (["no-such.jsonl"], 2),
        (["good.jsonl", "--no-such-option"], 2),
        (["open.jsonl", "--open", "inconclusive"], 3),
        (["open.jsonl", "bad.jsonl", "--open", "inconclusive"], 1),
        (["open.jsonl", "--open", "inconclusive", "--inconclusive", "fail"], 1),
        (["open.jsonl", "--open", "inconclusive", "--inconclusive", "pass"], 0),
        (["empty.jsonl"], 4),
        (["nothing"], 4),
        (["nothing/*.jsonl"], 4),
        (["bad.jsonl", "--ignore", "AS201"], 0),
        (["bad.jsonl", "--select", "AS1"], 0),
        (["good.jsonl", "--jobs", "2"], 0),
        (["good.jsonl", "bad.jsonl", "--jobs", "2"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_every_exit_code_has_its_case(run_cli: Callable[..., Any], logs: Path, args: list[str], code: int) -> None:
    done = run_cli("certify", *args, "-q", cwd=logs)
    assert done.returncode == code, done.output
    assert "Traceback" not in done.stderr


def test_suppressions_make_the_verdict_certified_with_exceptions(run_cli: Callable[..., Any], logs: Path) -> None:
    assert run_cli("certify", "bad.jsonl", "--ignore", "AS201", "-q", cwd=logs).stdout == "certified with exceptions\n"


def test_a_baseline_is_written_kept_and_outlived(run_cli: Callable[..., Any], logs: Path) -> None:
    written = run_cli("certify", "bad.jsonl", "--write-baseline", "b.json", cwd=logs)
    assert written.returncode == 1
    kept = run_cli("certify", "bad.jsonl", "--baseline", "b.json", "--format", "json", cwd=logs)
    assert kept.returncode == 0
    report = json.loads(kept.stdout)
    assert report["findings"] == []
    assert len(report["suppressed"]) == 1
    assert report["choices"]["baseline"] == "b.json"
    assert len(report["choices"]["baseline_sha256"]) == 64
    hidden = run_cli("certify", "bad.jsonl", "--baseline", "b.json", cwd=logs).stdout
    shown = run_cli("certify", "bad.jsonl", "--baseline", "b.json", "--show-suppressed", cwd=logs).stdout
    assert "effect e1" in shown
    assert len(shown) > len(hidden)
    stale = run_cli("certify", "good.jsonl", "--baseline", "b.json", cwd=logs)
    assert stale.returncode == 0
    assert "b.json: 1 entry matches nothing" in stale.stderr


def test_a_baseline_written_over_itself_keeps_what_still_holds(run_cli: Callable[..., Any], logs: Path) -> None:
    run_cli("certify", "bad.jsonl", "open.jsonl", "--write-baseline", "b.json", cwd=logs)
    first = (logs / "b.json").read_bytes()
    both = ["bad.jsonl", "open.jsonl", "--baseline", "b.json", "--write-baseline", "b.json"]
    assert run_cli("certify", *both, cwd=logs).returncode == 0
    assert (logs / "b.json").read_bytes() == first


def test_standard_input_is_judged_under_the_name_it_is_given(run_cli: Callable[..., Any], logs: Path) -> None:
    data = (logs / "bad.jsonl").read_bytes()
    done = run_cli("certify", "-", "--stdin-filename", "run/7.jsonl", "--format", "json", cwd=logs, stdin=data)
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["source"] == "run/7.jsonl"
    assert run_cli("certify", "-", cwd=logs, stdin=b"").returncode == 4


def test_the_same_input_gives_the_same_report(run_cli: Callable[..., Any], logs: Path) -> None:
    args = ["certify", "good.jsonl", "bad.jsonl", "more", "--format", "json"]
    first = run_cli(*args, cwd=logs)
    assert run_cli(*args, cwd=logs).stdout == first.stdout
    assert run_cli(*args, "--jobs", "2", cwd=logs).stdout == first.stdout


BAD_INPUT = {
    "binary": bytes(range(256)) * 40,
    "not_utf8": b'{"v":1,"saga":"\xff"}\n',
    "bom": b"\xef\xbb\xbf" + made.trace(made.GOOD),
    "crlf": made.trace(made.GOOD).replace(b"\n", b"\r\n"),
    "nan": b'{"v":1,"seq":NaN}\n',
    "deep": b"[" * 100_000 + b"\n",
    "long_number": b'{"v":' + b"1" * 10_000 + b"}\n",
    "surrogate": b'{"v":1,"saga":"\\ud800"}\n',
    "seq_3e9": made.trace(made.GOOD).replace(b'"seq":3,', b'"seq":3000000000,'),
    "null_saga": made.trace(made.GOOD).replace(b'"saga":"s-1"', b'"saga":null'),
    "list_saga": made.trace(made.GOOD).replace(b'"saga":"s-1"', b'"saga":["s-1"]'),
    "version_2": made.trace(made.GOOD).replace(b'{"v":1,', b'{"v":2,'),
    "no_last_newline": made.trace(made.GOOD)[:-1],
    "cut": made.trace(made.GOOD)[:-30],
    "cut_gzip": gzip.compress(made.trace(made.GOOD))[:-12],
    "newlines": b"\n\n\n",
    "a_list": b"[]\n",
    "text": b"hello\n",
}


@pytest.mark.parametrize("data", BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_is_refused_in_words(run_cli: Callable[..., Any], logs: Path, data: bytes) -> None:
    (logs / "x.jsonl").write_bytes(data)
    done = run_cli("certify", "x.jsonl", cwd=logs)
    assert done.returncode in (1, 2, 4), done.output
    assert "x.jsonl" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_an_interrupt_while_the_judge_waits_is_quiet(logs: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "certify", "-", "-v"],
        cwd=logs,
        env=dict(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    while not process.stderr.readline().startswith(b"agent-saga: info: judging"):
        pass
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert errors == b"agent-saga: error: interrupted; there is no verdict\n"


HISTORY = {
    "events": [
        {
            "eventId": "1",
            "eventTime": "2026-11-30T07:00:00Z",
            "eventType": "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",
            "workflowExecutionStartedEventAttributes": {"workflowType": {"name": "order"}},
        },
        {
            "eventId": "2",
            "eventTime": "2026-11-30T07:00:01Z",
            "eventType": "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED",
            "activityTaskScheduledEventAttributes": {"activityId": "2", "activityType": {"name": "charge_card"}},
        },
    ]
}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_history_without_a_mapping_gives_one_to_start_from(
    run_cli: Callable[..., Any], logs: Path, jobs: str
) -> None:
    (logs / "history.json").write_text(json.dumps(HISTORY))
    done = run_cli("certify", "history.json", "--jobs", jobs, cwd=logs)
    assert done.returncode == 2, done.output
    assert '[activities."charge_card"]' in done.stdout
    assert done.stderr.startswith("agent-saga: error: history.json:")
    assert done.stderr.count("\n") == 1
    (logs / "m.toml").write_text(done.stdout)
    judged = run_cli("certify", "history.json", "--mapping", "m.toml", "--jobs", jobs, cwd=logs)
    assert judged.returncode == 1, judged.output
    (logs / "m.toml").write_text("[actvities]\n")
    refused = run_cli("certify", "history.json", "--mapping", "m.toml", "--jobs", jobs, cwd=logs)
    assert refused.returncode == 2, refused.output
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("args", [["-q"], ["--format", "json"]])
def test_an_input_that_was_not_judged_is_told_where_no_text_report_tells_it(
    run_cli: Callable[..., Any], logs: Path, args: list[str]
) -> None:
    done = run_cli("certify", "no-such.jsonl", *args, cwd=logs)
    assert (done.returncode, done.stderr) == (2, "agent-saga: error: no-such.jsonl: no such file or directory\n")
    assert run_cli("certify", "no-such.jsonl", cwd=logs).stderr == ""
