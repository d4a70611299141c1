"""The vault: nothing in clear, without the key, or under another digest; and the way there from version 1."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from vaults import VALUES, keep, make_old, sealed_saga, tells, texts

from agent_saga.trace.conceal import digest_of, parse_disclosure
from agent_saga.trace.store import Disclosure, connecting, migrating, open_store
from agent_saga.trace.store.base import NewLine
from agent_saga.trace.store.connecting import opened
from agent_saga.trace.store.errors import Damaged, Refusal, StoreError, WrongVersion
from agent_saga.trace.store.kept import read_kept
from agent_saga.trace.store.moving import back_up, disclosures_of, migrate
from agent_saga.trace.store.sealed import Row
from agent_saga.trace.store.vault import seal, unseal

LINES, DISCLOSURES = sealed_saga("a")
TEXTS = [text for _, text, _ in DISCLOSURES]


def test_no_file_of_a_store_holds_a_disclosure_in_clear(kept: str, tmp_path: Path) -> None:
    keep(kept, (LINES, DISCLOSURES))
    assert tells(tmp_path, DISCLOSURES) == []
    assert texts(kept, "a") == TEXTS
    assert read_kept(kept).texts == list(disclosures_of(kept)) == TEXTS
    for end in (".disclosures", ".keys"):
        assert stat.S_IMODE(Path(kept + end).stat().st_mode) == 0o600


def test_a_store_that_conceals_nothing_has_no_keys(kept: str) -> None:
    keep(kept, (sealed_saga("b")[0], []))
    assert not Path(kept + ".keys").exists()


def test_without_its_keys_a_copy_is_unreadable(tmp_path: Path) -> None:
    place, copy = str(tmp_path / "s.db"), str(tmp_path / "copy.db")
    keep(place, (LINES, DISCLOSURES))
    back_up(place, copy)
    assert not Path(copy + ".keys").exists()
    found = read_kept(copy)
    assert (found.texts, found.erased, len(found.lost)) == ([], [], 3)
    assert texts(copy, "a") == []
    assert not Path(copy + ".keys").exists(), "reading makes no keys"
    store = open_store(copy)
    assert store.notices[0].startswith(f"{copy}.disclosures: 3 disclosures cannot be opened")
    asyncio.run(store.close())
    shutil.copy(place + ".keys", copy + ".keys")
    assert texts(copy, "a") == TEXTS
    back_up(place, str(tmp_path / "whole.db"), str(tmp_path / "whole.db.keys"))
    assert read_kept(str(tmp_path / "whole.db")).texts == TEXTS
    with pytest.raises(StoreError, match="nothing is written over"):
        back_up(place, str(tmp_path / "third.db"), str(tmp_path / "whole.db.keys"))
    assert not (tmp_path / "third.db").exists()


MOVED = {
    "digest": "UPDATE disclosures SET digest = CASE n WHEN 1 THEN 'x' ELSE digest END",
    "sealed": "UPDATE disclosures SET sealed = (SELECT sealed FROM disclosures WHERE n = 2) WHERE n = 1",
    "subject": "UPDATE disclosures SET subject = 'somebody else' WHERE n = 1",
    "a byte": "UPDATE disclosures SET sealed = CAST(substr(sealed, 1, 20) || x'07' || substr(sealed, 22) AS BLOB)",
    "cut": "UPDATE disclosures SET sealed = x'00' WHERE n = 1",
}


@pytest.mark.parametrize("case", MOVED)
def test_a_ciphertext_that_was_moved_or_changed_is_refused(case: str, kept: str) -> None:
    keep(kept, (LINES, DISCLOSURES))
    with closing(sqlite3.connect(kept + ".disclosures")) as connection:
        connection.execute(MOVED[case])
        connection.commit()
    with pytest.raises(Damaged, match="does not open under its key"):
        texts(kept, "a")
    with pytest.raises(Damaged, match="does not open under its key"):
        read_kept(kept)


def test_sealing_is_bound_to_digest_subject_and_key() -> None:
    key, text = bytes(range(32)), TEXTS[0]
    digest = digest_of(text)
    sealed = seal(key, text, digest, "s", bytes(12))
    row = Row(digest, "a", "s", "k", sealed)
    assert unseal(key, row, "here") == text
    assert len(sealed) == len(text) + 28
    for other in (row._replace(digest="d"), row._replace(subject="t"), row._replace(sealed=sealed[:-1])):
        with pytest.raises(Damaged):
            unseal(key, other, "here")
    with pytest.raises(Damaged):
        unseal(bytes(32), row, "here")


def test_randomness_is_an_argument(tmp_path: Path) -> None:
    seen: list[int] = []

    def random(size: int) -> bytes:
        seen.append(size)
        return os.urandom(size)

    async def go() -> None:
        store = open_store(tmp_path / "s.db", random=random)
        await store.append(LINES, disclosures=DISCLOSURES)
        await store.close()

    asyncio.run(go())
    assert sorted(seen) == [12, 12, 12, 16, 32]


def test_a_subject_is_a_name(kept: str) -> None:
    lines, disclosures = sealed_saga("a", ("line\nbreak", "", ""))
    with pytest.raises(Refusal, match="subject"):
        keep(kept, (lines, disclosures))


def test_version_1_is_refused_and_migrated(tmp_path: Path) -> None:
    place = str(tmp_path / "s.db")
    keep(place, (LINES, DISCLOSURES))
    make_old(place, DISCLOSURES)
    with pytest.raises(WrongVersion, match=r"store migrate \S+s\.db`"):
        open_store(place)
    assert tells(tmp_path, DISCLOSURES) != []
    before = Path(place + ".disclosures").read_bytes()
    (step,) = migrate(place, dry_run=True)
    assert step.startswith("schema 2: each disclosure is encrypted")
    assert not Path(place + ".keys").exists()
    with pytest.raises(WrongVersion):
        read_kept(place)
    assert len(before) == len(Path(place + ".disclosures").read_bytes())
    assert migrate(place, dry_run=False) == [step]
    assert migrate(place, dry_run=False) == []
    assert tells(tmp_path, DISCLOSURES) == []
    assert texts(place, "a") == TEXTS
    store = open_store(place)
    assert asyncio.run(store.recall("key")) == b"\x01"
    asyncio.run(store.close())


def test_a_file_of_disclosures_in_clear_is_read_and_migrated(tmp_path: Path) -> None:
    place = str(tmp_path / "s.jsonl")
    keep(place, (LINES, []))
    clear = tmp_path / "s.jsonl.disclosures"
    clear.write_text("".join(f"{text}\n" for text in [*TEXTS, sealed_saga("other")[1][0].text]))
    old = clear.stat().st_ino
    assert list(disclosures_of(place)) == TEXTS
    with pytest.raises(WrongVersion, match="in clear"):
        open_store(place)
    (step,) = migrate(place, dry_run=True)
    assert step.endswith("(disclosures: 3)")
    assert clear.stat().st_ino == old
    assert migrate(place, dry_run=False) == [step]
    assert stat.S_IMODE(clear.stat().st_mode) == 0o600
    assert tells(tmp_path, DISCLOSURES) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "s.jsonl", "s.jsonl.disclosures", "s.jsonl.keys", "s.jsonl.pending"
    ]  # fmt: skip
    assert texts(place, "a") == TEXTS
    assert migrate(place, dry_run=False) == []


def test_what_was_in_clear_is_overwritten_where_it_stood(tmp_path: Path) -> None:
    place = str(tmp_path / "s.jsonl")
    keep(place, (LINES, []))
    clear = tmp_path / "s.jsonl.disclosures"
    clear.write_text("".join(f"{text}\n" for text in TEXTS))
    os.link(clear, tmp_path / "a second name")
    migrate(place, dry_run=False)
    assert set((tmp_path / "a second name").read_bytes()) == {0}


def test_opened_values_are_what_was_concealed(kept: str) -> None:
    keep(kept, (LINES, DISCLOSURES))
    assert tuple(parse_disclosure(text)[1] for text in texts(kept, "a")) == VALUES


def test_a_repeated_append_seals_nothing_twice(kept: str) -> None:
    again: tuple[list[NewLine], list[Disclosure]] = (LINES, DISCLOSURES)
    keep(kept, again, again)
    with closing(sqlite3.connect(kept + ".disclosures")) as connection:
        assert connection.execute("SELECT count(*) FROM disclosures").fetchone() == (3,)
    shutil.copy(kept + ".keys", kept + ".keys.copy")
    with closing(sqlite3.connect(kept + ".keys.copy")) as connection:
        assert connection.execute("SELECT count(*) FROM keys").fetchone() == (1,)


def test_a_migration_that_is_killed_at_any_statement_is_finished_by_the_next(tmp_path: Path) -> None:
    place = str(tmp_path / "s.db")
    keep(place, (LINES, DISCLOSURES))
    make_old(place, DISCLOSURES)
    (tmp_path / "first").mkdir()
    for name in ("s.db", "s.db.disclosures"):
        shutil.move(tmp_path / name, tmp_path / "first" / name)
    for number in range(1, 200):
        for path in (tmp_path / "first").iterdir():
            shutil.copy(path, tmp_path)
        ended = _killed_at(place, number)
        migrate(place, dry_run=False)
        assert texts(place, "a") == TEXTS, number
        assert not any(text.encode() in path.read_bytes() for path in tmp_path.glob("s.db*") for text in TEXTS[:2])
        for path in tmp_path.glob("s.db*"):
            path.unlink()
        if ended:
            break
    assert number > 10


def _killed_at(place: str, number: int) -> bool:
    """Migrate in a process that kills itself before its n-th statement; whether it came to its end first."""
    child = os.fork()
    if child == 0:
        left = [number]

        def count(_: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), 9)

        def traced(*words: Any, **how: Any) -> sqlite3.Connection:
            connection = opened(*words, **how)
            connection.set_trace_callback(count)
            return connection

        try:
            for module in (migrating, connecting):
                module.opened = traced  # type: ignore[attr-defined]
            migrate(place, dry_run=False)
            os._exit(0)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)
