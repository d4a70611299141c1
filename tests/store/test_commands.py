"""``agent-saga store`` and ``agent-saga trace``, as a person types them; and what replay says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import concealed

from agent_saga.trace.codec import decode
from agent_saga.trace.events import EVENT_TYPES
from agent_saga.trace.store.replay import SAYS, replay

ROOT = Path(__file__).parents[2]
GOOD, BAD = (ROOT / "fixtures" / "demo" / name for name in ("good.jsonl", "bad.jsonl"))
Cli = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path, run_cli: Cli) -> Path:
    """A store that holds the good trace."""
    done = run_cli("store", "import", tmp_path / "s.db", GOOD)
    assert done.returncode == 0, done.output
    assert done.stdout == f"{GOOD.read_bytes().count(10)} lines imported, 0 were there already\n"
    return tmp_path / "s.db"


def test_a_store_goes_in_and_out_by_the_command(place: Path, tmp_path: Path, run_cli: Cli) -> None:
    assert run_cli("store", "export", place).stdout.encode() == GOOD.read_bytes()
    done = run_cli("store", "export", place, "-o", tmp_path / "e.jsonl")
    assert (tmp_path / "e.jsonl").read_bytes() == GOOD.read_bytes()
    assert "sha256" in done.stderr
    again = run_cli("store", "export", place, "-o", tmp_path / "e.jsonl")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert run_cli("store", "backup", place, tmp_path / "copy.db").returncode == 0
    assert run_cli("certify", tmp_path / "copy.db").returncode == 0
    assert run_cli("store", "migrate", place, "--dry-run").stdout == "nothing to do: the schema is this one\n"
    found = json.loads(run_cli("store", "info", place, "--json").stdout)
    assert (found["schema"], found["open"], found["lines"]) == (2, 0, GOOD.read_bytes().count(b"\n"))


def test_disclosures_go_with_the_trace(tmp_path: Path, run_cli: Cli) -> None:
    lines, disclosure = concealed("a")
    (tmp_path / "t.jsonl").write_bytes(b"".join(new.line + b"\n" for new in lines))
    (tmp_path / "d").write_text(disclosure.text + "\n")
    run_cli("store", "import", tmp_path / "s.db", tmp_path / "t.jsonl", "--disclosures", tmp_path / "d")
    run_cli("store", "export", tmp_path / "s.db", "-o", tmp_path / "e", "--disclosures", tmp_path / "f")
    assert (tmp_path / "f").read_text() == disclosure.text + "\n"


@pytest.mark.parametrize("in_store", [True, False])
def test_a_trace_is_looked_at_in_a_store_and_in_a_file(place: Path, in_store: bool, run_cli: Cli) -> None:
    path = place if in_store else GOOD
    rows = [json.loads(row) for row in run_cli("trace", "ls", path, "--json").stdout.splitlines()]
    saga = rows[0]["saga"]
    assert saga in run_cli("trace", "ls", path).stdout
    assert run_cli("trace", "ls", path, "--open").stdout == ""
    mine = [line for line in GOOD.read_bytes().splitlines() if f'"saga":"{saga}"'.encode() in line]
    assert run_cli("trace", "show", path, saga, "--raw").stdout.encode().splitlines() == mine
    assert run_cli("trace", "show", path, saga).stdout.count("\n") == len(mine)
    assert run_cli("trace", "tail", path, "-n", "3", "--raw").stdout.encode() == b"".join(
        GOOD.read_bytes().splitlines(keepends=True)[-3:]
    )
    assert "effect.succeeded" in run_cli("trace", "tail", path, "-n", "100").stdout
    told = run_cli("trace", "replay", path, saga).stdout
    assert "+ saga: started: order" in told
    assert "(was: intended: " in told
    last = run_cli("trace", "replay", path, saga, "--to", "2", "--json").stdout.splitlines()[-1]
    assert json.loads(last)["seq"] == 2


def test_a_saga_that_is_not_there_is_told_with_what_there_is(run_cli: Cli, tmp_path: Path) -> None:
    none = tmp_path / "none"
    for words in (("show", GOOD), ("replay", GOOD, "nobody"), ("ls", none)):
        done = run_cli("trace", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert run_cli("store", "import", tmp_path / "s.db", none).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_a_trace_with_a_line_that_cannot_be_read_is_still_shown(tmp_path: Path, run_cli: Cli) -> None:
    line = GOOD.read_bytes().splitlines()[0]
    (tmp_path / "t").write_bytes(line + b"\n" + line.replace(b'"v":1', b'"v": 1') + b"\nnonsense\n")
    assert "(2 bad)" in run_cli("trace", "ls", tmp_path / "t").stdout
    assert "cannot be read (AS101)" in run_cli("trace", "tail", tmp_path / "t").stdout


def test_the_commands_and_the_code_of_the_guide_run(tmp_path: Path, run_cli: Cli) -> None:
    page = (ROOT / "docs" / "guide" / "store.md").read_text("utf-8")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    first = re.findall(r"```sh\n(.*?)```", page, re.S)[0]
    for words in map(shlex.split, first.splitlines()):
        done = run_cli(*words[1:], cwd=tmp_path)
        assert done.returncode == 0, (words, done.output)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"line {GOOD.read_bytes().count(10)} is durable\n", done.stderr


def test_every_type_of_line_says_something() -> None:
    assert set(SAYS) == set(EVENT_TYPES)


@pytest.mark.parametrize("trace", [GOOD, BAD, *sorted((ROOT / "fixtures" / "faults").glob("*unchained*.jsonl"))[::9]])
def test_the_state_is_the_sum_of_its_changes(trace: Path) -> None:
    sagas: dict[str, list[bytes]] = {}
    for line in trace.read_bytes().splitlines():
        sagas.setdefault(decode(line)[0].saga, []).append(line)
    for lines in sagas.values():
        state: dict[str, str] = {}
        for moment, line in zip(replay(lines), lines, strict=True):
            assert all(state.get(what, "") == before for what, before, _ in moment.changes)
            state |= {what: after for what, _, after in moment.changes}
            assert moment.state == state
            assert moment.seq == decode(line)[0].seq
