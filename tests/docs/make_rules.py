"""Writes docs/rules/ from the rules themselves: a page each and an index; with --check only compares."""

from __future__ import annotations

import sys
from pathlib import Path

from agent_saga.certify.rules import all_rules

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"
NOTE = "<!-- Written by `make docs-generate` from the rules' own modules: do not edit. -->\n"
FAMILIES = {
    "AS1": "Integrity: is this the log that was written?",
    "AS2": "Effects: is everything that happened accounted for?",
    "AS3": "Approvals: was what cannot be undone allowed?",
    "AS4": "Policy: was it within the rules of the house?",
    "AS5": "Outcome: did it end as it says?",
    "AS6": "Disclosure: is what was opened what was sealed?",
}


def pages() -> dict[str, str]:
    """Every page by its file name."""
    rules = sorted(all_rules().values(), key=lambda rule: rule.code)
    index = [NOTE, "# Rules\n", "How they are weighed and what they share: [How certify decides](../rules.md).\n"]
    for family, title in FAMILIES.items():
        rows = [
            f"| [{r.code}]({r.code.lower()}.md) | {r.name} | {r.severity} | {_line(r.what)} |"
            for r in rules
            if r.code.startswith(family)
        ]
        if rows:
            head = ["| code | name | severity | what it finds |", "|---|---|---|---|"]
            index += [f"## {title}\n", *head, *rows, ""]
    found = {"index.md": "\n".join(index)}
    for rule in rules:
        found[f"{rule.code.lower()}.md"] = "\n".join(
            [
                f"{NOTE}\n# {rule.code} {rule.name}\n",
                f"{rule.what.strip()} Severity: {rule.severity}.\n",
                f"## Why it matters\n\n{rule.why.strip()}\n",
                f"## Bad\n\n```text\n{_text(rule.bad)}\n```\n",
                f"## Good\n\n```text\n{_text(rule.good)}\n```\n",
                f"## How to fix it\n\n{rule.fix.strip()}\n",
                f"On the command line: `agent-saga explain {rule.code}`.\n",
            ]
        )
    return found


def _text(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _line(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Writes the pages and removes stale ones, or says with --check whether they are up to date."""
    wanted = pages()
    present = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    if arguments == ["--check"]:
        wrong = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
        if wrong:
            print(f"docs/rules: not what the rules say: {', '.join(wrong)}: run `make docs-generate`", file=sys.stderr)
        return int(bool(wrong))
    FOLDER.mkdir(exist_ok=True)
    for name in present.keys() - wanted.keys():
        (FOLDER / name).unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
