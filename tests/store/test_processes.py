"""Processes that die in the middle, and processes that share a store."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from samples import Writer

from agent_saga.trace import leaf_hash
from agent_saga.trace.limits import GENESIS
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.store.errors import Busy, Closed
from agent_saga.trace.store.ledger import parse
from agent_saga.trace.store.local import LocalStore

CHILD = Path(__file__).with_name("child.py")


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(CHILD), *map(str, words)], stdout=subprocess.PIPE, text=True)


def check_whole(store: LocalStore) -> Counter[str]:
    """Every chain holds and the index has no gap; returns the number of lines of each saga."""
    heads: dict[str, tuple[int, str]] = {}
    lines = asyncio.run(store.lines(0, 10**9))
    assert [index for index, _ in lines] == list(range(len(lines)))
    for _, line in lines:
        saga = line.split(b'"', 6)[5].decode()
        seq, head = heads.get(saga, (0, GENESIS))
        one = parse(NewLine(saga, seq, line))
        assert one.prev == head
        heads[saga] = seq + 1, leaf_hash(line)
    assert {row.id: (row.lines, row.head) for row in asyncio.run(store.sagas())} == heads
    return Counter({saga: seq for saga, (seq, _) in heads.items()})


@pytest.mark.parametrize("appenders, each, after", [(1, 1, 20), (1, 3, 15), (8, 1, 60), (8, 2, 40), (32, 3, 150)])
def test_a_killed_process_loses_nothing_that_was_acknowledged(kept: str, appenders: int, each: int, after: int) -> None:
    acknowledged: dict[str, int] = {}
    with start("append", kept, "x", appenders, each) as child:
        assert child.stdout
        for count, text in enumerate(child.stdout):
            saga, seq = text.split()
            acknowledged[saga] = int(seq)
            if count == after:
                child.send_signal(signal.SIGKILL)  # what was said before it died is still read
    store = open_store(kept)
    try:
        counts = check_whole(store)
        assert all(counts[saga] > seq for saga, seq in acknowledged.items())
        assert all(count % each == 0 for count in counts.values()), "half an append"
        assert asyncio.run(store.append(Writer("after").some(1))) == counts.total()
    finally:
        asyncio.run(store.close())


def test_two_processes_run_no_saga_twice_and_leave_no_gap(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    children = [start("run", place, name, 12) for name in ("one", "two")]
    told = [child.communicate(timeout=60)[0].split() for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sorted(told[0] + told[1]) == sorted(f"saga-{number}" for number in range(12))
    store = open_store(place)
    assert check_whole(store) == dict.fromkeys((f"saga-{number}" for number in range(12)), 3)
    asyncio.run(store.close())


def test_two_processes_that_append_at_once_share_one_index(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    children = [start("append", place, name, 4, 1) for name in ("one", "two")]
    for child in children:
        assert child.stdout
        for _ in range(25):
            assert child.stdout.readline()
    read = b"".join(open_input(str(place)).chunks())  # while both write
    assert read.count(b"\n") >= 50
    for child in children:
        child.kill()
        child.communicate()
    store = open_store(place)
    counts = check_whole(store)
    assert len(counts) == 8
    written = [line for _, line in asyncio.run(store.lines(0, 10**9))]
    assert b"".join(line + b"\n" for line in written).startswith(read)
    asyncio.run(store.close())


def test_a_file_store_has_one_writer(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.jsonl")
    with pytest.raises(Busy, match="one writer"):
        open_store(tmp_path / "s.jsonl")
    asyncio.run(store.close())
    asyncio.run(open_store(tmp_path / "s.jsonl").close())


def test_a_store_does_not_follow_into_a_fork(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.db")
    child = os.fork() if sys.platform != "win32" else 0
    if child == 0:
        try:
            asyncio.run(store.append(Writer("a").some(1)))
        except Closed as fault:
            os._exit(0 if "fork" in str(fault) else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    asyncio.run(store.append(Writer("a").some(1)))
    asyncio.run(store.close())
