"""What is opened is closed: Python 3.13 warns of a database connection that is only let go of, at any later time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    path
    for folder in (*ROOT.glob("*/agent_saga"), ROOT / "tests", ROOT / "examples")
    for path in sorted(folder.rglob("*.py"))
]


def let_go(tree: ast.AST) -> Iterator[int]:
    """Lines on which ``sqlite3.connect(...)`` is asked or entered at once, which commits and closes nothing."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            yield from (item.context_expr.lineno for item in node.items if _connects(item.context_expr))
        elif isinstance(node, ast.Attribute) and _connects(node.value):
            yield node.lineno


def _connects(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "sqlite3.connect"


def test_no_connection_is_only_let_go_of() -> None:
    assert len(FILES) > 1_000
    found = [f"{path.relative_to(ROOT)}:{line}" for path in FILES for line in let_go(ast.parse(path.read_bytes()))]
    assert not found, f"close these, with contextlib.closing for example: {found}"


@pytest.mark.parametrize(
    "code, lines",
    [
        ("with sqlite3.connect('a') as one:\n    one.execute('x')", [1]),
        ("one = 1\nrows = sqlite3.connect('a').execute('x')", [2]),
        ("with closing(sqlite3.connect('a')) as one, one:\n    one.execute('x')", []),
    ],
)
def test_it_would_be_seen(code: str, lines: list[int]) -> None:
    assert list(let_go(ast.parse(code))) == lines
