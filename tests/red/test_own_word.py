"""What the judged party says of itself and nobody bears out: each report says what that was, to people and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rulelib.checkpoints import note, pin
from rulelib.lines import chain, written
from rulelib.policies import DIGEST, POLICY_FILES, SHOP_NAME
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE

from agent_saga.certify.certificate.making import statement
from agent_saga.certify.judging import dividing
from agent_saga.certify.judging.own_word import ASKED, UNDOS
from agent_saga.certify.outputs import render
from agent_saga.certify.policing.telling import OPERATOR
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

NOW = "2026-01-05T10:00:00.000000Z"
CHARGED = "begin\npropose s1 payments.charge\ngo e1 payments.charge\nok e1\nsuccess e1"
WIRED = "opened\nbegin\npropose s1 bank.wire\nrequest s1\nsign s1 ana-1\nuse e1 bank.wire\nsuccess e1"
POLICED = f"opened policy={DIGEST}\nbegin policy={DIGEST}\ndo e1 payments.charge\nsuccess e1"
REGISTRY: dict[str, Any] = {"registry": "registry.json"}
POLICY: dict[str, Any] = {"policies": (SHOP_NAME,)}
FIRST_USE: dict[str, Any] = {"trust_on_first_use": True}


def report_of(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch, jobs: int = 1, **choices: Any) -> Report:
    """The report on a script's trace, with all files of the user beside it."""
    lines = chain(SignedScript("own").run(script))
    files = {SHOP_NAME: POLICY_FILES[SHOP_NAME], "registry.json": REGISTRY_FILE, "trace.jsonl": written(lines)}
    files |= {"pin": pin(), "note": note(written(lines).splitlines()), "short": note(written(lines).splitlines()[:-1])}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    monkeypatch.chdir(folder)
    return certify(["trace.jsonl"], Options(choices=Choices(now=NOW, **choices), jobs=jobs))


@pytest.mark.parametrize(
    ("script", "choices", "names"),
    [
        (CHARGED, {}, "tool_classes undos end"),
        (WIRED, REGISTRY, "tool_classes approvals_asked undos clock end"),
        (WIRED, FIRST_USE, "tool_classes approvals_asked undos registry clock end"),
        (POLICED, FIRST_USE, "tool_classes undos policy end"),
        (POLICED, POLICY, "undos clock end"),
        (CHARGED, {"checkpoints": ("note",), "pin": "pin"}, "tool_classes undos"),
        (CHARGED, {"checkpoints": ("short",), "pin": "pin"}, "tool_classes undos end"),
    ],
    ids=["charge", "approved", "first use", "named policy", "policy", "checkpoint", "checkpoint of all but one line"],
)
def test_what_nobody_bears_out_has_a_name(
    script: str, choices: dict[str, Any], names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = report_of(script, tmp_path, monkeypatch, **choices)
    assert " ".join(json.loads(render(report, "json"))["inputs"][0]["own_word"]) == names
    assert report.inputs[0].own_word == tuple(names.split())


def test_whose_quorum_it_was_stands_in_every_report_and_in_the_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step that asked for one person of the least strength was written by who is judged."""
    report = report_of(WIRED, tmp_path, monkeypatch, controls=("aisvs-1.0",), **REGISTRY)
    assert int(report.exit_code) == 0
    for fmt in ("text", "html", "markdown", "junit", "sarif", "oscal"):
        said = " ".join(render(report, fmt, width=400).replace("&#x27;", "'").replace("&#39;", "'").split())
        assert ASKED in said, fmt
        assert OPERATOR in said, fmt
    told = statement(report, NOW).predicate["assumptions"]
    assert [one for one in told if "own statement" in one] == [OPERATOR, ASKED]


def test_a_policy_that_names_no_inverse_leaves_the_undos_to_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = report_of(POLICED, tmp_path, monkeypatch, **POLICY).inputs[0].assumptions
    assert [one for one in said if "own statement" in one] == [UNDOS]


def test_processes_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    one, two = (report_of(WIRED, tmp_path, monkeypatch, jobs, **REGISTRY).inputs for jobs in (1, 2))
    assert one == two
