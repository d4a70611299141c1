"""A test that asked for chaos and never let it happen does not pass; a pipe is no store to wait for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_saga.trace.store import open_store
from agent_saga.trace.store.errors import NotAStore

pytest_plugins = ["pytester"]

SAGA = """
from agent_saga.runtime import PlanDriver, SagaDefinition, Step, tool
from agent_saga.testing import Runnable

@tool(name="look", semantics="preview")
def look() -> None:
    return None

def reached(facts):
    return True

def runnable(store):
    saga = SagaDefinition("look", [look], [reached], [Step("look", "look")])
    return Runnable(saga, PlanDriver(lambda step, view: {}))
"""
TEST = """
import pytest

@pytest.mark.chaos("look_sagas:runnable", every=100)
def test_nothing(chaos):
    {body}
"""


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [
        ("pass", {"failed": 1}),
        ("chaos()", {"passed": 1}),
        ("pytest.skip('not today')", {"skipped": 1}),
        ("assert 1 == 2", {"failed": 1}),
    ],
)
def test_a_test_passes_only_where_something_was_killed(
    body: str, outcomes: dict[str, int], pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(look_sagas=SAGA)
    pytester.makepyfile(TEST.format(body=body))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(**outcomes)
    if body == "pass":
        result.stdout.fnmatch_lines(["*chaos was never called, so nothing was killed*"])


@pytest.mark.parametrize("name", ["store.db", "store.jsonl"])
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(NotAStore, match="a pipe or a device; name a store"):
        open_store(tmp_path / name)
    with pytest.raises(NotAStore, match="a pipe or a device"):
        open_store("/dev/zero")
