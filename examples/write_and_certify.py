"""Write a trace from Python, certify it, and see what is said when the refund is missing."""

import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_saga.certify.report import Exit
from agent_saga.certify.run import certify
from agent_saga.trace import TraceWriter

AMOUNT = {"minor": 4200, "currency": "EUR"}
TOOLS = {
    "payments.charge": {"version": "1", "semantics": "compensable", "undo": "payments.refund"},
    "payments.refund": {"version": "1", "semantics": "compensable"},
}
REFUND = {"tool": "payments.refund", "args": {"charge": "ch_1"}}


def clock() -> Iterator[str]:
    """One second later each time. A real runtime reads the clock; a trace never has to be trusted for it."""
    moment = datetime(2026, 11, 30, 7, tzinfo=UTC)
    while True:
        yield moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        moment += timedelta(seconds=1)


def write(path: Path, refunded: bool) -> None:
    """A saga that charges a card, cannot go on, and takes the charge back, or says that it did."""
    times = clock()
    with path.open("wb") as stream:
        trace = TraceWriter(stream, os.urandom)

        def line(kind: str, **members: Any) -> None:
            trace.write("order-77c1f0b2", kind, next(times), **members)

        line("saga.started", log="example", name="order", format="1.0", tools=TOOLS)
        charge = {"step": "pay", "tool": "payments.charge", "args": {"card": "tok_1"}}
        line("step.proposed", **charge, allowed=["payments.charge"], driver="example")
        line(
            "effect.intended",
            effect="e1",
            **charge,
            semantics="compensable",
            key="8f14e45f",
            attempt=1,
            approvals=[],
            amount=AMOUNT,
        )
        line("effect.succeeded", effect="e1", attempt=1, result={"charge": "ch_1"}, undo={**REFUND, "amount": AMOUNT})
        line("rollback.started", cause="nothing left in stock")
        if refunded:
            line("undo.intended", undo="u1", effect="e1", **REFUND, key="c9f0f895", attempt=1, amount=AMOUNT)
            line("undo.succeeded", undo="u1", attempt=1, result={"refund": "re_1"})
        line("check.evaluated", check="refund-landed", passed=True, evidence={"balance": "0.00"})
        line("saga.ended", status="compensated_verified", held=[])


def main() -> None:
    """Certifies both traces, and prints what it finds."""
    with tempfile.TemporaryDirectory() as folder:
        for refunded, expected in [(True, Exit.CERTIFIED), (False, Exit.NOT_CERTIFIED)]:
            path = Path(folder) / "order.jsonl"
            write(path, refunded)
            report = certify([str(path)])
            print(f"refunded: {refunded}: {report.headline}")
            for finding in report.findings:
                print(f"  {finding.code} {finding.name}: {finding.because}")
                print(f"  fix: {finding.fix}")
            assert report.exit_code == expected, report.findings


if __name__ == "__main__":
    main()
