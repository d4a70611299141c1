"""The gate, ``certify --policy`` and the back-test give one verdict, under the policy in force and under another one.

Policies, calls, persons and the clock are drawn; every window is met at its very boundary, and the clock goes back.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs
from runtime_approvers import AGENT
from runtime_policed_shop import TOOLS, Till, charge, policy, wire

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.windows import seconds_between
from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.policies.backtesting import backtest
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.model import Approve, Policy
from agent_saga.policies.windows import Windows
from agent_saga.runtime.approving import pending
from agent_saga.runtime.errors import RuntimeFault
from agent_saga.runtime.gate import Allow, Request
from agent_saga.runtime.policing.gate import PolicyGate
from agent_saga.testing.approving import People
from agent_saga.trace.codec import decode
from agent_saga.trace.store import open_store

PERSONS = {"ana": ["approver"], "ben": ["approver"], "tom": ["treasury"], "tia": ["treasury"]}
CREW = People(PERSONS, agents={AGENT: "own", "scripted": "own"})
WHENS = (
    'tool == "shop.charge" && args.amount.minor > 600',
    'tool == "shop.wire" && args.amount.minor > 300',
    'tool == "shop.charge" && has(args.note) && args.note == "odd"',
    'at < timestamp("2026-11-30T07:30:00Z")',
    'semantics == "irreversible"',
    'chain.semantics == "irreversible" && tool == "shop.charge" && args.amount.minor == 400',
    'tool == "shop.charge" && 100 / (args.amount.minor - 300) > 0',
    'saga.endsWith("2")',
)
THENS = ("deny", "allow", *(f"{{approve: {{quorum: {quorum}, roles: [{role}], within: {within}}}}}"
         for quorum in (1, 2) for role in ("approver", "treasury") for within in ("PT1M", "PT15M")))  # fmt: skip
MEASURES = (
    ('tool == "shop.charge"', "sum: args.amount.minor", "[args.customer, args.amount.currency]", "1000"),
    ('tool == "shop.wire"', "sum: args.amount.minor", "[args.amount.currency]", "700"),
    ("true", None, "[]", "3"),
    ('semantics == "irreversible"', None, "[agent]", "1"),
)
SEEDS = 30
LAX = "irreversible: {quorum: 1, roles: [approver]}\n"


def drawn(random: Random) -> str:
    """Members of a policy: rules, limits and a default of its own."""
    kinds = ("soft", "hard", "hard", "advisory", "evaluate")
    text = ["rules:"]
    for number, when in enumerate(random.sample(WHENS, random.randrange(1, 4))):
        text.append(f"  - {{id: r{number}, when: '{when}', then: {random.choice(THENS)}, enforcement: "
                    f"{random.choice(kinds)}}}")  # fmt: skip
    text.append("limits:")
    for number, (of, measure, per, most) in enumerate(random.sample(MEASURES, random.randrange(1, 3))):
        then, kind, window = random.choice(("deny", *THENS)), random.choice(kinds), random.choice((60, 600))
        parts = [f"id: l{number}", f"of: '{of}'", f"per: {per}", f"window: PT{window}S", f"max: {most}"]
        parts += [f"then: {then}", f"enforcement: {kind}", *([measure] if measure else [])]
        text.append(f"  - {{{', '.join(parts)}}}")
    quorum, role = random.choice((1, 2)), random.choice(("approver", "treasury"))
    return "\n".join([*text, f"irreversible: {{quorum: {quorum}, roles: [{role}]}}", ""])


async def played(random: Random, under: Policy) -> list[bytes]:
    """Some sagas of calls by chance, persons who answer or not, and a clock that jumps; the lines in log order."""
    till = Till(open_store(":memory:"), under, people=CREW)
    for number in range(random.randrange(2, 5)):
        script: list[Any] = []
        for _ in range(random.randrange(1, 4)):
            made = charge(random.choice((0, 100, 300, 400, 600, 601, 1000)), random.choice(("c1", "c2")))
            odd = {"note": "odd"} if random.random() < 0.2 else {}
            made = replace(made, args={**made.args, **odd})
            made = made if random.random() < 0.6 else wire(random.choice((0, 300, 301, 700)))
            script.append(made)
        await _wander(random, till, f"s-{number}", script)
    lines: list[bytes] = await till.lines()
    return lines


async def _wander(random: Random, till: Till, saga: str, script: list[Any]) -> None:
    for _ in range(14):
        till.shop.declined = random.random() < 0.2
        report = await till.go(*script, saga=saga)
        script = []
        till.clock.turn(random.choice((0, 0, 1, 59, 60, 600, -1, 0.000001)))
        if report.ended:
            return
        for asked in pending(await till.lines()):
            fit = [one for one, roles in PERSONS.items() if set(roles) & set(asked.requested.roles)]
            for person in random.sample(fit, min(len(fit), asked.requested.quorum)):
                try:
                    answer = till.people.answer(person, asked, now=till.clock.now)
                    await till.engine().approve(asked.saga, answer)
                except (NotApproved, RuntimeFault):
                    till.clock.turn(901)  # too late, or before the request: the clock went back


def judged(folder: Path, lines: list[bytes], text: str) -> tuple[Finding, ...]:
    """What certify finds by this policy, which need not be the one that was in force."""
    (folder / "shop.yaml").write_text(TOOLS + text)
    (folder / "r.json").write_text(json.dumps(CREW.registry))
    (folder / "t.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    choices = Choices(policies=(str(folder / "shop.yaml"),), registry=str(folder / "r.json"))
    return certify([str(folder / "t.jsonl")], Options(choices=choices)).findings


def refused(lines: list[bytes], by: Policy) -> dict[tuple[str, str], str]:
    """The calls of these lines that the gate would not have let through, each with why."""
    gate, windows, found = PolicyGate(compile_policy(by)), Windows(), {}
    asked: dict[tuple[str, str], Approve] = {}
    tools: dict[str, dict[str, str]] = {}
    agents: dict[tuple[str, str], str] = {}
    for event in (decode(line)[0] for line in lines):
        if event.type == "saga.started":
            tools[event.saga] = {name: spec.semantics for name, spec in event.tools.items()}
        elif event.type == "step.proposed":
            agents[event.saga, event.step] = event.by.removeprefix("agent:")
        elif event.type == "approval.requested":
            within = int(seconds_between(event.at, event.not_after))
            asked[event.saga, event.step] = Approve(event.quorum, tuple(event.roles), event.strength, within)
        elif event.type == "effect.intended" and event.attempt == 1:
            request = Request(
                event.saga, "shop", event.step, event.tool, "1", event.semantics, event.args, None,
                agents[event.saga, event.step], at=event.at, seen=event.args, classes=tools[event.saga], action="",
                approvals=tuple(event.approvals or ()), asked=asked.get((event.saga, event.step)),
            )  # fmt: skip
            spends = gate.compiled.spends(gate._call(request))
            used = {(f"shop/{limit}", key): sum_ for (limit, key), sum_ in windows.used_by(spends, event.at).items()}
            answer = gate.judge(structs.replace(request, used=used))
            if not isinstance(answer, Allow):
                found[event.saga, event.effect] = str(answer)
            windows.add(spends, event.at, (event.saga, event.effect))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_the_gate_lets_through_is_certified(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = drawn(random)
    lines = asyncio.run(played(random, policy(text)))
    assert not refused(lines, policy(text))
    told = [one for one in judged(tmp_path, lines, text) if one.code.startswith("AS4")]
    assert not told, (text, [(one.code, one.because) for one in told])
    tried = backtest(policy(text), [str(tmp_path / "t.jsonl")])
    assert (tried.tally("deny").calls, tried.tally("ask").calls) == (0, 0), text


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_the_gate_would_not_let_through_is_found_and_nothing_else(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = drawn(random)
    lines = asyncio.run(played(random, policy(random.choice((LAX, drawn(random))))))
    due = refused(lines, policy(text))
    told = [one for one in judged(tmp_path, lines, text) if one.code in ("AS401", "AS403", "AS408")]
    found = {(one.saga, one.subject.removeprefix("effect ")): one.because for one in told}
    assert due.keys() == found.keys(), (text, due, found)
    tried = backtest(policy(text), [str(tmp_path / "t.jsonl")])
    denied = [why for why in due.values() if why.startswith("Refuse") and "approval_outgrown" not in why]
    assert tried.tally("deny").calls == len(denied), (text, denied)
