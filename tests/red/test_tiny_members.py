"""Compressed in a great many members of next to nothing, an input takes no longer than its bytes do."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_saga.trace.reader import open_input

zstandard = pytest.importorskip("zstandard")
TEXT = (Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "good.jsonl").read_bytes()
LONG = TEXT + b"x" * 200_000 + b"\n"
Packer = Callable[[bytes], bytes]
PACKERS: dict[str, Packer] = {"gz": lambda data: gzip.compress(data, 0), "zst": zstandard.ZstdCompressor().compress}
SECONDS = 15
"""Far above what any of them takes now, and far below what they took: minutes."""


def read(path: Path, data: bytes) -> tuple[bytes, int, str]:
    """What is read from these bytes, in how many chunks, and why it ended early."""
    path.write_bytes(data)
    begun = time.process_time()
    opened = open_input(str(path))
    chunks = [chunk for chunk in opened.chunks() if chunk]
    assert time.process_time() - begun < SECONDS
    return b"".join(chunks), len(chunks), opened.truncated


@pytest.mark.parametrize("kind", PACKERS)
def test_empty_members_before_and_after_cost_next_to_nothing(kind: str, tmp_path: Path) -> None:
    pack = PACKERS[kind]
    data = pack(b"") * 150_000 + pack(TEXT) + pack(b"") * 150_000
    assert read(tmp_path / "t", data) == (TEXT, 1, "")


@pytest.mark.parametrize("kind", PACKERS)
def test_members_of_one_byte_are_read_in_few_chunks(kind: str, tmp_path: Path) -> None:
    pack = PACKERS[kind]
    found, chunks, broken = read(tmp_path / "t", b"".join(pack(LONG[at : at + 1]) for at in range(len(LONG))))
    assert (found, broken) == (LONG, "")
    assert chunks < 20


@pytest.mark.parametrize("kind", PACKERS)
def test_what_stands_before_a_break_is_still_given_out(kind: str, tmp_path: Path) -> None:
    pack = PACKERS[kind]
    found, _, broken = read(tmp_path / "t", pack(TEXT) + pack(b"") * 9 + pack(TEXT)[:-9] + b"damaged!!")
    assert found.startswith(TEXT)
    assert broken.startswith("the stream breaks off: ")


def test_a_bomb_is_given_out_in_pieces(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    (tmp_path / "t").write_bytes(data)
    assert max(map(len, open_input(str(tmp_path / "t")).chunks())) <= 1 << 19
