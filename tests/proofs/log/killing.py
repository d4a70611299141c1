"""Kills a writer of checkpoints at each of its writes, recovers, and says what came of it: `python killing.py STORE`.

The store has a checkpoint and lines after it. Each round copies it, lets a process write a checkpoint that is killed
(SIGKILL) before its N-th write, sync, rename, link or commit, and then writes one undisturbed. A line a round:
`N WHAT DIED-AS SIGNED-BEFORE SIGNED-AFTER`; the last round is the one that was not killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from logs import KEY, NOON, ORIGIN, append, mark
from samples import whole

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.log.auditing import audit_log
from agent_saga.trace.store.sqlite import SqliteEngine

CALLS = ("open", "write", "pwrite", "fsync", "replace", "link", "unlink", "ftruncate", "rename")


class Countdown:
    """Ends the process at the N-th call of what writes."""

    def __init__(self, number: int, tell: int) -> None:
        self.left, self.tell = number, tell
        for name in CALLS:
            setattr(os, name, self._counted(name, getattr(os, name)))
        commit = self._counted("commit", SqliteEngine.commit)
        SqliteEngine.commit = lambda engine, draft: commit(engine, draft)  # type: ignore[method-assign]

    def _counted(self, name: str, call: Any) -> Any:
        def counted(*given: Any, **named: Any) -> Any:
            self.left -= name != "open" or bool(given[1] & (os.O_CREAT | os.O_TRUNC))
            if self.left == 0:
                real_write(self.tell, name.encode())
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given, **named)

        return counted


real_write = os.write


def copy(store: Path, folder: Path) -> Path:
    """The store and its log, somewhere else."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(store.parent, folder)
    return folder / store.name


def killed(store: Path, number: int) -> tuple[str, bool]:
    """Write a checkpoint that dies at its N-th write; where it died, and whether it did."""
    out, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        Countdown(number, tell)
        mark(store, NOON + 1)
        os._exit(0)
    os.close(tell)
    _, status = os.waitpid(child, 0)
    where = os.read(out, 100).decode()
    os.close(out)
    return where, os.WIFSIGNALED(status)


def signed(store: Path) -> dict[str, bytes]:
    """Every signed checkpoint on disk."""
    return {path.name: path.read_bytes() for path in (store.parent / f"{store.name}.log" / "checkpoints").iterdir()}


def main(place: str, more: str) -> None:
    """All rounds. more: append further lines between the kill and the recovery."""
    store, pin = Path(place), Pin(ORIGIN, KEY.vkey)
    number, died = 0, True
    while died:
        number += 1
        copied = copy(store, store.parent.parent / "round")
        where, died = killed(copied, number)
        before = signed(copied)
        if more == "more":
            append(copied, whole("after-the-crash"))
        mark(copied, NOON + 2)
        after = signed(copied)
        assert all(after[size] == text for size, text in before.items()), "a checkpoint was written over"
        leftovers = [path.name for path in (copied.parent / f"{copied.name}.log").iterdir() if ".new" in path.name]
        assert not leftovers, leftovers
        audited = audit_log(str(copied), pin)
        assert audited.uncovered == 0
        print(number, where or "-", "killed" if died else "done", len(before), len(after), audited.checkpoint.size)


if __name__ == "__main__":
    main(*sys.argv[1:])
