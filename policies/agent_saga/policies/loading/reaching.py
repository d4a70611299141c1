"""Whether the people of a key registry can give what a policy asks for: roles that nobody has, quorums out of reach.

Source: docs/spec/policy-v1.md, "People"; rule 7 of docs/spec/approval-v1.md.
"""

from collections.abc import Iterator

from agent_saga.approvals.registry import Registry, lint
from agent_saga.policies.document import Fault, did_you_mean, shown
from agent_saga.policies.loading.errors import PolicyError
from agent_saga.policies.model import Approve, Place, Policy

_WITHOUT_KEY = "no key that is valid"


def unreachable(policy: Policy, registry: Registry, at: str) -> None:
    """Check every approval that a policy asks for. at: an instant; keys that are not valid then count as none.

    Raises PolicyError with each one that nobody could give, at the place of its rule.
    """
    faults = [fault for word, one, place in _asked(policy) for fault in _faults(word, one, place, registry, at)]
    if faults:
        raise PolicyError(policy.source, faults)


def _asked(policy: Policy) -> Iterator[tuple[str, Approve, Place]]:
    for rule in policy.rules:
        if isinstance(rule.then, Approve) and rule.enforcement in ("soft", "hard"):
            yield f"the rule {rule.id}", rule.then, rule.place
    for limit in policy.limits:
        if isinstance(limit.then, Approve) and limit.enforcement in ("soft", "hard"):
            yield f"the limit {limit.id}", limit.then, limit.place
    if any(tool.semantics == "irreversible" for tool in policy.tools.values()):
        yield "irreversible", policy.irreversible, Place(1, 1)
    for verdict, one in policy.decide.items():
        yield f"decide.{verdict}", one, Place(1, 1)


def _faults(word: str, one: Approve, place: Place, registry: Registry, at: str) -> Iterator[Fault]:
    held = {role for person in registry.people for role in person.roles}
    strangers = [role for role in one.roles if role not in held]
    for role in strangers:
        what = f"{word}: nobody in the registry has the role {shown(role)}{did_you_mean(role, held)}"
        yield Fault(place.line, place.column, what)
    if len(strangers) == len(one.roles):
        return
    for sentence in lint(registry, {one.roles: one.quorum}, at):
        if _WITHOUT_KEY not in sentence:
            yield Fault(place.line, place.column, f"{word}: {sentence}")
