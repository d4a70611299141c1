"""What is copied into the store in binary form is what the server itself would copy out of it, byte for byte."""

from __future__ import annotations

import contextlib

from samples import Writer, whole

from agent_saga.trace.store import NewLine, ledger
from agent_saga.trace.store.draft import Draft
from agent_saga.trace.store.memory import MemoryEngine
from agent_saga.trace.store.postgres import writing
from agent_saga.trace.store.postgres.connecting import connect
from agent_saga.trace.store.postgres.rows import rows_of

BACK = (
    "COPY (SELECT saga, seq, batch, pos, ends, line FROM agent_saga.events ORDER BY saga, seq) "
    "TO STDOUT (FORMAT BINARY)"
)


def _interleaved() -> list[NewLine]:
    """Lines of three sagas in turns, one of which ends, one with a long line."""
    b, c = whole("b"), Writer("c-" + "x" * 60, size=200_000).some(2)
    a = Writer("a").some(len(b))
    return [*c[:1], *(new for turn in zip(b, a, strict=True) for new in turn), *c[1:]]


def test_the_rows_that_are_copied_in_are_the_servers_own_spelling(pg_address: str) -> None:
    draft = Draft(MemoryEngine())
    ledger.append(draft, [ledger.parse(new) for new in _interleaved()], (), None)
    with contextlib.closing(connect(pg_address)) as connection:
        connection.execute("BEGIN")
        batch = writing.next_batch(connection)
        writing.write_lines(connection, draft, batch)
        with connection.cursor().copy(BACK) as copy:
            back = b"".join(bytes(block) for block in copy)
        connection.execute("ROLLBACK")
    assert back == rows_of(draft, batch)
    assert [line.ends for line in draft.lines].count(True) == 1
