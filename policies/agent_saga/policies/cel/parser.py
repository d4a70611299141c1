"""Makes a syntax tree of a condition's text.

Operators are reduced on a stack, so that the depth of calls grows with brackets alone, and brackets are counted.

Source: docs/spec/policy-cel-v1.md, "Grammar"; CEL language definition, "Syntax".
"""

from typing import Final, NoReturn

from agent_saga.policies.cel.faults import CelError, CelFault
from agent_saga.policies.cel.lexer import Token, tokens
from agent_saga.policies.cel.limits import MAX_INT, MAX_NESTING, MAX_NODES
from agent_saga.policies.cel.syntax import Call, Expression, Index, ListOf, Literal, MapOf, Name, Select, parts_of

BINDS: Final = {"||": 1, "&&": 2} | dict.fromkeys(("<", "<=", ">=", ">", "==", "!=", "in"), 3) | {"+": 4, "-": 4}
"""How tightly a binary operator binds, without the multiplying ones."""

BINDS.update(dict.fromkeys("*/%", 5))

_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_KEYWORDS: Final = frozenset({"true", "false", "null", "in"})
RESERVED: Final = frozenset(
    {"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"}
    | {"namespace", "return", "var", "void", "while"}
)


def parse(text: str) -> Expression:
    """The tree of a condition. Raises CelError: what is wrong and where (the spelling's faults all, else the first)."""
    parser = _Parser(tokens(text))
    tree = parser.expression()
    if parser.next.kind != "end":
        parser.fail(f"expected an operator or the end, found {parser.shown()}")
    _check_depth(tree)
    return tree


def _check_depth(tree: Expression) -> None:
    """Raise CelError for a tree that nests too deep; with a list, not by calling itself."""
    level: list[Expression] = [tree]
    for _ in range(MAX_NESTING):
        level = [part for whole in level for part in parts_of(whole)]
    if level:
        raise CelError((CelFault(level[0].at, _TOO_DEEP),))


_TOO_DEEP: Final = f"operators and brackets nest deeper than {MAX_NESTING}; split the condition into several rules"


class _Parser:
    """A cursor over tokens, with a method for each rule of the grammar."""

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.place = 0
        self.nodes = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise CelError((CelFault(self.next.at if at is None else at, message),))

    def shown(self) -> str:
        """The next token, in words."""
        return "the end" if self.next.kind == "end" else f"`{self.next.text[:40]}`"

    def take(self) -> Token:
        token = self.next
        self.place += 1
        return token

    def sees(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def expect(self, sign: str, after: str) -> None:
        if not self.sees(sign):
            self.fail(f"expected `{sign}` {after}, found {self.shown()}")
        self.place += 1

    def made(self, node: Expression) -> Expression:
        """Count a part of the tree."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.fail(f"the condition has more than {MAX_NODES:,} parts; split it into several rules", node.at)
        return node

    def expression(self) -> Expression:
        """``a ? b : c ? d : e``, from the left, without a call of its own for each."""
        chain: list[tuple[Expression, Expression]] = []
        last = self.operators()
        while self.sees("?"):
            self.place += 1
            chain.append((last, self.operators()))
            self.expect(":", "and the value for otherwise")
            last = self.operators()
        for test, value in reversed(chain):
            last = self.made(Call("?:", (test, value, last), at=test.at))
        return last

    def operators(self) -> Expression:
        """Operands with binary operators between them."""
        operands, signs = [self.unary()], list[str]()
        while self.next.text in BINDS and self.next.kind in ("sign", "word"):
            sign = self.take().text
            while signs and BINDS[signs[-1]] >= BINDS[sign]:
                self.reduce(operands, signs.pop())
            signs.append(sign)
            operands.append(self.unary())
        while signs:
            self.reduce(operands, signs.pop())
        return operands[0]

    def reduce(self, operands: list[Expression], sign: str) -> None:
        """Join the last two operands. Chains of ``&&`` and ``||`` become one part: their order of joining is free."""
        right, left = operands.pop(), operands.pop()
        args: tuple[Expression, ...] = (left, right)
        if sign in ("&&", "||"):
            flat = [one.args if isinstance(one, Call) and one.name == sign else (one,) for one in (left, right)]
            args = flat[0] + flat[1]
            self.nodes -= (flat[0] != (left,)) + (flat[1] != (right,))
        operands.append(self.made(Call(sign, args, at=left.at)))

    def unary(self) -> Expression:
        """``!a`` or ``-a``, once: implementations of CEL differ on what a doubled one does to a wrong operand."""
        if not self.sees("!", "-"):
            return self.member(self.primary())
        sign = self.take()
        if sign.text == "-" and self.next.kind in ("int", "double"):
            return self.member(self.number(self.take(), sign))
        if self.sees("!", "-"):
            self.fail(f"`{sign.text}{self.next.text}`: put what follows the first sign in brackets")
        operand = self.member(self.primary())
        return self.made(Call("!" if sign.text == "!" else "-_", (operand,), at=sign.at))

    def number(self, token: Token, minus: Token | None = None) -> Expression:
        """A number with its sign. The least integer has no positive twin, so the sign belongs to the literal."""
        if minus is None and token.kind == "int" and token.value > MAX_INT:
            self.fail(f"the integer is outside 64 bits, {-MAX_INT - 1} to {MAX_INT}", token.at)
        value = token.value if minus is None else -token.value
        return self.made(Literal(value, minus.at if minus else token.at))

    def member(self, whole: Expression) -> Expression:
        """What follows an operand: ``.field``, ``.method(...)``, ``[index]``."""
        while self.sees(".", "[", "{"):
            sign = self.take()
            if sign.text == ".":
                whole = self.field(whole)
            elif sign.text == "[":
                whole = self.made(Index(whole, self.inside(), at=whole.at))
                self.expect("]", "after the index")
            else:
                self.fail("messages are left out here; a map is written {'name': value}", sign.at)
        return whole

    def field(self, whole: Expression) -> Expression:
        token = self.next
        if token.kind != "word" or token.text in _KEYWORDS:
            self.fail(f"expected a field after `.`, found {self.shown()}")
        self.place += 1
        if self.sees("("):
            return self.made(Call(token.text, (whole, *self.arguments()), receiver=True, at=whole.at))
        return self.made(Select(whole, token.text, at=whole.at))

    def inside(self) -> Expression:
        """An expression inside a bracket that was opened just now."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(_TOO_DEEP)
        found = self.expression()
        self.depth -= 1
        return found

    def listed(self, end: str, comma_last: bool = True) -> list[Expression]:
        """Expressions with commas between them, up to the bracket ``end``."""
        found: list[Expression] = []
        while not self.sees(end):
            found.append(self.inside())
            if not self.sees(","):
                break
            self.place += 1
            if self.sees(end) and not comma_last:
                self.fail(f"expected an argument after `,`, found {self.shown()}")
        self.expect(end, "or `,`")
        return found

    def arguments(self) -> list[Expression]:
        self.place += 1
        return self.listed(")", comma_last=False)

    def primary(self) -> Expression:
        """A literal, a name, a call, or something in brackets."""
        token = self.take()
        if token.kind in ("int", "double"):
            return self.number(token)
        if token.kind == "string":
            return self.made(Literal(token.value, token.at))
        if token.kind == "word":
            return self.word(token)
        if token.text == "(":
            found = self.inside()
            self.expect(")", "to close the bracket")
            return found
        if token.text == "[":
            return self.made(ListOf(tuple(self.listed("]")), token.at))
        if token.text == "{":
            return self.map(token)
        self.place -= 1
        if token.text == ".":
            self.fail("a name with a leading dot is left out here; write it without")
        self.fail(f"expected a value, found {self.shown()}")

    def word(self, token: Token) -> Expression:
        if token.text in _CONSTANTS:
            return self.made(Literal(_CONSTANTS[token.text], token.at))
        if token.text in RESERVED or token.text == "in":
            self.fail(f"`{token.text}` is a reserved word of CEL, expected a value", token.at)
        if not self.sees("("):
            return self.made(Name(token.text, token.at))
        if token.text == "has":
            return self.has(token)
        return self.made(Call(token.text, tuple(self.arguments()), at=token.at))

    def has(self, token: Token) -> Expression:
        args = self.arguments()
        if len(args) != 1 or not isinstance(args[0], Select) or args[0].test:
            self.fail("has() takes one field, as in has(args.memo)", token.at)
        return Select(args[0].of, args[0].field, test=True, at=token.at)

    def map(self, token: Token) -> Expression:
        entries: list[tuple[Expression, Expression]] = []
        while not self.sees("}"):
            key = self.inside()
            self.expect(":", "after the key")
            entries.append((key, self.inside()))
            if not self.sees(","):
                break
            self.place += 1
        self.expect("}", "or `,`")
        return self.made(MapOf(tuple(entries), token.at))
