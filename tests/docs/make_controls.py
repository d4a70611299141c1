"""Writes docs/controls.md from the control map; with --check only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from agent_saga.certify.controls.evidence import EVIDENCE
from agent_saga.certify.controls.model import Control, Framework
from agent_saga.certify.controls.reading import framework, framework_ids

PAGE = Path(__file__).resolve().parents[2] / "docs" / "controls.md"
HEAD = """\
<!-- Written by `make docs-generate` from certify/agent_saga/certify/controls/: do not edit. -->
# Controls

Which rules bear on which controls of published frameworks, as data that ships with the package. `certify --controls
FRAMEWORK` answers each control for the log that was judged:

```console
$ agent-saga certify fixtures/demo/bad.jsonl --controls soc2-2017  # exit: 1
```

An answer **provides evidence for** a control. It never says that anybody complies with a framework: a control is more
than what one log shows, and every entry says what it does not cover. The titles and sentences are our own; read the
publisher's text for what a control asks.

## How a control is answered

- **PASS**: every rule of the control was run and **met a case in this input**; neither they nor the rules under "also"
  found anything; the log is sound; no value that a rule needs is withheld; and all evidence was given that the control
  needs.
- **FAIL**: one of its rules found something, and the findings are listed. A note does not count; a finding that a
  baseline or `--ignore` hides does.
- **NOT ASSESSABLE**: anything else. The answer says what is missing and how to give it.

What this means in detail:

- Rules: each must have met a case. Also: rules that speak only when something is wrong; they need have met none.
- A control without rules is listed so that nobody takes its absence for a pass: nothing in a trace speaks of it.
- A log that is not sound (an error of AS1) is evidence of nothing else. A value that is withheld (AS602) leaves all
  controls open whose rules read values.
- What could not fail is no evidence: budgets need a policy that has a limit, the gating of chains one that reads the
  chain. A waiver that let calls pass withholds a PASS from controls that need the policy.
- Several inputs are answered together: one that lacks the evidence, or whose format cannot answer a rule, is enough to
  withhold a PASS.
- The exit code stays the verdict's: a FAIL from a warning does not refuse, and NOT ASSESSABLE does not either.

{evidence}
## OSCAL

`--output oscal=FILE` writes the answers as OSCAL assessment results (JSON, OSCAL 1.2.1), with `--controls` and `--now`
or `SOURCE_DATE_EPOCH`: an OSCAL document bears a time, and it is that of the certificate. All uuids are version 5 over
the content, so that the same report gives the same document. A PASS is `satisfied` with the reason `pass`, a FAIL
`not-satisfied` with `fail`, NOT ASSESSABLE `not-satisfied` with `other`. Control ids are those of NIST's own OSCAL
catalogue for SP 800-53 (`au-10`, `cp-10.2`), and for the others the publisher's number as a token (`c9.2.1`,
`c-164.312.b`).

```sh
agent-saga certify fixtures/demo/good.jsonl --controls nist-800-53-r5 \\
  --now 2026-11-30T07:00:00Z --output oscal=controls.json
```

`agent-saga controls list` lists the frameworks, `agent-saga controls show FRAMEWORK` shows one; both have
`--format json`. The answers stand in the reports `text`, `html` and `json` as well. More than one framework: repeat
`--controls`.
"""


def page() -> str:
    """The whole page."""
    rows = [f"| {name} | {one.what} | {_given(one.give)} |" for name, one in EVIDENCE.items()]
    evidence = "\n".join(["| evidence | what | how to give it |", "|---|---|---|", *rows]) + "\n"
    return HEAD.format(evidence=evidence) + "".join(_section(framework(ident)) for ident in framework_ids())


def _given(text: str) -> str:
    return f"`{text}`" if text.startswith("--") else text


def _section(found: Framework) -> str:
    lines = [
        f"\n## {found.id}\n",
        f"[{found.name}]({found.source}), {found.version}, {found.publisher}.\n",
        f"Not covered at all: {found.not_covered}\n",
        "| control | rules | also | evidence | shows | not covered | since |",
        "|---|---|---|---|---|---|---|",
        *(_row(control) for control in found.controls),
    ]
    return "\n".join(lines) + "\n"


def _row(control: Control) -> str:
    cells = [
        f"{control.id} {control.title}",
        " ".join(_linked(control.rules)) or "none",
        " ".join(_linked(control.also)),
        ", ".join(control.evidence),
        control.shows,
        control.not_covered,
        control.since,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _linked(codes: tuple[str, ...]) -> Iterator[str]:
    yield from (f"[{code}](rules/{code.lower()}.md)" for code in codes)


def main(arguments: list[str]) -> int:
    """Writes the page, or says with --check whether it is up to date."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text("utf-8") == wanted:
            return 0
        print("docs/controls.md is not what the control map says: run `make docs-generate`", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
