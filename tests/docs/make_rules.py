"""Writes docs/rules/ from the rules and their fixtures: a page each and an index; with --check only compares."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Choices
from agent_saga.certify.rule import FAMILIES, Rule
from agent_saga.certify.rules import all_rules
from agent_saga.certify.run import Options, certify

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "rules"
FIXTURES = ROOT / "fixtures" / "rules"
HEAD = "<!-- Written by `make docs-generate` from the rules' own modules and fixtures: do not edit. -->\n\n"
INDEX = """\
# Rules

A finding has the code and name of one of these rules. `agent-saga rules` lists them, `agent-saga explain AS201` shows
one. How they are applied, and what a verdict is made of, is on [How certify decides](../rules.md).
"""
FAMILY_WORDS = {
    "AS1": "Is this the log as it was written, whole and readable?",
    "AS2": "Was every effect undone or proven, once, wholly and in order?",
    "AS3": "Did a person say yes to what cannot be undone?",
    "AS4": "Is each call one that the policy allows, and each tool what catalogue and policy say that it is?",
    "AS5": "Is the end what the saga says, and was every step allowed?",
    "AS6": "Do concealed values open to what they stand for, and is nothing secret in the open?",
}


def manifest() -> list[dict[str, Any]]:
    """The fixtures, bad and good."""
    entries: list[dict[str, Any]] = json.loads((FIXTURES / "MANIFEST.json").read_text("utf-8"))["files"]
    return entries


def pages() -> Iterator[tuple[str, str]]:
    """Every page by its name."""
    entries = manifest()
    yield "index.md", index()
    for rule in all_rules().values():
        yield f"{rule.code.lower()}.md", page(rule, [entry for entry in entries if entry["rule"] == rule.code])


def index() -> str:
    """The list of all rules, a table for each family."""
    parts = [HEAD + INDEX]
    for family, name in FAMILIES.items():
        rules = [rule for rule in all_rules().values() if rule.family == family]
        rows = [f"| [{r.code}]({r.code.lower()}.md) | {r.name} | {r.severity} | {r.what} |" for r in rules]
        head = [f"## {family} {name}\n", FAMILY_WORDS[family] + "\n", "| code | name | severity | what it finds |"]
        parts.append("\n".join([*head, "|---|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def page(rule: Rule, entries: list[dict[str, Any]]) -> str:
    """The page of one rule."""
    bad, good = rule.bad.strip("\n"), rule.good.strip("\n")
    return f"""{HEAD}# {rule.code} {rule.name}

{rule.what} Severity: {rule.severity}. On the command line: `agent-saga explain {rule.code}`.

## Why it matters

{rule.why}

## Bad

```text
{bad}
```

## Good

```text
{good}
```

## How to fix it

{rule.fix}

## What certify says

{_finding(rule, entries)}
## Fixtures

{_fixtures(entries)}"""


def _finding(rule: Rule, entries: list[dict[str, Any]]) -> str:
    entry = next(entry for entry in entries if rule.code in entry["codes"])
    found = _said(entry, rule.code)
    witness = "".join(f"    line {line.line}  {line.what}\n" for line in found.witness)
    return f"""```text
{rule.code} {rule.name}
    {found.because.replace(f"{FIXTURES}/", "")}
{witness}    expected  {found.expected}
```
"""


def _said(entry: dict[str, Any], code: str) -> Finding:
    ends = (".disclosures", ".checkpoint", ".pin")
    opened, points, pins = (tuple(str(FIXTURES / n) for n in entry.get("args", []) if n.endswith(e)) for e in ends)
    args = entry.get("args", [])
    given = ("registry", "policy", "waivers")
    named = {name: str(FIXTURES / args[args.index(f"--{name}") + 1]) for name in given if f"--{name}" in args}
    by = (named.pop("policy"),) if "policy" in named else ()
    choices = Choices(checkpoints=points, pin="".join(pins), policies=by, **named)
    report = certify([str(FIXTURES / entry["file"])], Options(choices=choices, disclosures=opened))
    return next(found for found in report.findings if found.code == code)


def _fixtures(entries: list[dict[str, Any]]) -> str:
    rows = [f"| `{entry['file'].split('/')[1]}` | {entry['what']} |" for entry in entries if entry["codes"]]
    table = "\n".join(["| file | what is wrong |", "|---|---|", *rows])
    folder = f"`fixtures/rules/{entries[0]['rule']}/`"
    return f"In {folder}; each `bad_` file has the nearest good one beside it.\n\n{table}\n"


def stale() -> list[str]:
    """Pages that are missing, that differ, or that no rule has."""
    wanted = dict(pages())
    there = {path.name: path.read_text("utf-8") for path in PAGES.glob("*")}
    return sorted({name for name, text in wanted.items() if there.get(name) != text} | (there.keys() - wanted.keys()))


def main(arguments: list[str]) -> int:
    """Writes the pages, or says with --check which are not up to date."""
    if arguments == ["--check"]:
        for name in stale():
            print(f"docs/rules/{name} is not what the rules say: run `make docs-generate`", file=sys.stderr)
        return 1 if stale() else 0
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*"):
        old.unlink()
    for name, text in pages():
        (PAGES / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
