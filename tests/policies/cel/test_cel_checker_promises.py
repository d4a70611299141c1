"""The type checker keeps its promises, and a checker with a mistake in it would be caught breaking one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any
from unittest.mock import patch

import pytest
from cel_differential import NAMES
from cel_soundness import REFUSED, broken_promises

from agent_saga.policies.cel import check, parse
from agent_saga.policies.cel.checking import calls, checker, guards, signatures
from agent_saga.policies.cel.syntax import Call, Select
from agent_saga.policies.cel.types import BOOL, DOUBLE, INT, NUMBER, STRING, Field, MapType

CONDITIONS = 3_000


@pytest.mark.parametrize("text", REFUSED)
def test_a_condition_with_one_fault_is_refused(text: str) -> None:
    assert len(check(parse(text), NAMES)[1]) == 1


def test_no_promise_is_broken() -> None:
    assert list(islice(broken_promises(seed=1, conditions=CONDITIONS), 3)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_no_promise_is_broken_in_a_long_run(seed: int) -> None:
    assert list(islice(broken_promises(seed, conditions=40_000), 3)) == []


def _proven(change: Callable[[Any, bool], Any]) -> Any:
    """Guards that prove what ``change`` says, and what they should where it says nothing (...)."""
    right = guards.proven

    def proven(tree: Any, outcome: bool) -> Any:
        found = change(tree, outcome)
        return right(tree, outcome) if found is ... else found

    return patch.multiple(guards, proven=proven), patch.object(checker, "proven", proven)


def _never(name: str, found: Any) -> Any:
    """A checker of which one method finds nothing wrong."""
    return (patch.object(checker._Checker, name, lambda self, *args: found(self, *args)),)


def _accepts(table: Any, name: str, *signature: Any) -> Any:
    """A table that takes one more signature."""
    return (patch.dict(table, {name: (*table[name], signature)}),)


MUTANTS: dict[str, Any] = {
    "everything is proven": _proven(lambda tree, outcome: guards.ALL),
    "not changes nothing": _proven(
        lambda tree, outcome: (
            guards.proven(tree.args[0], outcome) if isinstance(tree, Call) and tree.name == "!" else ...
        )
    ),
    "a failed has() proves": _proven(
        lambda tree, outcome: guards.proven(tree, True) if isinstance(tree, Select) and not outcome else ...
    ),
    "a failed in proves": _proven(
        lambda tree, outcome: (
            guards.proven(tree, True) if isinstance(tree, Call) and tree.name == "in" and not outcome else ...
        )
    ),
    "one of two proves": (patch.object(guards, "common", guards.union),),
    "or is read as and": (
        patch.object(checker, "proven", lambda tree, outcome, right=guards.proven: right(tree, True)),
    ),
    "a missing field is no fault": _never("guarded", lambda self, tree, where, found, facts: found and found.type),
    "a map holds every key": _never(
        "field",
        lambda self, of, whole, name, at: (
            Field(whole.value) if isinstance(whole, MapType) else getattr(whole, "fields", {}).get(name)
        ),
    ),
    "whatever is a bool": _never("boolean", lambda self, tree, of, facts: (self.type_of(tree, facts), BOOL)[1]),
    "all types are one": (
        patch.object(calls, "joined", lambda left, right: left),
        patch.object(checker, "joined", lambda left, right: left),
    ),
    "the second value of ?: is never looked at": (patch.object(checker, "joined", lambda left, right: left),),
    "whatever compares": (patch.object(calls, "_related", lambda name, left, right: True),),
    "a list is indexed by anything": _never(
        "index", lambda self, tree, facts: getattr(self.type_of(tree.of, facts), "item", None) or INT
    ),
    "string + int": _accepts(signatures.OPERATORS, "+", (STRING, INT), STRING),
    "number * double": _accepts(signatures.OPERATORS, "*", (NUMBER, DOUBLE), DOUBLE),
    "int * double": _accepts(signatures.OPERATORS, "*", (INT, DOUBLE), DOUBLE),
    "int < double": _accepts(signatures.OPERATORS, "<", (INT, DOUBLE), BOOL),
    "double % double": _accepts(signatures.OPERATORS, "%", (DOUBLE, DOUBLE), DOUBLE),
    "-string": _accepts(signatures.OPERATORS, "-_", (STRING,), STRING),
    "size(int)": _accepts(signatures.FUNCTIONS, "size", (INT,), INT),
    "int(bool)": _accepts(signatures.FUNCTIONS, "int", (BOOL,), INT),
    "string(double)": _accepts(signatures.FUNCTIONS, "string", (DOUBLE,), STRING),
    "string.contains(int)": _accepts(signatures.METHODS, "contains", (STRING, INT), BOOL),
    "times are not read": (patch.object(checker, "constant_fault", lambda tree: None),),
}


@contextmanager
def _mutated(patches: Any) -> Iterator[None]:
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_with_a_mistake_breaks_a_promise(name: str) -> None:
    with _mutated(MUTANTS[name]):
        assert next(broken_promises(seed=1, conditions=CONDITIONS), None) is not None
