"""Writers chain what they write, and write the same bytes for the same calls."""

from __future__ import annotations

import io
import random

import pytest
from trace_samples import MINIMAL, SAGA, instant

from agent_saga.trace import CodecError, SagaWriter, TraceWriter, decode, leaf_hash
from agent_saga.trace.limits import GENESIS
from agent_saga.trace.writer import salt_of

AT = instant(0)


def test_lines_are_chained_and_numbered_and_each_has_its_own_salt() -> None:
    writer = SagaWriter("s", random.Random(1).randbytes)
    lines = [writer.line(type, AT, **members) for type, members in SAGA]
    events = [decode(line)[0] for line in lines]
    assert [event.seq for event in events] == list(range(len(events)))
    assert [event.prev for event in events] == [GENESIS, *map(leaf_hash, lines[:-1])]
    assert len({event.salt for event in events}) == len(events)
    assert (writer.seq, writer.head) == (len(lines), leaf_hash(lines[-1]))


def test_a_writer_goes_on_where_another_stopped() -> None:
    whole = SagaWriter("s", bytes)
    first, second = whole.line(SAGA[0][0], AT, **SAGA[0][1]), whole.line("rollback.started", AT, cause="x")
    resumed = SagaWriter("s", bytes, seq=1, head=leaf_hash(first))
    assert resumed.line("rollback.started", AT, cause="x") == second


def test_a_line_that_was_refused_leaves_the_chain_where_it_was() -> None:
    writer = SagaWriter("s", bytes)
    with pytest.raises(CodecError):
        writer.line("effect.failed", AT, effect="e 1", attempt=1, error=None)
    assert (writer.seq, writer.head) == (0, GENESIS)


@pytest.mark.parametrize(
    "type, members",
    [
        ("effect.maybe", {}),
        ("effect.failed", {}),
        ("effect.failed", {"effect": "e1", "attempt": 1}),
        ("effect.failed", {"effect": "e1", "attempt": 1, "error": None, "colour": "red"}),
        ("effect.failed", {"effect": "e1", "attempt": "1", "error": None}),
        ("effect.failed", {"effect": "e1", "attempt": 1, "error": 0.1}),
        ("effect.failed", {"effect": "e1", "attempt": 1, "error": float("inf")}),
        ("log.opened", {"origin": "o", "vkey": "v", "keys": {}}),
    ],
)
def test_members_that_make_no_line_are_the_callers_fault(type: str, members: dict[str, object]) -> None:
    with pytest.raises(CodecError):
        SagaWriter("s", bytes).line(type, AT, **members)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(CodecError, match="day that exists"):
        SagaWriter("s", bytes).line("rollback.started", "2026-02-31T00:00:00.000000Z", cause="x")


def test_a_salt_takes_sixteen_bytes() -> None:
    assert salt_of(bytes(16)) == "A" * 22
    with pytest.raises(CodecError, match="16 random bytes"):
        salt_of(bytes(15))


def test_interleaved_sagas_have_a_chain_each() -> None:
    stream = io.BytesIO()
    writer = TraceWriter(stream, random.Random(2).randbytes)
    leaves = [writer.write(saga, type, AT, **members) for type, members in MINIMAL for saga in ("a", "b")]
    lines = stream.getvalue().split(b"\n")
    assert lines.pop() == b""
    assert [leaf_hash(line) for line in lines] == leaves
    for start in (0, 1):
        chain = [decode(line)[0] for line in lines[start::2]]
        assert [event.prev for event in chain] == [GENESIS, *leaves[start::2][:-1]]
