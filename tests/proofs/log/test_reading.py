"""What a log on disk gives out: checkpoints, lines, proofs, the saga index."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import KEY, NOON, ORIGIN, append, mark, sample
from samples import Writer, whole

from agent_saga.proofs.checking import check_consistency, check_inclusion, check_leaves
from agent_saga.proofs.checkpoints import Pin, open_checkpoint
from agent_saga.proofs.errors import LogFault, Unprovable
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.index import check_absent, check_placed, key_of
from agent_saga.proofs.log import Log, NoLog

PIN = Pin(ORIGIN, KEY.vkey)


def test_a_checkpoint_covers_every_line_and_the_index_line_is_the_last(store: Path) -> None:
    written = sample(store)
    assert (written.lines, written.indexed, written.new) == (13, True, True)
    with Log.open(str(store)) as log:
        checkpoint, _ = open_checkpoint(log.checkpoint(), PIN)
        lines = [log.line(index) for index in range(checkpoint.size)]
        assert checkpoint.root == root_of([leaf(line) for line in lines]) == log.root(13)
        assert [b'"type":"log.opened"' in lines[0], b'"type":"log.indexed"' in lines[-1]] == [True, True]
        assert log.checkpoints() == [13]
        assert [(index, line) for index, line in log.saga("saga-2")] == [(i, lines[i]) for i in (9, 10, 11)]
        assert log.saga("nobody") == []
        with pytest.raises(Unprovable, match="beyond"):
            log.line(13)


def test_the_index_names_every_saga_and_proves_that_others_are_absent(store: Path) -> None:
    sample(store)
    with Log.open(str(store)) as log:
        index, claimed = log.index(13), log.indexed(13)
        assert (index.size, index.root.hex()) == (claimed.size, claimed.root)
        assert {entry.key for entry in index.entries if not entry.sentinel} == {
            key_of(saga) for saga in ("log", "saga-0", "saga-1", "saga-2")
        }
        entry = check_placed(index.present("saga-2"), index.size, index.root)
        assert (entry.first, entry.last, entry.lines) == (9, 11, 3)
        assert entry.head == leaf(log.line(11)).hex()
        check_absent("nobody", *index.absent("nobody"), index.size, index.root)


def test_proofs_of_every_line_and_between_all_checkpoints_hold(store: Path) -> None:
    sample(store)
    for number in range(3):
        append(store, whole(f"later-{number}", 40 + number))
        mark(store, NOON + number)
    with Log.open(str(store)) as log:
        sizes = log.checkpoints()
        assert len(sizes) == 4
        for size in sizes:
            root = open_checkpoint(log.note(size), PIN)[0].root
            for index in range(size):
                check_inclusion(leaf(log.line(index)), index, size, log.inclusion(index, size), root)
            chosen = {index: leaf(log.line(index)) for index in (0, 5, 7, size - 1)}
            check_leaves(chosen, size, log.shared(chosen, size), root)
            for old in (old for old in sizes if old <= size):
                check_consistency(old, size, log.consistency(old, size), log.root(old), root)
            assert log.index(size).root.hex() == log.indexed(size).root


def test_an_index_goes_on_from_the_one_before(store: Path) -> None:
    sample(store)
    writer = Writer("saga-2")
    lines = writer.some(600)
    append(store, lines[3:])
    mark(store, NOON + 1)
    with Log.open(str(store)) as log:
        size = log.latest.size
        entry = log.index(size).present("saga-2").entry
        assert (entry.first, entry.last, entry.lines) == (9, size - 2, 600)
        assert log.index(size).present("log").entry.lines == 2
        assert len(log.saga("saga-2")) == 600
        assert log.saga("saga-2", 13) == log.saga("saga-2")[:3]
        (store.parent / f"{store.name}.log" / "index" / str(size)).unlink()
        assert log.index(size).present("saga-2").entry == entry


def test_a_store_without_a_log_says_so(store: Path) -> None:
    append(store, whole("a"))
    with pytest.raises(NoLog, match="log checkpoint"):
        Log.open(str(store))
    with pytest.raises(LogFault):
        Log.open(str(store.with_name("nothing")))
