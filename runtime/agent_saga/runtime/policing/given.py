"""From what the engine is given to the policy that it works with.

Source: docs/spec/policy-v1.md, "In the runtime".
"""

from os import PathLike, fspath
from typing import Any

from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.model import Approve, Policy, Waivers
from agent_saga.runtime.approving.recording import DECIDER
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.errors import PolicyMismatch
from agent_saga.runtime.gate import Entitling, Gate, StaticGate
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.policing.gate import PolicyGate
from agent_saga.runtime.policing.records import Sink
from agent_saga.runtime.policing.starting import check_adopted, check_decide, check_none, check_tools

Given = Policy | Compiled | str | PathLike[str]
GivenWaivers = Waivers | str | PathLike[str]


class Policing:
    """What an engine works with: its gate, and the policy behind it where there is one."""

    def __init__(
        self, policy: Given | None, waivers: GivenWaivers | None, registry: Any, gate: Gate | None, records: Sink | None
    ) -> None:
        """As :class:`~agent_saga.runtime.engine.Engine` takes them. Raises PolicyError, PolicyMismatch."""
        self.records = records
        if policy is None:
            if waivers is not None or records is not None:
                raise PolicyMismatch("waivers and records are of a policy, and none is given")
            self.compiled: Compiled | None = None
            self.gate: Gate = gate or StaticGate()
            return
        if gate is not None:
            raise PolicyMismatch("both a gate and a policy are given: the policy is the gate, leave the other out")
        self.compiled = compiled_of(policy, waivers, registry)
        self.gate = PolicyGate(self.compiled, records is not None)

    @property
    def digest(self) -> str | None:
        """Of the policy; None where there is none."""
        return self.compiled.digest if self.compiled is not None else None

    def deciders(self, verdict: str) -> Approve:
        """Who may give this verdict about a call that nobody can prove; no role where the policy lets nobody."""
        named = self.gate.deciders(verdict) if isinstance(self.gate, Entitling) else DECIDER
        return named or Approve(roles=())

    def check(self, definition: SagaDefinition, authority: Authority, state: State) -> None:
        """Raise PolicyMismatch unless the saga may begin, or go on, under the policy."""
        if self.compiled is not None:
            check_tools(definition, self.compiled.policy)
            check_adopted(self.compiled.policy, authority, state)
        elif isinstance(self.gate, StaticGate):  # a gate of another make answers for the policy that is in force
            check_none(authority, state)


def compiled_of(policy: Given, waivers: GivenWaivers | None = None, registry: Any = None) -> Compiled:
    """The compiled policy. policy: a file, a policy, or one that is compiled already, with its waivers.

    waivers: a file, or what was read from one. registry: the key registry as parsed from its file, that the waivers'
    signatures are verified by. Raises PolicyError with all that is wrong in a file, RegistryFault, PolicyMismatch.
    """
    if isinstance(policy, Compiled):
        if waivers is not None:
            raise PolicyMismatch("the policy is compiled with its waivers already: leave them out here")
        check_decide(policy.policy)
        return policy
    read = policy if isinstance(policy, Policy) else _loaded(fspath(policy))
    check_decide(read)
    return compile_policy(read, _waivers(waivers, read, registry))


def _loaded(path: str) -> Policy:
    from agent_saga.policies.loading import load_policy

    return load_policy(path)


def _waivers(given: GivenWaivers | None, policy: Policy, registry: Any) -> Waivers | None:
    if given is None or isinstance(given, Waivers):
        return given
    from agent_saga.approvals.registry import parse_registry
    from agent_saga.policies.waiving import read_waivers

    return read_waivers(fspath(given), policy, parse_registry(registry) if registry is not None else None)
