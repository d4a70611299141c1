"""docs/outputs.md shows what is written: each example is cut from a golden file, and no format lacks one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_saga.certify.outputs import FORMATS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "outputs.md").read_text("utf-8")
GOLDEN = sorted(Path(__file__).with_name("golden").iterdir())


def test_every_format_has_a_chapter_and_a_row() -> None:
    assert re.findall(r"^## (\w+)$", PAGE, re.M) == list(FORMATS)
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.M) == list(FORMATS)


@pytest.mark.parametrize("fmt", list(FORMATS))
def test_the_example_is_what_is_written(fmt: str) -> None:
    chapter = re.split(r"^## (?=\w+$)", PAGE, flags=re.M)[1 + list(FORMATS).index(fmt)]
    (example,) = re.findall(r"^```\w+\n(.*?)^```$", chapter, re.M | re.S)
    texts = [path.read_text("utf-8") for path in GOLDEN]
    for part in example.split("\n...\n"):
        assert any(part.strip("\n") in text for text in texts), part
