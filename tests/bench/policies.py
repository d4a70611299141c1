"""Measures how many times a second a condition is evaluated and a policy asked, beside two rule engines.

    python tests/bench/policies.py                  20,000 calls, 5 rounds
    python tests/bench/policies.py --calls 2000

The condition is `wire-needs-two` of fixtures/policies/payments.yaml, asked about calls of which half are wires and half
of these above its sum. All engines answer alike, which is checked first. The floor is the same condition written in
Python by hand. cel-expr-python gets each call's values as a dict, as ours does; cedarpy has its policy and its entities
parsed once, and answers one call and all calls at once. Processor time of one process, in turns; the best round counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import measure

CALLS = 20_000
ROUNDS = 5
GOAL = 500_000
POLICY = str(Path(__file__).resolve().parents[2] / "fixtures" / "policies" / "payments.yaml")
RULE = "wire-needs-two"
CEDAR = """permit(principal, action, resource) when {
  context.tool == "payments.wire" && context.args.amount.minor > 500000
};"""

Answers = Callable[[Sequence[dict[str, Any]]], list[bool]]
"""Answers whether the rule fires, for each call."""


def calls(count: int) -> list[dict[str, Any]]:
    """The variables of so many calls."""
    return [_call(number, ("payments.wire", "payments.charge")[number % 2]) for number in range(count)]


def _call(number: int, tool: str) -> dict[str, Any]:
    amount = {"minor": 400_000 + number % 4 * 50_000 + number % 1_000, "currency": "EUR"}
    return {"tool": tool, "args": {"customer": f"c_{number % 100}", "amount": amount}}


def engines() -> dict[str, Answers]:
    """Every engine by its name in the table; the first is the floor."""
    return {
        "Python by hand": _floor(),
        "closure": _closure({}),
        "closure for wires": _closure({"tool": "payments.wire"}),
        "whole policy": _policy(),
        "cel-expr-python": _cel(),
        "cedarpy": _cedar(),
        "cedarpy, all at once": _cedar_batch(),
    }


def _floor() -> Answers:
    def fires(values: dict[str, Any]) -> bool:
        return values["tool"] == "payments.wire" and values["args"]["amount"]["minor"] > 500_000

    return lambda given: [fires(values) for values in given]


def _condition() -> Any:
    from agent_saga.policies.loading import load_policy

    return next(rule.when for rule in load_policy(POLICY).rules if rule.id == RULE)


def _closure(known: dict[str, Any]) -> Answers:
    """Our closure of the condition; known: what it is specialised for (the other calls are then none of its own)."""
    from agent_saga.policies.cel import compile_, specialise

    function = compile_(specialise(_condition().tree, known), ("tool", "args"))
    return lambda given: [function(values) for values in given]


def _policy() -> Answers:
    """The whole policy: tools, classes, every rule; whether this rule is among what fired."""
    from agent_saga.policies.answers import Call
    from agent_saga.policies.compiled import compile_policy
    from agent_saga.policies.loading import load_policy

    compiled = compile_policy(load_policy(POLICY))
    semantics = {name: tool.semantics for name, tool in compiled.policy.tools.items()}
    made: dict[int, list[Call]] = {}

    def answers(given: Sequence[dict[str, Any]]) -> list[bool]:
        asked = made.setdefault(id(given), [])
        if not asked:
            at = "2026-11-30T12:00:00.000000Z"
            asked += [Call(one["tool"], one["args"], semantics[one["tool"]], at) for one in given]
        decide = compiled.decide
        return [decide(call, None, "2026-11-30", told=False).rule == RULE for call in asked]

    return answers


def _cel() -> Answers:
    from cel_expr_python import cel

    types = {"tool": cel.Type.STRING, "args": cel.Type.Map(cel.Type.STRING, cel.Type.DYN)}
    program = cel.NewEnv(variables=types).compile(_condition().text)
    return lambda given: [program.eval(data=values).value() for values in given]


def _request(values: dict[str, Any]) -> dict[str, Any]:
    names = {"principal": 'User::"agent"', "action": 'Action::"call"', "resource": 'Tool::"tool"'}
    return names | {"context": values}


def _cedar() -> Answers:
    from cedarpy import Entities, PolicySet, is_authorized

    policies, entities = PolicySet.from_str(CEDAR), Entities.from_json_str("[]")
    return lambda given: [is_authorized(_request(values), policies, entities).allowed for values in given]


def _cedar_batch() -> Answers:
    from cedarpy import Entities, PolicySet, is_authorized_batch

    policies, entities = PolicySet.from_str(CEDAR), Entities.from_json_str("[]")
    return lambda given: [
        one.allowed for one in is_authorized_batch([_request(values) for values in given], policies, entities)
    ]


def time_all(count: int, rounds: int) -> dict[str, float]:
    """Processor seconds for so many calls, by engine, the best of the rounds. Raises SystemExit if one differs."""
    given, found = calls(count), engines()
    wires = [_call(number, "payments.wire") for number in range(count)]
    best: dict[str, float] = {}
    for turn in range(rounds + 1):
        for name, answers in found.items():
            asked = wires if name == "closure for wires" else given
            began = time.process_time()
            said = answers(asked)
            taken = time.process_time() - began
            if turn == 0:
                _check(name, said, found["Python by hand"](asked))
            else:
                best[name] = min(taken, best.get(name, taken))
    return best


def _check(name: str, said: list[bool], right: list[bool]) -> None:
    if said != right:
        raise SystemExit(f"bench: {name} answers otherwise than the condition in Python")


def run(count: int = CALLS, rounds: int = ROUNDS) -> None:
    """Measure in a process of its own and print the block."""
    best = measure.ask("policies.py", "time", count, rounds)
    floor = best["Python by hand"]
    print(f"condition of the rule {RULE}, {count:,} calls, one core")
    print(f"  {'':22}{'calls/s':>12}{'cpu x floor':>13}")
    for name, taken in best.items():
        print(f"  {name:22}{count / taken:12,.0f}{taken / floor:13.2f}{_beside(name, count / taken)}")
    print(flush=True)


def _beside(name: str, rate: float) -> str:
    if name != "closure":
        return ""
    return f"   goal {GOAL:,}: {'met' if rate >= GOAL else 'NOT MET'}"


def main(arguments: list[str]) -> int:
    """Measure and print; or, for the process that this program starts, only measure."""
    if arguments[:1] == ["time"]:
        print(json.dumps(time_all(int(arguments[1]), int(arguments[2]))))
        return 0
    parser = argparse.ArgumentParser(prog="python tests/bench/policies.py", description="Measure conditions.")
    parser.add_argument("--calls", type=int, default=CALLS, metavar="N")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    chosen = parser.parse_args(arguments)
    run(chosen.calls, chosen.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
