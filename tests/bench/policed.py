"""Measures policies over many lines: a back-test, and `certify` with a policy beside `certify` without one.

    python tests/bench/policed.py                  a million lines
    python tests/bench/policed.py --lines 100000

The traces are those of the other rows; the policy declares their tools, has ten rules and two limits over windows, and
lets them all pass, so that every condition is evaluated. The floor is that of the certifier: read, hash and parse each
line. Processor time counts; the best of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import measure

from agent_saga.policies.loading import load_policy

LINES = 1_000_000
OPEN_AT_ONCE = 10_000
GOAL = 4.0
DUE = {"backtest": 1}
"""Exit codes: the traces hold refusals of a budget that this policy has not, so that something changes."""
_MONEY = "{type: object, required: [minor, currency], properties: {minor: {type: integer}, currency: {type: string}}}"
_CHARGE = 'tool == "payments.charge"'
_RULES = "".join(
    f"  - {{id: charge-{number}, when: '{_CHARGE} && args.amount.minor > {1_000_000 + number}', then: deny}}\n"
    for number in range(9)
)
POLICY = f"""\
policy: shop
version: 1
owner: risk@shop.example
tools:
  crm.lookup: {{semantics: preview}}
  stock.reserve:
    semantics: reversible
    undo: stock.release
    args: {{type: object, required: [quantity], properties: {{quantity: {{type: integer}}}}}}
  payments.charge:
    semantics: compensable
    undo: payments.refund
    args: {{type: object, required: [amount], properties: {{amount: {_MONEY}}}}}
  shipping.book: {{semantics: compensable, undo: shipping.cancel}}
rules:
{_RULES}\
  - {{id: lamps, when: 'tool == "stock.reserve" && args.quantity > 1000000', then: deny}}
limits:
  - {{id: spend, sum: args.amount.minor, of: '{_CHARGE}', per: [args.amount.currency], window: PT24H, max: {10**12}}}
  - {{id: rate, of: 'tool == "shipping.book"', window: PT1H, max: 100000000}}
"""


def backtest(path: Path, policy: Path) -> list[str | Path]:
    """The real command on one trace."""
    return [measure.SAGA, "policy", "backtest", policy, path]


def run(folder: Path, lines: int = LINES, rounds: int = 3) -> None:
    """Print the rows."""
    policy, path = folder / "shop.yaml", folder / "policed.jsonl"
    policy.write_text(POLICY, "utf-8")
    made = measure.ask("traces.py", path, lines, OPEN_AT_ONCE, load_policy(str(policy)).digest)
    commands: dict[str, list[str | Path]] = {
        "floor": measure.floor(path),
        "backtest": backtest(path, policy),
        "certify": [*measure.certify(path), "--trust-on-first-use"],
        "certify by it": [*measure.certify(path), "--policy", policy],
        "by it, jobs 2": [*measure.certify(path, 2), "--policy", policy],
    }
    best = measure.best_of(rounds, commands)
    size = path.stat().st_size / 1e6
    print(
        f"a policy over {made['lines']:,} lines, {size:.0f} MB, {made['sagas']:,} sagas; backtest: goal {GOAL} x floor"
    )
    print(f"  {'':14}{'seconds':>9}{'cpu s':>9}{'lines/s':>12}{'peak MB':>10}{'x floor':>10}{'cpu x':>8}")
    for name, cost in best.items():
        wrong = "" if cost.code == DUE.get(name, 0) else f"   exit {cost.code}: SOMETHING IS WRONG"
        ratios = f"{cost.seconds / best['floor'].seconds:10.2f}{cost.cpu / best['floor'].cpu:8.2f}"
        rate = f"{made['lines'] / cost.seconds:12,.0f}"
        print(f"  {name:14}{cost.seconds:9.2f}{cost.cpu:9.2f}{rate}{cost.peak_mb:10.0f}{ratios}{wrong}")
    more = best["certify by it"].cpu / best["certify"].cpu
    print(f"  certify by a policy takes {more:.2f} times the processor time of certify without one\n", flush=True)
    path.unlink()


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python tests/bench/policed.py", description="Measure policies on traces.")
    parser.add_argument("--lines", type=int, default=LINES, metavar="N")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-") as folder:
        run(Path(folder), chosen.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
