"""Which setting counts: flag, environment, --config, the nearest pyproject.toml, default, in that order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LEVELS = ["default", "pyproject", "config", "environment", "flag"]


def _arrange(folder: Path, top: str) -> tuple[list[str], dict[str, str]]:
    """Every level up to `top` sets fail-on or nothing; each sets a value of its own."""
    args, env = [], {}
    upto = LEVELS[: LEVELS.index(top) + 1]
    if "pyproject" in upto:
        (folder / "pyproject.toml").write_text('[tool.agent-saga]\nignore = ["AS101"]\n')
    if "config" in upto:
        (folder / "own.toml").write_text('ignore = ["AS102"]\n')
        args += ["--config", "own.toml"]
    if "environment" in upto:
        env["AGENT_SAGA_IGNORE"] = "AS103"
    if "flag" in upto:
        args += ["--ignore", "AS104"]
    return args, env


@pytest.mark.parametrize(
    ("top", "wanted"),
    list(zip(LEVELS, [[], ["AS101"], ["AS102"], ["AS103"], ["AS104"]], strict=True)),
)
def test_each_level_wins_over_those_below_it(
    ask: Callable[..., Any], folder: Path, top: str, wanted: list[str]
) -> None:
    args, env = _arrange(folder, top)
    assert ask("a.jsonl", *args, env=env).choices["ignored"] == wanted


def test_levels_add_up_for_settings_that_only_one_of_them_makes(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nfail-on = "note"\n')
    (folder / "own.toml").write_text('open = "inconclusive"\n')
    done = ask("a.jsonl", "--config", "own.toml", "--inconclusive", "fail", env={"AGENT_SAGA_REQUIRE_CHAIN": "1"})
    choices = done.choices
    assert (choices["fail_on"], choices["open"], choices["inconclusive"]) == ("note", "inconclusive", "fail")
    assert choices["require_chain"] is True
    assert choices["config"] == "own.toml, pyproject.toml"


def test_an_auditor_heeds_neither_files_nor_environment(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nignore = "AS1"\nnonsense = 1\n')
    done = ask("a.jsonl", "--no-config", env={"AGENT_SAGA_FAIL_ON": "nonsense", "AGENT_SAGA_CONFIG": "no-such.toml"})
    assert done.choices["ignored"] == []
    assert done.choices["config"] == ""


def test_a_file_that_is_named_and_near_is_read_once(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nfail-on = "note"\n')
    choices = ask("a.jsonl", "--config", "./pyproject.toml").choices
    assert (choices["fail_on"], choices["config"]) == ("note", "./pyproject.toml")


def test_config_and_no_config_exclude_each_other(ask: Callable[..., Any]) -> None:
    done = ask("a.jsonl", "--no-config", "--config", "x.toml")
    assert (done.returncode, done.asked) == (2, None)


def test_the_environment_can_name_the_configuration_file(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "own.toml").write_text('fail-on = "warning"\n')
    done = ask("a.jsonl", env={"AGENT_SAGA_CONFIG": "own.toml"})
    assert (done.choices["fail_on"], done.choices["config"]) == ("warning", "own.toml")


def test_the_nearest_pyproject_is_found_above_and_ends_the_search(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nfail-on = "note"\npaths = ["a.jsonl"]\n')
    inner = folder / "x" / "y"
    inner.mkdir(parents=True)
    done = ask(cwd=inner)
    assert done.asked is not None
    assert done.asked["paths"] == ["../../a.jsonl"]
    assert done.choices["config"] == "../../pyproject.toml"
    (inner / "pyproject.toml").write_text("[project]\n")
    assert ask("../../a.jsonl", cwd=inner).choices["config"] == ""


def test_paths_in_a_file_are_relative_to_that_file(ask: Callable[..., Any], folder: Path) -> None:
    sub = folder / "ci"
    sub.mkdir()
    (sub / "m.json").write_text('{"activities": {}}')
    (sub / "own.toml").write_text(
        'mapping = "m.json"\ndisclosures = "d.txt"\npaths = "../a.jsonl"\noutput = ["json=r.json"]\n'
    )
    done = ask("--config", "ci/own.toml")
    assert done.asked is not None, done.stderr
    assert done.asked["paths"] == ["a.jsonl"]
    assert (done.asked["mapping"], done.asked["disclosures"]) == ({"activities": {}}, ["ci/d.txt"])
    assert (sub / "r.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ignroe = ['AS1']", "pyproject.toml:2: unknown setting 'ignroe'; did you mean 'ignore'?"),
        ("jobs = 'two'", "pyproject.toml [tool.agent-saga] jobs: expected a whole number, found 'two'"),
        ("jobs = true", "expected a whole number, found True"),
        ("jobs = -1", "expected 0 to 256"),
        ("show-suppressed = 1", "expected true or false, found 1"),
        ("fail-on = 'eror'", "did you mean 'error'?"),
        ("select = [1]", "expected a list of texts, found [1]"),
        ("now = 'yesterday'", "expected a time such as"),
        ("ignore = ['AS999']", "'AS999' names no rule"),
        ("expect-root = 'ff'", "expected 64 hex digits"),
        ("fail-on = ", "pyproject.toml: not TOML"),
        ("[tool.agent-saga.ignroe]", "pyproject.toml:2: unknown setting"),
    ],
)
def test_a_bad_configuration_is_refused_with_its_place(
    ask: Callable[..., Any], folder: Path, text: str, said: str
) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.agent-saga]\n{text}\n")
    done = ask("a.jsonl")
    assert (done.returncode, done.asked, done.stdout) == (2, None, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = 1\n\x80", b"x = " + b"[" * 100_000, b"\x00"])
def test_a_configuration_that_is_no_toml_is_refused(ask: Callable[..., Any], folder: Path, data: bytes) -> None:
    (folder / "own.toml").write_bytes(data)
    done = ask("a.jsonl", "--config", "own.toml")
    assert (done.returncode, done.asked) == (2, None)
    assert done.stderr.startswith("agent-saga: error: own.toml")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nagent-saga = 3"])
def test_a_table_that_is_none_sets_nothing_or_is_refused(ask: Callable[..., Any], folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text + "\n")
    assert ask("a.jsonl").returncode in (0, 2)


@pytest.mark.parametrize("name", ["no-such.toml", ".", "a\0b"])
def test_a_configuration_that_cannot_be_read_is_refused(ask: Callable[..., Any], name: str) -> None:
    if "\0" in name:
        done = ask("a.jsonl", "--config", "no/such/../file.toml")
    else:
        done = ask("a.jsonl", "--config", name)
    assert (done.returncode, done.asked) == (2, None)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("AGENT_SAGA_FAIL_ON", "eror", "AGENT_SAGA_FAIL_ON: unknown value 'eror'"),
        ("AGENT_SAGA_JOBS", "many", "AGENT_SAGA_JOBS: expected a whole number"),
        ("AGENT_SAGA_REQUIRE_CHAIN", "perhaps", "AGENT_SAGA_REQUIRE_CHAIN: expected 1 or 0"),
        ("AGENT_SAGA_REQUIRE_CHIAN", "1", "did you mean 'AGENT_SAGA_REQUIRE_CHAIN'?"),
        ("SOURCE_DATE_EPOCH", "today", "SOURCE_DATE_EPOCH: expected seconds"),
    ],
)
def test_a_bad_variable_is_refused(ask: Callable[..., Any], name: str, value: str, said: str) -> None:
    done = ask("a.jsonl", env={name: value})
    assert (done.returncode, done.asked) == (2, None)
    assert said in done.stderr


def test_other_programs_variables_and_empty_ones_are_left_alone(ask: Callable[..., Any]) -> None:
    env = {"AGENT_SAGA_WAL_SEGMENT_BYTES": "1", "AGENT_SAGA_FAIL_ON": "", "AGENT_SAGA_DATA": "/x"}
    assert ask("a.jsonl", env=env).choices["fail_on"] == "error"


def test_variables_hold_every_kind_of_setting(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "b.jsonl").write_text("{}\n")
    env = {
        "AGENT_SAGA_PATHS": "a.jsonl:b.jsonl",
        "AGENT_SAGA_SELECT": "AS101, broken-chain,as5",
        "AGENT_SAGA_JOBS": "3",
        "AGENT_SAGA_OUTPUT": "json=r.json:sarif=r.sarif",
        "AGENT_SAGA_SHOW_SUPPRESSED": "true",
    }
    done = ask(env=env)
    assert done.asked is not None, done.stderr
    assert (done.asked["paths"], done.asked["jobs"]) == (["a.jsonl", "b.jsonl"], 3)
    assert {"AS101", "AS104", "AS501"} <= set(done.choices["selected"])
    assert "AS102" not in done.choices["selected"]
    assert (folder / "r.json").exists()
    assert (folder / "r.sarif").exists()


def test_an_empty_flag_empties_a_list_of_the_configuration(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.agent-saga]\nignore = "AS108"\n')
    assert ask("a.jsonl", "--ignore", "").choices["ignored"] == []


@pytest.mark.parametrize(
    "flag", ["--policy", "--registry", "--checkpoint", "--pin", "--expect-root", "--registry-digest"]
)
def test_a_demand_that_a_script_left_empty_is_no_pass(ask: Callable[..., Any], flag: str) -> None:
    done = ask("a.jsonl", flag, "")
    assert (done.returncode, done.asked) == (2, None)
    assert f"{flag}: the value is empty, so nothing would be demanded" in done.stderr


@pytest.mark.parametrize(
    ("args", "env", "now"),
    [
        ((), {}, ""),
        ((), {"SOURCE_DATE_EPOCH": "0"}, "1970-01-01T00:00:00.000000Z"),
        (("--now", "2026-11-30T08:00:00.5+01:00"), {"SOURCE_DATE_EPOCH": "0"}, "2026-11-30T07:00:00.500000Z"),
        ((), {"AGENT_SAGA_NOW": "2026-11-30T07:00:00Z"}, "2026-11-30T07:00:00.000000Z"),
    ],
)
def test_the_time_is_what_was_said_and_never_the_clock(
    ask: Callable[..., Any], args: tuple[str, ...], env: dict[str, str], now: str
) -> None:
    assert ask("a.jsonl", *args, env=env).choices["now"] == now


def test_the_published_schema_names_every_setting(run_cli: Callable[..., Any]) -> None:
    from agent_saga.certify.settings.chosen import Settings
    from agent_saga.certify.settings.keys import BY_FIELD

    schema = json.loads(run_cli("schema", "config").stdout)
    assert set(schema["properties"]) == {key.name for key in BY_FIELD.values()}
    assert {*BY_FIELD, "config"} == set(Settings.__slots__)
