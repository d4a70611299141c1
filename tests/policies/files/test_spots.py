"""Where a character of a text stands in the file, for every way in which YAML and JSON can write it."""

from __future__ import annotations

import json

import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.policies.document import Kind, parse

KIND = Kind("a text", 100_000, 8)
TEXTS = st.lists(
    st.text(alphabet="ab \"'\\:#&*|>-{}[],!%@`?=äé€\U0001f600", min_size=1, max_size=12).filter(
        lambda one: one.strip()
    ),
    min_size=1,
    max_size=4,
).map(" ".join)
STYLES = ("'", '"', "|", ">")


def spots(text: str, name: str) -> list[tuple[str, str]]:
    """Each character of the value that is no white space, and the line of the file from its place on."""
    root, faults = parse(text.encode(), name, KIND)
    assert not faults
    node = root.at(["key"])
    lines = text.split("\n")
    found = []
    for offset, character in enumerate(node.value):
        if not character.isspace():
            fault = node.fault_inside(offset, "")
            found.append((character, lines[fault.line - 1][fault.column - 1 :]))
    return found


@given(TEXTS, st.sampled_from(STYLES), st.integers(8, 60))
def test_every_character_of_yaml_is_found_where_it_stands(text: str, style: str, width: int) -> None:
    written = yaml.dump({"key": text}, default_style=style, width=width, allow_unicode=True)
    for character, rest in spots(written, "text.yaml"):
        assert rest.startswith((character, "\\"))


@given(TEXTS, st.booleans())
def test_every_character_of_json_is_found_where_it_stands(text: str, ascii_only: bool) -> None:
    written = json.dumps({"key": text}, ensure_ascii=ascii_only)
    for character, rest in spots(written, "text.json"):
        spelled = json.dumps(character, ensure_ascii=ascii_only)[1:-1]
        assert rest.startswith(spelled)


def test_the_end_of_a_text_is_behind_its_last_character() -> None:
    root, _ = parse(b'{"key": "ab"}', "text.json", KIND)
    assert root.at(["key"]).fault_inside(2, "").column == 12
