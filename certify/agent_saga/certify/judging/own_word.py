"""What a verdict takes at the trace's own word: what the judged party says of itself, and nobody else bears out.

The names are for programs, the sentences for people. What already has a sentence of its own (the classes of tools, the
key registry, a policy that was only named, the clock, the checkpoint) has a name and no second sentence here.

Source: docs/rules.md, "What is taken at the trace's own word".
"""

from collections.abc import Collection, Iterator
from typing import Final

from agent_saga.certify.judging.inputs import Part, Task
from agent_saga.certify.judging.told import Told
from agent_saga.certify.policing.trust import PolicyTrust
from agent_saga.certify.standing.trust import CLOCK, was_first_use

ASKED: Final = (
    "how many persons, of which roles and strength, had to approve is the operator's own statement: no policy is pinned"
)
UNDOS: Final = "what an undo gives back is the operator's own statement for tools of which the policy names no inverse"
_UNDONE: Final = ("reversible", "compensable")
"""Classes of tools that have an undo."""


def at_own_word(task: Task, whole: Part, told: Told) -> Iterator[str]:
    """Names of what was taken at the trace's own word, in a fixed order. told: what the lines stand under."""
    found, people = whole.bench.crossing.policing, (*whole.people, *told.assumptions)
    if not found.named_by:
        yield "tool_classes"
        if "approval.requested" in whole.met:
            yield "approvals_asked"
    if not found.named_by or any(_silent(one) for one in task.policy.all):
        yield "undos"
    if was_first_use(people):
        yield "registry"
    if task.policy.first_use and found.named:
        yield "policy"
    if CLOCK in people or found.spending.lines:
        yield "clock"
    if told.pinned is None or not told.pinned.agrees or told.pinned.size < whole.lines:
        yield "end"


def sentences(named: Collection[str]) -> Iterator[str]:
    """What has no sentence elsewhere. named: what :func:`at_own_word` gave."""
    if "approvals_asked" in named:
        yield ASKED
    if "undos" in named and "tool_classes" not in named:
        yield UNDOS


def _silent(policy: PolicyTrust) -> bool:
    """Whether the policy says of some tool nothing about its undo."""
    tools = policy.policy.tools.values() if policy.policy else ()
    return any(one.inverse is None and one.semantics in _UNDONE for one in tools)
