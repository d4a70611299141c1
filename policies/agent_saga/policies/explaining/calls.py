"""A call as people write it down: the ``given`` of a policy's tests, with what is spent already beside it.

    {"tool": "payments.wire", "args": {"amount": {"minor": 600000, "currency": "EUR"}}, "spent": {"daily-spend": 100}}

Also read: the same with ``given`` and ``spent`` as members, as a test stands in a policy file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.answers import Call, Chain, Decision
from agent_saga.policies.cel.limits import MAX_INT
from agent_saga.policies.compiled import Compiled
from agent_saga.policies.document import did_you_mean, found, shown
from agent_saga.policies.loading.instants import DEFAULT, instant
from agent_saga.policies.model import Policy, Semantics
from agent_saga.policies.sampling.variables import CLASSES, CONSEQUENCES
from agent_saga.trace.errors import AgentSagaError

_MEMBERS: Final = ("tool", "args", "semantics", "agent", "saga", "step", "at", "chain", "spent")


class CallError(AgentSagaError):
    """A file holds no call that the policy could be asked about. faults: a sentence each."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, and what its limits hold already by limit id."""

    call: Call
    spent: Mapping[str, int] = field(default_factory=dict)


def read_call(data: Any, policy: Policy) -> Asked:
    """The call that JSON holds. Raises CallError with all that is wrong with it."""
    faults: list[str] = []
    if isinstance(data, Mapping) and isinstance(data.get("given"), Mapping):
        data = {**data["given"], "spent": data.get("spent", {})}
    if not isinstance(data, Mapping):
        raise CallError((f"a call is an object such as {{'tool': NAME, 'args': {{...}}}}; found {found(data)}",))
    faults += [
        f"a call has no member {shown(name)}{did_you_mean(str(name), _MEMBERS)}"
        for name in data
        if name not in _MEMBERS
    ]
    faults += _wrong_members(data, policy)
    if faults:
        raise CallError(tuple(faults))
    return asked(data, policy)


def asked(given: Mapping[str, Any], policy: Policy) -> Asked:
    """The call of a ``given`` that is known to be sound. Without a class it claims the one that the policy declares."""
    tool = policy.tools.get(given["tool"])
    semantics: Semantics = given.get("semantics") or (tool.semantics if tool is not None else "irreversible")
    chain = given.get("chain")
    call = Call(
        tool=given["tool"],
        args=given.get("args", {}),
        semantics=semantics,
        at=instant(given["at"]) if "at" in given else DEFAULT,
        agent=given.get("agent", next(iter(policy.agents), "")),
        saga=given.get("saga", ""),
        step=given.get("step", ""),
        chain=Chain(chain["semantics"], chain.get("consequence", "critical")) if chain is not None else None,
    )
    return Asked(call, given.get("spent", {}))


def decided(compiled: Compiled, one: Asked, told: bool = True) -> Decision:
    """What a policy answers, the windows holding what is said to be spent, for whatever key the call falls under."""
    used = {(spend.limit, spend.key): one.spent.get(spend.limit, 0) for spend in compiled.spends(one.call)}
    return compiled.decide(one.call, used, one.call.at[:10], told=told)


def _wrong_members(data: Mapping[str, Any], policy: Policy) -> list[str]:
    faults = [
        f"{name}: expected {words}, found {found(data[name]) if name in data else 'nothing'}"
        for name, (kind, words) in _KINDS.items()
        if (name in data or name == "tool") and not isinstance(data.get(name), kind)
    ]
    if isinstance(data.get("semantics"), str) and data["semantics"] not in CLASSES:
        near = did_you_mean(data["semantics"], CLASSES)
        faults.append(f"semantics: expected one of {', '.join(CLASSES)}, found {shown(data['semantics'])}{near}")
    if isinstance(data.get("at"), str):
        faults += _wrong_time(data["at"])
    if isinstance(data.get("chain"), Mapping):
        faults += _wrong_chain(data["chain"])
    if isinstance(data.get("spent"), Mapping):
        faults += _wrong_spent(data["spent"], policy)
    return faults


_KINDS: Final[Mapping[str, tuple[type, str]]] = {
    "tool": (str, "the name of a tool"),
    "args": (Mapping, "an object"),
    "chain": (Mapping, "an object"),
    "spent": (Mapping, "an object of sums by limit"),
    **dict.fromkeys(("semantics", "agent", "saga", "step", "at"), (str, "a text")),
}


def _wrong_time(text: str) -> list[str]:
    try:
        instant(text)
    except ValueError as fault:
        return [f"at: {fault}, found {shown(text)}"]
    return []


def _wrong_chain(chain: Mapping[str, Any]) -> list[str]:
    faults = [
        f"chain has no member {shown(name)}{did_you_mean(str(name), ('semantics', 'consequence'))}"
        for name in chain
        if name not in ("semantics", "consequence")
    ]
    for name, known in (("semantics", CLASSES), ("consequence", CONSEQUENCES)):
        value = chain.get(name, "critical" if name == "consequence" else None)
        if value not in known:
            faults.append(f"chain.{name}: expected one of {', '.join(known)}, found {found(value)}")
    return faults


def _wrong_spent(spent: Mapping[str, Any], policy: Policy) -> list[str]:
    known = [limit.id for limit in policy.limits]
    faults = []
    for name, value in spent.items():
        if name not in known:
            faults.append(f"spent: the policy has no limit {shown(name)}{did_you_mean(str(name), known)}")
        elif type(value) is not int or not 0 <= value <= MAX_INT:
            faults.append(f"spent.{name}: expected a whole number from 0, found {found(value)}")
    return faults
