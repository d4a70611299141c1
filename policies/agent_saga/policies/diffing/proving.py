"""Proofs that nothing got looser or stricter, by the solver z3; every call that it finds is tried on both policies.

Without z3 (extra ``solver``), or where a question is beyond it, only the samples speak, and the result says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from agent_saga.policies.cel import names_in
from agent_saga.policies.diffing.meters import Meter, meter_of
from agent_saga.policies.diffing.result import Example
from agent_saga.policies.diffing.searching import Search, trees_of
from agent_saga.policies.diffing.spending import Relations, Spent
from agent_saga.policies.diffing.subjects import Part, Subject
from agent_saga.policies.model import Approve, Policy, Semantics, Then
from agent_saga.policies.sampling.variables import CLASSES

if TYPE_CHECKING:
    from agent_saga.policies.diffing.solving.asking import Answered, Question
    from agent_saga.policies.diffing.solving.saying import Said, Speaker


def available() -> bool:
    """Whether z3 is installed."""
    return find_spec("z3") is not None


@dataclass(frozen=True, slots=True)
class Proof:
    """yes with the call, tried on both policies; no: there is none; unknown, and why."""

    found: Literal["yes", "no", "unknown"]
    example: Example | None = None
    why: str = ""


class Prover:
    """The questions about two policies, one world of variables for each tool and class. seconds: for each question."""

    def __init__(self, search: Search, relations: Relations, seconds: float) -> None:
        self._search, self._relations, self._seconds = search, relations, seconds
        self._meters = [meter_of(limit) for policy in search.policies for limit in policy.limits]
        self._questions: dict[tuple[str, tuple[Semantics, Semantics]], Question] = {}
        self._roles = tuple(sorted({role for policy in search.policies for role in _roles(policy)}))

    def ask(self, subject: Subject, way: str) -> Proof:
        """Whether any call shows that the subject went this way."""
        unknown = Proof("no")
        for tool in self._search.tools:
            if not subject.concerns(tool, self._search.policies):
                continue
            if tool in self._search.disagreements:
                unknown = Proof("unknown", why=self._search.disagreements[tool])
                continue
            if subject.whole and self._chains_differ(tool):
                unknown = Proof("unknown", why=f"{tool}: a call of no chain has another chain under each policy")
            for classes in self._classes(tool):
                found = self._tried(subject, way, self._question(tool, classes), classes)
                if found.found == "yes":
                    return found
                unknown = found if found.found == "unknown" else unknown
        return unknown

    def _tried(self, subject: Subject, way: str, question: "Question", classes: tuple[Semantics, Semantics]) -> Proof:
        answered: Answered = question.ask(lambda old, new: self._formula(subject, way, old, new))
        if answered.found != "yes" or answered.given is None:
            return Proof(answered.found, why=answered.why)
        given = answered.given if classes == self._own(answered.given["tool"]) else _claimed(answered.given, classes)
        spent = self._sums(answered.spent or {})
        example = self._search.example(given, spent)
        if subject.compare(example.old, example.new) in (way, "incomparable"):
            return Proof("yes", example)
        opened = "; ".join(f"{text}: {why}" for text, why in question.world.opened.items())
        return Proof("unknown", why=opened or "a call that the solver found shows nothing when it is tried")

    def _formula(self, subject: Subject, way: str, old: "Speaker", new: "Speaker") -> Any:
        from agent_saga.policies.diffing.solving.saying import weaker

        before, after = self._said(old, subject.before, subject), self._said(new, subject.after, subject)
        return weaker(before, after, self._roles) if way == "looser" else weaker(after, before, self._roles)

    def _said(self, speaker: "Speaker", part: Part | None, subject: Subject) -> "Said":
        if subject.whole:
            return speaker.whole(self._roles)
        return speaker.parts([part] if part is not None else []).settled(self._roles)

    def _question(self, tool: str, classes: tuple[Semantics, Semantics]) -> "Question":
        from agent_saga.policies.diffing.solving.asking import Question

        if (tool, classes) not in self._questions:
            space = self._search.spaces[tool]
            meters = (self._meters, self._relations)
            self._questions[tool, classes] = Question(self._search.policies, space, classes, meters, self._seconds)
        return self._questions[tool, classes]

    def _own(self, tool: str) -> tuple[Semantics, Semantics]:
        found = [policy.tools[tool].semantics for policy in self._search.policies if tool in policy.tools]
        return found[0], found[-1]

    def _classes(self, tool: str) -> list[tuple[Semantics, Semantics]]:
        """The class that each policy declares; where conditions read it, each stricter one that a call may claim."""
        own = self._own(tool)
        if not any("semantics" in names_in(tree) for tree in trees_of(self._search.policies, tool)):
            return [own]
        worst = max(CLASSES.index(one) for one in own)
        claimed = CLASSES[worst:]
        return list(dict.fromkeys([own, *((one, one) for one in claimed)]))

    def _chains_differ(self, tool: str) -> bool:
        """Whether rules read the chain, and a call that names none is in another one under each policy."""
        found = [policy.tools[tool] for policy in self._search.policies if tool in policy.tools]
        declared = {(one.semantics, one.consequence) for one in found}
        return len(declared) > 1 and any("chain" in names_in(tree) for tree in trees_of(self._search.policies, tool))

    def _sums(self, spent: Mapping[Meter, int]) -> tuple[Spent, Spent]:
        before, after = (
            {limit.id: spent.get(meter_of(limit), 0) for limit in policy.limits} for policy in self._search.policies
        )
        return before, after


def _claimed(given: dict[str, Any], classes: Sequence[Semantics]) -> dict[str, Any]:
    return {**given, "semantics": classes[1]}


def _roles(policy: Policy) -> set[str]:
    answers: list[Then] = [*(rule.then for rule in policy.rules), *(limit.then for limit in policy.limits)]
    return {role for one in (*answers, policy.irreversible) if isinstance(one, Approve) for role in one.roles}
