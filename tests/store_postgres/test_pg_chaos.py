"""The embedded engine on PostgreSQL: the server, the network or the worker dies, and every effect is there once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pgchaos import FAULTS, NAMES, SCENARIOS, Played, child, network_cut, server_killed
from pgproxy import Proxy
from pgserver import Server, place_for_servers, remove

from agent_saga.trace.store.postgres.schema import migrate

Play = Callable[[str, int], Played]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that only these tests kill."""
    folder = place_for_servers()
    server = Server(folder)
    try:
        migrate(server.make("empty_store"), dry_run=False)
        yield server
    finally:
        server.stop()
        remove(folder)


@pytest.fixture
def play(server: Server, tmp_path: Path) -> Play:
    """Prepares a scenario over a database and a folder of its own. port: where the worker reaches the server."""

    def prepared(name: str, port: int = 0) -> Played:
        database = f"play_{next(_NUMBERS)}"
        direct = server.make(database, template="empty_store")
        folder = tmp_path / database
        folder.mkdir()
        return Played(SCENARIOS[name], folder, server.address(database, port=port), direct)

    return prepared


_NUMBERS = itertools.count(1)


def _places(faults: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Every append with every fault, without end."""
    return ((number, when) for number in itertools.count(1) for when in faults)


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_runs_on_postgresql(name: str, play: Play) -> None:
    played = play(name, 0)
    played.begin()
    played.go()
    played.rest()
    assert played.fault() == ""
    assert played.unwritten() == []


@pytest.mark.parametrize(("name", "number", "when", "back"), [
    ("happy-path", 3, "during", True), ("business-failure", 4, "after", False), ("lost-response", 3, "before", True),
])  # fmt: skip
def test_a_killed_server_costs_no_effect(
    name: str, number: int, when: str, back: bool, server: Server, play: Play
) -> None:
    assert server_killed(play(name, 0), server, number, when, back=back) == (True, "")


@pytest.mark.parametrize(("number", "when"), [(2, "before"), (3, "during"), (4, "after")])
def test_no_effect_without_its_intent_where_the_network_is_cut(
    number: int, when: str, server: Server, play: Play
) -> None:
    proxy = Proxy(server.port)
    try:
        assert network_cut(play("happy-path", proxy.port), proxy, number, when) == (True, "")
    finally:
        proxy.close()


def test_a_killed_worker_is_recovered_by_another(play: Play) -> None:
    played = play("business-failure", 0)
    played.begin()
    assert child("run", played.scenario, played.path, played.address, "after:4").returncode == -9
    played.rest()
    assert played.fault() == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_server_is_killed_at_every_append(name: str, server: Server, play: Play) -> None:
    tried, wrong = 0, []
    for number, when in _places(FAULTS):
        reached, fault = server_killed(play(name, 0), server, number, when, back=(number + len(when)) % 2 == 0)
        if not reached:
            break
        tried += 1
        wrong += [f"{name}, server killed {when} append {number}: {fault}"] if fault else []
    print(f"\n{name}: the server was killed at {tried} points")
    assert wrong == []
    assert tried >= 2 * len(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_network_is_cut_at_every_append(name: str, server: Server, play: Play) -> None:
    tried, wrong = 0, []
    for number, when in _places(FAULTS):
        proxy = Proxy(server.port)
        try:
            reached, fault = network_cut(play(name, proxy.port), proxy, number, when)
        finally:
            proxy.close()
        if not reached:
            break
        tried += 1
        wrong += [f"{name}, network cut {when} append {number}: {fault}"] if fault else []
    print(f"\n{name}: the network was cut at {tried} points")
    assert wrong == []
    assert tried >= 2 * len(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "crash"])
def test_the_worker_is_killed_at_every_append(name: str, play: Play) -> None:
    tried, wrong = 0, []
    for number, when in _places(("before", "after")):
        played = play(name, 0)
        played.begin()
        if child("run", played.scenario, played.path, played.address, f"{when}:{number}").returncode != -9:
            break
        tried += 1
        played.rest()
        fault = played.fault()
        wrong += [f"{name}, worker killed {when} append {number}: {fault}"] if fault else []
    print(f"\n{name}: the worker was killed at {tried} points")
    assert wrong == []
    assert tried >= 4
