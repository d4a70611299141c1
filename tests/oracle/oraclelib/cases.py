"""Which sagas are asked about: everything small, and a sample of what is larger. Each has a stable number."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from typing import NamedTuple

from .acts import ALL_OUTCOMES, ALL_UNDOS, ALPHABET, EVERYTHING, LETTERS, PARALLEL, Act
from .sagas import ENDS, Line, Plan, backward, forward, interleaved, sequential

SAMPLE = 200_000
SEED = 20260105
STANDARD = ENDS[:7]


class Case(NamedTuple):
    """One saga to be made when it is needed."""

    name: str
    make: Callable[[], list[Line]]


def _orders(acts: tuple[Act, ...]) -> Iterator[tuple[int, ...]]:
    """Every order of the undos there are."""
    yield from permutations([n for n, act in enumerate(acts) if act.undo != "none"])


def _spelled(letters: list[Act], count: int, ends: tuple[str, ...]) -> Iterator[Case]:
    for acts in product(letters, repeat=count):
        for order in _orders(acts):
            for end in ends:
                plan = Plan(acts, order, end)
                yield Case(f"{plan}", lambda plan=plan: sequential(plan))


def small() -> Iterator[Case]:
    """All sequential sagas of up to three effects: one over everything, two and three over smaller
    alphabets."""
    yield from _spelled(EVERYTHING, 0, ENDS)
    yield from _spelled(EVERYTHING, 1, ENDS)
    yield from _spelled(ALPHABET, 2, STANDARD)
    yield from _spelled(LETTERS, 3, STANDARD)


def parallel() -> Iterator[Case]:
    """All interleavings of two effects and their undos, with and without `after`, with and without a
    rollback line."""
    for pair in product(PARALLEL, repeat=2):
        for after, (end, rollback) in product((None, [], ["e0"]), (("success", False), ("compensated", True))):
            plan = Plan(pair, (), end, ([], after))
            for pattern in _merges(*(len([*forward(act, n), *backward(act, n)]) for n, act in enumerate(pair))):
                yield Case(f"{plan} {pattern}", lambda plan=plan, p=pattern, r=rollback: interleaved(plan, p, r))


def _merges(first: int, second: int) -> Iterator[tuple[int, ...]]:
    """Every way of merging two sequences."""
    for chosen in combinations(range(first + second), first):
        yield tuple(0 if n in chosen else 1 for n in range(first + second))


def sample(every: int = 1, part: int = 0, parts: int = 1) -> Iterator[Case]:
    """A seeded sample of sagas with four effects; every: take each so many-th; part, of parts: to share the work."""
    for number in range(part * every, SAMPLE, parts * every):
        rng = random.Random(SEED + number)
        yield Case(f"sample {number}", lambda rng=rng: _one_of_four(rng))


def _one_of_four(rng: random.Random) -> list[Line]:
    """Four effects; most behave, since a saga with four oddities says little."""
    odd = rng.choice((0, 1, 1, 2, 4))
    compensated = rng.random() < 0.6
    acts = [_usual(rng, compensated) for _ in range(4)]
    for n in rng.sample(range(4), odd):
        acts[n] = rng.choice(EVERYTHING)
    order = [n for n, act in enumerate(acts) if act.undo != "none"][::-1]
    if rng.random() < 0.25:
        rng.shuffle(order)
    end = rng.choice(ENDS) if rng.random() < 0.3 else ("compensated" if compensated else "success")
    steps = (0, 1, 1, 3) if rng.random() < 0.08 and acts[1].semantics == acts[2].semantics else ()
    plan = Plan(tuple(acts), tuple(order), end, _after(rng), steps, rng.random() < 0.5)
    return sequential(plan)


def _usual(rng: random.Random, compensated: bool) -> Act:
    semantics = rng.choice(("preview", "reversible", "compensable", "compensable"))
    outcome = rng.choice(("ok", "ok", "ok", "landed", "retry", "failed", "absent"))
    if semantics == "preview" or outcome in ("failed", "absent") or not compensated:
        return Act(semantics, outcome, "none")
    parts = ("in parts",) if semantics == "compensable" else ("landed",)
    return Act(semantics, outcome, rng.choice(("proper", "proper", "proper", "retried", *parts)))


def _after(rng: random.Random) -> tuple[list[str] | None, ...]:
    """For each effect: everything earlier, nothing, or some."""
    if rng.random() < 0.6:
        return ()
    earlier = [[f"e{k}" for k in range(n)] for n in range(4)]
    some = [rng.sample(names, rng.randint(0, len(names))) for names in earlier]
    return tuple(rng.choice((None, [], sorted(part))) for part in some)


def counts() -> dict[str, int]:
    """Sizes of the alphabets, for the record."""
    return {"outcomes": len(ALL_OUTCOMES), "undos": len(ALL_UNDOS), "behaviours": len(EVERYTHING)}
