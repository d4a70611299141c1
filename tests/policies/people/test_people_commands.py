"""The commands: exit codes, formats, what hostile input gets."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.policies.diffing.proving import available

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "fixtures" / "policies" / "payments.yaml"
Run = Callable[..., Any]


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE.parent / "schemas", tmp_path / "schemas")
    made = tmp_path / "new.yaml"
    made.write_text(EXAMPLE.read_text("utf-8").replace("max: 5000000", "max: 6000000"), "utf-8")
    return made


def test_diff_fails_on_looser_and_passes_when_that_is_allowed(run_cli: Run, newer: Path) -> None:
    found = run_cli("policy", "diff", str(EXAMPLE), str(newer))
    assert found.returncode == 1
    assert "LOOSER: it lets more through" in found.stdout
    assert run_cli("policy", "diff", str(EXAMPLE), str(newer), "--allow-looser").returncode == 0
    assert run_cli("policy", "diff", str(newer), str(EXAMPLE)).returncode == 0
    assert run_cli("policy", "diff", str(newer), str(newer)).returncode == 0


def test_a_call_that_diff_prints_is_one_that_explain_reads(run_cli: Run, newer: Path, tmp_path: Path) -> None:
    record = json.loads(run_cli("policy", "diff", str(EXAMPLE), str(newer), "-f", "json").stdout)
    example = record["whole"]["examples"][0]
    call = tmp_path / "call.json"
    effects = []
    for name, path in (("call_before", EXAMPLE), ("call_after", newer)):
        call.write_text(json.dumps(example[name]))
        said = run_cli("policy", "explain", str(call), "--policy", str(path), "-f", "json")
        effects.append(json.loads(said.stdout)["decision"]["effect"])
    assert effects == [example["before"]["effect"], example["after"]["effect"]] == ["approve", "allow"]


def test_diff_for_a_pull_request_is_markdown_whose_tables_hold(run_cli: Run, newer: Path) -> None:
    text = run_cli("policy", "diff", str(EXAMPLE), str(newer), "-f", "markdown").stdout
    assert text.startswith("## ")
    assert "| limit daily-spend |" in text
    assert len(text.encode()) < 60_000
    assert "```json" in text


def test_diff_says_whether_it_is_proven(run_cli: Run, newer: Path) -> None:
    sampled = run_cli("policy", "diff", str(newer), str(EXAMPLE), "--solver", "none").stdout
    assert "sampled" in sampled
    if available():
        assert "proven" in run_cli("policy", "diff", str(newer), str(EXAMPLE), "--solver", "z3").stdout


@pytest.mark.parametrize("option", [["--solver", "z4"], ["--format", "html"], ["--timeout", "0"]])
def test_a_word_that_diff_does_not_know_is_named(run_cli: Run, option: list[str]) -> None:
    found = run_cli("policy", "diff", str(EXAMPLE), str(EXAMPLE), *option)
    assert found.returncode == 2
    assert found.stdout == ""


def test_a_policy_that_does_not_load_ends_each_command_with_its_faults(run_cli: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("policy: p\nversion: x\n")
    call = tmp_path / "call.json"
    call.write_text('{"tool": "t"}')
    for words in (["diff", str(EXAMPLE), str(bad)], ["render", str(bad)], ["explain", str(call), "-p", str(bad)]):
        found = run_cli("policy", *words)
        assert found.returncode == 1
        assert f"{bad}:" in found.output


def test_explain_reads_standard_input_and_refuses_what_is_no_call(run_cli: Run) -> None:
    good = run_cli("policy", "explain", "-", "-p", str(EXAMPLE), stdin='{"tool": "x"}')
    assert (good.returncode, "denied: undeclared_tool" in good.stdout) == (0, True)
    for text in ("", "[", '{"tool": "a", "tool": "b"}', "[]", "x" * 2_000_000, "[" * 5_000, '{"tool": 1e999}'):
        found = run_cli("policy", "explain", "-", "-p", str(EXAMPLE), stdin=text)
        assert found.returncode == 2, text[:20]
        assert "Traceback" not in found.output


def test_render_writes_by_the_name_of_the_file(run_cli: Run, newer: Path, tmp_path: Path) -> None:
    for name, head in (("page.html", "<!DOCTYPE html>"), ("page.md", "# Policy payments")):
        done = run_cli("policy", "render", str(newer), "--against", str(EXAMPLE), "-o", str(tmp_path / name))
        assert done.returncode == 0, done.output
        assert (tmp_path / name).read_text("utf-8").startswith(head)
    assert run_cli("policy", "render", str(newer), "--day", "2026-13-01").returncode == 2
    assert run_cli("policy", "render", str(newer), "-o", str(tmp_path / "no" / "page.md")).returncode == 2


def test_learn_reads_traces_and_foreign_logs_and_check_loads_what_it_writes(run_cli: Run, tmp_path: Path) -> None:
    out = tmp_path / "learned.yaml"
    done = run_cli("policy", "learn", str(ROOT / "fixtures" / "good"), "-o", str(out), "--owner", "risk")
    assert done.returncode == 0, done.output
    checked = run_cli("policy", "check", str(out))
    assert checked.returncode == 0, checked.output
    assert 'owner: "risk"' in out.read_text("utf-8")


def test_learn_says_what_it_could_not_read_and_that_nothing_was_seen(run_cli: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert run_cli("policy", "learn", str(empty)).returncode == 4
    good = sorted((ROOT / "fixtures" / "good").glob("*.jsonl"))[0].read_bytes()
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(good + b'{"v":1,')
    done = run_cli("policy", "learn", str(torn))
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert "semantics: irreversible" in done.stdout
    assert run_cli("policy", "learn", str(tmp_path / "none")).returncode == 2
    named = run_cli("policy", "learn", str(torn), "--name", "a b")
    assert (named.returncode, "1-64 of A-Z a-z 0-9" in named.stderr) == (2, True)


@pytest.mark.inputs
@pytest.mark.parametrize("folder", ["agent-saga", "agent-saga-attacks", "agentic-saga"])
def test_learn_reads_the_logs_of_other_projects(run_cli: Run, tmp_path: Path, folder: str, inputs_dir: Path) -> None:
    out = tmp_path / "learned.yaml"
    done = run_cli("policy", "learn", str(inputs_dir / folder), "-o", str(out))
    assert done.returncode in (0, 1), done.output
    checked = run_cli("policy", "check", str(out))
    assert checked.returncode == 0, checked.output
