"""``agent-saga policy render``: the page of a policy that people read and sign."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import PolicyArgument, RegistryOption, loaded, say_faults
from agent_saga.cli.policies.writing import written

if TYPE_CHECKING:
    from agent_saga.policies.rendering.page import Sources

FORMATS: Final = ("markdown", "html")


def render(
    file: PolicyArgument,
    against: Annotated[
        str, typer.Option("--against", metavar="OLD", help="The version before; the page then says what changed.")
    ] = "",
    waivers: Annotated[
        str, typer.Option("--waivers", metavar="FILE", help="Waivers; their signatures need --registry.")
    ] = "",
    registry: RegistryOption = "",
    day: Annotated[
        str, typer.Option("--day", metavar="YYYY-MM-DD", help="Say which waivers are in force on this day (UTC).")
    ] = "",
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="|".join(FORMATS), autocompletion=lambda: list(FORMATS))
    ] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes; - is stdout.")
    ] = "-",
) -> int:
    """Write the page that people sign: a sentence per rule and limit, thresholds, tools, approvers, examples, changes.

    The format is that of --format, else of the name of the file. The same files give the same bytes. Exit codes: 0 it
    is written, 1 a policy does not load, 2 there is no such file.
    """
    from agent_saga.policies.loading import PolicyError
    from agent_saga.policies.rendering.html import html_page
    from agent_saga.policies.rendering.markdown import markdown_page
    from agent_saga.policies.rendering.page import page_of

    form = form or ("html" if output.lower().endswith((".html", ".htm")) else "markdown")
    require_known("format", form, FORMATS)
    _check_day(day)
    try:
        page = page_of(_sources(file, against, waivers, registry, day))
    except PolicyError as error:
        return say_faults(error, "text")
    written(output, html_page(page) if form == "html" else markdown_page(page))
    return 0


def _sources(file: str, against: str, waivers: str, registry: str, day: str) -> "Sources":
    from agent_saga.cli.approvals.given import registry_of
    from agent_saga.policies.diffing import compare_policies
    from agent_saga.policies.rendering.page import Sources
    from agent_saga.policies.waiving import read_waivers

    policy = loaded(file)
    known = registry_of(registry)[0] if registry else None
    lifting = read_waivers(waivers, policy, known, day) if waivers else None
    changes = compare_policies(loaded(against), policy) if against else None
    return Sources(policy, lifting, day, changes)


def _check_day(day: str) -> None:
    from datetime import date

    try:
        if day and date.fromisoformat(day).isoformat() != day:
            raise ValueError
    except ValueError as fault:
        raise typer.BadParameter(f"--day {day!r}: expected a day such as 2026-11-30") from fault
