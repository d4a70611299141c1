"""Base64url without padding, in its one spelling."""

import re

from agent_saga.approvals.errors import NotApproved
from agent_saga.trace.base64url import decoded

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*").fullmatch


def from_base64url(text: str, what: str, size: int | None = None, most: int = 65_536) -> bytes:
    """The bytes, of their one spelling. size: how many there must be. Raises NotApproved (``bad-proof``)."""
    if len(text) > most * 2 or not _ALPHABET(text):
        raise NotApproved("bad-proof", f"{what} is not unpadded base64url of at most {most} bytes")
    try:
        data = decoded(text)
    except ValueError as fault:
        raise NotApproved("bad-proof", f"{what} is {fault}") from fault
    if len(data) > most:
        raise NotApproved("bad-proof", f"{what} has {len(data)} bytes: expected at most {most}")
    if size is not None and len(data) != size:
        raise NotApproved("bad-proof", f"{what} has {len(data)} bytes: expected {size}")
    return data
