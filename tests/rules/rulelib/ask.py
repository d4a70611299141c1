"""Asking the certifier about a script, or about events that an importer would yield."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from agent_saga.certify.findings import Finding
from agent_saga.certify.judging.bench import Bench
from agent_saga.certify.judging.book import rule_book
from agent_saga.certify.judging.engine import Judge
from agent_saga.certify.judging.feeding import judge_events
from agent_saga.certify.policing.trust import NO_POLICY, PolicyTrust
from agent_saga.certify.run import Options, certify
from agent_saga.certify.source import Observed
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.events import EVENT_TYPES, SUCCEEDED_UNVERIFIED

from .lines import Line, chain, written
from .script import Script


def lines_of(script: str) -> list[Line]:
    """The lines of a script, which starts its saga if it does not say so."""
    first = script.split()[0]
    return Script(script).run(script if first in ("start", "nostart") else f"start\n{script}")


def findings(script: str, disclosures: Iterable[str] = ()) -> tuple[Finding, ...]:
    """What is said of a script's trace."""
    with tempfile.TemporaryDirectory() as folder:
        trace, opened = Path(folder) / "trace.jsonl", Path(folder) / "disclosures"
        trace.write_bytes(written(chain(lines_of(script))))
        opened.write_text("".join(line + "\n" for line in disclosures), "ascii")
        return certify([str(trace)], Options(disclosures=(str(opened),) if opened.stat().st_size else ())).findings


def codes(script: str, disclosures: Iterable[str] = ()) -> str:
    """The codes of the findings, each once, in order; "" for a good trace."""
    return " ".join(sorted({found.code for found in findings(script, disclosures)}))


def told_to_judge(
    lines: list[Line], leave_out: Iterable[str] = (), policy: PolicyTrust = NO_POLICY
) -> tuple[Finding, ...]:
    """What is said of these events when they come from an importer: no chain, no catalogue."""
    bench = Bench("log", Disclosures())
    judge = Judge(bench, rule_book(leave_out), foreign=True, policy=policy)
    judge_events((_observed(n, line) for n, line in enumerate(lines, 1)), judge)
    judge.finish()
    bench.judge_crossing()
    return tuple(bench.findings())


def foreign(script: str, leave_out: Iterable[str] = ()) -> str:
    """The codes of the findings on an imported log."""
    return " ".join(sorted({found.code for found in told_to_judge(lines_of(script), leave_out)}))


def _observed(n: int, line: Line) -> Observed:
    record = {**line, "prev": "0" * 64}
    if record.get("status") == SUCCEEDED_UNVERIFIED:
        made = msgspec.convert({**record, "status": "succeeded_verified"}, EVENT_TYPES[line["type"]])
        return Observed(n, msgspec.structs.replace(made, status=SUCCEEDED_UNVERIFIED))  # type: ignore[arg-type]
    return Observed(n, msgspec.convert(record, EVENT_TYPES[line["type"]]))
