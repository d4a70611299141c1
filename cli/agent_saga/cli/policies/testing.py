"""``agent-saga policy test``: the tests that stand in the policy, and what they have seen of it."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import FORMATS, NO, NOTHING, Form, PolicyArgument, loaded, say_faults
from agent_saga.cli.terminal import note, say, visible

if TYPE_CHECKING:
    from agent_saga.policies.cases import Report


def run_tests(
    file: PolicyArgument,
    min_coverage: Annotated[
        int, typer.Option("--min-coverage", metavar="N", help="Fail below this per cent of coverage.", min=0, max=100)
    ] = 0,
    junit: Annotated[str, typer.Option("--junit", metavar="FILE", help="Write JUnit XML; - is stdout.")] = "",
    form: Form = "text",
) -> int:
    """Run the tests of a policy, and say which rules and parts of conditions none of them has seen true, or false.

    Exit codes: 0 all pass, 1 one does not, too little is covered, or the policy does not load; 2 there is no such
    file; 4 it holds no test.
    """
    from agent_saga.policies.cases import run_cases
    from agent_saga.policies.cases.reporting import as_json, as_junit
    from agent_saga.policies.loading import PolicyError

    require_known("format", form, FORMATS)
    try:
        report = run_cases(loaded(file))
    except PolicyError as error:
        return say_faults(error, form)
    if junit:
        _write(junit, as_junit(report, min_coverage))
    if junit != "-":
        made = json.dumps(as_json(report), indent=2) if form == "json" else "\n".join(_text(report, min_coverage))
        say("".join(visible(line) + "\n" for line in made.split("\n")))
    if not report.results:
        note(f"{visible(file)}: holds no test")
        return NOTHING
    return NO if report.failed or report.coverage.percent < min_coverage else 0


def _write(output: str, data: bytes) -> None:
    """A report is written anew each time, as other reports are. Raises BadParameter."""
    if output == "-":
        say(data.decode())
        return
    try:
        with open(output, "wb") as stream:
            stream.write(data)
    except (OSError, ValueError) as fault:
        raise typer.BadParameter(f"{output}: cannot be written: {getattr(fault, 'strerror', fault)}") from fault


def _text(report: "Report", least: int) -> Iterator[str]:
    source, found = report.policy.source, report.coverage
    for one in report.results:
        yield f"{'FAIL' if one.faults else 'ok  '} {one.case.name}"
        yield from (f"     {source}:{one.case.place.line}:{one.case.place.column}: {fault}" for fault in one.faults)
    yield f"{len(report.results)} tests: {len(report.results) - len(report.failed)} passed"
    wanted = f", at least {least}% is asked for" if found.percent < least else ""
    yield f"coverage: {found.percent}% ({found.seen} of {found.total}){wanted}"
    yield from (f"     {source}:{gap.place.line}:{gap.place.column}: {gap}" for gap in found.gaps)
