"""``agent-saga controls``: the control map, as this release has it."""

import json
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import say, width

if TYPE_CHECKING:
    from agent_saga.certify.controls.model import Control, Framework

FORMATS: Final = ("text", "json")
app = typer.Typer(
    no_args_is_help=True,
    help="Show which rules bear on which controls of published frameworks, and what stays uncovered.",
    rich_markup_mode=None,
)
_Form = Annotated[
    str, typer.Option("--format", metavar="|".join(FORMATS), autocompletion=lambda: list(FORMATS), help="How.")
]


def _ids() -> list[str]:
    from agent_saga.certify.controls.reading import framework_ids

    return list(framework_ids())


@app.command("list")
def list_(form: _Form = "text") -> None:
    """List the frameworks that `certify --controls` takes."""
    from agent_saga.certify.controls.reading import framework

    require_known("format", form, FORMATS)
    found = [framework(ident) for ident in _ids()]
    if form == "json":
        say(json.dumps([_summary(one) for one in found], indent=2) + "\n")
        return
    wide = max(len(one.id) for one in found)
    for one in found:
        count = sum(bool(control.rules) for control in one.controls)
        say(f"{one.id:<{wide}}  {count:>2} of {len(one.controls):>2} assessable  {one.name}, {one.version}\n")


@app.command("show")
def show(
    ident: Annotated[str, typer.Argument(metavar="FRAMEWORK", autocompletion=_ids, help="Such as aisvs-1.0.")],
    form: _Form = "text",
) -> None:
    """Show a framework's controls: rules, evidence that they need, and what is not covered."""
    from agent_saga.certify.controls.reading import framework

    require_known("format", form, FORMATS)
    found = framework(ident)
    if form == "json":
        say(json.dumps(_summary(found) | {"controls": [asdict(one) for one in found.controls]}, indent=2) + "\n")
        return
    say(f"{found.name}, {found.version} ({found.publisher})\n{found.source}\n")
    say(_wrapped(f"Not covered: {found.not_covered}"))
    for control in found.controls:
        say("\n" + _told(control))


def _summary(found: "Framework") -> dict[str, object]:
    return {key: value for key, value in asdict(found).items() if key != "controls"}


def _told(control: "Control") -> str:
    from agent_saga.certify.controls.evidence import EVIDENCE

    rows = [("rules", ", ".join(control.rules)), ("also", ", ".join(control.also))]
    rows += [("needs", f"{EVIDENCE[name].what} ({EVIDENCE[name].give})") for name in control.evidence]
    rows += [("shows", control.shows), ("not covered", control.not_covered)]
    rows = rows if control.rules else [("rules", "none"), ("not covered", control.not_covered)]
    return f"{control.id} {control.title}\n" + "".join(_wrapped(f"{name}: {text}") for name, text in rows if text)


def _wrapped(text: str) -> str:
    return fill(text, width(), initial_indent="  ", subsequent_indent="    ") + "\n"
