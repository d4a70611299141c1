"""Compares two policies: each rule, limit, tool and setting, and the answers in all.

Samples come first, since they are quick and already tried; the solver is asked for what no sample showed, so that
"equivalent" is a proof. A part whose words did not change is not asked about.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from agent_saga.policies.diffing.details import details, waivable
from agent_saga.policies.diffing.directions import Direction, direction, joined
from agent_saga.policies.diffing.lifting import lifted_example
from agent_saga.policies.diffing.meters import Relation, meter_of, relation
from agent_saga.policies.diffing.proving import Prover, available
from agent_saga.policies.diffing.result import Change, Comparison, Finding
from agent_saga.policies.diffing.searching import WAYS, Kept, Search
from agent_saga.policies.diffing.settings import setting_changes, tool_changes
from agent_saga.policies.diffing.spending import Relations
from agent_saga.policies.diffing.subjects import Subject, paired
from agent_saga.policies.model import Limit, Policy, Rule
from agent_saga.policies.sampling.calls import SWEEPS

Mode = Literal["auto", "z3", "sampled"]
"""auto: samples, then z3 where it is installed. z3: the solver alone. sampled: samples alone."""

SECONDS: Final = 5.0
"""For one question to the solver: most take some milliseconds, and those that take longer seldom end."""


_UNASKED: Final = {
    "sampled": "no solver was asked",
    "auto": "the solver is not installed (extra solver)",
    "z3": "the solver is not installed (extra solver)",
}


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to look. seconds: for each question to the solver. sweeps: as in :mod:`agent_saga.policies.sampling`."""

    mode: Mode = "auto"
    seconds: float = SECONDS
    sweeps: int = SWEEPS


def compare_policies(before: Policy, after: Policy, effort: Effort | None = None) -> Comparison:
    """Compare two policies. Raises ModuleNotFoundError where mode is z3 and z3 is not installed."""
    return _Work(before, after, effort or Effort()).done()


class _Work:
    def __init__(self, before: Policy, after: Policy, effort: Effort) -> None:
        self.before, self.after, self.effort = before, after, effort
        self.search = Search(before, after)
        self.relations, self.sure = _relations(before, after, effort)
        wanted = effort.mode == "z3" or (effort.mode == "auto" and available())
        self.prover = Prover(self.search, self.relations, effort.seconds) if wanted else None

    def done(self) -> Comparison:
        parts = [*paired(self.before.rules, self.after.rules), *paired(self.before.limits, self.after.limits)]
        tools = list(tool_changes(self.before, self.after))
        settings = list(setting_changes(self.before, self.after))
        asked = [Subject(), *(one for one in parts if not one.alike), *(Subject(tool=one.id) for one in tools)]
        kept = dict.fromkeys(asked, Kept())
        if self.effort.mode != "z3":
            kept = self.search.run(asked, self.relations, self.effort.sweeps)
        changes = [self._part(one, kept.get(one)) for one in parts]
        changes += [replace(one, finding=self._found(Subject(tool=one.id), kept)) for one in tools]
        changes += settings
        whole = self._whole(changes, kept)
        shown = tuple(one for one in changes if one.what != "same")
        return Comparison(self.before, self.after, whole, shown, self.search.calls)

    def _whole(self, changes: Sequence[Change], kept: dict[Subject, Kept]) -> Change:
        beyond = joined(one.beyond for one in changes)
        same = all(one.what == "same" for one in changes) and _order(self.before) == _order(self.after)
        finding = Finding("equivalent", True) if same else self._found(Subject(), kept)
        if not self.sure and not same:
            finding = replace(finding, proven=False)
        return Change("whole", self.after.policy, "same" if same else "changed", finding, (), beyond)

    def _part(self, subject: Subject, kept: Kept | None) -> Change:
        old, new = subject.before, subject.after
        part = new if new is not None else old
        kind: Literal["rule", "limit"] = "limit" if isinstance(part, Limit) else "rule"
        assert part is not None
        if kept is None:
            renamed = old is not None and old.id != part.id
            lines = (f"called {old.id} before",) if renamed and old is not None else ()
            return Change(kind, part.id, "renamed" if renamed else "same", Finding("equivalent", True), lines)
        finding = self._found(subject, {subject: kept})
        if old is None or new is None:
            return Change(kind, part.id, "added" if old is None else "removed", finding)
        beyond = waivable(old.enforcement, new.enforcement)
        if beyond != "equivalent" and finding.direction == "equivalent":
            finding = lifted_example(self.search, self.relations, new, beyond, finding, self.effort.sweeps)
        return Change(kind, part.id, "changed", finding, details(old, new), beyond)

    def _found(self, subject: Subject, kept: dict[Subject, Kept]) -> Finding:
        """What samples showed, and the solver's word on the rest."""
        examples, why, proven = dict(kept[subject].found), "", True
        for way in WAYS:
            if way in examples:
                continue
            if self.prover is None:
                proven, why = False, _UNASKED[self.effort.mode]
                continue
            proof = self.prover.ask(subject, way)
            if proof.example is not None:
                examples[way] = proof.example
            elif proof.found == "unknown":
                proven, why = False, proof.why
        found: Direction = direction("looser" in examples, "stricter" in examples)
        return Finding(found, proven, examples.get("looser"), examples.get("stricter"), why)


def _order(policy: Policy) -> tuple[str, ...]:
    """The order of parts matters to what is told of a call, and not to what is done with it; still it is a change."""
    return (*(rule.id for rule in policy.rules), *(limit.id for limit in policy.limits))


def _relations(before: Policy, after: Policy, effort: Effort) -> tuple[Relations, bool]:
    """How the sums of limits of one id stand to each other, and whether all of that is proven."""
    old = {limit.id: limit for limit in before.limits}
    found, sure = [], True
    for limit in after.limits:
        one = old.get(limit.id)
        if one is None or meter_of(one) == meter_of(limit):
            continue
        scope, proven = _scope((before, one), (after, limit), effort)
        sure = sure and proven
        found.append((meter_of(one), meter_of(limit), relation(meter_of(one), meter_of(limit), scope)))
    return found, sure


def _scope(before: tuple[Policy, Limit], after: tuple[Policy, Limit], effort: Effort) -> tuple[Relation, bool]:
    """Whether the second limit counts more calls: as a rule that denies them, it would be stricter."""
    if meter_of(before[1]).of == meter_of(after[1]).of:
        return "same", True
    rules = [(policy, Rule("counts", limit.of, "deny", enforcement="hard")) for policy, limit in (before, after)]
    one, two = (replace(policy, rules=(rule,), limits=(), agents=()) for policy, rule in rules)
    found = compare_policies(one, two, effort)
    change = next((part for part in found.changes if part.id == "counts"), found.whole)
    words: dict[str, Relation] = {"equivalent": "same", "stricter": "more", "looser": "less"}
    return words.get(change.finding.direction, "unrelated"), change.finding.proven


def failing(comparison: Comparison) -> bool:
    """Whether a policy must not go through without a person's word: it lets more through in something."""
    return comparison.direction in ("looser", "incomparable")


def worst_first(changes: Iterable[Change]) -> list[Change]:
    """Looser and incomparable parts first."""
    order: dict[str, int] = {"looser": 0, "incomparable": 1, "stricter": 2, "equivalent": 3}
    return sorted(changes, key=lambda one: order[one.direction])
