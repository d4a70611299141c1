"""What came of it, in words: on the terminal, and as docs/faults.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .judge import Answer, Verdict
from .mutants import OPERATORS
from .shapes import Base


@dataclass
class Row:
    """The figures of one operator."""

    tried: int = 0
    caught: int = 0
    right: int = 0
    codes: set[str] = field(default_factory=set)


@dataclass
class Figures:
    """Everything that one run saw."""

    bases: list[tuple[Base, Answer]]
    rows: dict[str, Row]
    missed: list[Verdict]

    @property
    def alarms(self) -> list[tuple[Base, Answer]]:
        """Good traces that were not certified, or not without a finding."""
        return [(base, answer) for base, answer in self.bases if base.good and (answer.exit or answer.codes)]

    @property
    def strays(self) -> list[tuple[Base, Answer]]:
        """Traces to be refused as they are that gave other codes than theirs."""
        return [(base, answer) for base, answer in self.bases if base.codes and answer.codes != base.codes]

    @property
    def clean(self) -> bool:
        """Whether the goal is reached: all caught with the right code, no false alarm."""
        return not (self.missed or self.alarms or self.strays)

    def total(self, name: str) -> int:
        """Sum of one column."""
        return sum(getattr(row, name) for row in self.rows.values())


def figures(bases: Iterable[tuple[Base, Answer]], verdicts: Iterable[Verdict]) -> Figures:
    """Count."""
    rows: dict[str, Row] = {}
    missed = []
    for verdict in verdicts:
        row = rows.setdefault(verdict.mutant.operator, Row())
        row.tried, row.caught = row.tried + 1, row.caught + verdict.caught
        row.right += verdict.right
        row.codes |= verdict.mutant.codes
        if not verdict.right:
            missed.append(verdict)
    return Figures(list(bases), dict(sorted(rows.items())), missed)


def summary(seen: Figures) -> list[str]:
    """The four figures."""
    good = sum(base.good for base, _ in seen.bases)
    return [
        f"faults tried                    {seen.total('tried'):>6,}   by {len(seen.rows)} operators",
        f"faults caught                   {seen.total('caught'):>6,}   goal: all",
        f"faults caught, the right code   {seen.total('right'):>6,}   goal: all",
        f"false alarms on good traces     {len(seen.alarms):>6,}   of {good}; goal: none",
    ]


def table(seen: Figures) -> list[str]:
    """One line an operator, for the terminal."""
    head = f"{'operator':<40} {'tried':>6} {'caught':>6} {'right':>6}  codes, one of which must be given"
    lines = [head, "-" * len(head)]
    for name, row in seen.rows.items():
        codes = " ".join(sorted(row.codes)) or "(exit 4)"
        lines.append(f"{name:<40} {row.tried:>6,} {row.caught:>6,} {row.right:>6,}  {codes}")
    return lines


def faults(seen: Figures) -> list[str]:
    """What is not as it should be, one line each."""
    lines = [f"false alarm: {base.name}: exit {a.exit} {sorted(a.codes)}" for base, a in seen.alarms]
    lines += [f"refused base {base.name} gives {sorted(a.codes)}" for base, a in seen.strays]
    for one in seen.missed:
        wants, got = " or ".join(sorted(one.mutant.codes)), " ".join(sorted(one.answer.codes)) or "nothing"
        at = f"{one.mutant.operator}, {one.mutant.base}: {one.mutant.what}"
        lines.append(f"missed: {at}: wanted {wants}, got exit {one.answer.exit}, {got}")
    return lines


def _first(doc: str | None) -> str:
    return " ".join((doc or "").split("\n\n")[0].split())


def _about(name: str) -> str:
    if name in OPERATORS:
        return _first(OPERATORS[name].__doc__)
    return "The same edits without a new chain." if name.endswith("_unchained") else ""


def page(seen: Figures) -> str:
    """docs/faults.md."""
    rows = [
        f"| `{name}` | {_about(name)} | {row.tried:,} | {row.caught:,} | {row.right:,} "
        f"| {' '.join(sorted(row.codes)) or 'exit 4'} |"
        for name, row in seen.rows.items()
    ]
    good = [f"| `{base.name}` | {base.about} | {len(base.lines)} |" for base, _ in seen.bases if base.good]
    bad = [
        f"| `{base.name}` | {base.about} | {' '.join(sorted(base.codes))} |" for base, _ in seen.bases if not base.good
    ]
    return PAGE.format(summary="\n".join(summary(seen)), rows="\n".join(rows), good="\n".join(good), bad="\n".join(bad))


PAGE = """\
# Faults injected, faults caught

A certifier is worth what it refuses. This page is written by `python tests/faults --write-docs`, which
takes good traces of every shape, spoils each in every way that an operator below knows, and asks the
certifier about the result; `make faults` prints the same. Every mutant is bad by the rules themselves,
never by what the certifier says about it; a mutant counts as caught with the right code only if the trace
is refused **and** a code that names what was done to it is among the findings. An edit that leaves a good
trace (a failed check dropped before a passed one, say) is not made.

```text
{summary}
```

Most operators are tried twice: on the chain as the edit breaks it, and with `seq` and `prev` counted anew,
as somebody who holds the file can do. What nobody can see from an unsigned trace alone is that whole sagas,
or the lines after a saga's end, were cut off; the trace format says so, and every report does.

The folder `fixtures/faults` holds a part of these mutants with a manifest, for any other verifier.

## Operators

| operator | what it does | tried | caught | right code | codes, one of which must be given |
|---|---|--:|--:|--:|---|
{rows}

## Good traces

Each must be certified without a finding of any severity.

| trace | what happens in it | lines |
|---|---|--:|
{good}

Two more traces are refused as they are, for want of a signature; their mutants must give another code as
well.

| trace | what happens in it | code |
|---|---|---|
{bad}

## The second judge

The rules are also held against an independent judge that shares no code with them and reads every line
again for every question (`tests/oracle`). Both must agree about each saga, certified or not, and about what
is left in force: every sequential saga of up to three effects over an alphabet of behaviours, every
interleaving of two parallel effects and their undos, and a seeded sample of 200,000 sagas with four
effects. `make test` asks about a fixed tenth of them, `make test-long` about all; `python tests/oracle`
prints the counts.

A third judge looks at random sagas, about half of them with a lie, with branches, fallbacks, child sagas,
undos in parts and people's signed decisions (`tests/red/walking.py`): a model of the world says what exists
after them. None may be certified with anything untrue in it, and none refused for that alone which the model finds
in order. `make test` takes 2,000 walks, `make test-long` 30,000 more.
"""
