"""What is compared call by call: the whole answer, or what one rule or limit alone says."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_saga.policies.answers import Decision
from agent_saga.policies.cel import text_of
from agent_saga.policies.diffing.directions import Answer, Direction, answer, answer_of, compare
from agent_saga.policies.diffing.meters import meter_of
from agent_saga.policies.model import Limit, Policy, Rule

Part = Rule | Limit


@dataclass(frozen=True)
class Subject:
    """before, after: the parts compared, None where a policy has none; both None for the whole answer.

    tool: the one tool whose calls are looked at; "" for all.
    """

    before: Part | None = None
    after: Part | None = None
    tool: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is the whole answer."""
        return self.before is None and self.after is None

    @property
    def alike(self) -> bool:
        """Whether both say the same in the same words, so that nothing need be asked."""
        if self.before is None or self.after is None:
            return False
        return said(self.before) == said(self.after)

    def concerns(self, tool: str, policies: tuple[Policy, Policy]) -> bool:
        """Whether the calls of a tool are to be asked about: a part is compared where both policies know the tool."""
        known = [tool in policy.tools for policy in policies]
        if self.whole:
            return self.tool in ("", tool)
        if self.before is None or self.after is None:
            return known[1] if self.before is None else known[0]
        return all(known)

    def compare(self, old: Decision, new: Decision) -> Direction:
        """How two answers to one call stand to each other in this."""
        return compare(_answer(old, self.before, self.whole), _answer(new, self.after, self.whole))


def _answer(decision: Decision, part: Part | None, whole: bool) -> Answer:
    if whole:
        return answer(decision)
    return answer_of(decision, [part.id] if part is not None else [])


def said(part: Part) -> tuple[object, ...]:
    """All that a rule or limit says, apart from its name and its reason."""
    if isinstance(part, Rule):
        return (text_of(part.when.tree), part.then, part.enforcement)
    return (meter_of(part), part.max, part.then, part.enforcement)


def paired(before: Sequence[Part], after: Sequence[Part]) -> list[Subject]:
    """The parts of both policies, matched by id, then by what they say; in the order of the second, then the first."""
    old = {part.id: part for part in before}
    new = {part.id: part for part in after}
    gone = [part for part in before if part.id not in new]
    pairs: list[Subject] = []
    for part in after:
        match = old.get(part.id)
        if match is None:
            match = next((one for one in gone if type(one) is type(part) and said(one) == said(part)), None)
            if match is not None:
                gone.remove(match)
        pairs.append(Subject(match, part))
    return [*pairs, *(Subject(part, None) for part in gone)]
