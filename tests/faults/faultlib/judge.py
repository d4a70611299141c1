"""Handing a trace to the certifier, and what came back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify

from . import mutants
from .lines import render
from .mutants import Mutant, mutants_of
from .shapes import Base, good_bases
from .shapes_policed import policed_bases
from .shapes_refused import refused_bases

for _module in ("lines", "swap", "values", "outcomes", "undo", "saga", "between", "form", "people", "policies"):
    import_module(f"{mutants.__package__}.ops_{_module}")  # each registers its operators


@dataclass(frozen=True)
class Answer:
    """Exit code, and the codes that count at the chosen severity."""

    exit: int
    codes: frozenset[str]


@dataclass(frozen=True)
class Verdict:
    """One mutant and its answer."""

    mutant: Mutant
    answer: Answer

    @property
    def caught(self) -> bool:
        """Whether the trace was refused at all."""
        return self.answer.exit in self.mutant.exits

    @property
    def right(self) -> bool:
        """Whether it was refused for what is wrong with it."""
        return self.caught and (not self.mutant.codes or bool(self.mutant.codes & self.answer.codes))


class Bench:
    """Asks the certifier about bytes, through one file that is written again and again."""

    def __init__(self, folder: Path) -> None:
        self.trace, self.opened = folder / "trace.jsonl", folder / "disclosures.txt"
        self.policy = folder / "policy.json"

    def ask(self, data: bytes, disclosures: Iterable[str] = (), fail_on: str = "error", policy: str = "") -> Answer:
        """Exit code and codes of one trace."""
        self.policy.write_text(policy, "utf-8")
        self.trace.write_bytes(data)
        self.opened.write_text("".join(line + "\n" for line in disclosures), "ascii")
        files = (str(self.opened),) if self.opened.stat().st_size else ()
        choices = replace(Choices(), fail_on=fail_on, policies=(str(self.policy),) if policy else ())
        report = certify([str(self.trace)], Options(choices=choices, disclosures=files))
        return Answer(int(report.exit_code), frozenset(finding.code for finding in report.findings))


def all_bases() -> list[Base]:
    """Good traces, then those that are refused as they are."""
    return [*good_bases(), *refused_bases(), *policed_bases()]


def all_mutants(bases: Iterable[Base]) -> Iterator[Mutant]:
    """Every mutant of every base, in a fixed order."""
    for base in bases:
        yield from mutants_of(base)


def judge_mutants(mutants: Iterable[Mutant]) -> Iterator[Verdict]:
    """Ask about each mutant."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for mutant in mutants:
            yield Verdict(mutant, bench.ask(mutant.data, mutant.disclosures, mutant.fail_on, mutant.policy))


def judge_bases(bases: Iterable[Base]) -> Iterator[tuple[Base, Answer]]:
    """Ask about each base as it is; good ones must give nothing, not even a note."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for base in bases:
            yield base, bench.ask(render(base.lines), base.disclosures, policy=base.policy)
