"""Base64url without padding: how salts, digests, keys and signatures stand in text.

Source: RFC 4648, section 5, without the padding of section 3.2.
"""

import binascii
from base64 import urlsafe_b64decode
from typing import Final

_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def unpadded(data: bytes) -> str:
    """The one spelling of these bytes."""
    return binascii.b2a_base64(data, newline=False).translate(_URL_SAFE, b"=").decode()


def decoded(text: str) -> bytes:
    """The bytes of a text. Raises ValueError unless it is :func:`unpadded` of them, to the last bit."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as fault:
        raise ValueError(f"no base64url: {fault}") from fault
    if unpadded(data) != text:
        raise ValueError("not in the one spelling of unpadded base64url")
    return data
