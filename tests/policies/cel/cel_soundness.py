"""What the type checker promises: a condition that it accepts is CEL that others accept too, and meets no wrong type
and no missing field, as long as the values are what their types say."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import chain

from cel_differential import NAMES
from cel_generator import VARIABLES, Conditions, fitting
from cel_oracle import Oracle, converted

from agent_saga.policies.cel import CelError, Undecided, check, compile_, parse
from agent_saga.policies.cel.values import kind_of

_FOR_VALUES_ALONE = re.compile(
    "outside 64 bits|division by zero|has no item -?[0-9]+$|outside the years|beyond 292 years|no integer of 64 bits"
    "|no decimal number|beyond the greatest double|are no UTF-8|no RFC 3339|no day has|no calendar has|is no duration"
)
"""The words of errors that no types can rule out."""

REFUSED = (
    "size(i) > 1", "i * d > 1.0", "i < d", "d % d == d", "-s == s", "s + i == s", "s.contains(i)", "int(b) == 1",
    "string(d) == s", "args.d * 2.0 > 1.0", "-args.d < 1.0", "args.o.d + d == d", "at.getHours(s) == 1", "l[d] == 1",
    "du.getFullYear() == 1", "b + b", "m[i] == 1", "{i: 1} == m", "args.t == s", "m.k == 1", "i ? b : b",
)  # fmt: skip
"""Conditions with one fault each, which random ones seldom have."""

_ORACLE = Oracle()


def broken_promises(seed: int, conditions: int) -> Iterator[str]:
    """Each promise that the checker breaks for random conditions, with the condition."""
    random_ = random.Random(seed)
    making = Conditions(random_, wrong=0.2)
    made = (making.of("bool", random_.choice((1, 1, 2, 2, 2, 3))) for _ in range(conditions))
    for text in chain(REFUSED, made):
        try:
            tree = parse(text)
        except CelError:
            continue
        type_, faults = check(tree, NAMES)
        if faults:
            continue
        if not _ORACLE.accepts(text):
            yield f"{text}: the type checker of cel-expr-python refuses it"
        function = compile_(tree, VARIABLES)
        for _ in range(4):
            try:
                kind = kind_of(function(converted(fitting(random_))))
                if (str(type_), kind) == ("double", "int"):
                    continue  # a field as JSON writes it
                if not str(type_).startswith({"map": ("map", "object")}.get(kind, kind)):
                    yield f"{text}: said to be {type_}, is {kind}"
            except Undecided as why:
                if not _FOR_VALUES_ALONE.search(why.words):
                    yield f"{text}: {why.words}"
