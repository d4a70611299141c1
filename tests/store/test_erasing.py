"""Erasing: the bytes are gone from every file, the lines stay; refused too early, under hold, for what is not there."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from samples import Writer
from vaults import CARD, IBAN, keep, sealed_saga, tells, texts

from agent_saga.trace.conceal import conceal
from agent_saga.trace.store import Disclosure, StoreError, open_store
from agent_saga.trace.store.choosing import Choice
from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.erasing import Erasure, NotErasable, Plan, erase, plan
from agent_saga.trace.store.errors import Busy, Damaged, Refusal
from agent_saga.trace.store.holding import hold, release
from agent_saga.trace.store.kept import read_kept
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.moving import back_up, import_lines
from agent_saga.trace.store.opening import open_engine
from agent_saga.trace.store.scrubbing import family, pieces, search

ALL = Choice(every=True)
CARD_ONLY = Choice(("1:/evidence/card",))
A, B = sealed_saga("a", ("ada", "ada", "")), sealed_saga("b", ("ada", "", ""))
A_TEXTS, B_TEXTS = ([text for _, text, _ in saga[1]] for saga in (A, B))


@contextmanager
def engine_of(place: str) -> Iterator[Engine]:
    engine = open_engine(place, create=False)
    try:
        yield engine
    finally:
        engine.close()


def erased(place: str, saga: str = "a", choice: Choice = ALL) -> Erasure:
    with engine_of(place) as engine:
        return erase(engine, saga, choice, now=1_796_000_000)


def planned(place: str, saga: str = "a", choice: Choice = ALL) -> Plan:
    with engine_of(place) as engine:
        try:
            return plan(engine, engine.begin(), saga, choice)
        finally:
            engine.rollback()


def lines_of(place: str) -> list[tuple[int, bytes]]:
    with engine_of(place) as engine:
        return engine.lines(0, 1000)


def test_all_values_of_a_saga_are_gone_and_nothing_else(kept: str, tmp_path: Path) -> None:
    keep(kept, A, B)
    lines = lines_of(kept)
    done = erased(kept)
    assert {one.digest for one in done.plan.values} == {pair.digest for pair in planned(kept).erased}
    assert search(family(kept), [*done.secrets, *done.texts]) == ([], [])
    assert (texts(kept, "a"), texts(kept, "b")) == ([], B_TEXTS)
    assert lines_of(kept) == lines
    found = read_kept(kept, "a")
    assert (found.texts, len(found.erased), found.lost) == ([], 3, [])
    assert tells(tmp_path, A[1]) == []


def test_a_backup_made_before_is_unreadable_once_the_key_is_gone(tmp_path: Path) -> None:
    place, copy = str(tmp_path / "s.db"), str(tmp_path / "copy" / "s.db")
    (tmp_path / "copy").mkdir()
    keep(place, A, B)
    back_up(place, copy)
    shutil.copy(place + ".keys", copy + ".keys")
    assert read_kept(copy, "a").texts == A_TEXTS
    erased(place, choice=CARD_ONLY)
    shutil.copy(place + ".keys", copy + ".keys")
    assert read_kept(copy, "a").texts == A_TEXTS[2:], "of another subject: its key is not touched"
    assert len(read_kept(copy, "a").lost) == 2, "also what was kept: it is sealed anew in the store, not in the copy"
    assert texts(place, "a") == A_TEXTS[1:]
    assert texts(place, "b") == B_TEXTS


def test_one_path_a_line_and_what_stands_below(kept: str) -> None:
    keep(kept, A)
    done = erased(kept, choice=Choice(("1:/evidence", "2")))
    assert [one.places for one in done.plan.values] == [("1:/evidence/card",), ("2:/evidence/iban",)]
    assert texts(kept, "a") == A_TEXTS[2:]


def test_a_subject_in_one_saga_and_in_all(kept: str, tmp_path: Path) -> None:
    keep(kept, A, B)
    assert len(erased(kept, "b", Choice(subject="ada")).plan.values) == 1
    assert (texts(kept, "a"), texts(kept, "b")) == (A_TEXTS, B_TEXTS[1:])
    done = erased(kept, "", Choice(subject="ada"))
    assert [one.saga for one in done.plan.values] == ["a", "a"]
    assert [one.saga for one in done.plan.erased] == ["b"]
    assert (texts(kept, "a"), texts(kept, "b")) == (A_TEXTS[2:], B_TEXTS[1:])
    with closing(sqlite3.connect(kept + ".keys")) as keys:
        assert [subject for (subject,) in keys.execute("SELECT subject FROM keys ORDER BY 1")] == ["a", "b"]
    assert search(family(kept), done.secrets) == ([], [])


def test_a_saga_that_runs_is_refused(kept: str) -> None:
    keep(kept, sealed_saga("c", ended=False), A)
    with pytest.raises(NotErasable, match="has not ended"):
        erased(kept, "c")
    with pytest.raises(NotErasable, match="has not ended"):
        erased(kept, "", Choice(subject="c"))
    assert len(texts(kept, "c")) == 3


def test_a_saga_under_hold_is_refused_until_it_is_released(kept: str) -> None:
    keep(kept, A, B)
    with engine_of(kept) as engine:
        hold(engine, "a", "court order 17/26", now=5.0)
        hold(engine, "a", "court order 18/26", now=6.0)
        assert [tuple(one) for one in engine.vault().holds()] == [("a", "court order 18/26", 5.0)]
        for bad in ("", " ", "a\nb"):
            with pytest.raises(Refusal, match="reason"):
                hold(engine, "a", bad, now=5.0)
        with pytest.raises(Refusal, match="no such saga"):
            hold(engine, "typo", "court order", now=5.0)
    for saga, choice in (("a", ALL), ("", Choice(subject="ada"))):
        with pytest.raises(NotErasable, match="legal hold: court order 18/26"):
            erased(kept, saga, choice)
    with closing(sqlite3.connect(kept + ".disclosures")) as hand, pytest.raises(sqlite3.IntegrityError, match="hold"):
        hand.execute("DELETE FROM disclosures")
    assert texts(kept, "a") == A_TEXTS
    with engine_of(kept) as engine:
        assert release(engine, "a")
        assert not release(engine, "a")
    assert len(erased(kept).plan.values) == 3


@pytest.mark.parametrize(
    ("saga", "choice", "says"),
    [
        ("nobody", ALL, "no such saga"),
        ("log", ALL, "no such saga"),
        ("a", Choice(("1:/check",)), "nothing is concealed there"),
        ("a", Choice(("0",)), "nothing is concealed there"),
        ("a", Choice(("99",)), "nothing is concealed there"),
        ("a", Choice(("1:/evidence/ca",)), "nothing is concealed there"),
        ("a", Choice(("/evidence",)), "names no value"),
        ("a", Choice(("1:/evidence/card", "4:/x")), "nothing is concealed there"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_erased(kept: str, saga: str, choice: Choice, says: str) -> None:
    keep(kept, A)
    with pytest.raises(Refusal, match=says):
        erased(kept, saga, choice)
    assert texts(kept, "a") == A_TEXTS


def test_erasing_twice_is_as_once_and_nothing_comes_back(kept: str, tmp_path: Path) -> None:
    keep(kept, A)
    erased(kept)
    again = erased(kept)
    assert (again.plan.values, len(again.plan.erased), again.plan.unkept) == ((), 3, ())
    assert again.plan.erased[0].at == 1_796_000_000
    keep(kept, A)
    (tmp_path / "trace").write_bytes(b"".join(new.line + b"\n" for new in A[0]))
    with engine_of(kept) as engine:
        import_lines(engine, str(tmp_path / "trace"), A_TEXTS)
    assert texts(kept, "a") == []
    for statement in ("DELETE FROM erased", "UPDATE erased SET at = 0"):
        with closing(sqlite3.connect(kept + ".disclosures")) as hand, pytest.raises(sqlite3.IntegrityError):
            hand.execute(statement)


def test_a_value_that_is_kept_elsewhere_is_told(kept: str) -> None:
    keep(kept, (A[0], A[1][1:]))
    done = planned(kept)
    assert (len(done.values), len(done.unkept)) == (2, 1)


def test_the_same_value_under_another_digest_is_told(kept: str) -> None:
    keep(kept, A)
    writer = Writer("t")
    (one, first), (two, second) = (conceal(IBAN, f"{n}" * 21 + "A") for n in (1, 2))
    lines = [writer.next(), writer.check({"a": one}), writer.check({"b": two}), writer.end()]
    keep(kept, (lines, [Disclosure("t", first), Disclosure("t", second)]))
    assert planned(kept, "t", Choice(("1",))).twins == ("t 2:/evidence/b",)


def test_what_is_damaged_can_be_erased(kept: str) -> None:
    keep(kept, A)
    with closing(sqlite3.connect(kept + ".disclosures")) as hand:
        hand.execute("UPDATE disclosures SET sealed = x'00' WHERE n = 1")
        hand.commit()
    with pytest.raises(Damaged):
        erased(kept, choice=Choice(("2",)))
    assert len(erased(kept, choice=CARD_ONLY).plan.values) == 1
    assert texts(kept, "a") == A_TEXTS[1:]


def test_every_kind_of_store_erases_while_it_is_open(make: Callable[[], LocalStore]) -> None:
    async def go() -> None:
        store = make()
        await store.append(A[0], disclosures=A[1])
        await store.remember("note", b"paid with " + CARD.encode())
        await store.hold("a", "court order", now=6.0)
        with pytest.raises(NotErasable, match="court order"):
            await store.erase("a", CARD_ONLY, now=7.0)
        assert await store.release_hold("a")
        done = await store.erase("a", CARD_ONLY, now=7.0)
        assert done.remembered == ("note",)
        assert await store.disclosures("a") == A_TEXTS[1:]
        with pytest.raises(Refusal):
            await store.erase("b", ALL, now=7.0)
        await store.append(B[0], disclosures=B[1])
        assert await store.disclosures("b") == B_TEXTS
        await store.close()

    asyncio.run(go())


def test_others_read_and_write_while_a_saga_is_erased(tmp_path: Path) -> None:
    place = str(tmp_path / "s.db")
    many = [sealed_saga(f"m{number}", ("shared", "shared", "")) for number in range(12)]
    keep(place, *many)
    stop, faults = threading.Event(), []

    def write() -> None:
        async def go() -> None:
            store, number = open_store(place), 0
            while not stop.is_set():
                lines, disclosures = sealed_saga(f"w{number}", ("shared", "", ""))
                await store.append(lines, disclosures=disclosures)
                if await store.disclosures(f"w{number}") != [text for _, text, _ in disclosures]:
                    faults.append(number)
                number += 1
            await store.close()

        asyncio.run(go())

    def read() -> None:
        while not stop.is_set():
            found = read_kept(place, "m11").texts
            if found != [text for _, text, _ in many[11][1]]:
                faults.append(-len(found))

    threads = [threading.Thread(target=work) for work in (write, read)]
    for thread in threads:
        thread.start()
    try:
        secrets = [one for number in range(8) for one in erased(place, f"m{number}").secrets]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert faults == []
    assert search(family(place), secrets) == ([], [])
    assert [len(texts(place, f"m{number}")) for number in range(12)] == [0] * 8 + [3] * 4
    assert texts(place, "w0") == [text for _, text, _ in sealed_saga("w0")[1]]
    assert read_kept(place).lost == []


def test_a_reader_that_holds_on_to_the_log_is_told_and_a_second_run_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "s.db")
    keep(place, A)
    monkeypatch.setattr("agent_saga.trace.store.connecting.PATIENCE", 0.1)
    with closing(sqlite3.connect(place + ".disclosures", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM disclosures").fetchone()
        with pytest.raises(Busy, match="run the same again"):
            erased(place)
        assert texts(place, "a") == []
    assert len(erased(place).plan.erased) == 3
    assert tells(tmp_path, A[1]) == []


def test_a_file_store_that_is_open_elsewhere_is_busy(tmp_path: Path) -> None:
    place = str(tmp_path / "s.jsonl")
    keep(place, A)
    with engine_of(place), pytest.raises(Busy):
        erased(place)
    with pytest.raises(StoreError, match="no such store"):
        erased(str(tmp_path / "none.db"))
    assert texts(place, "a") == A_TEXTS


@pytest.mark.parametrize("name", ["s.db", "s.jsonl"])
def test_a_store_that_cannot_be_written_is_refused(name: str) -> None:
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to the stranger
    try:
        folder.chmod(0o755)
        place = str(folder / name)
        keep(place, A)
        child = Path(__file__).with_name("child.py")
        done = subprocess.run([sys.executable, child, "erase", place], capture_output=True, text=True, check=False)
        assert done.stdout.startswith(f"ReadOnly {folder}"), done
        assert texts(place, "a") == A_TEXTS
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("choice", [ALL, CARD_ONLY], ids=["all", "one"])
def test_a_kill_at_any_statement_leaves_all_or_nothing_and_a_second_run_finishes(
    kept: str, tmp_path: Path, choice: Choice
) -> None:
    keep(kept, A, B)
    going, staying = (A[1], []) if choice is ALL else (A[1][:1], A_TEXTS[1:])
    (tmp_path / "first").mkdir()
    for path in family(kept):
        shutil.move(path, tmp_path / "first")
    seen = set()
    for number in range(1, 200):
        for path in (tmp_path / "first").iterdir():
            shutil.copy(path, tmp_path)
        ended = _killed_at(kept, number, choice)
        left = texts(kept, "a")
        assert left in (A_TEXTS, staying), number
        seen.add(len(left))
        done = erased(kept, choice=choice)
        assert search(family(kept), done.secrets) == ([], []), number
        assert (texts(kept, "a"), texts(kept, "b")) == (staying, B_TEXTS), number
        with closing(sqlite3.connect(kept + ".keys")) as keys, closing(sqlite3.connect(kept + ".disclosures")) as rows:
            used = {key for (key,) in rows.execute("SELECT key FROM disclosures")}
            assert {key for (key,) in keys.execute("SELECT id FROM keys")} == used, number
        assert not any(one.text.encode() in Path(path).read_bytes() for path in family(kept) for one in going)
        for path in family(kept):
            os.unlink(path)
        if ended:
            break
    assert number > 20
    assert seen == {len(A_TEXTS), len(staying)}


def _killed_at(place: str, number: int, choice: Choice) -> bool:
    """Erase in a process that kills itself before its n-th statement; whether it came to its end first."""
    child = os.fork()
    if child == 0:
        try:
            engine = open_engine(place, create=False)
            left = [number]

            def count(_: str) -> None:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), 9)

            vault = engine.vault()
            for connection in (vault.write, vault.keys.connection):
                connection.set_trace_callback(count)
            erase(engine, "a", choice, now=5.0)
            os._exit(0)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)


def test_pieces_of_a_long_secret_are_found_in_what_is_left_of_it(tmp_path: Path) -> None:
    secret = os.urandom(20_000)
    assert pieces(b"short") == [b"short"]
    (tmp_path / "s.left").write_bytes(os.urandom(5000) + secret[4000:8000] + os.urandom(5000))
    (tmp_path / "s.none").write_bytes(os.urandom(9000))
    (tmp_path / "s.folder").mkdir()
    files = family(str(tmp_path / "s"))
    assert [Path(one.file).name for one in search(files, [("it", secret)])[0]] == ["s.left"]
    assert [one.file for one in search([str(tmp_path / "gone")], [("it", secret)])[1]] == [str(tmp_path / "gone")]
