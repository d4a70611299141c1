"""What somebody may try who can write the store, its log, or even holds the log's key: each refused for its own reason.

The fixtures are functions named for the defect; each takes a sound log of three sagas and spoils it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from logs import KEY, MONITOR, NOON, ORIGIN, OTHER, WITNESS, append, begin, folder_of, lines_of, mark, rewrite, sample
from samples import Writer, whole

from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint, sign_checkpoint
from agent_saga.proofs.continuing import Continuation
from agent_saga.proofs.entries import sentinel
from agent_saga.proofs.errors import LogFault, Refuted
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.log import Log, indexing, writing
from agent_saga.proofs.log.auditing import audit_log
from agent_saga.proofs.log.folder import LogFolder
from agent_saga.proofs.log.witnessing import cosign_checkpoint, monitor_log
from agent_saga.trace.codec import decode, encode

PIN = Pin(ORIGIN, KEY.vkey)
Forge = Callable[[list[bytes]], list[bytes]]


def truncated_tail(lines: list[bytes]) -> list[bytes]:
    """The last lines are gone."""
    return lines[:-2]


def dropped_saga(lines: list[bytes]) -> list[bytes]:
    """A saga is gone, and another stands in its place so that the number of lines is the same."""
    own = [new.line for new in whole("other", 4)]
    return [own.pop(0) if b'"saga":"saga-1"' in line else line for line in lines]


def rechained_forgery(lines: list[bytes]) -> list[bytes]:
    """A line in the middle of a saga was changed, and the chain after it made anew: the trace itself holds."""
    writer = Writer("saga-1", size=1)
    own = [*(new.line for new in writer.some(3)), writer.end().line]
    return [own.pop(0) if b'"saga":"saga-1"' in line else line for line in lines]


def swapped_lines(lines: list[bytes]) -> list[bytes]:
    """Two lines of two sagas changed places: each saga's chain still holds."""
    return [*lines[:4], lines[5], lines[4], *lines[6:]]


def changed_byte(lines: list[bytes]) -> list[bytes]:
    """One byte of a value was changed."""
    return [line.replace(b'"c1"', b'"c9"') for line in lines]


LINES = {
    truncated_tail: "truncated",
    dropped_saga: "inconsistent",
    rechained_forgery: "inconsistent",
    swapped_lines: "inconsistent",
    changed_byte: "broken-chain",
}


@pytest.mark.parametrize("forge", LINES, ids=lambda forge: forge.__name__)
def test_changed_lines_are_caught_by_the_checkpoint(store: Path, forge: Forge) -> None:
    sample(store)
    before = folder_of(store) / "checkpoint"
    text = before.read_bytes()
    lines = lines_of(store)
    rewrite(store, forge(lines))
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN)
    assert told.value.reason == LINES[forge]
    with pytest.raises(Refuted):
        monitor_log(str(store), PIN, MONITOR, "", at=int(NOON))
    append_or_not(store)
    if forge is truncated_tail:
        with pytest.raises(LogFault, match=r"cut off|changed or replaced"):
            mark(store, NOON + 1)
    with pytest.raises(LogFault, match=r"cut off|lead to|is not line"):
        mark(store, NOON + 1, rebuild=True)
    assert before.read_bytes() == text


def append_or_not(store: Path) -> None:
    """Lines go on after the forgery, where the store still takes them."""
    if store.suffix == ".db":
        append(store, whole("later"))


def test_lines_shown_from_a_changed_store_are_refused_one_by_one(store: Path) -> None:
    sample(store)
    rewrite(store, rechained_forgery(lines_of(store)))
    with Log.open(str(store)) as log:
        assert log.saga("saga-0")
        for ask in (lambda: log.line(6), lambda: log.saga("saga-1")):
            with pytest.raises(LogFault, match="is not the one that stands in the log"):
                ask()


def test_spliced_forks_do_not_lead_to_the_root(store: Path, tmp_path: Path) -> None:
    sample(store)
    other = tmp_path / "other" / store.name
    other.parent.mkdir()
    begin(other)
    append(other, [line for name in ("saga-0", "fork-1", "fork-2") for line in whole(name)][:11])
    mark(other)
    ours, theirs = lines_of(store), lines_of(other)
    assert len(ours) == len(theirs) == 13
    assert ours[:5] == theirs[:5]
    rewrite(store, [*ours[:5], *theirs[5:]])
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN)
    assert told.value.reason == "inconsistent"


def test_an_older_checkpoint_put_back_is_noticed(store: Path, tmp_path: Path) -> None:
    sample(store)
    old = tmp_path / "old"
    shutil.copytree(folder_of(store), old)
    old_lines = lines_of(store)
    append(store, whole("later"))
    mark(store, NOON + 1)
    kept, _ = open_checkpoint((folder_of(store) / "checkpoint").read_bytes(), PIN)
    (folder_of(store) / "checkpoint").write_bytes((old / "checkpoint").read_bytes())
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN)
    assert told.value.reason == "rolled-back"
    mark(store, NOON + 2)  # the operator's own next run publishes the latest again
    audit_log(str(store), PIN)
    # everything is put back: only who kept the newer checkpoint can tell
    shutil.rmtree(folder_of(store))
    shutil.copytree(old, folder_of(store))
    rewrite(store, old_lines)
    audit_log(str(store), PIN)
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN, kept)
    assert told.value.reason == "rolled-back"


def test_an_older_index_put_back_is_a_damaged_file(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    mark(store, NOON + 1)
    size = lines_of(store).__len__()
    for end in ("", ".tree"):
        older = folder_of(store) / "index" / f"13{end}"
        (folder_of(store) / "index" / f"{size}{end}").write_bytes(older.read_bytes())
    with Log.open(str(store)) as log, pytest.raises(LogFault, match="is not the saga index"):
        log.index(size)
    with pytest.raises(LogFault, match="is not the index"):
        audit_log(str(store), PIN)
    append(store, whole("still-later"))
    with pytest.raises(LogFault, match="is not the index"):
        mark(store, NOON + 2)
    assert mark(store, NOON + 2, rebuild=True).new
    audit_log(str(store), PIN)


def stale_index(texts: list[bytes]) -> list[bytes]:
    """A saga is shown with one line less than it has."""
    return [text.replace(b" 4 ", b" 3 ") for text in texts]


def forged_index(texts: list[bytes]) -> list[bytes]:
    """A saga has been left out."""
    return [texts[0], *texts[2:]]


def unsorted_index(texts: list[bytes]) -> list[bytes]:
    """Two entries have changed places."""
    return [texts[0], texts[2], texts[1], *texts[3:]]


def invented_index(texts: list[bytes]) -> list[bytes]:
    """A saga that the log does not hold."""
    return [*texts[:-1], texts[1].replace(b"v1 ", b"v1 e")[: len(texts[1])], sentinel("f" * 64).text().encode()]


@pytest.mark.parametrize("forge", [stale_index, forged_index, unsorted_index, invented_index])
def test_an_index_that_the_operator_forged_and_signed_is_refused(
    store: Path, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forged(census: Any, opened: Any) -> indexing.Claims:
        honest = claims(census, opened)
        texts = forge(honest.text.splitlines(keepends=True))
        root, tree = indexing.hashed(texts)
        members = honest.members | {"size": len(texts), "root": root.hex()}
        return indexing.Claims(b"".join(texts), tree, members)

    claims = writing.claims
    monkeypatch.setattr(writing, "claims", forged)
    sample(store)
    monkeypatch.undo()
    for look in (audit_log, lambda *a: monitor_log(*a, MONITOR, "", at=int(NOON))):
        with pytest.raises(Refuted) as told:
            look(str(store), PIN)
        assert told.value.reason == "bad-index-root"


def test_a_checkpoint_that_does_not_end_with_its_index_is_refused(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    lines = lines_of(store)
    checkpoint = Checkpoint(ORIGIN, len(lines), root_of(list(map(leaf, lines))))
    note = str(sign_checkpoint(checkpoint, KEY.vkey, KEY)).encode()
    for name in ("checkpoint", f"checkpoints/{len(lines)}"):
        (folder_of(store) / name).write_bytes(note)
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN)
    assert told.value.reason == "not-indexed"


def test_a_split_view_is_refused_by_witness_auditor_and_disk(store: Path, tmp_path: Path) -> None:
    written = sample(store)
    twin = tmp_path / "twin" / store.name
    twin.parent.mkdir()
    begin(twin)
    append(twin, whole("another", 11))
    forked = mark(twin)
    assert forked.checkpoint.size == written.checkpoint.size
    state = str(tmp_path / "seen")
    cosign_checkpoint(written.note, PIN, WITNESS, state, None, at=int(NOON))
    with pytest.raises(Refuted) as told:
        cosign_checkpoint(forked.note, PIN, WITNESS, state, None, at=int(NOON))
    assert told.value.reason == "inconsistent"
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN, forked.checkpoint)
    assert told.value.reason == "inconsistent"
    with pytest.raises(LogFault, match="another checkpoint of this size"):
        LogFolder(str(folder_of(store))).put_once("checkpoints/13", forked.note)
    assert (folder_of(store) / "checkpoints" / "13").read_bytes() == written.note


def test_a_witness_signs_neither_a_rollback_nor_a_fork_and_remembers_what_it_signed(
    store: Path, tmp_path: Path
) -> None:
    first, state = sample(store), tmp_path / "seen"
    append(store, whole("later"))
    second = mark(store, NOON + 1)
    with Log.open(str(store)) as log:
        proof = Continuation(13, second.checkpoint.size, log.consistency(13, second.checkpoint.size))
    cosign_checkpoint(first.note, PIN, WITNESS, str(state), None, at=int(NOON))
    with pytest.raises(Refuted) as told:
        cosign_checkpoint(second.note, PIN, WITNESS, str(state), None, at=int(NOON))
    assert told.value.reason == "wrong-sizes"
    wrong = Continuation(proof.old, proof.new, [proof.proof[0][::-1], *proof.proof[1:]])
    with pytest.raises(Refuted) as told:
        cosign_checkpoint(second.note, PIN, WITNESS, str(state), wrong, at=int(NOON))
    assert told.value.reason == "inconsistent"
    before = state.read_bytes()
    cosign_checkpoint(second.note, PIN, WITNESS, str(state), proof, at=int(NOON))
    assert state.read_bytes() != before
    with pytest.raises(Refuted) as told:
        cosign_checkpoint(first.note, PIN, WITNESS, str(state), proof, at=int(NOON))
    assert told.value.reason == "rolled-back"
    assert len(cosign_checkpoint(second.note, PIN, WITNESS, str(state), None, at=int(NOON))[1].signatures) == 2


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"witness":"other","seen":{}}', b'{"witness":1}', b"\xff"])
@pytest.mark.parametrize("pair", [None, [1, "AA=="], ["1", 2], [1]])
def test_a_witness_whose_state_is_damaged_signs_nothing(tmp_path: Path, text: bytes, pair: Any) -> None:
    state = tmp_path / "seen"
    if pair is not None:
        text = b'{"witness":"agent-saga-witness-v1","seen":{"x":%b}}' % str(pair).replace("'", '"').encode()
    state.write_bytes(text)
    with pytest.raises(LogFault, match="no witness's state"):
        cosign_checkpoint(sample(tmp_path / "s.db").note, PIN, WITNESS, str(state), None, at=int(NOON))


def test_the_log_of_another_key_or_name_is_refused(store: Path) -> None:
    sample(store)
    for pin, reason in ((Pin(ORIGIN, OTHER.vkey), "unsigned"), (Pin("log.example/b", KEY.vkey), "wrong-origin")):
        with pytest.raises(Refuted) as told:
            audit_log(str(store), pin)
        assert told.value.reason == reason


def test_a_store_whose_first_line_names_another_key_than_the_checkpoints_is_refused(store: Path) -> None:
    begin(store, OTHER)
    append(store, whole("a"))
    lines = lines_of(store)
    note = str(sign_checkpoint(Checkpoint(ORIGIN, 5, root_of(list(map(leaf, lines)))), KEY.vkey, KEY)).encode()
    (folder_of(store) / "checkpoints").mkdir(parents=True)
    for name in ("checkpoint", "checkpoints/5"):
        (folder_of(store) / name).write_bytes(note)
    with pytest.raises(Refuted) as told:
        audit_log(str(store), PIN)
    assert told.value.reason == "wrong-key"


def test_a_change_of_keys_that_cannot_be_checked_is_not_indexed_over(store: Path) -> None:
    sample(store)
    event, _ = decode(lines_of(store)[-1])
    writer = writing.SagaWriter if hasattr(writing, "SagaWriter") else indexing.SagaWriter
    own = writer("log", bytes, seq=event.seq + 1, head=leaf(lines_of(store)[-1]).hex())
    line = own.line("keys.revoked", "2026-11-30T12:00:01.000000Z", key_id="k1", proof={})
    assert encode(decode(line)[0]) == line
    append(store, [indexing.NewLine("log", event.seq + 1, line)])
    with pytest.raises(LogFault, match=r"keys\.revoked changes what is in force"):
        mark(store, NOON + 2)
