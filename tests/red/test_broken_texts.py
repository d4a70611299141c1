"""A text that is written in pieces, one below the other, has a space where they meet."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BETWEEN = (tokenize.NL, tokenize.COMMENT)


def joined(path: Path) -> Iterator[str]:
    """Where two pieces of a sentence meet without a space."""
    with path.open(encoding="utf-8") as stream:
        tokens = [one for one in tokenize.generate_tokens(stream.readline) if one.type not in _BETWEEN]
    for one, other in pairwise(tokens):
        if one.type == other.type == tokenize.STRING and not (one.string + other.string).startswith(("b", "r")):
            before, after = (_text(each.string) for each in (one, other))
            if " " in before and re.search(r"[\w.,;:]$", before) and re.match(r"[A-Za-z]", after):
                yield f"{path.relative_to(ROOT)}:{one.start[0]}: ...{before[-20:]}{after[:20]}..."


def _text(literal: str) -> str:
    if literal.lstrip("uUrR")[0] in "fF":
        return literal.lstrip("fFrR").strip("\"'")
    return str(ast.literal_eval(literal))


def test_no_text_loses_the_space_where_its_pieces_meet() -> None:
    modules = sorted(ROOT.glob("*/agent_saga/**/*.py"))
    assert len(modules) > 500
    assert [found for module in modules for found in joined(module)] == []
