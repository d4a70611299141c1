"""Measures `certify` of a log full of approvals beside the bare check of as many Ed25519 signatures.

    python tests/bench/approved.py                       100,000 sagas with one approved wire each
    python tests/bench/approved.py --approvals 10000

Each saga has eight lines, one of them an approval by a software key under the registry of the fixtures. The floor is
the signatures alone, by the same library, under a key that was parsed once, in one process. The commands are run in
turns; the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rules"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import measure
from rulelib.lines import Line, dumps, leaf, salt
from rulelib.shop import TOOLS, money
from rulelib.signing import REGISTRY_DIGEST, REGISTRY_FILE, digest, nonce, private, proof

APPROVALS = 100_000
GOAL = 1.5
AT, TO = "2026-01-05T09:00:00.000000Z", "2026-01-05T09:10:00.000000Z"
LOG = "shop.example/audit"


class Saga:
    """The eight lines of one saga, each chained as it is written."""

    def __init__(self, number: int) -> None:
        self.id, self.lines, self.leaves = f"s{number}", list[bytes](), ["0" * 64]

    def put(self, kind: str, by: str = "runtime", **members: Any) -> str:
        """Write a line; returns its leaf."""
        head: Line = {"v": 1, "saga": self.id, "seq": len(self.lines), "prev": self.leaves[-1], "at": AT}
        tail = {"salt": salt(self.id, len(self.lines))}
        self.lines.append(dumps({**head, "type": kind, "by": by, **members, **tail}))
        self.leaves.append(leaf(self.lines[-1]))
        return self.leaves[-1]


def approved(number: int) -> list[bytes]:
    """A saga with one wire that Ana approved."""
    saga, args, spec = Saga(number), {"to": "supplier-3", "amount": money(4200)}, TOOLS["bank.wire"]
    start = saga.put(
        "saga.started", log=LOG, name="order", format="1.0", tools={"bank.wire": spec}, keys=REGISTRY_DIGEST
    )
    step: Line = {"step": "s1", "tool": "bank.wire", "args": args, "allowed": ["bank.wire"], "driver": "replay"}
    saga.put("step.proposed", "agent:buyer", **step)
    tool = {"name": "bank.wire", "version": spec["version"], "schema": None}
    content: Line = {"log": LOG, "start": start, "saga": saga.id, "step": "s1", "tool": tool, "args": args}
    content |= {"semantics": "irreversible", "policy": None, "keys": REGISTRY_DIGEST, "key": f"key-{number}"}
    action = digest("action", content).hex()
    asked: Line = {"rule": "wires", "quorum": 1, "roles": ["treasury"], "strength": "D", "not_after": TO}
    prev = saga.put("approval.requested", step="s1", action=action, **asked)
    value: Line = {"v": 1, "decision": "approve", "action": action, "content": content, "person": "p-ana"}
    value |= {"proposer": "buyer", "key_id": "ana-1", "nonce": nonce(number), "issued_at": AT, "not_after": TO}
    answer: Line = {"step": "s1", "action": action, "decision": "approve", "person": "p-ana"}
    used = saga.put("approval.recorded", **answer, proof=proof("approval", value | {"prev": prev}))
    call: Line = {"effect": "e1", "step": "s1", "tool": "bank.wire", "semantics": "irreversible", "args": args}
    call |= {"key": f"key-{number}", "attempt": 1, "action": action, "approvals": [used], "amount": args["amount"]}
    saga.put("effect.intended", **call)
    saga.put("effect.succeeded", effect="e1", attempt=1, result={"ref": "r"})
    saga.put("check.evaluated", check="goal", passed=True, evidence={"asked": "provider"})
    saga.put("saga.ended", status="succeeded_verified", held=["e1"])
    return saga.lines


def trace(approvals: int) -> Iterator[bytes]:
    """The bytes of so many sagas, one after the other."""
    for number in range(approvals):
        yield b"".join(line + b"\n" for line in approved(number))


def floor(approvals: int) -> None:
    """Check so many signatures over as many bytes as a software key signs."""
    key, line = private("ana-1"), b"x" * 96
    public, signature = key.public_key(), key.sign(line)
    for _ in range(approvals):
        public.verify(signature, line)


def run(folder: Path, approvals: int = APPROVALS, rounds: int = 3) -> None:
    """Print the rows."""
    path, registry = folder / "approved.jsonl", folder / "registry.json"
    with path.open("wb") as stream:
        stream.writelines(trace(approvals))
    registry.write_bytes(REGISTRY_FILE)
    given: list[str | Path] = ["--registry", registry, "--no-config"]
    commands: dict[str, list[str | Path]] = {
        "floor": [sys.executable, Path(__file__), "--floor", str(approvals)],
        "jobs 1": [*measure.certify(path), *given],
        "jobs 2": [*measure.certify(path, 2), *given],
    }
    best = measure.best_of(rounds, commands)
    print(f"certify of {approvals:,} approvals, {path.stat().st_size / 1e6:.0f} MB, beside as many Ed25519 checks")
    print(
        f"  {'':10}{'seconds':>9}{'cpu s':>9}{'approvals/s':>13}{'peak MB':>10}{'x floor':>10}{'cpu x':>8}"
        f"   goal {GOAL}"
    )
    for name, cost in best.items():
        wrong = "" if cost.code == 0 else f"   exit {cost.code}: NOT CERTIFIED"
        rate, ratio = approvals / cost.seconds, cost.seconds / best["floor"].seconds
        cpu = cost.cpu / best["floor"].cpu
        print(
            f"  {name:10}{cost.seconds:9.2f}{cost.cpu:9.2f}{rate:13,.0f}{cost.peak_mb:10.0f}"
            f"{ratio:10.2f}{cpu:8.2f}{wrong}"
        )
    print(flush=True)
    path.unlink()


def main(arguments: list[str]) -> int:
    """Measure, or be the floor."""
    parser = argparse.ArgumentParser(prog="python tests/bench/approved.py")
    parser.add_argument("--approvals", type=int, default=APPROVALS, metavar="N")
    parser.add_argument("--floor", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.floor:
        floor(chosen.floor)
        return 0
    with tempfile.TemporaryDirectory(prefix="agent-saga-bench-") as folder:
        run(Path(folder), chosen.approvals)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
