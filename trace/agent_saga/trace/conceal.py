"""Concealment: a value replaced by its salted digest, and the disclosure that opens it again.

A concealed value stands as ``{"...":"DIGEST"}`` with DIGEST = base64url(SHA-256(ASCII(D))), and its disclosure is
D = base64url(compact JSON ``[salt, value]``), both without padding. Deleting D erases the value and leaves every hash
intact. The digest is that of RFC 9901's array elements; the whole is no SD-JWT.

Source: docs/spec/trace-v1.md, "Concealed values".
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from agent_saga.trace.base64url import decoded, unpadded
from agent_saga.trace.errors import DisclosureError, LineError
from agent_saga.trace.values import CONCEALED_NAME, CONCEALS, dumps, is_concealed, scan

_SALT = re.compile(r"[A-Za-z0-9_-]{21}[AQgw]").fullmatch
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+").fullmatch


def digest_of(disclosure: str) -> str:
    """The DIGEST that stands in the trace for this disclosure: 43 base64url characters."""
    return unpadded(sha256(disclosure.encode("ascii")).digest())


def conceal(value: Any, salt: str) -> tuple[dict[str, str], str]:
    """Replace a value: returns its placeholder for the line and the disclosure to keep beside the trace.

    salt: 22 base64url characters fresh from the operating system's random generator, derived from nothing.
    Raises DisclosureError when the salt is malformed, the value is none that a line may hold, or it already holds a
    concealed part (they do not nest).
    """
    if not _SALT(salt):
        raise DisclosureError("the salt is not 22 base64url characters (128 bits)")
    _check_value(value)
    try:
        disclosure = unpadded(dumps([salt, value]))
    except (TypeError, UnicodeError) as fault:
        raise DisclosureError(f"the value cannot be written as JSON: {fault}") from fault
    return {CONCEALED_NAME: digest_of(disclosure)}, disclosure


def _check_value(value: Any) -> None:
    try:
        traits = scan(value)
    except LineError as fault:
        raise DisclosureError(f"holds a value that no line may hold: {fault}") from fault
    if traits & CONCEALS:
        raise DisclosureError("the value holds a concealed part; concealed values do not nest")


def parse_disclosure(disclosure: str) -> tuple[str, Any]:
    """Open a disclosure: its salt and value. Raises DisclosureError when it is not one, in its only spelling."""
    if not _BASE64URL(disclosure):
        raise DisclosureError("not unpadded base64url")
    try:
        text = decoded(disclosure)
        pair = msgspec.json.decode(text)
    except (ValueError, RecursionError) as fault:
        raise DisclosureError("does not decode to JSON") from fault
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and _SALT(pair[0])):
        raise DisclosureError("is not [salt, value] with a salt of 22 base64url characters")
    _check_value(pair[1])
    if unpadded(dumps(pair)) != disclosure:
        raise DisclosureError("is not in its one spelling")
    return pair[0], pair[1]


class Disclosures:
    """The values that can be opened: a mapping from DIGEST to value, and the salts that were used.

    faults: one sentence for each malformed disclosure, with its place; they open nothing.
    """

    def __init__(self, disclosures: Iterable[tuple[str, str]] = ()) -> None:
        """disclosures: pairs of a place (``file:line``) and the text D."""
        self.values: dict[str, Any] = {}
        self.places: dict[str, str] = {}
        self.salts: dict[str, str] = {}
        self.faults: list[tuple[str, str]] = []
        self.reused: list[tuple[str, str]] = []
        for place, disclosure in disclosures:
            self.add(place, disclosure)

    def add(self, place: str, disclosure: str) -> None:
        """One more; what it opens can be opened from now on."""
        try:
            salt, value = parse_disclosure(disclosure)
        except DisclosureError as fault:
            self.faults.append((place, str(fault)))
            return
        digest = digest_of(disclosure)
        if salt in self.salts and self.salts[salt] != digest:
            self.reused.append((place, salt))
        self.salts[salt] = digest
        self.values[digest] = value
        self.places[digest] = place

    def open(self, value: Any) -> tuple[Any, bool]:
        """The value with every concealed part opened that can be, and whether some part stays sealed."""
        if not _conceals(value):
            return value, False
        if type(value) is list:
            items = [self.open(item) for item in value]
            return [item for item, _ in items], any(sealed for _, sealed in items)
        if is_concealed(value):
            digest = value[CONCEALED_NAME]
            return (self.values[digest], False) if digest in self.values else (value, True)
        opened = {name: self.open(item) for name, item in value.items()}
        return {name: item for name, (item, _) in opened.items()}, any(sealed for _, sealed in opened.values())


def _conceals(value: Any) -> bool:
    """Whether some part of the value is concealed: most values hold none, and cost no more than this look."""
    if type(value) is dict:
        if CONCEALED_NAME in value:
            return True
        value = value.values()
    elif type(value) is not list:
        return False
    return any(type(item) in (dict, list) and _conceals(item) for item in value)


def digests_in(value: Any) -> Iterable[str]:
    """Every DIGEST that stands in a payload value, in order."""
    if is_concealed(value):
        yield value[CONCEALED_NAME]
    elif type(value) is dict:
        for item in value.values():
            yield from digests_in(item)
    elif type(value) is list or type(value) is tuple:
        for item in value:
            yield from digests_in(item)
