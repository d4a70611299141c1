"""What is no whole trace is never looked at in silence: each command says what it is, by message and exit code."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sys.executable).with_name("agent-saga"))
DATA = (ROOT / "fixtures" / "demo" / "good.jsonl").read_bytes()
FIRST, SECOND = DATA.splitlines(keepends=True)[:2]
SAGA = "niB27cgqk5ujSgLYEEUI4A"
Cli = Callable[..., Any]

FILES: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 4, "empty: it holds no line of a trace"),
    "empty.gz": (gzip.compress(b""), 4, "empty: it holds no line of a trace"),
    "half": (FIRST[:100], 4, "unterminated: 100 bytes follow the last whole line"),
    "no_lf": (FIRST[:-1], 4, "unterminated: "),
    "torn": (FIRST + SECOND[:60], 4, "unterminated: 60 bytes follow the last whole line"),
    "cut.gz": (gzip.compress(FIRST + FIRST)[:-12], 4, "unterminated: the stream breaks off"),
    "nul": (b"\0" * 5000, 4, "unterminated: 5000 bytes"),
    "binary": (bytes(range(256)) * 40, 2, "no trace: none of its 40 lines"),
    "text": (b"hello\n", 2, "no trace: its only line is none of a trace"),
    "newlines": (b"\n\n\n", 2, "no trace: none of its 3 lines"),
    "strange": (FIRST + b"hello\n", 1, "1 of 2 lines cannot be read"),
    "folder": (b"", 2, "is a directory"),
    "none": (b"", 2, "No such file or directory"),
    "fifo": (b"", 4, "empty: it holds no line of a trace"),
}
LOOKS = (("trace", "ls"), ("trace", "show"), ("trace", "replay"), ("trace", "tail"), ("trace", "tail", "--raw"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    for name, (data, _, _) in FILES.items():
        if name not in ("folder", "none", "fifo"):
            (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "good.jsonl").write_bytes(DATA)
    return tmp_path


def looked(place: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs the command; somebody opens the fifo for writing and closes it at once."""
    writer = subprocess.Popen(["sh", "-c", ": > fifo"], cwd=place)
    try:
        return subprocess.run(
            [COMMAND, *args], cwd=place, capture_output=True, text=True, timeout=60, check=False, errors="replace"
        )
    finally:
        writer.kill()
        writer.wait()


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
@pytest.mark.parametrize("name", FILES)
def test_looking_at_what_is_no_whole_trace_is_told(place: Path, words: tuple[str, ...], name: str) -> None:
    done = looked(place, *words, name)
    _, code, says = FILES[name]
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert done.stderr.startswith(f"agent-saga: error: {name}: ")
    assert says in done.stderr
    shown = name in ("torn", "strange", "cut.gz") or (name in ("text", "binary") and words[1] in ("tail", "ls"))
    assert bool(done.stdout.strip()) or not shown


@pytest.mark.parametrize("words", [("store", "info"), ("store", "export")], ids=" ".join)
@pytest.mark.parametrize("name", [name for name in FILES if name not in ("cut.gz", "fifo")])
def test_a_store_that_is_none_is_told(place: Path, words: tuple[str, ...], name: str) -> None:
    done = looked(place, *words, name)
    _, code, says = FILES[name]
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert code != 2 or done.stdout == ""


@pytest.mark.parametrize(
    "args",
    [
        *(["trace", word, "/proc/self/mem"] for word in ("ls", "show", "replay", "tail")),
        *(["store", word, "/proc/self/mem"] for word in ("info", "migrate", "export")),
        ["store", "backup", "/proc/self/mem", "new.db"],
        ["store", "import", "new.db", "/proc/self/mem"],
        ["store", "import", "new.db", "folder"],
        ["certify", "/proc/self/mem"],
        ["recover", "/proc/self/mem", "agent_saga.testing.scenarios:happy_path"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_read_is_named_and_nothing_is_made(place: Path, args: list[str]) -> None:
    done = looked(place, *args)
    assert done.returncode == 2, done.stderr
    assert any(name in done.stderr + done.stdout for name in ("/proc/self/mem", "folder"))
    assert "standard output" not in done.stderr
    assert not (place / "new.db").exists()


def test_nothing_to_import_is_not_green_and_a_pipe_is_read_once(place: Path, run_cli: Cli) -> None:
    assert run_cli("store", "import", "a.db", "empty", cwd=place).returncode == 4
    done = run_cli("store", "import", "b.db", "-", cwd=place, stdin=DATA)
    assert (done.returncode, done.stdout) == (0, f"{DATA.count(10)} lines imported, 0 were there already\n"), (
        done.output
    )
    assert run_cli("store", "export", "b.db", cwd=place).stdout.encode() == DATA


@pytest.mark.parametrize("words", [("ls",), ("tail", "-n", "99"), ("show", SAGA), ("replay", SAGA)], ids=" ".join)
def test_a_trace_from_a_pipe_is_shown_as_from_a_file(place: Path, words: tuple[str, ...], run_cli: Cli) -> None:
    word, *rest = words
    file = run_cli("trace", word, "good.jsonl", *rest, cwd=place)
    pipe = run_cli("trace", word, "-", *rest, cwd=place, stdin=DATA)
    assert (pipe.returncode, pipe.stdout) == (0, file.stdout), pipe.output
    assert file.stdout


OUTPUTS = (
    ["certify", "good.jsonl"],
    ["rules"],
    ["explain", "AS201"],
    ["schema", "trace"],
    ["store", "info", "good.jsonl"],
    ["store", "export", "good.jsonl"],
    ["trace", "ls", "good.jsonl"],
    ["trace", "show", "good.jsonl", SAGA],
    ["trace", "tail", "good.jsonl", "--raw"],
    ["trace", "replay", "good.jsonl", SAGA],
    ["doctor"],
)


@pytest.mark.parametrize("args", OUTPUTS, ids=" ".join)
def test_a_reader_that_goes_away_and_an_output_that_is_closed_are_quiet(place: Path, args: list[str]) -> None:
    for shell, code in (
        ('"$0" "$@" | head -1; exit ${PIPESTATUS[0]}', 0),
        ('"$0" "$@" >&-', 0),
        ('"$0" "$@" >/dev/full', 2),
    ):
        done = subprocess.run(
            ["bash", "-c", shell, COMMAND, *args], cwd=place, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (shell, done.stderr)
        assert ("the report was not delivered" in done.stderr) is (code == 2)


@pytest.mark.parametrize("args", [*OUTPUTS, ["--help"], ["certify", "--help"]], ids=" ".join)
def test_a_narrow_terminal_without_colour_or_unicode_is_served(place: Path, args: list[str], run_cli: Cli) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "NO_COLOR": "1", "FORCE_COLOR": "1"}
    for columns in ("20", "0", "x"):
        done = run_cli(*args, cwd=place, env=plain | {"COLUMNS": columns})
        assert done.returncode == 0, done.output
        assert done.stdout.isascii()
        assert "\x1b" not in done.stdout + done.stderr
