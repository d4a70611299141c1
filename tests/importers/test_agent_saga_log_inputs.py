"""Logs that another project's package wrote, and attacks on them, get the verdict that their manifest wants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

ATTACKS = "agent-saga-attacks"
EXITS = {"certified": {0}, "refused": {1, 3}, "nothing": {4}, "undetectable": {0}}
DEMO_ROOT = "2d28bafa5041532a8d2a6a7a672b211bbebb58cf4de670bfd0640d22021b109b"
"""Root of agent-saga-demo-act2.wal, as its published certificate states it."""
NEGATIVES = {
    "tam": (1, "AS104"),
    "fA": (1, "AS201"),
    "t5": (1, "AS503"),
    "t12": (1, "AS503"),
    "e": (4, ""),
    "fB": (0, ""),
}
RECORDED = {
    "happy": 0,
    "compensated": 0,
    "crashed": 1,
    "irreversible_default_gate_blocked": 0,
    "irreversible_callback_approved": 1,
    "irreversible_gateway_approved": 1,
    "orphaned_irreversible": 1,
    "reversible_only": 0,
    "preview": 0,
    "mixed": 1,
    "interleaved": 0,
    "redacted": 1,
    "compacted_live": 1,
    "restarted": 0,
    "agentkit": 0,
    "agent-saga-demo-act2": 0,
    "agent-saga-demo-act3": 1,
}


def judge(path: Path, root: str = "") -> tuple[Report, set[str]]:
    report = certify([str(path)], Options(Choices(expected_root=root)))
    return report, {finding.code for finding in report.findings}


def test_every_log_of_the_attacks_gets_what_its_manifest_wants(inputs_dir: Path) -> None:
    wrong = []
    for entry in json.loads((inputs_dir / ATTACKS / "MANIFEST.json").read_text())["files"]:
        report, codes = judge(inputs_dir / ATTACKS / entry["file"])
        wanted = set(entry.get("want_codes", ()))
        if report.exit_code not in EXITS[entry["want"]] or (wanted and not wanted & codes):
            wrong.append((entry["file"], entry["want"], wanted, report.exit_code, codes))
    assert wrong == []


@pytest.mark.parametrize("name", NEGATIVES)
def test_the_negatives_are_refused_for_their_fault(inputs_dir: Path, name: str) -> None:
    code, rule = NEGATIVES[name]
    report, codes = judge(inputs_dir / "agent-saga-negatives" / f"{name}.wal")
    assert report.exit_code == code
    assert not rule or rule in codes


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_logs_get_their_verdict(inputs_dir: Path, name: str) -> None:
    report, _ = judge(inputs_dir / "agent-saga" / f"{name}.wal")
    assert report.exit_code == RECORDED[name], report.findings


def test_only_a_published_root_shows_a_rewritten_log(inputs_dir: Path) -> None:
    assert judge(inputs_dir / "agent-saga-negatives" / "fB.wal", DEMO_ROOT)[0].exit_code == 1
    assert judge(inputs_dir / "agent-saga" / "agent-saga-demo-act2.wal", DEMO_ROOT)[0].exit_code == 0
    mixed = (inputs_dir / "agent-saga" / "mixed.root.txt").read_text().strip()
    assert judge(inputs_dir / "agent-saga" / "mixed.wal", mixed)[1] == {"AS301"}
    assert "AS104" in judge(inputs_dir / ATTACKS / "truncate_whole_last_saga.wal", mixed)[1]
    assert "AS104" in judge(inputs_dir / ATTACKS / "comp_wrong_resource.wal", mixed)[1]


def test_a_proof_is_no_trace(inputs_dir: Path) -> None:
    report, _ = judge(inputs_dir / "agent-saga-negatives" / "p3.json")
    assert report.exit_code == 2
    assert "a proof, not a trace" in report.inputs[0].error
