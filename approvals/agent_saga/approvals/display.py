"""A request in full as text, from its own bytes: nothing cut, nothing summarised, nothing that steers a terminal.

One member a line, by its path; text in quotes. Every character that does not print, every one that changes the
direction of text, every space but the plain one, and the backslash itself, stands as an escape. What is signed is named
by its fingerprint, which a second, separately installed tool must show too.

Source: docs/spec/approval-v1.md, "What you see".
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from agent_saga.approvals.concealing import open_all
from agent_saga.approvals.digests import APPROVAL, DECISION, REGISTRY, digest_written, fingerprint
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.requests import Change, Decision, Request, read_request, strictly
from agent_saga.trace.values import is_concealed

_HIDDEN: Final = frozenset({"Mn", "Me", "Mc"})
"""Categories of marks that attach to the character before: they can hide or change what is read."""


def show(value: Any, disclosures: Iterable[str] = ()) -> list[str]:
    """The lines that show a request, decision or change, which is read strictly first.

    value: as parsed from its bytes. disclosures: what opens its concealed values. Raises NotApproved (``bad-request``,
    ``wrong-action``, ``withheld``).
    """
    read = reading(value)
    opened = open_all(value, disclosures)
    found = fingerprint(digest_written(read.domain, read.written))
    lines = [f"fingerprint  {found}", f"what         {_headline(read.word, value)}"]
    return lines + [f"{path} = {text}" for path, text in members(value, opened)]


class Reading(NamedTuple):
    """What would be signed. word: the member that tells its kind. written: its canonical JSON."""

    domain: bytes
    word: str
    about: Request | Decision | Change
    written: bytes


def reading(value: Any) -> Reading:
    """Read what would be signed, strictly. Raises NotApproved (``bad-request``, ``wrong-action``)."""
    if isinstance(value, dict):
        if "content" in value:
            return Reading(APPROVAL, "content", *read_request(value))
        if "verdict" in value:
            return Reading(DECISION, "verdict", *strictly(value, Decision))
        if "change" in value:
            return Reading(REGISTRY, "change", *strictly(value, Change))
    raise NotApproved("bad-request", "neither a request, a decision nor a change of version 1")


def _headline(about: str, value: dict[str, Any]) -> str:
    if about == "content":
        tool = value["content"]["tool"]["name"]
        return f"{value['decision']} one call of {escaped(tool)} ({value['content']['semantics']})"
    if about == "verdict":
        return f"decide that {escaped(value['target'])} is {value['verdict']}"
    return f"{value['change']} {escaped(value['subject'])}"


def members(value: Any, opened: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of every member of a JSON value, in full. opened: the same value, its concealed parts opened."""
    if is_concealed(value):
        yield f"{path} (concealed)", value["..."]
        yield from members(opened, opened, f"{path} (opened)")
    elif isinstance(value, dict) and value:
        for name in value:
            yield from members(value[name], opened[name], f"{path}.{_name(name)}" if path else _name(name))
    elif isinstance(value, list | tuple) and value:
        items: Sequence[Any] = value
        for at, item in enumerate(items):
            yield from members(item, opened[at], f"{path}[{at}]")
    else:
        yield path, escaped(value) if isinstance(value, str) else json.dumps(value)


def _name(name: str) -> str:
    """A name as it is if it is plain; in quotes otherwise, so that none can look like a path."""
    return name if name and name.isascii() and name.replace("_", "a").isalnum() else escaped(name)


def escaped(text: str) -> str:
    """Text in quotes, on one line, of which every hidden character is spelled out as ``\\u{HEX}``."""
    return '"' + "".join(map(_visible, text)) + '"'


def _visible(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable() and unicodedata.category(character) not in _HIDDEN:
        return character
    return f"\\u{{{ord(character):x}}}"
