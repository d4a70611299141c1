"""Whether the people of a key registry can give what a policy asks for: roles that nobody has, quorums out of reach.

Who owns an agent cannot approve what it proposes, so a quorum is asked for of everybody else.

Source: docs/spec/policy-v1.md, "People"; rules 2 and 7 of docs/spec/approval-v1.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from msgspec.structs import replace

from agent_saga.approvals.registry import Agent, Registry, lint
from agent_saga.policies.document import Fault, Node, did_you_mean, parse, shown
from agent_saga.policies.loading.errors import POLICY, PolicyError
from agent_saga.policies.model import Approve, Limit, Policy, Rule

_WITHOUT_KEY = "no key that is valid"
Path = tuple[str | int, ...]


def unreachable(policy: Policy, registry: Registry, at: str, text: bytes) -> None:
    """Check every approval that a policy asks for. text: of its file, for places.

    at: an instant; keys that are not valid then count as none. Raises PolicyError with all that nobody could give.
    """
    root, _ = parse(text, policy.source, POLICY)
    faults = [*_strangers(policy, registry, root)]
    asking = _Asking(registry, at, [one for one in registry.agents if not policy.agents or one.id in policy.agents])
    for word, one, path in _asked(policy):
        faults += asking.faults(word, one, root.at(path))
    if faults:
        raise PolicyError(policy.source, faults)


def _strangers(policy: Policy, registry: Registry, root: Node) -> Iterator[Fault]:
    """Agents that the registry does not know: nobody could approve for them."""
    for number, agent in enumerate(policy.agents):
        if agent not in registry.owner:
            what = f"the registry knows no agent {shown(agent)}{did_you_mean(agent, registry.owner)}"
            yield root.at(["agents", number]).fault(what)


def _asked(policy: Policy) -> Iterator[tuple[str, Approve, Path]]:
    for name, parts in (("rule", policy.rules), ("limit", policy.limits)):
        for number, part in enumerate(cast(Sequence[Rule | Limit], parts)):
            if isinstance(part.then, Approve) and part.enforcement in ("soft", "hard"):
                yield f"the {name} {part.id}", part.then, (f"{name}s", number, "then", "approve")
    if any(tool.semantics == "irreversible" for tool in policy.tools.values()):
        yield "irreversible", policy.irreversible, ("irreversible",)
    for verdict, one in policy.decide.items():
        yield f"decide.{verdict}", one, ("decide", verdict)


@dataclass(frozen=True)
class _Asking:
    """Whether approvals can be given by a registry at an instant, for what any of these agents proposes."""

    registry: Registry
    at: str
    agents: list[Agent]

    def faults(self, word: str, one: Approve, node: Node) -> Iterator[Fault]:
        """What is wrong with one approval, at the place where it is asked for."""
        held = {role for person in self.registry.people for role in person.roles}
        strangers = [role for role in one.roles if role not in held]
        for role in strangers:
            what = f"{word}: nobody in the registry has the role {shown(role)}{did_you_mean(role, held)}"
            yield node.at(["roles", one.roles.index(role)]).fault(what)
        if len(strangers) < len(one.roles):
            yield from (node.at(["quorum"]).fault(f"{word}: {words}") for words in self._short(one))

    def _short(self, one: Approve) -> Iterator[str]:
        known = [*self._lint(self.registry, one)]
        yield from known
        owning = {agent.owner: agent for agent in self.agents if self.registry.in_role(agent.owner, one.roles)}
        for agent in owning.values() if not known else ():
            others = replace(self.registry, people=tuple(p for p in self.registry.people if p.id != agent.owner))
            owner = f"agent {agent.id}, whose owner {agent.owner} may not approve"
            yield from (f"{owner}: {words}" for words in self._lint(others, one))

    def _lint(self, registry: Registry, one: Approve) -> Iterator[str]:
        return (words for words in lint(registry, {one.roles: one.quorum}, self.at) if _WITHOUT_KEY not in words)
