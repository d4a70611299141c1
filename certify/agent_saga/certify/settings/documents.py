"""Small documents that a user names: configuration, mapping, baseline. Read within a bound and parsed strictly.

Strictly: no duplicate member, no NaN, UTF-8 only. A fault names the file, the line where it is known, and what to do.
"""

import difflib
import json
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from agent_saga.trace.errors import AgentSagaError

MAX_DOCUMENT: Final = 64 << 20
"""Bytes of a document: a baseline of some 200,000 findings, far above any configuration; bounds the memory."""


class DocumentError(AgentSagaError):
    """A file that the user named cannot be read, or is not what it must be."""


def read_document(path: str) -> bytes:
    """The bytes of a file. Raises DocumentError when it is absent, unreadable or above MAX_DOCUMENT bytes."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_DOCUMENT + 1)
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        raise DocumentError(f"{path}: {getattr(fault, 'strerror', None) or fault}") from fault
    if len(data) > MAX_DOCUMENT:
        raise DocumentError(f"{path}: more than {MAX_DOCUMENT} bytes; is it the file you meant?")
    return data


def parse_json(data: bytes, path: str) -> Any:
    """One strict JSON document. path: for messages. Raises DocumentError."""
    try:
        return json.loads(_text(data, path), object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as fault:
        raise DocumentError(f"{path}:{fault.lineno}: not JSON: {fault.msg} (column {fault.colno})") from fault
    except (ValueError, RecursionError) as fault:
        why = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)
        raise DocumentError(f"{path}: not JSON that can be used: {why}") from fault


def parse_toml(data: bytes, path: str) -> dict[str, Any]:
    """One TOML document. path: for messages. Raises DocumentError."""
    try:
        return tomllib.loads(_text(data, path))
    except (ValueError, RecursionError) as fault:
        why = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)
        raise DocumentError(f"{path}: not TOML: {why}") from fault


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise DocumentError(f"{path}:{line}: not UTF-8: byte 0x{data[fault.start]:02x}; save it as UTF-8") from fault


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the member {twice!r} stands twice in one object")
    return members


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def did_you_mean(word: str, known: Iterable[str], nearness: float = 0.6) -> str:
    """``; did you mean 'ignore'?`` for the known word nearest to ``word``, or "" when none is near (0 to 1)."""
    names = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=nearness)
    return f"; did you mean {names[near[0]]!r}?" if near else ""
