"""The ``log.indexed`` line: made from what was counted, and appended only where it was meant to stand.

If other lines came in between, they are counted too and the line is made anew.

Source: docs/spec/log-v1.md, "Saga index"; docs/spec/store-v1.md, "Appending".
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from agent_saga.proofs.errors import LogFault
from agent_saga.proofs.log.census import Census
from agent_saga.proofs.log.folder import LogFolder
from agent_saga.proofs.log.opened import InForce, indexed_of
from agent_saga.proofs.log.opened import in_force as unchanged
from agent_saga.proofs.log.stored_index import hashed
from agent_saga.trace.events import LogOpened
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import NewLine
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.engine import Engine
from agent_saga.trace.store.ledger import append, parse
from agent_saga.trace.store.opening import open_engine
from agent_saga.trace.writer import SagaWriter


@dataclass(frozen=True, slots=True)
class Claims:
    """A saga index. text: its entries. tree: what stands beside them on disk. members: of the ``log.indexed`` line."""

    text: bytes
    tree: bytes
    members: dict[str, Any]

    def keep(self, folder: LogFolder, size: int) -> None:
        """Write it down as that of the checkpoint of this size. Raises LogFault."""
        folder.replace(f"index/{size}.tree", self.tree)
        folder.replace(f"index/{size}", self.text)


def claims(census: Census, opened: LogOpened, in_force: InForce | None = None) -> Claims:
    """The saga index over what was counted. in_force: where the log's own lines changed it. Raises LogFault."""
    texts = census.entries()
    root, tree = hashed(texts)
    members = {"size": len(texts), "root": root.hex()} | (in_force or unchanged(opened, census.own)).members()
    return Claims(b"".join(texts), tree, members)


def claimed_by(line: bytes) -> dict[str, Any] | None:
    """The same members of a line that is there; None when it is no ``log.indexed``."""
    event = indexed_of(line)
    if event is None:
        return None
    members: dict[str, Any] = {"size": event.size, "root": event.root}
    for name in ("keys", "policy"):
        part = getattr(event, name)
        if part is not None:
            members[name] = {"digest": part.digest, "index": part.index}
    return members


def make_line(census: Census, at: str, members: dict[str, Any], random: Callable[[int], bytes]) -> NewLine:
    """The next line of the log's own saga."""
    row = census.row(LOG_SAGA)
    if row is None:
        raise LogFault("the log has no log.opened: begin it with `agent-saga log open`")
    writer = SagaWriter(LOG_SAGA, random, seq=row.lines, head=row.head)
    return NewLine(LOG_SAGA, row.lines, writer.line("log.indexed", at, **members))


def append_at(store: str, line: NewLine, at: int) -> None:
    """Append one line if it gets this global index. Raises Overtaken when it would get another; StoreError."""
    with _writing(store) as (engine, draft):
        append(draft, [parse(line)], (), None, at)
        engine.commit(draft)


def append_held(store: str, make: Callable[[], tuple[NewLine, int]]) -> NewLine:
    """Append what ``make`` gives while every other writer waits; it reads the last lines in that time.

    For stores that are written so busily that others always come in between. Raises as :func:`append_at`.
    """
    with _writing(store) as (engine, draft):
        line, at = make()
        append(draft, [parse(line)], (), None, at)
        engine.commit(draft)
    return line


@contextlib.contextmanager
def _writing(store: str) -> Iterator[tuple[Engine, Draft]]:
    engine = open_engine(store)
    try:
        yield engine, Draft(engine.begin())
    except BaseException:
        engine.rollback()
        raise
    finally:
        engine.close()
