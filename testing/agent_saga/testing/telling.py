"""A scenario that was played, in words for people: plain text, with colour where it is wanted."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agent_saga.runtime import Report
from agent_saga.testing.demo import Played, policy_beside, registry_beside
from agent_saga.testing.scenarios.playing import Decided

BOLD: Final = "\x1b[1m"
GREEN: Final = "\x1b[32m"
RED: Final = "\x1b[31m"
DIM: Final = "\x1b[2m"
PLAIN: Final = "\x1b[0m"


def headline(name: str, says: str, *, color: bool = False) -> str:
    """What is going to be played."""
    return f"{_styled(name, BOLD, color)}: {says}\n"


def story(played: Played, trace: str, *, color: bool = False) -> str:
    """What came of it: choices, undos, outcome, ledger, trace and verdict. trace: where it was kept, "" for nowhere."""
    parts = [
        ("The agent chose", _numbered(_chosen(played.report))),
        ("Refused", _refused(played.report)),
        ("Undone, newest first", _numbered(_undone(played.report))),
        ("Persons decided", [_decision(one) for one in played.decided]),
        ("Outcome", [_outcome(played.report)]),
        ("The providers' own ledgers", _ledger(played)),
        ("Trace", [f"{played.lines} lines, {trace or 'not kept (--trace PATH keeps it)'}", *_beside(played, trace)]),
        ("agent-saga certify", _verdict(played, color)),
    ]
    text = "".join(f"\n{_styled(title, BOLD, color)}\n" + _indented(lines) for title, lines in parts if lines)
    if not played.as_expected:
        text += f"\n{_styled('This is not what the scenario should come to.', RED, color)}\n"
    return text


def short(value: object) -> str:
    """A value in a few characters; an amount as people write it."""
    if isinstance(value, dict) and value.keys() == {"minor", "currency"}:
        return f"{value['minor'] // 100}.{value['minor'] % 100:02} {value['currency']}"
    return str(value)


def _chosen(report: Report) -> Iterator[str]:
    steps = report.state.steps.values()
    width = max((len(step.tool) for step in steps), default=0)
    for step in steps:
        yield f"{step.tool:<{width}}  {', '.join(f'{name} {short(value)}' for name, value in step.args.items())}"


def _refused(report: Report) -> list[str]:
    return [f"{one.step} {one.tool}: {one.code}, {short(one.reason)}" for one in report.state.refusals]


def _undone(report: Report) -> Iterator[str]:
    undos = report.state.undos.values()
    width = max((len(undo.tool) for undo in undos), default=0)
    for undo in undos:
        yield f"{undo.tool:<{width}}  takes back {report.state.effects[undo.effect].tool}"


def _decision(one: Decided) -> str:
    answer = f"refused ({one.refused})" if one.refused else "accepted"
    return f"{one.target} {one.verdict}, {one.what}: {answer}"


def _outcome(report: Report) -> str:
    held = ", ".join(report.state.effects[name].tool for name in report.held)
    waits = f", about {', '.join(report.about)}" if report.about else ""
    return f"{report.status}{waits}; in force: {held or 'nothing'}"


def _ledger(played: Played) -> list[str]:
    rows = [("provider", "action", "idempotency key", "times", "undone", "amount")]
    for one in played.ledger:
        amount = short({"minor": one.minor, "currency": one.currency}) if one.minor is not None else ""
        rows.append((one.provider, one.action, one.key, str(one.times), str(one.undone), amount))
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _verdict(played: Played, color: bool) -> list[str]:
    certificate = played.certificate
    clean = not certificate.findings
    lines = [_styled(certificate.headline, GREEN if clean else RED, color)]
    lines += [f"{one.code} {one.name}: {one.because}" for one in certificate.findings]
    if not clean and played.as_expected:
        lines.append(_styled("That is due: the verdict is the one that this scenario should have.", DIM, color))
    return lines


def _beside(played: Played, trace: str) -> list[str]:
    """What was kept beside the trace: by what certify judges the signatures, where people signed, and the calls."""
    if not trace:
        return []
    lines = [f"signatures are judged by --registry {registry_beside(trace)}"] if played.scenario.people else []
    return [*lines, *([f"calls are judged by --policy {policy_beside(trace)}"] if played.scenario.policy else [])]


def _numbered(lines: Iterable[str]) -> list[str]:
    return [f"{number}  {line}" for number, line in enumerate(lines, 1)]


def _indented(lines: Iterable[str]) -> str:
    return "".join(f"  {line}\n" for line in lines)


def _styled(text: str, style: str, color: bool) -> str:
    return f"{style}{text}{PLAIN}" if color else text
