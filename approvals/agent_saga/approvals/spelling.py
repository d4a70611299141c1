"""Base64url without padding, in its one spelling."""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from agent_saga.approvals.errors import NotApproved

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*").fullmatch


def to_base64url(data: bytes) -> str:
    """Unpadded base64url (RFC 4648, section 5)."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str, what: str, size: int | None = None, most: int = 65_536) -> bytes:
    """The bytes, of their one spelling. size: how many there must be. Raises NotApproved (``bad-proof``)."""
    if len(text) > most * 2 or not _ALPHABET(text):
        raise NotApproved("bad-proof", f"{what} is not unpadded base64url of at most {most} bytes")
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as fault:
        raise NotApproved("bad-proof", f"{what} is not base64url: {fault}") from fault
    if to_base64url(data) != text or len(data) > most:
        raise NotApproved("bad-proof", f"{what} is not in the one spelling of base64url")
    if size is not None and len(data) != size:
        raise NotApproved("bad-proof", f"{what} has {len(data)} bytes: expected {size}")
    return data
