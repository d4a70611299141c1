"""The steps of a plan, and which of them are alternatives of each other."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the plan: one call of one tool.

    after: steps whose effects it depends on; None: all that stand before it, (): none. fallback_for: the step in whose
    place it may be made once that one is proven not to have happened. optional: the goal does not need it. branch:
    ``GROUP.OPTION``: the options of a group are tried side by side, the first that is done wins, the others are undone.
    """

    name: str
    tool: str
    after: tuple[str, ...] | None = None
    fallback_for: str | None = None
    optional: bool = False
    branch: str | None = None


def rivals(one: Step, other: Step) -> bool:
    """Whether two steps belong to different options of one group."""
    if one.branch is None or other.branch is None or one.branch == other.branch:
        return False
    return one.branch.partition(".")[0] == other.branch.partition(".")[0]


def alternatives(steps: Iterable[Step]) -> dict[str, dict[str, frozenset[str]]]:
    """The groups of alternatives: by group and option, the steps."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for step in steps:
        if step.branch is not None:
            group, _, option = step.branch.partition(".")
            options = found.setdefault(group, {})
            options[option] = options.get(option, frozenset()) | {step.name}
    return found
