"""The specification says what the code does, and its commands print what it shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import make_spec
import pytest

from agent_saga.trace import EVENT_TYPES, decode, leaf_hash
from agent_saga.trace.events import LOG_TYPES
from agent_saga.trace.limits import FORMAT, MAX_DEPTH, MAX_INT, MAX_LINE

TEXT = make_spec.PAGE.read_text("utf-8")
SCRIPTS = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL)


def test_tables_example_and_schema_are_what_the_code_says() -> None:
    assert make_spec.main(["--check"]) == 0


def test_every_type_has_a_section_where_it_belongs() -> None:
    saga, log = TEXT.split("## The log's own lines")
    for name in EVENT_TYPES:
        assert f"\n### {name}\n" in (log if name in LOG_TYPES else saga)


@pytest.mark.parametrize("script, shown", SCRIPTS, ids=["leaf", "concealed value"])
def test_the_commands_print_what_the_page_shows(script: str, shown: str) -> None:
    if not shutil.which("sha256sum"):  # macOS
        script = script.replace("sha256sum", "shasum -a 256")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_the_example_is_a_chain_of_good_lines() -> None:
    lines = re.search(r"```json\n(.*?)\n```", TEXT, re.DOTALL)
    assert lines is not None
    head = "0" * 64
    for line in lines[1].encode().split(b"\n"):
        event, _ = decode(line)
        assert event.prev == head
        head = leaf_hash(line)


def test_the_numbers_on_the_page_are_the_limits_of_the_code() -> None:
    assert f"at most {MAX_LINE:,} bytes" in TEXT
    assert f"Nesting is at most {MAX_DEPTH}" in TEXT
    assert MAX_INT == 2**53 - 1
    assert json.loads(make_spec.SCHEMA.read_text("utf-8"))["title"].endswith(FORMAT.split(".")[0])
