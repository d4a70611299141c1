"""A folder that is to be judged gives every trace and store in it, whatever case or ending their names have."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent_saga.trace.reader import expand
from agent_saga.trace.store.telling import is_store

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sys.executable).with_name("agent-saga"))
GOOD, BAD = (ROOT / "fixtures" / "demo" / f"{name}.jsonl" for name in ("good", "bad"))


def judged(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "certify", "--no-config", str(folder)], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good trace."""
    found = tmp_path / "traces"
    found.mkdir()
    shutil.copy(GOOD, found / "a.jsonl")
    return found


@pytest.mark.parametrize("name", ["orders.db", "orders", "orders.store", "sub/orders.jsonl.old"])
def test_a_store_is_judged_whatever_it_is_called(name: str, folder: Path) -> None:
    store = folder / name
    store.parent.mkdir(exist_ok=True)
    subprocess.run([COMMAND, "store", "import", str(store), str(BAD)], check=True, capture_output=True, timeout=120)
    done = judged(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ERROR AS201 uncompensated-effect  {store}:" in done.stdout


def test_a_store_is_judged_while_it_is_written(folder: Path) -> None:
    store = folder / "orders.db"
    subprocess.run([COMMAND, "store", "import", str(store), str(BAD)], check=True, capture_output=True, timeout=120)
    with closing(sqlite3.connect(store, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        assert Path(f"{store}-wal").exists()
        assert str(store) in expand([str(folder)])
        assert judged(folder).returncode == 1


@pytest.mark.parametrize("name", ["B.JSONL", "b.Json", "b.NDJSON.GZ"])
def test_the_case_of_a_name_hides_nothing(name: str, folder: Path) -> None:
    shutil.copy(BAD, folder / name)
    assert judged(folder).returncode == 1


def test_other_databases_and_what_lies_beside_a_store_are_passed_over(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as other:
        other.execute("CREATE TABLE t (a)")
    store = folder / "orders.db"
    subprocess.run([COMMAND, "store", "import", str(store), str(GOOD)], check=True, capture_output=True, timeout=120)
    for name in ("orders.db-wal", "orders.db-shm", "readme.txt"):
        (folder / name).touch()
    (folder / "orders.db.disclosures").write_bytes(b"SQLite format 3\0" + b"\0" * 52 + b"ASgp")
    assert list(expand([str(folder)])) == [str(folder / "a.jsonl"), str(store)]
    assert not is_store(str(folder))
