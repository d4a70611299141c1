"""``agent-saga explain`` and ``agent-saga rules``: what is judged, and why."""

import json
from collections.abc import Iterable
from textwrap import fill, indent
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import say, width

if TYPE_CHECKING:
    from agent_saga.certify.rule import Rule

FORMATS: Final = ("text", "json", "markdown")
_MEMBERS: Final = ("code", "name", "severity", "family", "what", "why", "bad", "good", "fix")


def _codes() -> list[str]:
    from agent_saga.certify.rules import all_rules

    return list(all_rules())


def explain(
    rule: Annotated[str, typer.Argument(metavar="CODE|NAME", autocompletion=_codes, help="AS201, or its name.")],
) -> None:
    """Explain a rule: what it finds, why that is bad, an example of each kind, and how to fix it."""
    from agent_saga.certify.rules import all_rules
    from agent_saga.certify.settings.documents import did_you_mean

    known = all_rules()
    by_word = {word.lower(): found for found in known.values() for word in (found.code, found.name)}
    found = by_word.get(rule.strip().lower())
    if found is None:
        hint = did_you_mean(rule, [*known, *(r.name for r in known.values())])
        raise typer.BadParameter(f"no rule {rule!r}{hint or '; `agent-saga rules` lists them'}")
    say(_explained(found))


def _explained(rule: "Rule") -> str:
    parts = [
        f"{rule.code} {rule.name} ({rule.severity})",
        _wrapped(rule.what),
        "Why it matters\n" + _wrapped(rule.why, "  "),
        "Bad\n" + indent(rule.bad.strip("\n"), "  "),
        "Good\n" + indent(rule.good.strip("\n"), "  "),
        "How to fix it\n" + _wrapped(rule.fix, "  "),
    ]
    return "\n\n".join(parts) + "\n"


def _wrapped(text: str, lead: str = "") -> str:
    return fill(" ".join(text.split()), width(), initial_indent=lead, subsequent_indent=lead)


def rules(
    form: Annotated[
        str,
        typer.Option("--format", metavar="|".join(FORMATS), autocompletion=lambda: list(FORMATS), help="How."),
    ] = "text",
) -> None:
    """List every rule, by code."""
    from agent_saga.certify.rules import all_rules

    require_known("format", form, FORMATS)
    found = sorted(all_rules().values(), key=lambda rule: rule.code)
    say({"text": _as_text, "json": _as_json, "markdown": _as_markdown}[form](found))


def _as_text(found: Iterable["Rule"]) -> str:
    listed = list(found)
    wide = max((len(rule.name) for rule in listed), default=0)
    return "".join(f"{r.code}  {r.name:<{wide}}  {r.severity:<7}  {_first_line(r.what)}\n" for r in listed)


def _as_json(found: Iterable["Rule"]) -> str:
    return json.dumps([{name: str(getattr(rule, name)) for name in _MEMBERS} for rule in found], indent=2) + "\n"


def _as_markdown(found: Iterable["Rule"]) -> str:
    head = "| code | name | severity | what it finds |\n|---|---|---|---|\n"
    cell = "| {0.code} | {0.name} | {0.severity} | {1} |\n".format
    return head + "".join(cell(rule, _first_line(rule.what).replace("|", "\\|")) for rule in found)


def _first_line(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split())
