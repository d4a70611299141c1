"""Damaged, missing or read-only files, full disks, clocks that go back, wrong keys, two writers: told clearly."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from logs import KEY, NOON, ORIGIN, OTHER, WITNESS, append, begin, folder_of, mark, sample
from samples import Writer, whole

from agent_saga.proofs.checkpoints import Checkpoint, Pin, sign_checkpoint
from agent_saga.proofs.errors import KeyFault, LogFault, Refuted
from agent_saga.proofs.log import Locked, Log
from agent_saga.proofs.log.auditing import audit_log
from agent_saga.trace.errors import SourceError

PIN = Pin(ORIGIN, KEY.vkey)
HERE = Path(__file__).parent


def big(store: Path) -> int:
    """A log with full tiles, partial tiles and an index; its size."""
    sample(store)
    append(store, Writer("long").some(600))
    return mark(store, NOON + 1).checkpoint.size


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def pipe(path: Path) -> None:
    """Whoever opens it as a file waits for somebody at the other end."""
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    """A link to what never ends."""
    path.unlink()
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    """Four terabytes, none of them on the disk."""
    os.truncate(path, 1 << 42)


DAMAGE: dict[str, Callable[[Path], None]] = {"cut": cut, "flipped": flip, "empty": empty, "missing": Path.unlink}
FILES = ["tile/0/000", "tile/0/001", "tile/0/002.p/102", "tile/1/000.p/2", "index/614", "index/614.tree"]


HOSTILE: dict[str, Callable[[Path], None]] = {"pipe": pipe, "endless": endless, "huge": huge}
NOTES = ["checkpoint", "checkpoints/614", "offsets"]


@pytest.fixture
def hurried() -> Iterator[None]:
    """Whoever waits for a pipe is interrupted, and fails."""

    def told(_signal: int, _frame: object) -> None:
        raise TimeoutError("still waiting after 20 seconds")

    before = signal.signal(signal.SIGALRM, told)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", [*FILES, *NOTES])
def test_what_stands_where_a_file_should_never_makes_an_auditor_wait_or_run_out_of_memory(
    tmp_path: Path, name: str, kind: str
) -> None:
    store = tmp_path / ("orders.jsonl" if name == "offsets" else "orders.db")
    assert big(store) == 614
    HOSTILE[kind](folder_of(store) / name)
    if name == "offsets":  # believed by nobody: lines are then found by reading
        assert audit_log(str(store), PIN).checkpoint.size == 614
        with Log.open(str(store)) as log:
            assert len(log.saga("long")) == 600
        return
    with pytest.raises((LogFault, Refuted)):
        audit_log(str(store), PIN)
    if name != "checkpoints/614":  # the copy in `checkpoint` is the one that is shown
        with pytest.raises(LogFault):
            _everything(str(store))


def _everything(store: str) -> None:
    with Log.open(store) as log:
        _all_lines(log)
        _all_sagas(log)


@pytest.mark.usefixtures("hurried")
def test_a_pipe_is_no_trace_that_a_log_could_stand_beside(tmp_path: Path) -> None:
    store = tmp_path / "orders.jsonl"
    sample(store)
    mark(store)
    pipe(store)
    with pytest.raises((LogFault, SourceError)):
        audit_log(str(store), PIN)
    with pytest.raises((LogFault, SourceError)):
        Log.open(str(store))


def _all_lines(log: Log) -> None:
    for index in range(614):
        log.inclusion(index, 614)


def _all_sagas(log: Log) -> None:
    index = log.index(614)
    for saga in ("long", "log", "saga-0", "saga-1", "saga-2"):
        index.present(saga)
    index.absent("nobody")


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_told_and_made_again_from_the_lines(store: Path, name: str, damage: str) -> None:
    assert big(store) == 614
    path = folder_of(store) / name
    whole_file = path.read_bytes()
    DAMAGE[damage](path)
    with Log.open(str(store)) as log:
        if name.startswith("tile"):
            with pytest.raises(LogFault, match="--rebuild"):
                _all_lines(log)
        elif damage != "missing" or name.endswith(".tree"):
            with pytest.raises(LogFault, match="--rebuild"):
                _all_sagas(log)
    if not (damage == "missing" and name.startswith("index")):  # a missing index is made from the lines where needed
        with pytest.raises(LogFault, match="--rebuild"):
            audit_log(str(store), PIN)
    assert not mark(store, NOON + 2, rebuild=True).new
    assert path.read_bytes() == whole_file
    audit_log(str(store), PIN)


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_offsets_of_a_trace_file_cost_time_and_nothing_else(tmp_path: Path, damage: str) -> None:
    store = tmp_path / "orders.jsonl"
    size = big(store)
    offsets = folder_of(store) / "offsets"
    assert len(offsets.read_bytes()) == 3 * 8 + 32
    with Log.open(str(store)) as log:
        lines = [log.line(index) for index in range(size)]
    DAMAGE[damage](offsets)
    with Log.open(str(store)) as log:
        assert [log.line(index) for index in (0, 255, 256, 613)] == [lines[at] for at in (0, 255, 256, 613)]
    append(store, whole("later"))
    mark(store, NOON + 2)
    audit_log(str(store), PIN)


def test_the_right_edge_is_checked_before_anything_is_signed(store: Path) -> None:
    big(store)
    flip(folder_of(store) / "tile/0/002.p/102")
    append(store, whole("later"))
    with pytest.raises(LogFault, match="--rebuild"):
        mark(store, NOON + 2)
    assert sorted(path.name for path in (folder_of(store) / "checkpoints").iterdir()) == ["13", "614"]


def test_the_clock_must_not_be_before_the_lines(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    with pytest.raises(LogFault, match=r"the clock says 2026-11-30T11:59:59.*set the clock right"):
        mark(store, NOON - 1)  # before the index line of the checkpoint
    begin(other := store.with_name(f"other{store.suffix}"))
    append(other, whole("a"))
    with pytest.raises(LogFault, match="a line of the log says 2026-11-30T07:00:03"):
        mark(other, NOON - 30_000)
    with pytest.raises(LogFault, match="is no time"):
        mark(other, float("inf"))


def test_only_the_key_of_log_opened_signs(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    with pytest.raises(KeyFault, match=r"use the key of log\.opened"):
        mark(store, NOON + 1, OTHER)
    with pytest.raises(KeyFault, match="a key for witness"):
        mark(store, NOON + 1, WITNESS)
    with pytest.raises(KeyFault, match="leave --origin out"):
        mark(store, NOON + 1, origin="log.example/b")
    with pytest.raises(LogFault, match="holds lines already"):
        begin(store, OTHER)


def test_nothing_is_signed_after_a_checkpoint_of_an_unknown_key(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    note = str(sign_checkpoint(Checkpoint(ORIGIN, 15, b"x" * 32), OTHER.vkey, OTHER))
    (folder_of(store) / "checkpoints" / "15").write_text(note, "utf-8")
    with pytest.raises(LogFault, match="is not signed by this log's key"):
        mark(store, NOON + 1)


def test_a_plain_log_goes_on_with_its_own_key_only(store: Path) -> None:
    append(store, whole("a"))
    plain = mark(store, origin=ORIGIN)
    assert (plain.indexed, plain.checkpoint.size, plain.checkpoint.origin) == (False, 4, ORIGIN)
    append(store, whole("b"))
    with pytest.raises(LogFault, match="is not signed by this log's key"):
        mark(store, NOON + 1, OTHER, origin=ORIGIN)
    assert mark(store, NOON + 1, origin=ORIGIN).checkpoint.size == 8
    found = audit_log(str(store), PIN)
    assert (found.sagas, found.indexed, found.checkpoints) == (None, 0, 2)


def test_a_second_writer_is_told_who_is_writing(store: Path) -> None:
    sample(store)
    append(store, whole("later"))
    hold = (
        "import sys; from agent_saga.proofs.log.lock import locked\n"
        "from agent_saga.proofs.log.folder import LogFolder\n"
        "with locked(LogFolder(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(folder_of(store))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Locked, match=f"process {holder.pid} is writing there"):
            mark(store, NOON + 1)
        holder.kill()
        holder.communicate()
    assert mark(store, NOON + 1).new


def test_checkpoints_are_made_while_others_append_without_pause(tmp_path: Path) -> None:
    store = tmp_path / "orders.db"
    sample(store)
    child = HERE.parents[1] / "store" / "child.py"
    command = [sys.executable, str(child), "append", str(store), "busy", "4", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as busy:
        try:
            assert busy.stdout is not None
            sizes = []
            for number in range(1, 6):
                assert busy.stdout.readline()
                sizes.append(mark(store, NOON + number).checkpoint.size)
        finally:
            busy.kill()
            busy.stdout.read()
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 1
    assert audit_log(str(store), PIN).checkpoints == len(set(sizes)) + 1


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may look into."""
    folder = Path(tempfile.mkdtemp(prefix="agent-saga-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


MARK = (
    "import os, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from logs import *\n"
    "from agent_saga.trace.errors import AgentSagaError\n"
    "if len(sys.argv) > 3: os.setgid(65534); os.setuid(65534)\n"
    "try: print('signed', mark(Path(sys.argv[1]), NOON + 1, origin=ORIGIN).checkpoint.size)\n"
    "except AgentSagaError as fault: print(type(fault).__name__, fault)"
)


def told(store: Path, *more: str, before: Callable[[], None] | None = None) -> str:
    command = [sys.executable, "-c", MARK, str(store), str(HERE), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=before, check=False)
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("there", [True, False])
def test_a_read_only_folder_is_told(open_folder: Path, there: bool) -> None:
    store = open_folder / "orders.jsonl"
    append(store, whole("a"))
    if there:
        mark(store, origin=ORIGIN)
        append(store, whole("b"))
    for path in (*folder_of(store).rglob("*"), folder_of(store), open_folder):
        if path.exists():
            path.chmod(0o555 if path.is_dir() else 0o444)
    said = told(store, *(["stranger"] if os.getuid() == 0 else []))
    assert said.startswith("LogFault"), said
    assert "Permission denied" in said
    assert "writable for this user" in said


def test_a_full_disk_is_told_and_the_log_goes_on_once_there_is_room(tmp_path: Path) -> None:
    store = tmp_path / "orders.jsonl"
    append(store, whole("a"))
    mark(store, origin=ORIGIN)
    append(store, whole("b", 300))
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # noqa: E731
    said = told(store, before=small)
    assert said.startswith("LogFault"), said
    assert "tile/0/000" in said
    assert "look at the disk and its room" in said
    assert sorted(path.name for path in (folder_of(store) / "checkpoints").iterdir()) == ["4"]
    assert not [path for path in folder_of(store).iterdir() if path.name.startswith(".new")]
    assert told(store) == "signed 304\n"
    audit_log(str(store), PIN)


def test_a_file_that_is_no_trace_has_no_log(tmp_path: Path) -> None:
    from agent_saga.trace.errors import SourceError

    for name, data in (("a.txt", b"hello\n"), ("b.gz", b"\x1f\x8b\x08"), ("c.json", b"[]\n")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError, match="neither a store nor a plain trace"):
            mark(tmp_path / name)
    with pytest.raises(SourceError):
        mark(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(LogFault, match="log open"):
        mark(tmp_path / "empty.jsonl")
