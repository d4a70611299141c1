"""What ``agent-saga demo`` does: plays a scenario over a store, writes its trace, and has it judged.

What it finds comes from three sides that know nothing of each other: the saga's own trace, the providers' ledgers, and
certify.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agent_saga.certify.report import Choices
from agent_saga.certify.report import Report as Certificate
from agent_saga.runtime import Report
from agent_saga.runtime.runnable import Runnable
from agent_saga.testing.asserting import judged
from agent_saga.testing.chaos import KILLED, LEASE, ChaosError, process
from agent_saga.testing.providers import Effect, Fault
from agent_saga.testing.scenarios.playing import WAITING, Decided, decide, recover, run
from agent_saga.testing.scenarios.table import SCENARIOS, Scenario
from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.store import open_store
from agent_saga.trace.store.moving import new_file

Tell = Callable[[str], None]


_WAITS: Final = {
    "paused": "the saga waits: a person looks into the provider's books and decides",
    "waiting_approval": "the saga waits: persons look at the one call that it asks for, and sign it",
}


class NoScenario(AgentSagaError):
    """There is no scenario of this name."""


@dataclass(frozen=True)
class Played:
    """A scenario that was played. ledger: what this saga did at the providers. lines: of the trace that was written."""

    scenario: Scenario
    report: Report
    ledger: tuple[Effect, ...]
    decided: tuple[Decided, ...]
    lines: int
    certificate: Certificate

    @property
    def as_expected(self) -> bool:
        """Whether outcome, ledger and verdict are what the scenario says."""
        counts = {one.action: (one.times, one.undone) for one in self.ledger}
        found = frozenset(finding.code for finding in self.certificate.findings)
        expected = (self.scenario.status, dict(self.scenario.ledger), self.scenario.findings)
        return (self.report.status, counts, found) == expected


def scenario_of(name: str) -> Scenario:
    """The scenario of a name. Raises NoScenario."""
    if name not in SCENARIOS:
        raise NoScenario(f"no scenario is named {name}; there are {', '.join(SCENARIOS)}")
    return SCENARIOS[name]


def play(scenario: Scenario, store: Path, trace: Path, tell: Tell) -> Played:
    """Play a scenario over a store, new or not, and write the saga's lines, their exact bytes, to a new file.

    tell: hears what happens meanwhile. Raises StoreError when a file cannot be written or stands there already, and
    ChaosError when the process that is to die does not.
    """
    with new_file(str(trace)) as stream:
        report, ledger, decided = _played(scenario, store, tell)
        lines = asyncio.run(_lines(store, report.saga))
        stream.write(b"".join(line + b"\n" for line in lines))
    return Played(scenario, report, ledger, decided, len(lines), judged(trace, choices(scenario, trace)))


def registry_beside(path: str | Path) -> str:
    """Where the registry of a scenario's people stands, beside its trace or store."""
    return f"{path}.registry.json"


def policy_beside(path: str | Path) -> str:
    """Where the policy that a scenario was played under stands, beside its trace or store."""
    return f"{path}.policy.yaml"


def choices(scenario: Scenario, path: Path) -> Choices:
    """How certify judges what the scenario left: by the registry of its people and its policy, written beside it."""
    found = Choices()
    if scenario.people is not None:
        registry = Path(registry_beside(path))
        registry.write_text(json.dumps(scenario.people.registry, indent=1) + "\n", encoding="utf-8")
        found = replace(found, registry=str(registry))
    if scenario.policy:
        policy = Path(policy_beside(path))
        policy.write_text(scenario.policy, encoding="utf-8")
        found = replace(found, policies=(str(policy),))
    return found


def _played(scenario: Scenario, store: Path, tell: Tell) -> tuple[Report, tuple[Effect, ...], tuple[Decided, ...]]:
    shop, runnable = scenario.prepare(store), scenario(store)
    before = {effect.key for effect in shop.ledger()}
    killed = any(fault is Fault.POWER_CUT for _, _, fault in scenario.faults)
    report = _killed(scenario, runnable, store, tell) if killed else asyncio.run(run(runnable, store))
    decided: list[Decided] = []
    if scenario.decides and report.status in WAITING:
        tell(_WAITS[report.status])
        report, decided = asyncio.run(decide(runnable, store, report))
    return report, tuple(effect for effect in shop.ledger() if effect.key not in before), tuple(decided)


def _killed(scenario: Scenario, runnable: Runnable, store: Path, tell: Tell) -> Report:
    """Run the saga in a process that dies of it, and recover it in this one."""
    before = asyncio.run(_sagas(store)) if store.exists() else set()
    died = process("run", scenario.spec, store)
    if died.returncode != KILLED:
        raise ChaosError(f"the process ended with {died.returncode} instead of being killed: {died.stderr[-500:]}")
    tell("the process was killed (SIGKILL); another one goes on as soon as its lease is over")
    reports = [one for one in asyncio.run(recover(runnable, store, lease=LEASE)) if one.saga not in before]
    if len(reports) != 1:
        raise ChaosError(f"{len(reports)} sagas were recovered; expected the one that was killed")
    return reports[0]


async def _sagas(store: Path) -> set[str]:
    opened = open_store(store)
    try:
        return {row.id for row in await opened.sagas()}
    finally:
        await opened.close()


async def _lines(store: Path, saga: str) -> list[bytes]:
    opened = open_store(store)
    try:
        return await opened.read(saga)
    finally:
        await opened.close()
