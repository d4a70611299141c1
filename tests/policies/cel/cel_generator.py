"""Makes random conditions and the values of their variables: every operator and function, right and wrong types,
fields that are missing, integers and doubles at their ends.

A condition is made as text, so that what it means is left to whoever parses it. The same seed gives the same cases.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

VARIABLES = ("tool", "semantics", "i", "j", "d", "s", "b", "l", "m", "at", "du", "chain", "args")
"""What a condition may name. args is a map of anything; the others are always of their type."""

INTS = ("0", "1", "-1", "2", "3", "7", "-5", "100", "500000", "0x1F", "-0x10", "9007199254740991")
INT_ENDS = ("9223372036854775807", "-9223372036854775808", "4611686018427387904", "3037000500")
DOUBLES = ("0.0", "-0.0", "1.0", "1.5", "-2.5", "0.1", ".5", "1e3", "2E-3", "1e+2", "1.7976931348623157e308", "5e-324")
STRINGS = (
    '""', '"a"', "'a'", '"abc"', '"EUR"', '"payments.wire"', '"irreversible"', '"é"', '"\\u00e9"', '"e\\u0301"',
    '"\\U0001F600"', "'😀'", r'"\x41\101"', r'r"\n"', "R'a'", '"""a\nb"""', "'''it''s'''", '"\\n\\t\\\\\\"\\?\\`"',
    '"\\a\\b\\f\\r\\v"', '"//"', '"a" + "bc"', '"A"', '"Z"', '"z"', "'\\''", 'r"""a"b"""', '"i"', '"x"', '"k"',
)  # fmt: skip
NUMBERS = ('"12"', '"-7"', '"+3"', '"007"', '"9223372036854775807"', '"9223372036854775808"', '"x"', '""', '"1.5"')
DECIMALS = (
    '"1.5"',
    '"-2e3"',
    '".5"',
    '"1."',
    '"12"',
    '"nan"',
    '"NaN"',
    '"inf"',
    '"-Infinity"',
    '"1e5000"',
    '"x"',
    '"e5"',
)
BYTES = ('b""', 'b"a"', "b'abc'", r'b"\xff"', r'b"\303\251"', 'b"é"', r'br"\x"', "B'''a'b'''", r'b"\000"', 'b"z"')
TIMES = (
    '"2026-11-30T12:00:00Z"', '"2024-02-29T23:59:59.999999999Z"', '"1969-12-31T23:59:59.5Z"', '"0001-01-01T00:00:01Z"',
    '"9999-12-31T23:59:59Z"', '"2026-01-01T00:30:00+02:00"', '"2026-12-31T23:30:00-01:30"', '"2023-02-29T00:00:00Z"',
    '"0000-01-01T00:00:00Z"', '"2026-11-30"', '"2026-11-30 12:00:00Z"', '"2026-11-30t12:00:00z"', '"x"',
    '"2026-11-30T24:00:00Z"', '"9999-12-31T23:59:59-00:01"', '"2026-11-30T12:00:00.123Z"',
    '"2026-11-30T12:00:00+24:00"',
)  # fmt: skip
SPANS = (
    '"0s"', '"1s"', '"90s"', '"1h30m"', '"-1.5h"', '"1h1m1s1ms1us1ns"', '"0.5s"', '"100ms"', '"2562047h"', '"-1ns"',
    '"1d"', '"s"', '"1"', '"0"', '"320000000000s"', '"-320000000000s"', '"-2562047h"', '"+5m"', '"1.s"', '".5s"',
)  # fmt: skip
ZONES = ('"UTC"', '"+01:00"', '"-05:30"', '"+00:00"', '"-23:59"')
GETTERS = (
    "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes",
    "getSeconds", "getMilliseconds",
)  # fmt: skip
RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
OPTIONAL = (
    ("args.t", "has(args.t)", '{} == "a"'),
    ("args.t", "has(args.t)", '{}.startsWith("a")'),
    ('args["t"]', '("t" in args)', "size({}) > 1"),
    ("m.k", "has(m.k)", "{} > 1"),
    ('m["k"]', '("k" in m)', "{} + 1 > 1"),
    ("m[s]", "(s in m)", "{} != 0"),
)
"""A field that may be missing, what makes sure that it is not, and a use of it."""

FIELDS = ("i", "j", "d", "s", "t", "b", "n", "l", "ls", "m", "o", "missing")


class Conditions:
    """Makes conditions of about a wanted type; now and then of another, on purpose."""

    def __init__(self, random_: random.Random, wrong: float = 0.04) -> None:
        """wrong: how often an operand is of any type instead of the one that is asked for."""
        self.random = random_
        self.wrong = wrong
        self.makers: dict[str, tuple[Callable[[int], str], ...]] = {
            "bool": (self.relation, self.relation, self.logic, self.logic, self.negation, self.presence,
                     self.membership, self.text_test, self.guarded, self.ternary("bool"), self.bool_leaf),
            "int": (self.int_leaf, self.arithmetic, self.arithmetic, self.minus("int"), self.size, self.getter,
                    self.convert("int", "double", "string", "int", "timestamp"), self.ternary("int"), self.item("int")),
            "double": (self.double_leaf, self.double_arithmetic, self.minus("double"), self.ternary("double"),
                       self.convert("double", "int", "string", "double")),
            "string": (self.string_leaf, self.plus("string"), self.ternary("string"), self.item("string"),
                       self.convert("string", "int", "bool", "bytes", "string")),
            "bytes": (self.pick(*BYTES), self.plus("bytes"), self.convert("bytes", "string", "bytes")),
            "list": (self.list_of("int"), self.list_of("string"), self.plus("list"), self.list_leaf,
                     self.list_of("list")),
            "map": (self.map_of, self.map_leaf),
            "null": (self.pick("null", "args.n"),),
            "timestamp": (self.stamp, self.stamp, self.time_plus, self.pick("at")),
            "duration": (self.span, self.span, self.span_plus, self.pick("du")),
        }  # fmt: skip
        self.leaves = {
            "bool": self.bool_leaf, "int": self.int_leaf, "double": self.double_leaf, "string": self.string_leaf,
            "bytes": self.pick(*BYTES), "list": self.list_leaf, "map": self.map_leaf,
            "null": self.pick("null", "args.n"), "timestamp": self.stamp, "duration": self.span,
        }  # fmt: skip

    def of(self, type_: str, depth: int) -> str:
        """A condition of a type, mostly."""
        if self.random.random() < self.wrong:
            type_ = self.random.choice(list(self.makers))
        if depth <= 0:
            return self.leaves[type_](0)
        return self.random.choice(self.makers[type_])(depth - 1)

    def odd(self, type_: str, depth: int) -> str:
        """Where a wrong type would go unseen elsewhere: one more often."""
        return self.of(type_ if self.random.random() < 0.9 else self.random.choice(("int", "string", "bool")), depth)

    def operand(self, type_: str, depth: int) -> str:
        """The same, mostly in brackets: without them, it may be read otherwise than it was made, by both."""
        text = self.of(type_, depth)
        return text if self.random.random() < 0.25 or text.replace(".", "").isalnum() else f"({text})"

    def any_type(self) -> str:
        return self.random.choice(list(self.makers))

    def pick(self, *texts: str) -> Callable[[int], str]:
        return lambda _: self.random.choice(texts)

    def bool_leaf(self, _: int) -> str:
        return self.random.choice(("true", "false", "b", "args.b", "args.o.b", 'args["b"]'))

    def int_leaf(self, _: int) -> str:
        literal = self.random.choice(INTS if self.random.random() < 0.8 else INT_ENDS)
        return self.random.choice((literal, literal, "i", "j", "args.i", "args.j", "args.o.i", 'args["i"]', "m.k"))

    def double_leaf(self, _: int) -> str:
        return self.random.choice((self.random.choice(DOUBLES), "d", "args.d", "args.o.d"))

    def string_leaf(self, _: int) -> str:
        literal = self.random.choice(STRINGS)
        names = ("tool", "semantics", "s", "args.s", "args.t", "args.o.s", "chain.semantics")
        return self.random.choice((literal, literal, *names))

    def list_leaf(self, _: int) -> str:
        return self.random.choice(("[]", "l", "args.l", "args.ls", "[1, 2, 3,]", '["a", "EUR"]', "[[1], []]"))

    def map_leaf(self, _: int) -> str:
        return self.random.choice(("m", "args.m", "args.o", '{"k": 1}', "{}", "chain", "args"))

    def relation(self, depth: int) -> str:
        type_ = self.any_type()
        if self.random.random() < 0.5:
            type_ = self.random.choice(("int", "double", "string"))
        other = type_ if self.random.random() < 0.9 else self.random.choice(("int", "double", self.any_type()))
        sign = self.random.choice(RELATIONS if type_ not in ("list", "map", "null") else ("==", "!="))
        return f"{self.operand(type_, depth)} {sign} {self.operand(other, depth)}"

    def logic(self, depth: int) -> str:
        sign = self.random.choice((" && ", " || "))
        return sign.join(self.operand("bool", depth) for _ in range(self.random.choice((2, 2, 2, 3, 4))))

    def negation(self, depth: int) -> str:
        return f"!({self.of('bool', depth)})" if self.random.random() < 0.9 else "!b"

    def presence(self, _: int) -> str:
        whole = self.random.choice(("args", "args", "args.o", "m", "args.m", "chain", "args.missing", "args.i"))
        field = self.random.choice((*FIELDS, "k", "semantics"))
        return f"has({whole}.{field})"

    def guarded(self, depth: int) -> str:
        """A field that may be missing behind a guard, a wrong guard, or none; in any order of the parts."""
        field, guard, use = self.random.choice(OPTIONAL)
        test = self.random.choice((guard, guard, f"!{guard}", f"!(!{guard})", "b"))
        test = test if self.random.random() < 0.7 else f"({test} {self.random.choice(('&&', '||'))} {guard})"
        used = self.random.choice((use.format(field), f"({use.format(field)} || {self.of('bool', depth)})"))
        form = self.random.choice(
            ("{0} && {1}", "!({0}) || {1}", "{0} || {1}", "{0} ? {1} : b", "{0} ? b : {1}", "{1} && {0}")
        )
        text = form.format(test, used)
        return text if self.random.random() < 0.5 else f"({text}) && {used}"

    def membership(self, depth: int) -> str:
        if self.random.random() < 0.3:
            return f"{self.operand('string', depth)} in {self.operand('map', depth)}"
        return (
            f"{self.operand(self.random.choice(('int', 'string', 'double')), depth)} in {self.operand('list', depth)}"
        )

    def text_test(self, depth: int) -> str:
        name = self.random.choice(("startsWith", "endsWith", "contains"))
        return f"({self.of('string', depth)}).{name}({self.odd('string', depth)})"

    def ternary(self, type_: str) -> Callable[[int], str]:
        def make(depth: int) -> str:
            parts = self.operand("bool", depth), self.operand(type_, depth), self.of(type_, depth)
            return f"({parts[0]} ? {parts[1]} : {parts[2]})"

        return make

    def arithmetic(self, depth: int) -> str:
        sign = self.random.choice("+-*/%")
        return f"{self.operand('int', depth)} {sign} {self.operand('int', depth)}"

    def double_arithmetic(self, depth: int) -> str:
        sign = self.random.choice("++--**//%")
        return f"{self.operand('double', depth)} {sign} {self.operand('double', depth)}"

    def plus(self, type_: str) -> Callable[[int], str]:
        return lambda depth: f"{self.operand(type_, depth)} + {self.operand(type_, depth)}"

    def minus(self, type_: str) -> Callable[[int], str]:
        return lambda depth: f"-({self.odd(type_, depth)})"

    def size(self, depth: int) -> str:
        whole = self.odd(self.random.choice(("string", "bytes", "list", "map")), depth)
        return f"size({whole})" if self.random.random() < 0.5 else f"({whole}).size()"

    def getter(self, depth: int) -> str:
        if self.random.random() < 0.3:
            return f"({self.odd('duration', depth)}).{self.random.choice(GETTERS[-4:])}()"
        zone = self.random.choice(ZONES) if self.random.random() < 0.4 else ""
        return f"({self.of('timestamp', depth)}).{self.random.choice(GETTERS)}({zone})"

    def convert(self, name: str, *types: str) -> Callable[[int], str]:
        numbers = {"int": NUMBERS, "double": DECIMALS}.get(name, ())

        def make(depth: int) -> str:
            type_ = self.random.choice(types)
            if type_ == "string" and numbers and self.random.random() < 0.7:
                return f"{name}({self.random.choice(numbers)})"
            return f"{name}({self.of(type_, depth)})"

        return make

    def item(self, type_: str) -> Callable[[int], str]:
        lists = {"int": ("l", "args.l", "[1, 2, 3]"), "string": ("args.ls", '["a", "EUR"]')}[type_]

        def make(depth: int) -> str:
            if type_ == "int" and self.random.random() < 0.4:
                whole = self.random.choice(("m", "args.m", '{"k": 5, "a": 6}'))
                return f"{whole}[{self.of('string', depth)}]"
            index = (
                self.of("int", depth)
                if self.random.random() < 0.4
                else self.random.choice(("0", "1", "2", "-1", "1.0"))
            )
            return f"{self.random.choice(lists)}[{index}]"

        return make

    def list_of(self, type_: str) -> Callable[[int], str]:
        return lambda depth: f"[{', '.join(self.of(type_, depth) for _ in range(self.random.randrange(4)))}]"

    def map_of(self, depth: int) -> str:
        type_ = self.random.choice(("int", "string", "list"))
        keys = self.random.sample(('"k"', '"a"', '"b"', '"é"'), self.random.randrange(4))
        return "{" + ", ".join(f"{key}: {self.of(type_, depth)}" for key in keys) + "}"

    def stamp(self, _: int) -> str:
        seconds = self.random.choice(("0", "1796040000", "-1", "253402300799", "253402300800", "i"))
        return f"timestamp({self.random.choice((self.random.choice(TIMES), self.random.choice(TIMES), seconds))})"

    def span(self, _: int) -> str:
        return f"duration({self.random.choice(SPANS)})"

    def time_plus(self, depth: int) -> str:
        pair = [self.operand("timestamp", depth), self.operand("duration", depth)]
        sign = self.random.choice("+-")
        if sign == "+":
            self.random.shuffle(pair)
        return f"{pair[0]} {sign} {pair[1]}"

    def span_plus(self, depth: int) -> str:
        type_ = self.random.choice(("timestamp", "duration"))
        sign = "-" if type_ == "timestamp" else self.random.choice("+-")
        return f"{self.operand(type_, depth)} {sign} {self.operand(type_, depth)}"


_NUMBERS = (0, 1, -1, 2, 3, 5, 100, 500_000, 500_001, 2**53 - 1, -(2**53) + 1, 2**63 - 1, -(2**63))
_DOUBLES = (0.0, -0.0, 1.0, 1.5, -2.5, 3.0, 1e300, 5e-324, 0.1, float("inf"), float("nan"))
_TEXTS = ("", "a", "b", "abc", "EUR", "payments.wire", "é", "e\u0301", "\U0001f600", "12", "i", "k", "irreversible")


def values(random_: random.Random) -> dict[str, Any]:
    """Values of all variables, as Python holds them; ``at`` and ``du`` are datetime and timedelta."""
    pick = random_.choice
    return {
        "tool": pick(("payments.wire", "payments.charge", "a", "")),
        "semantics": pick(("irreversible", "compensable", "pure")),
        "i": pick(_NUMBERS),
        "j": pick(_NUMBERS),
        "d": pick(_DOUBLES),
        "s": pick(_TEXTS),
        "b": pick((True, False)),
        "l": [pick(_NUMBERS) for _ in range(random_.randrange(4))],
        "m": {name: pick(_NUMBERS) for name in ("k", "a", "b") if random_.random() < 0.6},
        "at": datetime(2026, 11, 30, tzinfo=UTC) + timedelta(microseconds=random_.randrange(-(10**16), 10**16)),
        "du": timedelta(microseconds=random_.randrange(-(10**13), 10**13)),
        "chain": {"semantics": pick(("irreversible", "pure")), "consequence": pick(("low", "critical"))},
        "args": arguments(random_),
    }


def fitting(random_: random.Random) -> dict[str, Any]:
    """Values that are what cel_differential.NAMES says, as JSON holds them: for a double an int, and no ``args.t``."""
    kinds = {
        "i": "int",
        "j": "int",
        "d": "double",
        "s": "string",
        "t": "string",
        "b": "bool",
        "l": "ints",
        "ls": "strings",
        "n": "null",
        "m": "map",
        "o": "full",
    }
    args = {name: value(random_, kind) for name, kind in kinds.items()}
    if random_.random() < 0.3:
        args["d"], args["o"]["d"] = random_.choice(_NUMBERS[:9]), random_.choice(_NUMBERS[:9])
    if random_.random() < 0.5:
        del args["t"]
    return {**values(random_), "args": args}


def arguments(random_: random.Random) -> dict[str, Any]:
    """A tool's arguments: now and then a field is missing, or of a wrong type."""
    kinds = {"i": "int", "j": "int", "d": "double", "s": "string", "t": "string", "b": "bool", "n": "null"}
    kinds |= {"l": "ints", "ls": "strings", "m": "map", "o": "object"}
    made: dict[str, Any] = {}
    for name, kind in kinds.items():
        chance = random_.random()
        if chance > 0.08:
            made[name] = value(random_, kind if chance > 0.16 else random_.choice(list(kinds.values())))
    return made


def value(random_: random.Random, kind: str) -> Any:
    """A JSON value of a kind."""
    pick = random_.choice
    simple = {"int": _NUMBERS, "double": _DOUBLES, "string": _TEXTS, "bool": (True, False), "null": (None,)}
    if kind in simple:
        return pick(simple[kind])
    if kind == "ints":
        return [pick(_NUMBERS) for _ in range(random_.randrange(4))]
    if kind == "strings":
        return [pick(_TEXTS) for _ in range(random_.randrange(4))]
    if kind == "map":
        return {name: pick(_NUMBERS) for name in ("k", "a", "é") if random_.random() < 0.6}
    whole = kind == "full"
    return {name: pick(simple[one]) for name, one in {"i": "int", "d": "double", "s": "string", "b": "bool"}.items()
            if whole or random_.random() < 0.9}  # fmt: skip
