"""Names of logs and keys, and the one spelling of base64.

Source: C2SP signed-note ("Key names MUST be non-empty and MUST NOT contain any Unicode spaces or plus"), RFC 4648.
"""

import binascii
from base64 import b64decode, b64encode

from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_NAME


def sound_name(name: str) -> bool:
    """Whether it may name a key: 1-256 characters, no space of any kind, no plus, nothing that does not print."""
    return 0 < len(name) <= MAX_NAME and "+" not in name and name.isprintable() and not any(map(str.isspace, name))


def to_base64(data: bytes) -> str:
    """Standard base64 with padding (RFC 4648, section 4)."""
    return b64encode(data).decode()


def from_base64(text: str, what: str) -> bytes:
    """The bytes, of their one spelling only. Raises Refuted (``bad-base64``): what says what was to be read."""
    try:
        data = b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as fault:
        raise Refuted("bad-base64", f"{what} is not base64: {fault}") from fault
    if to_base64(data) != text:
        raise Refuted("bad-base64", f"{what} is not in the one spelling of base64")
    return data
