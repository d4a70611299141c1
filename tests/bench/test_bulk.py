"""Traces made in bulk by the runtime: gate, certifier and back-test say the same of them, and a plain count too."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import bulk
import pytest

from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.policies.backtesting import backtest
from agent_saga.policies.backtesting.comparing import CHANGES
from agent_saga.policies.loading import load_policy

FEW = 150


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small trace, both policies and the registry."""
    folder = tmp_path_factory.mktemp("bulk")
    list(bulk.write(folder / "trace.jsonl", FEW))
    return folder


def naive(lines: list[bytes]) -> tuple[Counter[str], int]:
    """The changes under the new policy, and how many events lack a field, counted plainly over parsed lines."""
    found, spent, lacking = Counter[str](), list[tuple[Any, datetime, int]](), 0
    steps: dict[tuple[str, str], Any] = {}
    for line in map(json.loads, lines):
        if line["type"] == "step.proposed":
            steps[line["saga"], line["step"]] = line
        refused = line["type"] == "step.refused" and line["code"] in ("denied", "limit")
        if not refused and (line["type"] != "effect.intended" or line["attempt"] != 1):
            continue
        step, at = steps[line["saga"], line["step"]], datetime.fromisoformat(line["at"])
        args, need = step["args"], 0
        if step["tool"] == "shop.reserve":
            after = "deny" if args["count"] > 4 else "allow"
        elif step["tool"] == "shop.wire":
            after, need = "approve", 2 if args["amount"]["minor"] > 30_000 else 1
        else:
            key = (args["customer"], args["amount"]["currency"])
            total = sum(minor for one, then, minor in spent if one == key and then > at - timedelta(days=1))
            over, lacks = total + args["amount"]["minor"] > 25_000, "country" not in args
            after = "deny" if over or lacks or args["country"] == "SY" else "allow"
            lacking += lacks
            spent += [(key, at, args["amount"]["minor"])] if after == "allow" else []
        persons = len(line.get("approvals", ()))
        before = "deny" if refused else "approve" if persons else "allow"
        same = after == before and persons >= need
        found["unchanged" if same else {"deny": "deny", "approve": "ask", "allow": "allow"}[after]] += 1
    return found, lacking


def numbers(folder: Path, name: str) -> Counter[str]:
    """The four numbers."""
    result = backtest(load_policy(str(folder / name)), [str(folder / "trace.jsonl")])
    return Counter({how: result.tally(how).calls for how in CHANGES if result.tally(how).calls})


def test_the_same_number_of_sagas_gives_the_same_bytes() -> None:
    assert asyncio.run(bulk.made(12))[0] == asyncio.run(bulk.made(12))[0]


def test_the_certifier_and_the_back_test_agree_with_the_gate(shop: Path) -> None:
    trace = str(shop / "trace.jsonl")
    choices = Choices(policies=(str(shop / "OLD.yaml"),), registry=str(shop / "registry.json"))
    report = certify([trace], Options(choices=choices))
    assert {finding.code for finding in report.findings} <= {"AS504"}, "refused again and again, a saga waits"
    assert set(numbers(shop, "OLD.yaml")) == {"unchanged"}, "calls that it let through, and refusals of its own"


def test_the_numbers_are_those_of_a_plain_count(shop: Path) -> None:
    lines = (shop / "trace.jsonl").read_bytes().splitlines()
    result = backtest(load_policy(str(shop / "NEW.yaml")), [str(shop / "trace.jsonl")])
    found = numbers(shop, "NEW.yaml")
    assert (found, result.missing) == naive(lines)
    assert found["deny"] > 0 < result.missing
    assert {rule for rule, _ in result.undecidable} == {"no-trade"}


def test_the_certifier_finds_what_a_stricter_policy_would_not_have_let_through(shop: Path) -> None:
    """The trace names the old policy, and calls were made that the new one denies or asks about."""
    choices = Choices(policies=(str(shop / "NEW.yaml"),), registry=str(shop / "registry.json"))
    report = certify([str(shop / "trace.jsonl")], Options(choices=choices))
    codes = Counter(finding.code for finding in report.findings)
    assert codes["AS402"] == FEW
    assert codes["AS401"] > 0
    assert numbers(shop, "NEW.yaml")["deny"] > 0


@pytest.mark.slow
def test_ten_thousand_sagas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    list(bulk.write(tmp_path / "trace.jsonl", 10_000))
    result = backtest(load_policy(str(tmp_path / "NEW.yaml")), [str(tmp_path / "trace.jsonl")])
    lines = (tmp_path / "trace.jsonl").read_bytes().splitlines()
    found = numbers(tmp_path, "NEW.yaml")
    assert (found, result.missing) == naive(lines)
    assert set(numbers(tmp_path, "OLD.yaml")) == {"unchanged"}
    choices = Choices(policies=(str(tmp_path / "OLD.yaml"),), registry=str(tmp_path / "registry.json"))
    report = certify([str(tmp_path / "trace.jsonl")], Options(choices=choices, jobs=2))
    assert {finding.code for finding in report.findings} <= {"AS504"}
    with capsys.disabled():
        money = {how: result.tally(how).money for how in CHANGES}
        print(f"\n10,000 sagas, {result.lines:,} lines, {result.calls:,} calls: {dict(found)}; {money}; ", end="")
        print(f"{result.missing} undecidable events")
