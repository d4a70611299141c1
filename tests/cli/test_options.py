"""Every option of certify reaches the judge, and a bad value is refused before anything is judged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("args", "field", "value"),
    [
        (["--fail-on", "warning"], "fail_on", "warning"),
        (["--inconclusive", "pass"], "inconclusive", "pass"),
        (["--open", "inconclusive"], "open", "inconclusive"),
        (["--require-chain"], "require_chain", True),
        (["--no-require-chain"], "require_chain", False),
        (["--select", "AS101"], "selected", ["AS101"]),
        (["--select", "broken-chain", "--select", "as101,AS102"], "selected", ["AS101", "AS102", "AS104"]),
        (["--ignore", "AS108"], "ignored", ["AS108"]),
        (["--expect-root", "AB" * 32], "expected_root", "ab" * 32),
    ],
)
def test_a_choice_stands_in_the_report(ask: Callable[..., Any], args: list[str], field: str, value: Any) -> None:
    assert ask("a.jsonl", *args).choices[field] == value


def test_a_family_names_all_its_rules(ask: Callable[..., Any]) -> None:
    from agent_saga.certify.rules import all_rules

    found = ask("a.jsonl", "--select", "AS2").choices["selected"]
    assert found == [code for code in all_rules() if code.startswith("AS2")]


@pytest.mark.parametrize(
    ("args", "field", "value"),
    [
        ([], "jobs", os.cpu_count()),
        (["--jobs", "2"], "jobs", 2),
        (["-j", "3"], "jobs", 3),
        (["--stdin-filename", "log.jsonl"], "stdin_name", "log.jsonl"),
        (["--format", "html"], "timelines", True),
        (["--format", "text"], "timelines", False),
        (["--format", "junit"], "keep_sagas", True),
        (["--format", "sarif"], "keep_sagas", False),
        (["-v"], "keep_sagas", True),
    ],
)
def test_an_option_reaches_the_judge(ask: Callable[..., Any], args: list[str], field: str, value: Any) -> None:
    done = ask("a.jsonl", *args)
    assert done.asked is not None, done.stderr
    assert done.asked[field] == value


def test_jobs_0_is_a_process_a_processor(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "--jobs", "0")
    assert done.asked is not None
    assert done.asked["jobs"] >= 1


@pytest.mark.parametrize(
    ("name", "text"), [("m.json", '{"a": {"b": 1}}'), ("m.toml", "[a]\nb = 1\n"), ("m", "[a]\nb = 1\n")]
)
def test_a_mapping_is_json_or_toml(ask: Callable[..., Any], folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    done = ask("a.jsonl", "--mapping", name)
    assert done.asked is not None, done.stderr
    assert done.asked["mapping"] == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "a mapping is an object"),
        ("{", "m.json:1: not JSON"),
        ('{"a": 1,\n "a": 2}', "'a' stands twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "1" * 10_000 + "}", "not JSON that can be used"),
        ("\ud800", "m.json:1: not UTF-8"),
    ],
)
def test_a_bad_mapping_is_refused_with_its_place(ask: Callable[..., Any], folder: Path, text: str, said: str) -> None:
    (folder / "m.json").write_bytes(text.encode(errors="surrogatepass"))
    done = ask("a.jsonl", "--mapping", "m.json")
    assert (done.returncode, done.asked) == (2, None)
    assert said in done.stderr


def test_a_judge_that_needs_a_mapping_gives_its_skeleton_on_stdout(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", mode="skeleton")
    assert (done.returncode, done.stdout) == (2, '{"activities": {}}\n')
    assert done.stderr.startswith("agent-saga: error: history.json: a mapping is needed")
    assert done.stderr.count("\n") == 1


def test_disclosures_may_lie_in_several_files(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "--disclosures", "d.txt", "--disclosures", "e.txt")
    assert done.asked is not None
    assert done.asked["disclosures"] == ["d.txt", "e.txt"]


@pytest.mark.parametrize(
    "args",
    [
        [],
        [""],
        ["a.jsonl", "--no-such-option"],
        ["a.jsonl", "--fail-on"],
        ["a.jsonl", "--fail-on", "eror"],
        ["a.jsonl", "--inconclusive", "maybe"],
        ["a.jsonl", "--open", "yes"],
        ["a.jsonl", "--jobs", "x"],
        ["a.jsonl", "--jobs", "-1"],
        ["a.jsonl", "--jobs", "100000"],
        ["a.jsonl", "--select", "AS999"],
        ["a.jsonl", "--ignore", "AS999"],
        ["a.jsonl", "--ignore", "AS1,AS2,AS3,AS4,AS5,AS6"],
        ["a.jsonl", "--select", "AS101", "--ignore", "AS101"],
        ["a.jsonl", "--now", "today"],
        ["a.jsonl", "--now", "2026-13-01T00:00:00Z"],
        ["a.jsonl", "--now", "2026-11-30"],
        ["a.jsonl", "--now", "0001-01-01T00:00:00+23:00"],
        ["a.jsonl", "--expect-root", "xyz"],
        ["a.jsonl", "--format", "jsn"],
        ["a.jsonl", "--format", "json", "--format", "sarif"],
        ["a.jsonl", "--format", "json", "--output", "sarif=-"],
        ["a.jsonl", "--output", "json"],
        ["a.jsonl", "--output", "json="],
        ["a.jsonl", "--output", "jsn=x"],
        ["a.jsonl", "--output", "json=x", "--output", "sarif=./x"],
        ["a.jsonl", "--mapping", "no-such.json"],
        ["a.jsonl", "--baseline", "no-such.json"],
        ["a.jsonl", "--log-format", "xml"],
    ],
    ids=lambda args: " ".join(args) or "nothing",
)
def test_bad_usage_is_one_line_and_exit_2(ask: Callable[..., Any], args: list[str]) -> None:
    done = ask(*args)
    assert (done.returncode, done.asked, done.stdout) == (2, None, "")
    assert done.stderr.startswith("agent-saga: error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["--fail-on", "eror"], "'error'"),
        (["--select", "AS20l"], "'AS20"),
        (["--ignore", "broken-chian"], "'broken-chain'"),
        (["--format", "saref"], "'sarif'"),
        (["--fail-no", "error"], "--fail-on"),
    ],
)
def test_a_near_miss_is_answered_with_the_word_that_was_meant(
    ask: Callable[..., Any], args: list[str], hint: str
) -> None:
    done = ask("a.jsonl", *args)
    assert done.returncode == 2
    assert hint in done.stderr


def test_the_formats_in_the_help_are_those_that_exist(run_cli: Callable[..., Any]) -> None:
    from agent_saga.certify.outputs import FORMATS
    from agent_saga.cli.options import FORMATS as NAMED

    assert NAMED.split(", ") == list(FORMATS)
    assert NAMED.split(", ")[0] in run_cli("certify", "--help").stdout
