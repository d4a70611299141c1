"""What must be gone once a value was erased, as the bytes that would tell it.

Source: docs/spec/store-v1.md, "Erasure".
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from agent_saga.trace.base64url import decoded
from agent_saga.trace.conceal import parse_disclosure
from agent_saga.trace.store.sealed import Row
from agent_saga.trace.values import dumps

LONG: Final = 8
"""Characters from which the text of a value is looked for: a shorter one is found anywhere."""

Secret = tuple[str, bytes]
"""What it is, in words that do not tell it, and its bytes."""


def secrets_of(rows: Sequence[Row], opened: Sequence[str | None]) -> tuple[list[Secret], list[Secret]]:
    """Of values that go: what no file may hold any more, and the texts in them, which may stand elsewhere as well.

    opened: the D of each row; None when its key is gone.
    """
    secrets: list[Secret] = []
    texts: dict[bytes, str] = {}
    for row, text in zip(rows, opened, strict=True):
        secrets.append((f"what was encrypted of {row.digest}", row.sealed))
        if text is not None:
            secrets += _spellings(row.digest, text)
            texts |= dict.fromkeys(_texts(parse_disclosure(text)[1]), f"a text of the value {row.digest}")
    return secrets, [(what, text) for text, what in texts.items()]


def _spellings(digest: str, text: str) -> Iterator[Secret]:
    pair = decoded(text)
    yield f"the disclosure of {digest}", text.encode("ascii")
    yield f"the disclosure of {digest} in base64", b64encode(pair).rstrip(b"=")
    yield f"the disclosure of {digest} in base64 once more", b64encode(text.encode("ascii")).rstrip(b"=")
    yield f"the disclosure of {digest} as JSON", pair


def _texts(value: Any) -> Iterator[bytes]:
    """The texts in a value that are long enough, as they stand in files: in UTF-8, and as JSON spells them."""
    if isinstance(value, str) and len(value) >= LONG:
        yield value.encode("utf-8")
        yield dumps(value)[1:-1]
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(name) if len(name) >= 2 * LONG else ()  # a usual name, such as currency, is anywhere
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def texts_in(remembered: Iterable[tuple[str, bytes]], texts: Sequence[Secret]) -> list[str]:
    """The keys of remembered values that hold one of the texts."""
    return [key for key, value in remembered if any(text in value for _, text in texts)]
