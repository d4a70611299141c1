"""What a writer does not look at again on each line is refused all the same where it has not its form."""

from __future__ import annotations

import random
from array import array
from typing import Any

import pytest
from trace_samples import LOG, instant

from agent_saga.trace import CodecError, SagaWriter, decode
from agent_saga.trace.limits import MAX_INT, MAX_LINE

AT = instant(0)
BAD_TIMES = [
    "",
    "2026-02-31T00:00:00.000000Z",
    "2026-11-30T07:00:00Z",
    "2026-11-30T07:00:00.000000+00:00",
    "2026-11-30t07:00:00.000000z",
    "2026-11-30T07:00:00.000000Z\n",
    "٢٠٢٦-11-30T07:00:00.000000Z",
]


def begun(saga: str = "s") -> SagaWriter:
    """A writer that has written, so that it knows its saga and head."""
    writer = SagaWriter(saga, random.Random(1).randbytes)
    writer.line("rollback.started", AT, cause="x")
    return writer


@pytest.mark.parametrize("at", BAD_TIMES)
def test_each_line_s_time_has_its_form(at: str) -> None:
    for writer in (SagaWriter("s", bytes), begun()):
        with pytest.raises(CodecError):
            writer.line("rollback.started", at, cause="x")


@pytest.mark.parametrize("saga", ["", "a b", "s/1", "é", 'a"', "x" * 129, "log"])
def test_a_saga_that_is_none_is_refused_each_time(saga: str) -> None:
    writer = SagaWriter(saga, bytes)
    for _ in range(3):
        with pytest.raises(CodecError):
            writer.line("rollback.started", AT, cause="x")


@pytest.mark.parametrize("head", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 63 + '"'])
def test_a_head_that_is_none_is_refused_each_time(head: str) -> None:
    writer = SagaWriter("s", bytes, seq=1, head=head)
    for _ in range(3):
        with pytest.raises(CodecError):
            writer.line("rollback.started", AT, cause="x")


@pytest.mark.parametrize("name", ["saga", "seq", "head"])
def test_where_a_writer_stands_is_not_to_be_moved(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(begun(), name, "x")


def test_the_log_s_lines_and_sagas_never_mix_on_later_lines_either() -> None:
    log = SagaWriter("log", bytes)
    opened = dict(LOG)["log.opened"]
    assert decode(log.line("log.opened", AT, **opened))
    with pytest.raises(CodecError, match="in no saga named 'log'"):
        log.line("rollback.started", AT, cause="x")
    with pytest.raises(CodecError, match="only in the reserved saga 'log'"):
        begun().line("log.opened", AT, **opened)


def test_seq_ends_where_integers_do() -> None:
    writer = SagaWriter("s", bytes, seq=MAX_INT)
    assert decode(writer.line("rollback.started", AT, cause="x"))[0].seq == MAX_INT
    with pytest.raises(CodecError, match="seq"):
        writer.line("rollback.started", AT, cause="x")


def test_the_longest_line_is_as_long_on_later_lines() -> None:
    spare = MAX_LINE - len(begun().line("rollback.started", AT, cause=""))
    assert len(begun().line("rollback.started", AT, cause="x" * spare)) == MAX_LINE
    with pytest.raises(CodecError, match="262144"):
        begun().line("rollback.started", AT, cause="x" * (spare + 1))


@pytest.mark.parametrize("found", [b"", bytes(15), bytes(17), memoryview(array("I", range(16)))], ids=len)
def test_a_salt_is_of_sixteen_bytes_however_they_are_counted(found: Any) -> None:
    with pytest.raises(CodecError, match="16 random bytes"):
        SagaWriter("s", lambda _: found).line("rollback.started", AT, cause="x")


@pytest.mark.parametrize("name", ["v", "saga", "seq", "prev", "at", "type", "by", "salt"])
def test_the_writers_own_members_are_not_to_be_given(name: str) -> None:
    writer = begun()
    with pytest.raises(CodecError, match=f"^{name}: the writer's own members"):
        writer.write("rollback.started", AT, "runtime", {"cause": "x", name: "A" * 22})
    assert writer.seq == 1


@pytest.mark.parametrize("by", ["", "somebody", "agent:", "person:\0", "runtime "])
@pytest.mark.parametrize("effect", ["e1", "", "e 1", "e" * 65])
def test_the_other_forms_are_looked_at_on_each_line(by: str, effect: str) -> None:
    for speaker in {by, "runtime"} if effect != "e1" else {by}:
        with pytest.raises(CodecError):
            begun().line("effect.failed", AT, by=speaker, effect=effect, attempt=1, error=None)
