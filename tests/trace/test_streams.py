"""Compressed inputs give what they hold, up to where they are cut or damaged, in bounded memory."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from agent_saga.trace import SourceError
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.reader import Opened, open_input

LINES = [b'{"n":%d}' % number for number in range(50_000)]
TEXT = b"\n".join([*LINES, b""])
GZIP = gzip.compress(TEXT, mtime=0)
ZSTD = zstandard.compress(TEXT)
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[bytes], Opened]:
    def write(data: bytes) -> Opened:
        path = tmp_path / "t.jsonl"  # the name says nothing: the first bytes do
        path.write_bytes(data)
        return open_input(str(path))

    return write


@pytest.mark.parametrize(
    "data",
    [GZIP, ZSTD, GZIP + b"\0" * 512, ZSTD + SKIPPABLE, gzip.compress(TEXT, compresslevel=0, mtime=0)],
    ids=["gzip", "zstd", "gzip padded with zeros", "zstd and a skippable frame", "stored gzip"],
)
def test_a_compressed_input_gives_its_lines(data: bytes, opened: Callable[[bytes], Opened]) -> None:
    found = opened(data)
    assert found.head == TEXT[: 1 << 16]
    assert list(found.lines()) == [*LINES, b""]
    assert (found.truncated, found.size) == ("", len(data))


@pytest.mark.parametrize("data", [GZIP + GZIP, ZSTD + ZSTD], ids=["gzip", "zstd"])
def test_members_that_follow_one_another_are_one_input(data: bytes, opened: Callable[[bytes], Opened]) -> None:
    assert list(opened(data).lines()) == [*LINES, *LINES, b""]


@pytest.mark.parametrize("data", [GZIP, ZSTD], ids=["gzip", "zstd"])
@pytest.mark.parametrize("cut", [1, 4, 8, 100, -12, -4], ids=lambda cut: f"at {cut}")
def test_a_cut_is_told_wherever_it_falls(data: bytes, cut: int, opened: Callable[[bytes], Opened]) -> None:
    found = opened(data[:-cut])
    got = list(found.lines())
    assert "breaks off" in found.truncated
    assert got[:-1] == LINES[: len(got) - 1], "what was stored before the cut is not lost"


def test_a_cut_in_the_trailer_loses_no_line(opened: Callable[[bytes], Opened]) -> None:
    assert list(opened(GZIP[:-1]).lines()) == [*LINES, b""]


@pytest.mark.parametrize("data", [GZIP, ZSTD], ids=["gzip", "zstd"])
def test_damage_is_told(data: bytes, opened: Callable[[bytes], Opened]) -> None:
    found = opened(data[:30] + b"\xff" * 64 + data[94:])
    list(found.lines())
    assert "breaks off" in found.truncated


def test_a_wrong_check_sum_is_told(opened: Callable[[bytes], Opened]) -> None:
    found = opened(GZIP[:-8] + bytes(4) + GZIP[-4:])
    list(found.lines())
    assert "damaged" in found.truncated


@pytest.mark.parametrize("data", [GZIP, ZSTD], ids=["gzip", "zstd"])
def test_bytes_behind_the_end_are_told(data: bytes, opened: Callable[[bytes], Opened]) -> None:
    found = opened(data + b"garbage")
    assert list(found.lines()) == [*LINES, b""]
    assert "damaged" in found.truncated


@pytest.mark.parametrize("data", [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", GZIP[:12], ZSTD[:6]])
def test_a_header_alone_is_a_cut_input(data: bytes, opened: Callable[[bytes], Opened]) -> None:
    found = opened(data)
    assert found.head == b""
    assert list(found.lines()) == [b""]
    assert "breaks off" in found.truncated


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_nothing_compressed_is_an_empty_input(
    compress: Callable[[bytes], bytes], opened: Callable[[bytes], Opened]
) -> None:
    found = opened(compress(b""))
    assert list(found.lines()) == [b""]
    assert found.truncated == ""


def test_without_zstandard_the_error_says_what_to_install(
    opened: Callable[[bytes], Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(SourceError, match=r"agent-saga-toolkit\[zstd\]"):
        opened(ZSTD)


@pytest.mark.parametrize("kind", ["sparse", "gzip", "zstd"])
def test_a_line_of_a_gigabyte_takes_little_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    _write_a_gigabyte(path, kind)
    assert _lengths(path) == [MAX_LINE + 1, 1, 0]


def _write_a_gigabyte(path: Path, kind: str) -> None:
    end = b"\nx\n"
    if kind == "sparse":
        with path.open("wb") as file:
            file.truncate(1 << 30)
            file.seek(0, 2)
            file.write(end)
    elif kind == "gzip":  # members of one mebibyte, one compressed once
        path.write_bytes(gzip.compress(bytes(1 << 20), mtime=0) * 1024 + gzip.compress(end, mtime=0))
    else:
        path.write_bytes(zstandard.compress(bytes(1 << 20)) * 1024 + zstandard.compress(end))


def _lengths(path: Path) -> list[int]:
    """Lengths of the lines, read in less than 64 MiB."""
    tracemalloc.start()
    try:
        found = [len(line) for line in open_input(str(path)).lines()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 << 20
    return found


def test_a_bomb_in_one_frame_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zst"
    frame = zstandard.ZstdCompressor().compressobj()
    path.write_bytes(b"".join([*(frame.compress(bytes(1 << 20)) for _ in range(512)), frame.flush()]))
    assert path.stat().st_size < 1 << 18
    assert _lengths(path) == [MAX_LINE + 1]
