"""Questions to the solver: is there a call of this tool for which a formula holds? Yes with the call, no, or unknown.

Where there is one, a call is looked for as people make them: with values that the argument schema names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import z3

from agent_saga.policies.diffing.meters import Meter
from agent_saga.policies.diffing.solving.reading import items, value
from agent_saga.policies.diffing.solving.saying import Speaker
from agent_saga.policies.diffing.solving.terms import SECOND, characters, either
from agent_saga.policies.diffing.solving.world import Path, World
from agent_saga.policies.model import Policy, Semantics
from agent_saga.policies.sampling.calls import ABSENT, Given, Space, put
from agent_saga.policies.sampling.plain import completed, named_values
from agent_saga.policies.sampling.schemas import member
from agent_saga.policies.sampling.variables import CLASSES, CONSEQUENCES, variables

_YEAR_2026: Final = (1_767_225_600 * SECOND, 1_798_761_600 * SECOND)
_LONG: Final = 64
_WORDS: Final[Mapping[Path, Sequence[str]]] = {
    ("chain", "semantics"): CLASSES,
    ("chain", "consequence"): CONSEQUENCES,
}

Relations = Sequence[tuple[Meter, Meter, str]]
"""How the sum of a meter of the second policy stands to that of one of the first: same, more or less."""


@dataclass(frozen=True, slots=True)
class Answered:
    """found: yes with the call and what each meter holds; no; unknown, and why."""

    found: Literal["yes", "no", "unknown"]
    why: str = ""
    given: Given | None = None
    spent: Mapping[Meter, int] | None = None


class Question:
    """The calls of one tool, as two policies see them. classes: what the call claims under each."""

    def __init__(
        self,
        policies: tuple[Policy, Policy],
        space: Space,
        classes: tuple[Semantics, Semantics],
        meters: tuple[Sequence[Meter], Relations],
        seconds: float,
    ) -> None:
        self._space, self._seconds = space, seconds
        self.world = World(variables(policies, space.tool))
        self._spent = _sums(*meters, self.world)
        speakers = zip(policies, classes, strict=True)
        self.before, self.after = (Speaker(p, space.tool, c, self.world, self._spent) for p, c in speakers)

    def ask(self, formula: Callable[[Speaker, Speaker], Any]) -> Answered:
        """Whether there is a call for which the formula holds."""
        goal = formula(self.before, self.after)
        solver = z3.Solver()
        solver.set("timeout", max(1, round(self._seconds * 1000)))
        solver.add(goal, *self.world.facts, *self._words())
        found = solver.check()
        if found == z3.unsat:
            return Answered("no")
        model = solver.model() if found == z3.sat else None
        solver.add(*self._usual())
        if solver.check() == z3.sat:
            model = solver.model()
        if model is None:
            return Answered("unknown", f"the solver had no answer within {self._seconds:g} seconds")
        return self._read(model)

    def _words(self) -> list[Any]:
        return [
            either(*(self.world.values[path].term == characters(word) for word in words))
            for path, words in _WORDS.items()
            if path in self.world.values
        ]

    def _usual(self) -> list[Any]:
        """What holds of calls as people make them."""
        facts = [total <= (1 << 53) for total in self._spent.values()]
        for path, found in self.world.values.items():
            listed = named_values(member(self._space.schema, path[1:])) if path[0] == "args" else []
            if found.kind == "string":
                named = [found.term == characters(one) for one in listed if isinstance(one, str)]
                facts.append(either(*named) if named else z3.Length(found.term) <= _LONG)
            elif found.kind == "int":
                facts += _bounds(found.term, member(self._space.schema, path[1:]))
            elif found.kind == "time":
                facts += [found.term >= _YEAR_2026[0], found.term < _YEAR_2026[1]]
        return facts

    def _read(self, model: Any) -> Answered:
        given: Given = dict(self._space.base)
        for path in sorted({*self.world.values, *self.world.present}, key=len):
            given = self._placed(given, path, model)
        given["args"] = completed(given["args"], self._space.kind, self._space.schema)
        sums = {meter: model.eval(total, model_completion=True).as_long() for meter, total in self._spent.items()}
        return Answered("yes", given=given, spent=sums)

    def _placed(self, given: Given, path: Path, model: Any) -> Given:
        """The call with the model's value at a path, where it says one and all that is above it is there."""
        steps = [path[:end] for end in range(2, len(path) + 1) if path[:end] in self.world.present]
        missing = [step for step in steps if not z3.is_true(model.eval(self.world.present[step]))]
        if missing:
            return put(given, missing[0], ABSENT)
        found = self.world.values.get(path)
        if found is None or found.kind in ("object", "map"):
            return put(given, path, {}) if steps and steps[-1] == path and _lacks(given, path) else given
        if not (steps and steps[-1] == path) and not _speaks_of(model, path):
            return given
        term = model.eval(found.term, model_completion=True)
        return put(given, path, items(found.type, term) if found.kind == "list" else value(found.kind, term))


def _speaks_of(model: Any, path: Path) -> bool:
    return any(one.name() == "/".join(path) for one in model.decls())


def _lacks(given: Given, path: Path) -> bool:
    where: Any = given
    for name in path:
        if not isinstance(where, dict) or name not in where:
            return True
        where = where[name]
    return False


def _bounds(term: Any, schema: Mapping[str, Any]) -> list[Any]:
    facts = [z3.And(term >= -(1 << 53), term <= (1 << 53))]
    if isinstance(schema.get("minimum"), int):
        facts.append(term >= schema["minimum"])
    if isinstance(schema.get("maximum"), int):
        facts.append(term <= schema["maximum"])
    return facts


def _sums(meters: Sequence[Meter], relations: Relations, world: World) -> dict[Meter, Any]:
    """A variable for what each meter holds; one for those that count alike."""
    same = {after: before for before, after, how in relations if how == "same"}
    sums: dict[Meter, Any] = {}
    for meter in meters:
        first = same.get(meter, meter)
        if first not in sums:
            sums[first] = z3.Int(f"spent:{len(sums)}")
            world.facts += [sums[first] >= 0, sums[first] <= (1 << 62)]
        sums[meter] = sums[first]
    for before, after, how in relations:
        if how == "more":
            world.facts.append(sums[after] >= sums[before])
        if how == "less":
            world.facts.append(sums[after] <= sums[before])
    return sums
