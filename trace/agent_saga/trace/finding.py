"""From what a user names to inputs: files, folders, globs, standard input, addresses. Nothing of them is read here."""

import glob
import os
from collections.abc import Iterable, Iterator
from typing import Final

from agent_saga.trace.errors import SourceError
from agent_saga.trace.store.postgres.addresses import is_address
from agent_saga.trace.store.telling import is_store

STDIN: Final = "-"
SUFFIXES: Final = (".jsonl", ".wal", ".json", ".ndjson")
"""Names that a directory is searched for, each also with .gz or .zst behind it."""


def expand(paths: Iterable[str]) -> Iterator[str]:
    """Turn what a user names into inputs, in a stable order, each file once: ``-``, files, globs, directories.

    An address of a store in PostgreSQL is an input too.

    A directory gives its traces (regular files, by suffix in any case) and its stores (whatever they are called),
    searched in depth; hidden names are left out and links to directories are not followed. What cannot be looked into
    is given as it stands, so that opening it says why.
    Raises SourceError for a path that does not exist; a directory or glob without traces gives nothing.
    """
    seen: set[str] = set()
    for path in paths:
        for name in _expand_one(path):
            real = name if name == STDIN else os.path.realpath(name)
            if real not in seen:
                seen.add(real)
                yield name


def _expand_one(path: str) -> Iterator[str]:
    if path == STDIN or os.path.isfile(path) or is_address(path):
        yield path
    elif os.path.isdir(path):
        yield from _walk(path)
    elif os.path.lexists(path):
        yield path  # a FIFO or /dev/fd/N (process substitution), or a link that leads nowhere: opening it says so
    elif glob.has_magic(path):
        for found in sorted(glob.glob(path, recursive=True)):
            yield from _walk(found) if os.path.isdir(found) else filter(_is_trace, [found])
    else:
        raise SourceError(f"{path}: no such file or directory")


def _walk(folder: str) -> Iterator[str]:
    denied: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=denied.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = os.path.join(root, name)
            if not name.startswith(".") and _is_trace(found) and (_named_so(name) or is_store(found)):
                yield found
    yield from sorted(str(fault.filename) for fault in denied)


def _named_so(name: str) -> bool:
    return name.lower().removesuffix(".gz").removesuffix(".zst").endswith(SUFFIXES)


def _is_trace(path: str) -> bool:
    """Whether a file that nobody named may be read: reading a FIFO or a device could wait for ever."""
    return os.path.isfile(path) or not os.path.exists(path)
