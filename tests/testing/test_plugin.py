"""The plugin's fixtures and assertions pass for a sound saga and fail for a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

# A saga of one call, in a form that a user would write it; the holes are filled in by each test.
SAGA = """
import random
from agent_saga.runtime import *
from agent_saga.testing import Runnable
from agent_saga.testing.providers import Stock

@tool(name="release", semantics="compensable")
def release(hold: str, *, call: Call) -> str:
    return call.provider("stock").release(hold, call.key).reference

@tool(name="reserve", semantics="compensable", undo=release)
def reserve(item: str, *, call: Call) -> Result:
    hold = call.provider("stock").reserve(item, 1, call.key).reference
    return Result(hold, release.call(hold=hold))

@reserve.reconcile
def _(call: Call) -> Found:
    {reconcile}

def reserved(facts: Facts) -> Checked:
    return Checked(facts.provider("stock").get(facts.results["reserve"]) is not None)

SAGA = SagaDefinition("hold", [reserve], [reserved], [Step("reserve", "reserve")], Limits(backoff=0.01))

def stock(store):
    return Stock(store.with_name("stock.db"), idempotent={idempotent})

def runnable(store):
    return Runnable(SAGA, PlanDriver(lambda step, view: {{"item": {item}}}), {{"stock": stock(store)}})
"""
ASKS = """found = call.provider("stock").find("reserve", call.key)
    return Landed(found.reference, release.call(hold=found.reference)) if found else Absent()"""
ASSUMES = "return Absent()  # without asking"

TEST = """
import pytest
from agent_saga.testing import assert_certified, assert_replays
from shop_sagas import stock

@pytest.mark.chaos("shop_sagas:runnable")
def test_a_hold_survives(chaos):
    end = chaos()
    effects = stock(end.store).ledger()
    assert all(effect.sound for effect in effects), effects
    if end.begun:
        assert_certified(end.store)
        assert_replays(end.store, end.runnable)
"""


def _write(pytester: pytest.Pytester, *, reconcile: str = ASKS, idempotent: bool = True, item: str = "'lamp'") -> None:
    pytester.makepyfile(shop_sagas=SAGA.format(reconcile=reconcile, idempotent=idempotent, item=item))


def test_a_sound_saga_passes_wherever_it_is_killed(pytester: pytest.Pytester) -> None:
    _write(pytester)
    pytester.makepyfile(TEST.replace('"shop_sagas:runnable"', '"shop_sagas:runnable", every=3'))
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*[[]before-1[]] PASSED*", "*[[]after-2[]] PASSED*"])


def test_a_saga_that_assumes_instead_of_asking_fails_where_a_reply_was_lost(pytester: pytest.Pytester) -> None:
    _write(pytester, reconcile=ASSUMES, idempotent=False)
    pytester.makepyfile(TEST)
    result = pytester.runpytest_subprocess("-q", "-k", "before-2 or after-1")
    result.assert_outcomes(passed=1, failed=1, deselected=4)
    result.stdout.fnmatch_lines(["E *AssertionError: *times=2*", "FAILED *[[]before-2[]]*"])


def test_a_saga_that_does_not_run_fails_before_it_is_killed(pytester: pytest.Pytester) -> None:
    _write(pytester)
    pytester.makepyfile(TEST.replace("shop_sagas:runnable", "shop_sagas:runnables"))
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*shop_sagas:runnables: module shop_sagas has no runnables*"])


def test_chaos_without_its_marker_says_what_is_missing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(chaos): ...")
    result = pytester.runpytest_subprocess("-q")
    assert "mark it with @pytest.mark.chaos('MODULE:SAGA')" in str(result.stdout) + str(result.stderr)
    assert result.ret != 0


ASSERTIONS = """
import asyncio
from agent_saga.testing import assert_certified, assert_replays
from shop_sagas import runnable

def _run(store, path):
    one = runnable(path)
    asyncio.run(one.engine(store).run(one.definition, one.driver))

def test_it_replays(saga_store, saga_path):
    _run(saga_store, saga_path)
    assert_replays(saga_path, runnable(saga_path))

def test_it_replays_from_the_opened_store(saga_store, saga_path):
    _run(saga_store, saga_path)
    assert_replays(saga_store, runnable(saga_path))

def test_it_is_certified(saga_store, saga_path):
    _run(saga_store, saga_path)
    assert assert_certified(saga_path, sagas=1).saga_count == 1
    assert_certified(saga_store)
"""


def test_the_fixture_gives_a_store_whose_saga_replays_and_is_certified(pytester: pytest.Pytester) -> None:
    _write(pytester)
    pytester.makepyfile(ASSERTIONS)
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=3)


def test_a_saga_that_throws_dice_does_not_replay(pytester: pytest.Pytester) -> None:
    _write(pytester, item="str(random.random())")
    pytester.makepyfile(ASSERTIONS)
    result = pytester.runpytest_subprocess("-q", "-k", "replays")
    result.assert_outcomes(failed=2, deselected=1)
    result.stdout.fnmatch_lines(["*AssertionError: saga *: replayed*"])


def test_a_trace_with_findings_is_not_asserted_to_be_certified(repo_root: Path) -> None:
    from agent_saga.testing import assert_certified

    assert_certified(repo_root / "fixtures/demo/good.jsonl")
    with pytest.raises(AssertionError, match="AS"):
        assert_certified(repo_root / "fixtures/demo/bad.jsonl")
    with pytest.raises(AssertionError, match="expected AS504"):
        assert_certified(repo_root / "fixtures/demo/good.jsonl", findings=["AS504"])


def test_a_trace_of_nothing_is_not_asserted_to_be_certified(tmp_path: Path) -> None:
    from agent_saga.testing import assert_certified

    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(AssertionError, match="0 sagas"):
        assert_certified(tmp_path / "empty.jsonl")


def test_the_plugin_is_silent_and_loads_nothing_when_it_is_not_used(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            heavy = ("agent_saga.runtime", "agent_saga.certify", "agent_saga.trace", "pydantic", "sqlite3", "asyncio")
            assert [name for name in sys.modules if name.startswith(heavy[:3])] == []
        """
    )
    result = pytester.runpytest_subprocess("-q", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    assert "saga" not in str(result.stdout)
