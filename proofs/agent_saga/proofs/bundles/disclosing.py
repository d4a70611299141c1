"""Concealed values on lines: where they stand, and which of them disclosures open.

Source: docs/spec/bundle-v1.md, "Disclosures"; docs/spec/trace-v1.md, "Concealed values".
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from agent_saga.proofs.bundles.model import Opened, Withheld
from agent_saga.proofs.errors import Refuted
from agent_saga.trace.conceal import digest_of, parse_disclosure
from agent_saga.trace.errors import DisclosureError
from agent_saga.trace.values import CONCEALED_NAME, is_concealed


class Place(NamedTuple):
    """Where a concealed value stands. pointer: RFC 6901, into the line."""

    seq: int
    pointer: str
    digest: str


def places(seq: int, line: bytes) -> Iterator[Place]:
    """Every concealed value of a line that was decoded, in the order of its bytes.

    The catalogue of ``saga.started`` holds names of tools and no payload: a tool may have any name.
    """
    if b'{"...":' in line:
        record = msgspec.json.decode(line)
        record.pop("tools", None)
        for pointer, digest in _found("", record):
            yield Place(seq, pointer, digest)


def _found(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    if is_concealed(value):
        yield pointer, value[CONCEALED_NAME]
    elif type(value) is dict:
        for name, item in value.items():
            yield from _found(f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", item)
    elif type(value) is list:
        for at, item in enumerate(value):
            yield from _found(f"{pointer}/{at}", item)


def open_places(found: Sequence[Place], disclosures: Iterable[str]) -> tuple[list[Opened], list[Withheld]]:
    """What disclosures open of these values, and what stays closed.

    Raises Refuted: ``bad-disclosure``, ``wrong-order`` (by digest, none twice), ``unmatched-disclosure``.
    """
    pairs = [_opened(number, text) for number, text in enumerate(disclosures)]
    for (before, _), (after, _) in pairwise(pairs):
        if before >= after:
            raise Refuted("wrong-order", "the disclosures do not ascend by their digests")
    values = dict(pairs)
    due = {place.digest for place in found}
    for digest in values:
        if digest not in due:
            raise Refuted("unmatched-disclosure", f"a disclosure of {digest} opens nothing on the lines shown")
    opened = [Opened(*place, values[place.digest]) for place in found if place.digest in values]
    return opened, [Withheld(*place) for place in found if place.digest not in values]


def _opened(number: int, text: str) -> tuple[str, Any]:
    try:
        _, value = parse_disclosure(text)
    except DisclosureError as fault:
        raise Refuted("bad-disclosure", f"disclosure {number}: {fault}") from fault
    return digest_of(text), value
