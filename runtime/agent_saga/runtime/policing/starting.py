"""What must fit before a saga begins, or goes on, under a policy: its tools, and the policy that the log adopted.

Source: docs/spec/policy-v1.md, "In the runtime".
"""

from agent_saga.policies.document import did_you_mean
from agent_saga.policies.model import Policy
from agent_saga.runtime.definition import SagaDefinition
from agent_saga.runtime.errors import PolicyMismatch
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.kernel.state import State


def check_tools(definition: SagaDefinition, policy: Policy) -> None:
    """Raise PolicyMismatch unless the policy declares every tool of the saga, of the same class and undo.

    A tool that undoes another is declared where that one names it.
    """
    wrong = [fault for name in definition.catalogue if (fault := _fault(definition, name, policy))]
    if wrong:
        raise PolicyMismatch(f"saga {definition.name} does not fit {_named(policy)}: {'; '.join(wrong[:8])}")


def _fault(definition: SagaDefinition, name: str, policy: Policy) -> str:
    tool, rule = definition.catalogue[name], policy.tools.get(name)
    if rule is None and name in {policy.tools[one].undo for one in definition.catalogue if one in policy.tools}:
        return ""
    if rule is None:
        return f"it declares no tool {name}{did_you_mean(name, policy.tools) or '; add it under tools'}"
    if tool.semantics != rule.semantics:
        return f"{name} is {tool.semantics} here and {rule.semantics} there"
    if rule.undo is not None and rule.undo != tool.undo_name:
        return f"{name} is undone by {tool.undo_name or 'nothing'} here and by {rule.undo} there"
    return ""


def check_decide(policy: Policy) -> None:
    """Raise PolicyMismatch where a verdict needs more persons than one: the engine acts on the first that is signed."""
    for verdict, one in policy.decide.items():
        if one.quorum > 1:
            raise PolicyMismatch(
                f"{_named(policy)}: decide.{verdict} needs {one.quorum} persons; this engine takes one person's signed "
                "word: name a role of one, and a greater strength"
            )


def check_adopted(policy: Policy, authority: Authority, state: State) -> None:
    """Raise PolicyMismatch unless the engine's policy is the one in force in the log, and for a saga that goes on.

    The log's own lines speak where there are any; without them the saga's first line.
    """
    here = policy.digest
    if authority.policy != here:
        raise PolicyMismatch(
            f"the log's policy in force is {_short(authority.policy)}, the engine's is {_short(here)} "
            f"({_named(policy)}): give the one that is in force, or have this one adopted in the log first"
        )
    known = {digests[0] for digests in authority.before}
    if state.started is not None and state.started.policy not in (here, *known):
        raise PolicyMismatch(
            f"the saga began under policy {_short(state.started.policy)}, the engine's is {_short(here)} "
            f"({_named(policy)}): go on with the one that it began with"
        )


def check_none(authority: Authority, state: State) -> None:
    """Raise PolicyMismatch where a policy is in force and the engine has none."""
    begun = state.started.policy if state.started is not None else None
    for what, digest in (("the log's policy in force is", authority.policy), ("the saga began under policy", begun)):
        if digest is not None:
            raise PolicyMismatch(f"{what} {_short(digest)}, and the engine has none: give it that policy")


def _named(policy: Policy) -> str:
    return f"policy {policy.policy} version {policy.version} ({policy.source})"


def _short(digest: str | None) -> str:
    return f"{digest[:16]}..." if digest else "none"
