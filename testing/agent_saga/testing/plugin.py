"""The pytest plugin: a temporary store, and sagas killed at every append. Silent until a test asks for something.

    saga_path    where a store of this test may stand
    saga_store   the store there, opened
    chaos        kills the saga of ``@pytest.mark.chaos("MODULE:SAGA")`` at one append, a test for each, and recovers it

The guide is docs/guide/testing.md.
"""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from agent_saga.testing.chaos import KillPoint, Survivor
    from agent_saga.trace.store.local import LocalStore

_FOUND = pytest.StashKey[dict[str, "list[KillPoint]"]]()
_KILLS = pytest.StashKey[int]()
"""Of a test that has ``chaos``: how often it was called."""


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker."""
    config.addinivalue_line(
        "markers", "chaos(SAGA, every=1): kill MODULE:SAGA at each append (or every N-th), one test for each"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each place where the marked saga can be killed."""
    if "chaos" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("chaos")
    if marker is None or not marker.args:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: mark it with @pytest.mark.chaos('MODULE:SAGA')")
    points = _points(metafunc.config, str(marker.args[0]))[:: int(marker.kwargs.get("every", 1))]
    metafunc.parametrize("chaos", points, indirect=True, ids=str)


def _points(config: pytest.Config, spec: str) -> "list[KillPoint]":
    """The places of a saga, found once a session by letting it run."""
    from agent_saga.testing.chaos import kill_points

    found = config.stash.setdefault(_FOUND, {})
    if spec not in found:
        found[spec] = kill_points(spec)
    return found[spec]


@pytest.fixture
def chaos(request: pytest.FixtureRequest, tmp_path: Path) -> "Callable[[], Survivor]":
    """Call it: the saga runs in a process that is killed at this test's append, and another process recovers it."""
    from agent_saga.testing.chaos import kill_and_recover

    stash = request.node.stash
    stash[_KILLS] = 0

    def kill() -> "Survivor":
        stash[_KILLS] += 1
        return kill_and_recover(request.param, tmp_path / "chaos")

    return kill


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that asked for ``chaos`` and passes without it has shown nothing."""
    result = yield
    if item.stash.get(_KILLS, 1) == 0:
        pytest.fail("chaos was never called, so nothing was killed: call it and look at what it returns")
    return result


@pytest.fixture
def saga_path(tmp_path: Path) -> Path:
    """A path at which nothing stands, for a store."""
    return tmp_path / "saga.db"


@pytest.fixture
def saga_store(saga_path: Path) -> "Iterator[LocalStore]":
    """A SQLite store of this test alone; closed afterwards."""
    import asyncio

    from agent_saga.trace.store import open_store

    store = open_store(saga_path)
    yield store
    asyncio.run(store.close())
