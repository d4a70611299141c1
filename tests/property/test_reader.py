"""Where the stream happens to be cut into chunks never shows in the lines."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import zstandard
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.trace import streams
from agent_saga.trace.reader import Opened, open_input

LIMIT = 20
DATA = st.lists(st.sampled_from([b"\n", b"a", b"\r", b"\x00", b"\xff", b"x" * 19, b"y" * 30]), max_size=40).map(
    b"".join
)


class _Raw:
    """A stored stream that has nothing to tell."""

    def changed(self) -> str:
        return ""

    def close(self) -> None:
        pass


@st.composite
def chunked(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    data = draw(DATA)
    cuts = sorted({0, len(data), *draw(st.lists(st.integers(0, len(data)), max_size=12))})
    return data, [data[start:end] for start, end in pairwise(cuts)]


def read(chunks: Iterator[bytes]) -> list[bytes]:
    return list(Opened("t", b"", chunks, _Raw()).lines(LIMIT))  # type: ignore[arg-type]


@given(chunked())
def test_chunk_boundaries_never_change_the_lines(case: tuple[bytes, list[bytes]]) -> None:
    data, chunks = case
    assert read(iter(chunks)) == read(iter([data])) == [line[: LIMIT + 1] for line in data.split(b"\n")]


@given(DATA, st.integers(4, 64), st.sampled_from([bytes, gzip.compress, zstandard.compress]))
def test_neither_storage_nor_the_size_of_reads_changes_the_lines(data: bytes, size: int, store: type[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(store(data))
        was, streams.CHUNK = streams.CHUNK, size  # type: ignore[misc]
        try:
            assert list(open_input(str(path)).lines()) == data.split(b"\n")
        finally:
            streams.CHUNK = was  # type: ignore[misc]
