"""A back-test over any number of inputs: read as one log, in the order in which their first lines are dated.

Limits count over all of them, since one budget may be spent from by sagas of many files.

Source: docs/guide/backtest.md.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent_saga.policies.backtesting.comparing import before_by, before_of, change
from agent_saga.policies.backtesting.judging import Gate
from agent_saga.policies.backtesting.reading import PREFIX, Event, Reader
from agent_saga.policies.backtesting.result import Result
from agent_saga.policies.backtesting.undos import Recorded, tools_of
from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.model import Policy, Waivers
from agent_saga.trace.collector import without_collector
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.errors import AgentSagaError, SourceError
from agent_saga.trace.reader import STDIN, expand, open_input
from agent_saga.trace.store.postgres.addresses import is_address

_DATED = re.compile(rb'"at":"([0-9TZ:.-]{27})"').search
_BESIDE = ".disclosures"


@dataclass(frozen=True, slots=True)
class Against:
    """The policy that the new one is compared with, in place of what the traces show."""

    policy: Policy
    waivers: Waivers | None = None


def backtest(
    policy: Policy,
    paths: Sequence[str],
    *,
    waivers: Waivers | None = None,
    against: Against | None = None,
    disclosures: Iterable[tuple[str, str]] = (),
    progress: Callable[[str, int], None] | None = None,
) -> Result:
    """What the policy would have decided about the calls of these traces and stores.

    disclosures: pairs of a place and what opens a concealed value; a store's own are used too. progress: told (input,
    bytes read). Raises SourceError for a path that cannot be read or is no trace of ours.
    """
    compiled = compile_policy(policy, waivers)
    gate, old = Gate(compiled), Gate(compile_policy(against.policy, against.waivers)) if against else None
    named = f"{policy.policy} version {policy.version}"
    result = Result(named, policy.digest, problems=tuple(compiled.problems))
    if against:
        result.against = f"{against.policy.policy} version {against.policy.version}"
    gates = [gate, old] if old else [gate]
    opened = Disclosures(disclosures)
    agents, chains = any(one.asks_agent for one in gates), any(one.asks_chain for one in gates)
    compileds = (gate.compiled, old.compiled if old else None)
    waived = any(one.lifting.waivers for one in compileds if one is not None)
    reader = Reader(opened, agents=agents, chains=chains, undone=tools_of(*compileds), revoking=waived)
    with without_collector():
        for path in in_order(paths):
            result.inputs.append(path)
            _own(path, opened)
            for event in reader.events(_blocks(path, result, progress)):
                if isinstance(event, Recorded):
                    result.undos.note(path, event, *compileds)
                else:
                    _event(path, event, (gate, old), reader.revoked, result)
    result.lines, result.unread = reader.lines, result.unread + reader.unread
    return result


def in_order(paths: Sequence[str]) -> list[str]:
    """The inputs that the paths name, by the time of their first line. Raises SourceError."""
    found = list(expand(paths))
    if len(found) < 2:
        return found
    return [path for _, _, path in sorted((_begun(path), place, path) for place, path in enumerate(found))]


def _begun(path: str) -> bytes:
    """When the first line of an input is dated; b"" where nobody can tell, so that it comes first and is told of."""
    if path == STDIN:
        return b""
    opened = open_input(path)
    opened.close()
    dated = _DATED(opened.head[:4096])
    return dated[1] if dated else b""


def _blocks(path: str, result: Result, progress: Callable[[str, int], None] | None) -> Iterator[list[bytes]]:
    """The lines of an input. Raises SourceError for one that is no trace of ours."""
    opened = open_input(path)
    if opened.head and not opened.head.startswith(PREFIX):
        opened.close()
        raise SourceError(f"{path}: is no trace of ours: expected lines that begin with {PREFIX.decode()}...")
    for block in opened.blocks():
        yield block
        if progress:
            progress(opened.path, opened.size)
    result.unread += bool(opened.rest or opened.truncated)


def _event(path: str, event: Event, gates: tuple[Gate, Gate | None], revoked: Collection[str], result: Result) -> None:
    gate, old = gates
    before = before_by(old.decide(event, revoked)) if old else before_of(event)
    after = gate.decide(event, revoked)
    result.note(path, event, before, after, change(before, after))


def _own(path: str, disclosures: Disclosures) -> None:
    """Add what a store keeps beside its lines; where that cannot be read, its values stay concealed."""
    beside = is_address(path) or os.path.exists(os.path.realpath(path) + _BESIDE)
    if path == STDIN or not beside:
        return
    from agent_saga.trace.store.moving import disclosures_beside

    try:
        for text in disclosures_beside(path):
            disclosures.add(path, text)
    except (AgentSagaError, OSError, UnicodeError):
        return
