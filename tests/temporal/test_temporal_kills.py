"""A worker, or the server, is killed anywhere; every effect is there once, or undone once, and the trace certifies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from temporal_play import Crew, Played, fault, play
from temporal_servers import DevServer

from agent_saga.runtime.temporal import connect
from agent_saga.testing.scenarios import SCENARIOS

# Where most is at stake: a call was made and no line says so, was announced and not made, or is recorded and the
# server has not heard of it.
FEW = [
    ("business-failure", "start:3"),
    ("business-failure", "end:3"),
    ("compensation-failure", "before:6"),
    ("irreversible-approved", "after:4"),
]
AT_ONCE = 2
WHERE = ("start", "end", "before", "after")


async def survived(server: DevServer, name: str, folder: Path, *kills: str) -> tuple[int, str]:
    """How often a worker died, and what is wrong afterwards."""
    client = await connect(target_host=server.address)
    try:
        played = await play(client, server.address, SCENARIOS[name], folder, kills=kills)
    except AssertionError as failed:
        return 1, f"{name} {kills}: {failed}"
    found = fault(SCENARIOS[name], played)
    return played.deaths, f"{name} {kills}: {found}" if found else ""


async def all_at_once(work: Sequence[Any]) -> list[Any]:
    """So many at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(task: Any) -> Any:
        async with room:
            return await task

    return await asyncio.gather(*(one(task) for task in work))


def test_a_saga_survives_a_killed_worker_where_most_is_at_stake(server: DevServer, tmp_path: Path, run: Any) -> None:
    work = [survived(server, name, tmp_path / f"{n}", kill) for n, (name, kill) in enumerate(FEW)]
    found = run(all_at_once(work))
    assert [wrong for _, wrong in found if wrong] == []
    assert [deaths for deaths, _ in found] == [1] * len(FEW)


def firsts(name: str) -> Iterator[tuple[str, ...]]:
    """Where the processes before the one in question die: in a scenario with a power cut, of that."""
    yield ()
    if name == "crash":
        yield ("",)


@pytest.mark.slow
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_saga_survives_a_kill_of_the_worker_at_every_activity_and_append(
    name: str, where: str, server: DevServer, tmp_path: Path, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async def swept() -> tuple[int, list[str]]:
        tried, wrong = 0, []
        for first in firsts(name):
            number = 1
            while True:
                numbers = range(number, number + AT_ONCE)
                work = [survived(server, name, tmp_path / f"{first}-{n}", *first, f"{where}:{n}") for n in numbers]
                found = await all_at_once(work)
                usual = 1 if name == "crash" else 0
                reached = [deaths > usual for deaths, _ in found]
                tried += sum(reached)
                wrong += [words for _, words in found if words]
                if not all(reached):
                    break
                number += AT_ONCE
        return tried, wrong

    tried, wrong = run(swept())
    with capsys.disabled():
        print(f"\n{name}: worker killed at {tried} places ({where}), {len(wrong)} of them wrong")
    assert not wrong, "\n".join(wrong)
    assert tried >= 2


async def with_a_killed_server(name: str, folder: Path, after: int) -> tuple[Played, bool]:
    """Play a scenario while the server is killed once so many activities have begun, and started over its file."""
    folder.mkdir()
    server = DevServer(folder, database=folder / "temporal.db").start()
    killed = False

    async def meanwhile(crew: Crew) -> None:
        nonlocal killed
        while len(crew.activities) < after:
            if crew.rests:
                return
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.kill)
        killed = True
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.start)

    try:
        client = await connect(target_host=server.address)
        return await play(client, server.address, SCENARIOS[name], folder / "saga", meanwhile=meanwhile), killed
    finally:
        server.stop()


def test_a_saga_survives_a_kill_of_the_server(tmp_path: Path, run: Any) -> None:
    played, killed = run(with_a_killed_server("business-failure", tmp_path / "one", 3))
    assert killed
    assert fault(SCENARIOS["business-failure"], played) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_survives_a_kill_of_the_server_in_the_middle(
    name: str, tmp_path: Path, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, tried = [], 0
    for after in (1, 2, 3):
        played, killed = run(with_a_killed_server(name, tmp_path / f"{after}", after))
        tried += killed
        wrong += [words] if (words := fault(SCENARIOS[name], played)) else []
    with capsys.disabled():
        print(f"\n{name}: server killed at {tried} places, {len(wrong)} of them wrong")
    assert wrong == []
    assert tried >= 2
