"""How a run ends: the exit code says what the verdict says, and nothing ends in a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COMMAND = str(Path(sys.executable).with_name("agent-saga"))


@pytest.mark.parametrize("code", [0, 1, 3, 4])
def test_the_exit_code_is_the_reports(ask: Callable[..., Any], code: int) -> None:
    assert ask("a.jsonl", exit=code).returncode == code


def test_the_numbers_of_the_command_are_those_of_the_reports() -> None:
    from agent_saga.certify.report import Exit
    from agent_saga.cli import program

    assert (program.USAGE, program.BUG, program.INTERRUPTED) == (Exit.USAGE, Exit.BUG, Exit.INTERRUPTED)


def test_a_bug_is_one_line_without_any_value_of_a_trace(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", mode="crash")
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("agent-saga: error: RuntimeError at sitecustomize.py:")
    assert "please report" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_stack_of_a_bug_is_shown_on_request_still_without_values(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "-vv", mode="crash")
    assert done.returncode == 70
    assert "judging.py:" in done.stderr
    assert "4111-1111" not in done.stderr


def test_an_interrupt_is_quiet_and_leaves_nothing(folder: Path, standin: dict[str, str]) -> None:
    env = os.environ | standin | {"STANDIN_MODE": "wait"}
    process = subprocess.Popen(
        [COMMAND, "certify", "a.jsonl", "-o", "json=r.json"], cwd=folder, env=env, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"waiting\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == b"agent-saga: error: interrupted; there is no verdict\n"
    assert sorted(os.listdir(folder)) == ["a.jsonl", "pyproject.toml"]


def test_a_working_folder_that_is_gone_is_told(folder: Path, standin: dict[str, str]) -> None:
    gone = folder / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f"rmdir ../gone && exec {COMMAND} certify a.jsonl"],
        cwd=gone,
        env=os.environ | standin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the working folder is gone" in done.stderr


def test_messages_can_be_objects_a_line(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "-v", "--log-format", "json")
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"config", "judging", "verdict"} <= {event["event"] for event in events}
    assert {event["level"] for event in events} == {"info"}


@pytest.mark.parametrize("more", [{"args": ["--log-format", "json"]}, {"env": {"AGENT_SAGA_LOG_FORMAT": "json"}}])
def test_errors_are_objects_too_even_of_options(ask: Callable[..., Any], more: dict[str, Any]) -> None:
    done = ask("a.jsonl", "--no-such-option", *more.pop("args", []), **more)
    assert json.loads(done.stderr)["event"] == "usage"


def test_quiet_leaves_the_verdict_and_twice_the_exit_code(ask: Callable[..., Any]) -> None:
    assert ask("a.jsonl", "-q").stdout == "certified\n"
    assert ask("a.jsonl", "-qq", exit=1).stdout == ""
    assert ask("a.jsonl", "-q", "--format", "json").stdout.startswith("{")


def test_a_name_cannot_steer_the_terminal(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "--config", "\x1b[31mred\nline")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_any_terminal_can_show_any_name(folder: Path, standin: dict[str, str]) -> None:
    (folder / "Ünïcode–☃.jsonl").write_text("{}\n")
    env = os.environ | standin | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [COMMAND, "certify", "Ünïcode–☃.jsonl"], cwd=folder, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert b"\\u2603" in done.stdout


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["certify", "--help"], ["data", "path"], ["explain", "-h"]]
)
def test_what_judges_nothing_loads_no_judge(folder: Path, args: list[str]) -> None:
    program = (
        "import sys; from agent_saga.cli.program import run; run(sys.argv[1:]);"
        "sys.exit(str(heavy)) if (heavy := {'rich', 'msgspec', 'jsonschema', 'agent_saga.certify'}"
        " & set(sys.modules)) else None"
    )
    done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_python_m_is_the_command_too(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "agent_saga.cli", "--version"], capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(b"agent-saga ")
