"""The differential test: random conditions and values, asked of our engine and of cel-expr-python.

    python tests/policies/cel/cel_differential.py                     100,000 pairs of condition and values
    python tests/policies/cel/cel_differential.py --pairs N --seed S

A pair agrees when both give the same value of the same type, or both an error. Besides: what our type checker accepts,
theirs accepts; and the condition with some of its values put in by specialise() has the outcome of the whole.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cel_generator import VARIABLES, Conditions, values
from cel_known import KNOWN, Known, as_theirs
from cel_oracle import Oracle, Outcome, converted, ours

from agent_saga.policies.cel import CelError, Expression, check, compile_, parse, specialise
from agent_saga.policies.cel.types import (
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    Field,
    ListType,
    MapType,
    ObjectType,
    Type,
)
from agent_saga.policies.cel.walking import parts

PER_CONDITION = 4
"""Values that each condition is asked about."""

ROOTS = ("bool",) * 6 + ("int", "double", "string", "bytes", "list", "map", "timestamp", "duration")
FOLDED = ("tool", "semantics", "chain", "i", "d", "s", "b", "l", "m")

_LISTS = {"l": ListType(INT), "ls": ListType(STRING)}
_OBJECT = ObjectType({"i": Field(INT), "d": Field(DOUBLE), "s": Field(STRING), "b": Field(BOOL)})
_ARGS = {
    "i": INT,
    "j": INT,
    "d": DOUBLE,
    "s": STRING,
    "t": STRING,
    "b": BOOL,
    **_LISTS,
    "o": _OBJECT,
    "m": MapType(INT),
    "n": NULL,
}
NAMES: dict[str, Type] = {
    **dict.fromkeys(("tool", "semantics", "s"), STRING),
    **dict.fromkeys(("i", "j"), INT),
    "d": DOUBLE,
    "b": BOOL,
    "l": ListType(INT),
    "m": MapType(INT),
    "at": TIMESTAMP,
    "du": DURATION,
    "chain": ObjectType({"semantics": Field(STRING), "consequence": Field(STRING)}),
    "args": ObjectType({name: Field(type_, required=name != "t") for name, type_ in _ARGS.items()}),
}


@dataclass
class Tally:
    """What was seen. wrong: one sentence for each disagreement. calls: how often which operator or function."""

    pairs: int = 0
    conditions: int = 0
    errors: int = 0
    accepted: int = 0
    folded: int = 0
    known: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def told(self) -> str:
        """The count, in one paragraph."""
        known = "".join(f"\n  known difference, {count:,} pairs: {name}" for name, count in sorted(self.known.items()))
        return (
            f"{self.pairs:,} pairs of {self.conditions:,} conditions: {self.pairs - len(self.wrong):,} agree with"
            f" cel-expr-python, {self.errors:,} of them on an error;\n  {self.folded:,} pairs specialised;"
            f" {self.accepted:,} conditions that our type checker accepts{known}"
        )


class Differential:
    """Both engines side by side."""

    def __init__(self, seed: int, wrong: float = 0.04) -> None:
        self.random = random.Random(seed)
        self.conditions = Conditions(self.random, wrong)
        self.oracle = Oracle()
        self.tally = Tally()

    def run(self, pairs: int) -> Tally:
        """Ask about so many pairs, at least."""
        while self.tally.pairs < pairs:
            self.one(self.conditions.of(self.random.choice(ROOTS), self.random.choice((1, 2, 3, 3, 4))))
        return self.tally

    def one(self, text: str) -> None:
        """Ask about one condition."""
        theirs = self.oracle.compile(text)
        try:
            tree = parse(text)
        except CelError as why:
            return self.note(text, f"we refuse it: {why}") if theirs is not None else None
        if theirs is None:
            return self.note(text, "they refuse it, we read it")
        self.tally.conditions += 1
        self.tally.calls.update(getattr(part, "name", type(part).__name__) for part in parts(tree))
        self.checked(text, tree)
        for _ in range(PER_CONDITION):
            self.pair(text, tree, theirs)
        return None

    def checked(self, text: str, tree: Expression) -> None:
        """Whoever passes our type checker passes theirs."""
        _, faults = check(tree, NAMES)
        if not faults:
            self.tally.accepted += 1
            if self.oracle.compile(text, checked=True) is None or not self.oracle.accepts(text):
                self.note(text, "our type checker accepts it, theirs does not")

    def pair(self, text: str, tree: Expression, theirs: Any) -> None:
        """One condition with one set of values."""
        self.tally.pairs += 1
        given = values(self.random)
        mine, other = ours(compile_(tree, VARIABLES), converted(given)), self.oracle.run(theirs, given)
        self.tally.errors += mine[0] == other[0] == "error"
        if not agree(mine, other):
            self.differing(text, tree, given, mine, other)
        known = {name: converted(given)[name] for name in self.random.sample(FOLDED, self.random.randrange(1, 6))}
        folded = specialise(tree, known)
        self.tally.folded += folded != tree
        again = ours(compile_(folded, VARIABLES), converted(given))
        if not agree(mine, again):
            self.note(text, f"with {known}: {mine}, specialised {again}")

    def differing(self, text: str, tree: Expression, given: dict[str, Any], mine: Outcome, other: Outcome) -> None:
        """A difference is known if the fewest changes that make ours do as theirs are of :data:`KNOWN`."""
        for count in range(1, len(KNOWN) + 1):
            for some in combinations(KNOWN, count):
                again = self.changed(tree, given, some)
                if agree(again, other):
                    self.tally.known.update(one.name for one in some)
                    return
        self.note(text, f"ours {mine}, theirs {other}, for {given}")

    def changed(self, tree: Expression, given: dict[str, Any], some: tuple[Known, ...]) -> Outcome:
        """Our outcome with these differences taken over."""
        with as_theirs(some):
            return ours(compile_(tree, VARIABLES), converted(given))

    def note(self, text: str, words: str) -> None:
        self.tally.wrong.append(f"{text}\n    {words}")


def agree(one: Outcome, other: Outcome) -> bool:
    """The same value of the same type, or both an error, of whatever words."""
    return one[0] == other[0] == "error" or one == other


def main(arguments: list[str]) -> int:
    """Run, print the count and every disagreement; 1 if there is one."""
    parser = argparse.ArgumentParser(description="Compare our CEL subset with cel-expr-python.")
    parser.add_argument("--pairs", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    chosen = parser.parse_args(arguments)
    tally = Differential(chosen.seed).run(chosen.pairs)
    print(f"seed {chosen.seed}: {tally.told()}")
    for one in sorted(tally.wrong, key=len)[:20]:
        print(f"  DISAGREES: {one}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
