"""The canonical spelling says the same as its tree: reading it back gives the tree again, whatever the tree."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cel_generator import Conditions
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_saga.policies.cel import CelError, parse, text_of
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.parser import BINDS, RESERVED
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select

_KEYWORDS = {"true", "false", "null", "in"}
_FIELDS = st.from_regex(r"[_a-zA-Z][_a-zA-Z0-9]{0,5}", fullmatch=True).filter(lambda word: word not in _KEYWORDS)
_NAMES = _FIELDS.filter(lambda word: word not in RESERVED and word != "has")
_CONSTANTS = (
    st.none() | st.booleans() | st.integers(MIN_INT, MAX_INT) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])) | st.binary()
)  # fmt: skip


def _joined(sign: str, parts: list[Expression]) -> Call:
    """Chains of && and || hold no chain of their own kind: the parser makes one of both."""
    flat: list[Expression] = []
    for part in parts:
        flat.extend(part.args if isinstance(part, Call) and part.name == sign and not part.receiver else [part])
    return Call(sign, tuple(flat))


def _whole(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Any]:
    binary = sorted(set(BINDS) - {"&&", "||"})
    few = st.lists(inner, max_size=3)
    return st.one_of(
        st.builds(Select, inner, _FIELDS, st.booleans()),
        st.builds(Index, inner, inner),
        few.map(lambda items: ListOf(tuple(items))),
        st.lists(st.tuples(inner, inner), max_size=3).map(lambda items: MapOf(tuple(items))),
        st.builds(lambda sign, left, right: Call(sign, (left, right)), st.sampled_from(binary), inner, inner),
        st.builds(_joined, st.sampled_from(["&&", "||"]), st.lists(inner, min_size=2, max_size=4)),
        st.builds(lambda sign, operand: Call(sign, (operand,)), st.sampled_from(["!", "-_"]), inner),
        st.builds(lambda *parts: Call("?:", parts), inner, inner, inner),
        st.builds(lambda name, args: Call(name, tuple(args)), _NAMES, few),
        st.builds(lambda of, name, args: Call(name, (of, *args), receiver=True), inner, _FIELDS, few),
    )


TREES = st.recursive(_CONSTANTS.map(Literal) | _NAMES.map(Name), _whole, max_leaves=25)


@given(TREES)
@settings(max_examples=400)
def test_any_tree_is_read_back_from_its_text(tree: Expression) -> None:
    assert parse(text_of(tree)) == tree


def test_random_conditions_have_one_spelling() -> None:
    making = Conditions(random.Random(5), wrong=0.2)
    for _ in range(1_500):
        text = making.of(making.any_type(), 4)
        try:
            tree = parse(text)
        except CelError:
            continue
        assert parse(text_of(tree)) == tree
        assert text_of(parse(text_of(tree))) == text_of(tree)


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("((a))", "a"),
        ("(a&&b)&&(c&&d)", "a && b && c && d"),
        ("(a&&b)||c", "a && b || c"),
        ("a&&(b||c)", "a && (b || c)"),
        ("a+(b+c)", "a + (b + c)"),
        ("(a+b)+c", "a + b + c"),
        ("(a*b)+c", "a * b + c"),
        ("a-(-1)", "a - -1"),
        ("-(1)", "-(1)"),
        ("-(a.b)", "-a.b"),
        ("-(1.a)", "-(1.a)"),
        ("-(1[0].size())", "-(1[0].size())"),
        ("-(-1)", "-(-1)"),
        ("(-a).b", "(-a).b"),
        ("!(a==b)", "!(a == b)"),
        ("!(a.b)", "!a.b"),
        ("a?(b?c:d):e", "a ? (b ? c : d) : e"),
        ("a?b:(c?d:e)", "a ? b : c ? d : e"),
        ("(a?b:c)?d:e", "(a ? b : c) ? d : e"),
        ("a in(b)", "a in b"),
        ("(a<b)==c", "a < b == c"),
        ("a<(b==c)", "a < (b == c)"),
        ("'it\\'s \"so\"'", '"it\'s \\"so\\""'),
        ("'''a\nb'''", '"a\\nb"'),
        (r"r'\d'", r'"\\d"'),
        ("b'\\xff\\000a'", 'b"\\xff\\x00a"'),
        ("'\\u200b'", '"\\u200b"'),
        ("0x1F", "31"),
        ("1e3", "1000.0"),
        ("[1,2,]", "[1, 2]"),
        ("{'a':1,}", '{"a": 1}'),
        ("has( a . b )", "has(a.b)"),
        ("a // why\n && b", "a && b"),
    ],
)
def test_the_canonical_spelling(text: str, canonical: str) -> None:
    assert text_of(parse(text)) == canonical


def test_trees_differ_by_type_and_sign_of_constants() -> None:
    apart = [Literal(value) for value in (1, 1.0, True, "1", b"1", None, 0, 0.0, -0.0, False)]
    assert all((one == other) is (one is other) for one in apart for other in apart)
    assert Literal(1, at=3) == Literal(1, at=9)
    assert Literal(1) != 1
