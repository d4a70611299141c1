"""What an undo gives back and must be, by the policy and not by the trace's own word."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.lines import Line, chain, conceal, written
from rulelib.policies import MONEY, SHOP, digest
from rulelib.signed_script import SignedScript

REFUND = {
    "type": "object",
    "properties": {"ref": {"type": "string"}, "order": {"type": "string"}, "amount": MONEY},
    "required": ["ref", "order", "amount"],
}
INVERSE = {"args": REFUND, "amount": "undo.amount", "must": "undo.order == args.order"}
EUR, USD = ({"minor": 4200, "currency": one} for one in ("EUR", "USD"))
TEN_TIMES = {"minor": 42_000, "currency": "EUR"}
UNDONE = "do e1 payments.charge\nrollback\nundo u1 e1\nend compensated_verified"


def policy(**more: Any) -> dict[str, Any]:
    """The shop's policy, which says where amounts stand and whom a refund goes to."""
    made: dict[str, Any] = json.loads(json.dumps(SHOP))
    made["tools"]["payments.charge"] |= {"amount": "args.amount", "inverse": INVERSE} | more
    return made


def trace(by: dict[str, Any], script: str = UNDONE, back: Any = EUR, order: str = "A-1001", **more: Any) -> list[Line]:
    """A saga whose catalogue names no amounts. back: what its refunds give; order: of which; more: of their args."""
    lines = SignedScript("undos").run(f"start policy={digest(by)}\n{script}")
    for line in lines:
        line.pop("amount", None)
        for name in ("payments.charge", "payments.refund"):
            if line["type"] == "saga.started":
                line["tools"] = line["tools"] | {name: {**line["tools"][name]}}
                line["tools"][name].pop("amount_from")
        if "undo" in line and isinstance(line["undo"], dict):
            args = {name: one for name, one in line["undo"]["args"].items() if name != "amount"}
            line["undo"] = {"tool": line["undo"]["tool"], "args": _given(args, back, order, more)}
        if line["type"] == "undo.intended":
            line["args"] = _given({n: v for n, v in line["args"].items() if n != "amount"}, back, order, more)
    return lines


def _given(args: dict[str, Any], back: Any, order: str, more: dict[str, Any]) -> dict[str, Any]:
    made = args | {"order": order, "amount": back} | more
    return {name: value for name, value in made.items() if value is not None}


def judged(folder: Path, lines: list[Line], by: dict[str, Any], opened: str = "") -> Report:
    """The report on a trace by a policy. opened: a file of disclosures."""
    (folder / "trace.jsonl").write_bytes(written(chain(lines)))
    (folder / "policy.json").write_text(json.dumps(by), "utf-8")
    choices = Choices(policies=(str(folder / "policy.json"),))
    return certify([str(folder / "trace.jsonl")], Options(choices=choices, disclosures=(opened,) if opened else ()))


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def test_a_refund_in_full_is_certified_though_the_trace_names_no_amounts(tmp_path: Path) -> None:
    by = policy()
    report = judged(tmp_path, trace(by), by)
    assert (codes(report), int(report.exit_code)) == ([], 0)


@pytest.mark.parametrize("back", [TEN_TIMES, USD, {"minor": 420, "currency": "EUR"}], ids=["more", "dollars", "less"])
def test_another_amount_is_found_by_the_policy_and_passes_without_it(tmp_path: Path, back: dict[str, Any]) -> None:
    by, old = policy(), json.loads(json.dumps(SHOP))
    assert int(judged(tmp_path, trace(old, back=back), old).exit_code) == 0, "the trace's own catalogue names none"
    report = judged(tmp_path, trace(by, back=back), by)
    assert (codes(report), int(report.exit_code)) == (["AS209"], 1)
    assert "which takes EUR 42.00 by the policy" in report.findings[0].because


def test_an_amount_that_the_trace_points_at_elsewhere_does_not_count(tmp_path: Path) -> None:
    by = policy()
    lines = trace(by, back=TEN_TIMES, decoy=EUR)
    for line in lines:
        if line["type"] == "saga.started":
            line["tools"]["payments.refund"]["amount_from"] = "/decoy"
            line["tools"]["payments.charge"]["amount_from"] = "/amount"
        if isinstance(line.get("undo"), dict):
            line["undo"] = line["undo"] | {"amount": EUR}
        if line["type"] in ("effect.intended", "undo.intended"):
            salt = line.pop("salt")
            line |= {"amount": EUR}
            line["salt"] = salt
    lines = [_ordered(line) for line in lines]
    assert codes(judged(tmp_path, lines, by)) == ["AS209"]


def _ordered(line: Line) -> Line:
    """With amount where the format has it, before what follows it on an intent."""
    if "amount" not in line or "resource" not in line:
        return line
    names = [name for name in line if name not in ("resource", "salt")]
    return {name: line[name] for name in (*names, "resource", "salt")}


def test_a_refund_without_the_amount_is_found(tmp_path: Path) -> None:
    by = policy()
    report = judged(tmp_path, trace(by, back=None), by)
    assert set(codes(report)) == {"AS209"}
    assert "names no amount" in report.findings[0].because


def test_a_refund_to_another_order_is_another_undo(tmp_path: Path) -> None:
    by = policy()
    report = judged(tmp_path, trace(by, order="B-7"), by)
    assert (codes(report), int(report.exit_code)) == (["AS208"], 1)
    assert "undo.order == args.order" in report.findings[0].because


def test_what_the_policy_keeps_as_a_fee_may_be_kept(tmp_path: Path) -> None:
    by = policy(fee=200)
    assert codes(judged(tmp_path, trace(by, back={"minor": 4000, "currency": "EUR"}), by)) == []
    assert codes(judged(tmp_path, trace(by, back={"minor": 3999, "currency": "EUR"}), by)) == ["AS209"]


def test_a_refund_in_parts_is_whole_when_the_parts_sum_up(tmp_path: Path) -> None:
    by = policy()
    parts = "do e1 payments.charge\nrollback\nundo u1 e1\nundo u2 e1\nend compensated_verified"
    for second, expected in ((3200, []), (3201, ["AS209"]), (3199, ["AS209"])):
        lines = trace(by, parts)
        for line in lines:
            if line["type"] == "undo.intended":
                line["args"] |= {"amount": {"minor": 1000 if line["undo"] == "u1" else second, "currency": "EUR"}}
        assert codes(judged(tmp_path, lines, by)) == expected, second


def test_an_undo_that_no_outcome_recorded_is_held_to_the_policy(tmp_path: Path) -> None:
    by = policy()
    script = "step s1 payments.charge\ngo e1 payments.charge\nlose e1\nrollback\nundo u1 e1\nend compensated_verified"
    assert codes(judged(tmp_path, trace(by, script), by)) == ["AS206"]
    assert sorted(codes(judged(tmp_path, trace(by, script, back=TEN_TIMES), by))) == ["AS206", "AS209"]
    assert sorted(codes(judged(tmp_path, trace(by, script, order="B-7"), by))) == ["AS206", "AS208"]


def test_a_concealed_amount_or_order_leaves_the_verdict_open(tmp_path: Path) -> None:
    by = policy()
    for name in ("amount", "order"):
        lines, opened = trace(by), []
        for number, line in enumerate(lines):
            if isinstance(line.get("undo"), dict):
                where, args = line["undo"], line["undo"]["args"]
            elif line["type"] == "undo.intended":
                where, args = line, line["args"]
            else:
                continue
            sealed, disclosure = conceal(args[name], name, number)
            opened.append(disclosure)
            where["args"] = args | {name: sealed}
        report = judged(tmp_path, lines, by)
        assert (set(codes(report)), int(report.exit_code)) == ({"AS602"}, 3), name
        (tmp_path / "d.txt").write_text("\n".join(opened) + "\n", "utf-8")
        report = judged(tmp_path, lines, by, str(tmp_path / "d.txt"))
        assert (codes(report), int(report.exit_code)) == ([], 0), name


def test_a_call_whose_amount_cannot_be_told_is_undecidable(tmp_path: Path) -> None:
    by = policy()
    by["rules"], by["limits"] = [], []
    lines = trace(by, "do e1 payments.charge\nsuccess e1")
    for line in lines:
        if line["type"] in ("step.proposed", "effect.intended"):
            line["args"] = {**line["args"], "amount": {"minor": 4200}}
    report = judged(tmp_path, lines, by)
    assert "AS408" in codes(report)
    assert int(report.exit_code) == 1
