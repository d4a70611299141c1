"""The commands that explain: explain, rules, schema, data, completion, --version."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.rules import all_rules
from agent_saga.cli.rules import explain

BIN = Path(sys.executable).parent


@pytest.mark.parametrize("code", sorted(all_rules()))
def test_every_rule_is_explained_whole(capsys: pytest.CaptureFixture[str], code: str) -> None:
    rule = all_rules()[code]
    explain(code)
    text = capsys.readouterr().out
    assert text.startswith(f"{code} {rule.name} ({rule.severity})\n")
    for words in (rule.what, rule.why, rule.fix, rule.bad, rule.good):
        assert " ".join(words.split()) in " ".join(text.split())


def test_a_rule_is_explained_by_code_and_by_name(run_cli: Callable[..., Any]) -> None:
    done = run_cli("explain", "as201")
    assert done.returncode == 0
    assert done.stdout.startswith("AS201 uncompensated-effect (error)\n")
    assert run_cli("explain", "Uncompensated-Effect").stdout == done.stdout


def test_an_unknown_rule_is_refused_with_the_nearest(run_cli: Callable[..., Any]) -> None:
    done = run_cli("explain", "uncompensated-efect")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'uncompensated-effect'?" in done.stderr
    assert "`agent-saga rules` lists them" in run_cli("explain", "zzz").stderr


def test_the_rules_are_listed_in_three_formats(run_cli: Callable[..., Any]) -> None:
    text = run_cli("rules").stdout.splitlines()
    assert [line.split()[0] for line in text] == sorted(all_rules())
    found = json.loads(run_cli("rules", "--format", "json").stdout)
    assert [rule["code"] for rule in found] == sorted(all_rules())
    assert set(found[0]) == {"code", "name", "severity", "family", "what", "why", "bad", "good", "fix"}
    table = run_cli("rules", "--format", "markdown").stdout.splitlines()
    assert len(table) == 2 + len(all_rules())
    assert run_cli("rules", "--format", "xml").returncode == 2


@pytest.mark.parametrize("name", ["trace", "report", "config", "mapping", "baseline"])
def test_every_schema_is_a_schema(run_cli: Callable[..., Any], name: str) -> None:
    import jsonschema

    done = run_cli("schema", name)
    assert done.returncode == 0, done.stderr
    schema = json.loads(done.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"]


def test_an_unknown_schema_is_refused(run_cli: Callable[..., Any]) -> None:
    done = run_cli("schema", "trce")
    assert done.returncode == 2
    assert "did you mean 'trace'?" in done.stderr


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"AGENT_SAGA_DATA": "/x/y", "XDG_STATE_HOME": "/s"}, "/x/y"),
        ({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/agent-saga"),
        ({"XDG_STATE_HOME": "not/absolute", "HOME": "/h"}, "/h/.local/state/agent-saga"),
        ({"XDG_STATE_HOME": "", "HOME": "/h"}, "/h/.local/state/agent-saga"),
    ],
)
def test_the_data_folder_is_where_the_desktop_rules_want_it(
    run_cli: Callable[..., Any], env: dict[str, str], wanted: str
) -> None:
    done = run_cli("data", "path", env=env)
    assert (done.returncode, done.stdout) == (0, wanted + "\n")
    assert "certify writes nothing there" in done.stderr


def test_the_version_is_the_packages(run_cli: Callable[..., Any]) -> None:
    assert run_cli("--version").stdout == f"agent-saga {importlib.metadata.version('agent-saga-toolkit')}\n"


@pytest.mark.parametrize(("args", "said"), [([], "Missing command"), (["certfy"], "'certify'"), (["data"], "data")])
def test_a_command_that_is_none_is_refused(run_cli: Callable[..., Any], args: list[str], said: str) -> None:
    done = run_cli(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_each_shell(run_cli: Callable[..., Any], shell: str) -> None:
    done = run_cli("completion", shell)
    assert done.returncode == 0
    assert "_AGENT_SAGA_COMPLETE" in done.stdout


def test_an_unknown_shell_is_refused(run_cli: Callable[..., Any]) -> None:
    assert run_cli("completion", "bsh").returncode == 2


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("agent-saga cer", {"certify", "certify-worker"}),
        ("agent-saga certify --fail-", {"--fail-on"}),
        ("agent-saga certify --fail-on ", {"error", "warning", "note"}),
        ("agent-saga certify --format s", {"sarif"}),
        ("agent-saga explain AS10", {code for code in all_rules() if code.startswith("AS10")}),
        (
            "agent-saga schema ",
            {"trace", "report", "config", "mapping", "baseline", "certificate", "job", "policy", "waivers"},
        ),
        ("agent-saga completion z", {"zsh"}),
    ],
)
def test_bash_completes_commands_options_and_values(tmp_path: Path, words: str, wanted: set[str]) -> None:
    script = f"""
        PATH={BIN}:$PATH
        complete() {{ :; }}
        source <(agent-saga completion bash)
        COMP_WORDS=({words.strip()} {'""' if words.endswith(" ") else ""})
        COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        _agent_saga_completion agent-saga
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert set(done.stdout.split()) == wanted, done.stderr


def test_the_schema_of_a_mapping_says_what_the_importer_says() -> None:
    import jsonschema

    from agent_saga.certify.importers.temporal import MappingError, check_mapping
    from agent_saga.certify.settings.mapping_schema import json_schema

    undo: dict[str, Any] = {"class": "undo"}
    amount = {"minor": "/0/a", "currency": "EUR"}
    mappings: list[Any] = [
        {},
        {"completed": "succeeded"},
        {"completed": "perhaps"},
        {"activities": {"a": {"class": "irreversible"}}},
        {"activities": {"a": {"class": "irreversibel"}}},
        {"activities": {"a": {}}},
        {"activities": {"a": {"class": "compensable"}}},
        {"activities": {"a": {"class": "preview", "undo": "b"}}},
        {"activities": {"a": {"class": "compensable", "undo": "b"}, "b": undo}},
        {"signals": {"a": {"class": "irreversible", "amount": amount, "idempotent": True}}},
        {"signals": {"a": {"class": "irreversible", "amount": {"minor": "a", "currency": "EUR"}}}},
        {"signals": {"a": {"class": "irreversible", "amount": {"minor": "/a"}}}},
        {"actvities": {}},
    ]
    validator = jsonschema.Draft202012Validator(json_schema())
    for mapping in mappings:
        try:
            check_mapping(mapping)
            accepted = True
        except MappingError:
            accepted = False
        assert validator.is_valid(mapping) is accepted, mapping
