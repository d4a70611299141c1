"""`agent-saga run --policy`: the policy stands between the agent and its tools, and its file has to load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SAGA = "agent_saga.testing.scenarios:happy_path"
POLICY = """\
policy: checkout
version: 1
owner: risk@example.com
tools:
  reserve_inventory: {semantics: compensable, undo: release_inventory}
  charge_payment:
    semantics: compensable
    undo: refund_payment
    args:
      type: object
      required: [amount]
      properties:
        amount:
          type: object
          required: [minor, currency]
          properties: {minor: {type: integer}, currency: {type: string}}
  schedule_fulfillment: {semantics: compensable, undo: cancel_fulfillment}
limits:
  - id: charges
    sum: args.amount.minor
    of: tool == "charge_payment"
    per: [args.amount.currency]
    window: PT1H
    max: 8000
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the policy."""
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def test_a_saga_runs_under_a_policy_until_its_budget_is_used_up_and_certify_agrees(folder: Path, run_cli: Any) -> None:
    options = ("--store", "s.db", "--policy", "policy.yaml", "--records", "r.jsonl")
    done = run_cli("run", SAGA, *options, cwd=folder)
    assert done.returncode == 0, done.output
    again = run_cli("run", SAGA, *options, cwd=folder)
    assert again.returncode in (1, 3), again.output
    records = [json.loads(line) for line in (folder / "r.jsonl").read_text("utf-8").splitlines()]
    assert [one["effect"] for one in records][:4] == ["allow", "allow", "allow", "allow"]
    assert {one["rule"] for one in records if one["effect"] == "deny"} == {"charges"}
    judged = run_cli("certify", "s.db", "--policy", "policy.yaml", "--format", "json", cwd=folder)
    report = json.loads(judged.stdout)
    assert not {one["code"] for one in report["findings"]} & {"AS401", "AS402", "AS403", "AS408"}
    without = run_cli("run", SAGA, "--store", "s.db", "--id", report["sagas"][0]["saga"], cwd=folder)
    assert (without.returncode, "the engine has none" in without.stderr) == (2, True), without.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (POLICY.replace("max: 8000", "max: many"), "policy.yaml:24:10"),
        (
            POLICY.replace("  schedule_fulfillment: {semantics: compensable, undo: cancel_fulfillment}\n", ""),
            "declares no",
        ),
        (
            POLICY.replace("{semantics: compensable, undo: release_inventory}", "{semantics: irreversible}"),
            "irreversible",
        ),
        (None, "no such file"),
    ],
)
def test_a_policy_that_does_not_load_or_fit_begins_nothing(
    folder: Path, run_cli: Any, text: str | None, words: str
) -> None:
    path = folder / "policy.yaml"
    path.write_text(text) if text is not None else path.unlink()
    done = run_cli("run", SAGA, "--store", "s.db", "--policy", "policy.yaml", cwd=folder)
    assert done.returncode == 2, done.output
    assert words in done.stderr.lower() + done.stderr
    assert "Traceback" not in done.stderr
    assert run_cli("store", "info", "s.db", "--json", cwd=folder).stdout.count('"lines": 0') in (0, 1)


def test_waivers_and_records_need_a_policy(folder: Path, run_cli: Any) -> None:
    done = run_cli("run", SAGA, "--store", "s.db", "--waivers", "w.yaml", cwd=folder)
    assert (done.returncode, "--policy" in done.stderr) == (2, True)
