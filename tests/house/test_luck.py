"""No test passes by luck: what it changes is really changed, and what it looks for cannot stand there by chance."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILES = sorted(TESTS.rglob("*.py"))
SHORTEST = 6
"""Letters and digits. Four of them stand in two random digests in hex once in some five hundred runs."""
TEXTS = re.compile(r"line|text|data|told|body|said|output|stdout|stderr|read_|raw|sealed|json", re.I)
"""How texts are named here; in a list or a set a short member is found whole or not at all."""
RULE = re.compile(r"AS\d{3}")


def changed_by_luck(tree: ast.AST) -> Iterator[int]:
    """Lines on which a fixed letter takes the place of the first or last one of a value, which may be that letter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pairs = ((node.left, node.right, "1:"), (node.right, node.left, ":-1"))
            if any(_plain(fixed, 2) and _less(rest, part) for fixed, rest, part in pairs):
                yield node.lineno


def missed_by_luck(tree: ast.AST) -> Iterator[int]:
    """Lines of ``assert "4111" not in text`` and the like, where the text may hold random digests, ports or times."""
    for one in ast.walk(tree):
        for node in ast.walk(one.test) if isinstance(one, ast.Assert) else ():
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and _plain(node.left, SHORTEST):
                needle = ast.unparse(node.left)
                if (
                    re.search(r"\d", needle)
                    and not RULE.search(needle)
                    and TEXTS.search(ast.unparse(node.comparators[0]))
                ):
                    yield node.lineno


def _plain(node: ast.AST, below: int) -> bool:
    """Whether it is a text of so few characters of base64 or hex."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, bytes)):
        return False
    text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    return len(text) < below and re.fullmatch(r"[0-9A-Za-z_+/-]+", text) is not None


def _less(node: ast.AST, part: str) -> bool:
    """Whether it is this part of a value; what a constant of the module begins with is known."""
    if not isinstance(node, ast.Subscript) or ast.unparse(node.slice) != part:
        return False
    return not (isinstance(node.value, ast.Name) and node.value.id.isupper())


@pytest.mark.parametrize("by_luck", [changed_by_luck, missed_by_luck])
def test_no_test_passes_by_luck(by_luck: Callable[[ast.AST], Iterator[int]]) -> None:
    assert len(FILES) > 400
    found = [f"{path.relative_to(TESTS)}:{line}" for path in FILES for line in by_luck(ast.parse(path.read_bytes()))]
    assert not found, f"choose a letter that differs, or look for the whole value: {found}"


@pytest.mark.parametrize(
    "by_luck, code, lines",
    [
        (changed_by_luck, "one = 1\nother = 'A' + ticket[1:]", [2]),
        (changed_by_luck, "other = ticket[:-1] + b'B'", [1]),
        (changed_by_luck, "other = ('B' if ticket[0] == 'A' else 'A') + ticket[1:]", []),
        (changed_by_luck, "other = SALT[:-1] + 'B'", []),
        (missed_by_luck, "assert b'1000' not in told[0]", [1]),
        (missed_by_luck, "assert not any('DE02' not in line for line in lines)", [1]),
        (missed_by_luck, "assert 'DE0212' not in told\nassert '4' not in keys\nassert 'AS306' not in output", []),
    ],
)
def test_it_would_be_seen(by_luck: Callable[[ast.AST], Iterator[int]], code: str, lines: list[int]) -> None:
    assert list(by_luck(ast.parse(code))) == lines
