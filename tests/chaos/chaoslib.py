"""The experiments: a scenario's process is killed, others bring the saga to rest, and the world is compared."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extra_sagas import EXTRA

from agent_saga.testing.asserting import judged
from agent_saga.testing.chaos import KILLED, process, recovered
from agent_saga.testing.demo import choices
from agent_saga.testing.providers import Fault
from agent_saga.testing.replaying import assert_replays
from agent_saga.testing.scenarios import SCENARIOS, Scenario, Shop
from agent_saga.trace.reader import open_input


@dataclass(frozen=True)
class Experiment:
    """One scenario, played in processes over one store.

    stage: the process that is killed: run, recover or decide. first: where the process before it was killed already.
    """

    scenario: Scenario
    stage: str
    first: str
    folder: Path

    @property
    def spec(self) -> str:
        return self.scenario.spec

    @property
    def cut(self) -> bool:
        """Whether a provider kills the process that calls it, once."""
        return any(fault is Fault.POWER_CUT for _, _, fault in self.scenario.faults)

    @property
    def store(self) -> Path:
        return self.folder / "saga.db"

    def begin(self) -> None:
        """All that comes before the stage."""
        if self.stage != "run":
            done = process("run", self.spec, self.store, failpoint=self.first)
            assert done.returncode == (KILLED if self.first or self.cut else 0), done.stderr
        else:
            self.scenario.prepare(self.store)

    def killed(self, failpoint: str) -> bool:
        """Play the stage with a failpoint. Whether it was reached; a power cut is not counted."""
        before = Shop.beside(self.store).payments.calls("charge")
        done = process(self.stage, self.spec, self.store, failpoint=failpoint)
        assert done.returncode in (0, KILLED), done.stderr
        cut = self.cut and Shop.beside(self.store).payments.calls("charge") > before == 0
        return done.returncode == KILLED and not cut

    def rest(self) -> None:
        """Another process brings the saga to rest; where a person has to decide, a third one lets that person."""
        if self.cut:
            process("recover", self.spec, self.store)  # if the power cut is still to come, it strikes this one
        reports = recovered(self.spec, self.store)
        if self.scenario.decides and [report["status"] for report in reports] in (["paused"], ["waiting_approval"]):
            found = {finding.code for finding in judged(self.store, choices(self.scenario, self.store)).findings}
            assert found == self.scenario.waiting, f"while it waits, certify finds {found}"
            process("decide", self.spec, self.store)

    def lines(self) -> int:
        return sum(1 for line in open_input(str(self.store)).lines() if line)

    def fault(self) -> str:
        """What is wrong at rest, "" when nothing is."""
        ledger = {e.action: (e.times, e.undone) for e in Shop.beside(self.store).ledger()}
        if not self.lines():
            return f"nothing was written, and the world has {ledger}" if ledger else ""
        report = judged(self.store, choices(self.scenario, self.store))
        codes = {finding.code for finding in report.findings}
        unread = [one.error for one in report.inputs if one.error]
        if ledger != dict(self.scenario.ledger):
            return f"the world has {ledger}, not {dict(self.scenario.ledger)}"
        if codes != self.scenario.findings or unread:
            return f"certify finds {[f.because for f in report.findings]} {unread}"
        assert_replays(self.store, self.scenario(self.store))
        return ""


ALL = {**SCENARIOS, **EXTRA}
STAGES = [
    ("happy-path", "run", ""),
    ("happy-path", "recover", "before:3"),
    ("business-failure", "run", ""),
    ("business-failure", "recover", "before:6"),
    ("lost-response", "run", ""),
    ("lost-response", "recover", "before:3"),
    ("compensation-failure", "run", ""),
    ("compensation-failure", "recover", "after:6"),
    ("compensation-failure", "decide", ""),
    ("crash", "run", ""),
    ("crash", "recover", ""),
    ("irreversible", "run", ""),
    ("irreversible", "recover", "after:1"),
    ("irreversible-approved", "run", ""),
    ("irreversible-approved", "decide", ""),
    ("policy", "run", ""),
    ("policy", "decide", ""),
    *((name, "run", "") for name in EXTRA),
]
"""Every scenario, the process of it that is killed everywhere, and where the one before was killed already."""


def failpoints() -> Iterator[str]:
    """Before and after each append, without end."""
    number = 1
    while True:
        yield f"before:{number}"
        yield f"after:{number}"
        number += 1


def all_points(name: str, stage: str, first: str, folder: Path) -> tuple[int, list[str]]:
    """Kill the stage at every append. Returns how many places there are, and what went wrong at which."""
    wrong: list[str] = []
    for tried, failpoint in enumerate(failpoints()):
        experiment = Experiment(ALL[name], stage, first, folder / failpoint.replace(":", "-"))
        experiment.folder.mkdir(parents=True)
        experiment.begin()
        if not experiment.killed(failpoint):
            return tried, wrong
        experiment.rest()
        fault = experiment.fault()
        wrong += [f"{name}, {stage} killed {failpoint}: {fault}"] if fault else []
        shutil.rmtree(experiment.folder)
    raise AssertionError("there is always a last append")


def at_point(name: str, stage: str, failpoint: str, folder: Path) -> str:
    """Kill the stage at one append; what is wrong at rest."""
    experiment = Experiment(ALL[name], stage, "", folder)
    experiment.begin()
    assert experiment.killed(failpoint), f"{name}, {stage}: {failpoint} is never reached"
    experiment.rest()
    return experiment.fault()


__all__: list[Any] = ["STAGES", "Experiment", "all_points", "at_point", "failpoints"]
