"""What the type checker says: every fault in one pass, at its place, with what was perhaps meant."""

from __future__ import annotations

import pytest

from agent_saga.policies.cel import check, parse
from agent_saga.policies.cel.types import (
    BOOL,
    DOUBLE,
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

MONEY = ObjectType({"minor": Field(INT), "currency": Field(STRING)})
ARGS = ObjectType(
    {
        "amount": Field(MONEY),
        "fee": Field(MONEY, required=False),
        "memo": Field(STRING, required=False),
        "rate": Field(DOUBLE),
        "tags": Field(ListType(STRING)),
        "labels": Field(MapType(STRING)),
        "urgent": Field(BOOL),
        "nothing": Field(NULL),
    }
)
NAMES: dict[str, Type] = {"tool": STRING, "semantics": STRING, "args": ARGS, "at": TIMESTAMP}

MIXED = "; nothing converts by itself: write 5.0 for 5, or double(...)"
JSON = "; JSON may write it without a fraction: write double(...)"
TESTS = "; see startsWith, endsWith and contains"
LOOKING = "; to look for a value, write value in list"


def said(text: str) -> list[tuple[int, str]]:
    return [(fault.at, fault.message) for fault in check(parse(text), NAMES)[1]]


@pytest.mark.parametrize(
    "text, type_",
    [
        ('tool == "payments.wire" && args.amount.minor > 500000', BOOL),
        ("args.amount.minor / 100", INT),
        ("double(args.rate) * 2.0", DOUBLE),
        ("args.rate", DOUBLE),
        ("args.rate > 1.5 || args.rate == args.rate || args.rate in [1.5] || int(args.rate) > 1", BOOL),
        ("double(args.amount.minor) * double(args.rate) > 10.0", BOOL),
        ('has(args.memo) && args.memo.contains("x")', BOOL),
        ('!has(args.memo) || args.memo == ""', BOOL),
        ('has(args.memo) ? args.memo : "none"', STRING),
        ('"memo" in args && args["memo"] == ""', BOOL),
        ("has(args.fee) && args.fee.minor > 5 && args.fee.currency == args.amount.currency", BOOL),
        ("(has(args.memo) && args.urgent) && size(args.memo) > 3", BOOL),
        ('!(!has(args.memo) || args.urgent) && args.memo == "a"', BOOL),
        ('(has(args.memo) ? true : false) && args.memo == "a"', BOOL),
        ('(args.urgent ? has(args.memo) : has(args.memo)) && args.memo == "a"', BOOL),
        ('"env" in args.labels && args.labels["env"] == "production"', BOOL),
        ('tool in args.labels && args.labels[tool] == "x"', BOOL),
        ('has(args.labels.env) && args.labels["env"] == args.labels.env', BOOL),
        ('args.amount.currency in {"EUR": 1, "USD": 2} && {"EUR": 1, "USD": 2}[args.amount.currency] > 1', BOOL),
        ('"a" in args.tags || args.tags == [] || size(args.tags + ["b"]) > 1', BOOL),
        ('at.getDayOfWeek() in [0, 6] || at.getHours("+01:00") < 8', BOOL),
        ('at + duration("24h") > timestamp("2026-11-30T00:00:00Z")', BOOL),
        ("args.nothing == null", BOOL),
        ("args.amount == args.amount", BOOL),
        ("[]", ListType(INT)),
    ],
)
def test_a_right_condition_has_a_type_and_no_fault(text: str, type_: Type) -> None:
    found, faults = check(parse(text), NAMES)
    assert faults == []
    assert str(found) == ("list" if text == "[]" else str(type_))


@pytest.mark.parametrize(
    "text, at, message",
    [
        ("tol == 'x'", 0, "there is no variable `tol`; did you mean `tool`?"),
        ("x", 0, "there is no variable `x`; there is args, at, semantics, tool"),
        ("args.amount.miner > 5", 0, "the field `miner` of `args.amount` does not exist; did you mean `minor`?"),
        ("args.Urgent", 0, "the field `Urgent` of `args` does not exist; did you mean `urgent`?"),
        ("has(args.mem)", 0, "the field `mem` of `args` does not exist; did you mean `memo`?"),
        ('"mem" in args', 0, "the field `mem` of `args` does not exist; did you mean `memo`?"),
        ('args["mem"] == ""', 5, "the field `mem` of `args` does not exist; did you mean `memo`?"),
        ("tool.name == 'x'", 0, "`tool` is of type string, which has no fields"),
        ("args.memo == 'x'", 0, "`args.memo` may be missing; put has(args.memo) && before it"),
        ("args.memo == 'x' && has(args.memo)", 0, "`args.memo` may be missing; put has(args.memo) && before it"),
        ("has(args.memo) || args.memo == 'x'", 18, "`args.memo` may be missing; put has(args.memo) && before it"),
        ("!has(args.memo) && args.memo == 'x'", 19, "`args.memo` may be missing; put has(args.memo) && before it"),
        ("has(args.fee.minor)", 4, "`args.fee` may be missing; put has(args.fee) && before it"),
        ("args.labels.env == 'x'", 0, "`args.labels.env` may be missing; put has(args.labels.env) && before it"),
        ("args.labels['env'] == 'x'", 0, '`args.labels["env"]` may be missing; put "env" in args.labels && before it'),
        ("args.amount.minor > 5.0", 0, "`>` is not for (int, double)" + MIXED),
        ("args.rate > 5", 0, "`>` is not for (number, int)" + MIXED),
        ("args.amount.minor == '5'", 0, "`==` is not for (int, string); write int(...) or string(...)"),
        ("at > '2026-01-01T00:00:00Z'", 0, "`>` is not for (timestamp, string); write timestamp(...)"),
        ("args.memo == null", 0, "`args.memo` may be missing; put has(args.memo) && before it"),
        ("args.amount.minor == null", 0, "`==` is not for (int, null); whether a field is there says has(...)"),
        ("args.amount > 5", 0, "`>` is not for (object, int)"),
        ("double(args.rate) % 2.0", 0, "`%` is not for (double, double)"),
        ("args.rate * 2.0 > 1.0", 0, "`*` is not for (number, double)" + JSON),
        ("-args.rate > 1.0", 0, "`-` is not for (number)" + JSON),
        ("-tool == 'x'", 0, "`-` is not for (string)"),
        ("!tool", 1, "`!` is for bools; `tool` is of type string"),
        ("args.urgent && args.amount.minor", 15, "`&&` is for bools; `args.amount.minor` is of type int"),
        ("tool ? 1 : 2", 0, "the test before `?` is for bools; `tool` is of type string"),
        ("args.urgent ? 1 : 'a'", 14, "the two values of `?:` are of one type, found int and string"),
        ("1 in args.tags", 0, "`in` is not for (int, list(string))"),
        ("1 in args.labels", 0, "`in` is not for (int, map(string))"),
        ("'a' in tool", 0, "`in` is not for (string, string)"),
        ("[1, 'a'] == []", 4, "the items of a list are of one type, found string after int"),
        ("{'a': 1, 'b': 'c'} == {}", 14, "the values of a map are of one type, found string after int"),
        ("{1: 2} == {}", 1, "the keys of a map are strings, found int"),
        ("{'a': 1, 'a': 2} == {}", 9, 'the key `"a"` stands twice'),
        ("{'...': 'x'} == {}", 1, 'the key `"..."` stands for a concealed value'),
        ("args.tags['a'] == 'x'", 10, "the index of a list is an int, found string"),
        ("args.labels[1] == 'x'", 12, "the key of a map is a string, found int"),
        ("args[tool] == 'x'", 5, "which field of `args` this is, and of what type, is not known"),
        ("tool[0] == 'x'", 0, "`tool` is of type string, which has no items"),
        ("tool.startswith('a')", 0, "there is no function `startswith`; did you mean `startsWith`?"),
        ("startsWith(tool, 'a')", 0, "`startsWith` is called as value.startsWith(...)"),
        ("tool.int() == 1", 0, "`int` is called as int(value)"),
        ("tool.startsWith(1)", 0, "`startsWith()` is not for string with (int)"),
        ("size(args.amount.minor) == 1", 0, "`size()` is not for (int)"),
        ("size(tool, tool) == 1", 0, "`size()` is not for (string, string)"),
        ("int(args.urgent) == 1", 0, "`int()` is not for (bool)"),
        ("string(args.rate) == '1'", 0, "`string()` is not for (number)"),
        ("tool.matches('a.*')", 0, "`matches` of CEL is left out here: there are no regular expressions" + TESTS),
        ("args.tags.exists(t, t == 'a')", 0, "`exists` of CEL is left out here: there are no loops" + LOOKING),
        ("type(tool) == string", 0, "`type` of CEL is left out here: every type is known before"),
        ("at.getHours('Europe/Paris') > 1", 12, 'the zone is neither "UTC" nor a fixed one as in "+01:00"'),
        ("at.getHours(tool) > 1", 12, 'the zone is a constant: "UTC", or a fixed one as in "+01:00"'),
        ("at > timestamp('yesterday')", 15, "the text is no RFC 3339 date and time, as in 2026-11-30T12:00:00Z"),
        ("at > timestamp('2026-02-30T00:00:00Z')", 15, "the text names a day that no calendar has"),
        ("duration('1 day') > duration('1s')", 9, "the text is no duration, as in 90s or 1h30m"),
    ],
)  # fmt: skip
def test_a_fault_is_told_at_its_place(text: str, at: int, message: str) -> None:
    found = said(text)
    assert found[0] == (at, message)


def test_all_faults_are_told_in_one_pass_in_the_order_of_the_text() -> None:
    assert [at for at, _ in said("tol == 'a' && args.mem == 1 && (1 + 'a' > 2 || at.getHors() < 3)")] == [0, 14, 32, 47]


def test_one_fault_is_not_told_again_by_what_is_around_it() -> None:
    assert len(said("(args.mem + 1) * 2 > 3 && !(args.mem == 'a')")) == 2


def test_an_open_object_has_only_the_fields_that_are_described() -> None:
    names: dict[str, Type] = {"args": ObjectType({"a": Field(INT)}, open=True)}
    _, faults = check(parse("args.b == 1 || args.a == 1"), names)
    assert [fault.message for fault in faults] == [
        "the field `b` of `args` is not described, so its type is unknown; there is a"
    ]


def test_a_wrong_condition_has_no_type() -> None:
    assert check(parse("args.amount.minor + 'a'"), NAMES)[0] is None
