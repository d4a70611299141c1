"""Inputs become lines whatever they are stored as, and what cannot be read is said in one line."""

from __future__ import annotations

import builtins
import io
import os
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from agent_saga.trace import SourceError
from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.reader import STDIN, expand, open_input

TEXT = b'{"a":1}\n{"b":2}\n'


def lines(path: Path | str) -> list[bytes]:
    return list(open_input(os.fspath(path)).lines())


def test_lines_come_without_their_line_feed_and_the_last_item_is_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT)
    assert lines(path) == [b'{"a":1}', b'{"b":2}', b""]


def test_a_truncated_last_line_is_the_last_item(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT[:-3])
    assert lines(path)[-1] == b'{"b":'


def test_carriage_returns_are_part_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"a\r\nb\rc\n")
    assert lines(path) == [b"a\r", b"b\rc", b""]


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n", bytes(range(256)), b"\xff\xfe", b"\x1f", b"\x28\xb5"])
def test_any_bytes_are_lines(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    opened = open_input(str(path))
    assert opened.head == data
    assert list(opened.lines()) == data.split(b"\n")
    assert (opened.truncated, opened.size, opened.digest) == ("", len(data), sha256(data).hexdigest())


def test_a_line_too_long_is_cut_and_what_follows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"a\n" + b"x" * (5 * MAX_LINE) + b"\nb\n" + b"y" * (MAX_LINE + 7) + b"\n")
    assert lines(path) == [b"a", b"x" * (MAX_LINE + 1), b"b", b"y" * (MAX_LINE + 1), b""]


def test_an_end_without_line_feed_after_a_line_too_long_is_still_seen(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * (9 * MAX_LINE))
    assert lines(path) == [b"x" * (MAX_LINE + 1)]


def test_another_format_may_ask_for_longer_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * (2 * MAX_LINE) + b"\n")
    assert [len(line) for line in open_input(str(path)).lines(limit=3 * MAX_LINE)] == [2 * MAX_LINE, 0]


def test_a_document_is_read_whole_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(TEXT)
    assert open_input(str(path)).read(100) == TEXT
    opened = open_input(str(path))
    with pytest.raises(SourceError, match="more than 3 bytes"):
        opened.read(3)


def test_standard_input_is_read_and_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO(TEXT)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(buffer))
    assert lines(STDIN) == TEXT.split(b"\n")
    assert not buffer.closed


def test_a_closed_standard_input_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SourceError, match="standard input is closed"):
        open_input(STDIN)


def test_a_fifo_is_read_when_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    assert list(expand([str(path)])) == [str(path)]
    writer = threading.Thread(target=path.write_bytes, args=(TEXT,))
    writer.start()
    assert lines(path) == TEXT.split(b"\n")
    writer.join()


@pytest.mark.parametrize("grow", [b"more\n", b""], ids=["grown", "touched"])
def test_a_file_that_changes_while_it_is_read_is_told(grow: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT * 100_000)
    opened = open_input(str(path))
    stream = opened.lines()
    next(stream)
    with path.open("ab") as end:
        end.write(grow)
    os.utime(path, (1, 1))
    assert sum(1 for _ in stream) >= 200_000
    assert "changed while it was read" in opened.truncated


def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT * 200_000)
    opened = open_input(str(path))
    os.truncate(path, 10)
    list(opened.lines())
    assert "changed while it was read" in opened.truncated


def test_a_read_that_fails_ends_the_stream_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT * 200_000)
    opened = open_input(str(path))
    monkeypatch.setattr(type(opened._raw), "read", _fail)
    assert 10_000 < sum(1 for _ in opened.lines()) < 200_000
    assert "Input/output error" in opened.truncated


def _fail(*_: object, **__: object) -> bytes:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize("name", ["nowhere.jsonl", "nowhere", "a\0b", ""])
def test_a_missing_path_is_an_error_with_its_name(name: str) -> None:
    with pytest.raises(SourceError, match="no such file or directory"):
        list(expand([name]))
    with pytest.raises(SourceError):
        open_input(name)


def test_a_directory_is_no_input_itself(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a directory"):
        open_input(str(tmp_path))


def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(TEXT)
    monkeypatch.setattr(builtins, "open", _deny)  # whoever runs the tests may read everything
    with pytest.raises(SourceError, match=r"t\.jsonl: Permission denied"):
        open_input(str(path))


def _deny(name: object, *_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied", name)


def test_a_directory_gives_its_traces_in_order_and_nothing_else(tmp_path: Path) -> None:
    wanted = ["a.jsonl", "b/c.ndjson.gz", "b/d.wal", "e.jsonl.zst", "f.json"]
    others = ["readme.md", ".hidden.jsonl", ".git/x.jsonl", "x.jsonl.bak", "b/notes.gz"]
    for name in [*wanted, *others]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = list(expand([str(tmp_path)]))
    assert sorted(found) == [str(tmp_path / name) for name in wanted]
    assert found == list(expand([str(tmp_path)]))


def test_a_directory_without_traces_gives_nothing(tmp_path: Path) -> None:
    assert list(expand([str(tmp_path)])) == []


def test_a_glob_gives_files_and_directories(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.txt", "d/c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert list(expand([f"{tmp_path}/*"])) == [str(tmp_path / name) for name in ("a.jsonl", "b.txt", "d/c.jsonl")]
    assert list(expand([f"{tmp_path}/**/*.jsonl"])) == [str(tmp_path / name) for name in ("a.jsonl", "d/c.jsonl")]
    assert list(expand([f"{tmp_path}/*.none"])) == []


def test_a_name_that_looks_like_a_glob_is_a_file_first(tmp_path: Path) -> None:
    path = tmp_path / "a[1].jsonl"
    path.touch()
    assert list(expand([str(path)])) == [str(path)]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    (tmp_path / "link.jsonl").symlink_to(path)
    assert list(expand([str(path), f"{tmp_path}/./a.jsonl", str(tmp_path)])) == [str(path)]


@pytest.mark.parametrize("name", ["loop.jsonl", "broken.jsonl"])
def test_a_link_that_leads_nowhere_is_an_error_and_not_passed_over(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "broken.jsonl").symlink_to(tmp_path / "gone")
    assert str(tmp_path / name) in expand([str(tmp_path)])
    assert list(expand([str(tmp_path / name)])) == [str(tmp_path / name)]
    with pytest.raises(SourceError, match=name):
        open_input(str(tmp_path / name))


def test_a_loop_of_directories_ends(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    assert list(expand([str(tmp_path)])) == [str(tmp_path / "a.jsonl")]


def test_a_directory_that_may_not_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "locked").mkdir()
    _lock(monkeypatch, str(tmp_path / "locked"))
    assert list(expand([str(tmp_path)])) == [str(tmp_path / "a.jsonl"), str(tmp_path / "locked")]
    with pytest.raises(SourceError, match="cannot be listed: Permission denied"):
        open_input(str(tmp_path / "locked"))


def _lock(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    for name in ("scandir", "listdir"):
        original: Callable[..., object] = getattr(os, name)

        def locked(path: str, original: Callable[..., object] = original) -> object:
            return _deny(path) if os.fspath(path) == folder else original(path)

        monkeypatch.setattr(os, name, locked)
