"""kill -9 at every write of a checkpoint: the next run recovers, and no size ever gets two roots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from killing import copy
from logs import KEY, NOON, ORIGIN, append, mark, sample
from samples import whole

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.log.auditing import audit_log

KILLING = Path(__file__).with_name("killing.py")


@pytest.mark.parametrize("more", ["nothing", "more"])
def test_a_writer_that_is_killed_at_any_write_leaves_a_log_that_goes_on(store: Path, more: str) -> None:
    base = store.parent / "base" / store.name
    base.parent.mkdir()
    sample(base)
    append(base, whole("new", 300))
    done = subprocess.run(
        [sys.executable, str(KILLING), str(base), more], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = [line.split() for line in done.stdout.splitlines()]
    assert [row[2] for row in rounds[:-1]] == ["killed"] * (len(rounds) - 1)
    assert rounds[-1][2] == "done"
    assert len(rounds) > 15, "hardly anything was killed"
    assert {"write", "replace", "link", "fsync"} <= {row[1] for row in rounds}
    sizes = {int(row[5]) for row in rounds}
    if more == "nothing":  # whatever happened, the log is of one index line more, or of two where one came to nothing
        assert sizes == {314}


@pytest.mark.parametrize("left", [b"", b"half a tile"])
def test_a_full_tile_that_a_killed_writer_left_short_is_made_again(store: Path, left: bytes) -> None:
    sample(store)
    append(store, whole("new", 300))
    tile = store.parent / f"{store.name}.log" / "tile" / "0" / "000"
    assert not tile.exists(), "only a partial tile is signed yet"
    tile.write_bytes(left)
    assert mark(store, NOON + 1).new
    assert tile.stat().st_size == 8192
    audit_log(str(store), Pin(ORIGIN, KEY.vkey))


def test_a_writer_killed_during_a_rebuild_loses_nothing(store: Path, tmp_path: Path) -> None:
    sample(store)
    append(store, whole("new", 300))
    mark(store, NOON + 1)
    kept = copy(store, tmp_path.parent / f"{tmp_path.name}-kept")
    folder = store.parent / f"{store.name}.log"
    (folder / ".rebuilt" / "tile" / "0").mkdir(parents=True)
    (folder / ".rebuilt" / "tile" / "0" / "000").write_bytes(b"half")
    (folder / ".new-1").write_bytes(b"half")
    assert not mark(store, NOON + 2, rebuild=True).new
    assert (folder / "checkpoints" / "13").read_bytes()
    for path in sorted((kept.parent / f"{store.name}.log").rglob("*")):
        if path.is_file() and path.name not in ("lock", "13", "13.tree"):
            assert (folder / path.relative_to(kept.parent / f"{store.name}.log")).read_bytes() == path.read_bytes(), (
                path
            )
    assert not (folder / ".rebuilt").exists()
    assert not (folder / ".new-1").exists()
