"""Addresses of stores in PostgreSQL: told from paths, and never shown with a password.

Source: postgresql.org/docs/current/libpq-connect.html, "Connection URIs".
"""

import re
from typing import Final

SCHEMES: Final = ("postgresql://", "postgres://")
"""What an address begins with. Everything behind is libpq's, environment and service files included."""

_USER_INFO: Final = re.compile(r"^(postgres(?:ql)?://[^/?#]*?):.*@(?=[^@]*$)", re.DOTALL)
_PARAMETER: Final = re.compile(r"([?&](?:[a-z]*password|sslkey|oauth_client_secret)=)[^&]*", re.IGNORECASE)


def is_address(place: str) -> bool:
    """Whether a place is an address of PostgreSQL and no path."""
    return place.startswith(SCHEMES)


def masked(place: str) -> str:
    """The address as it may be shown: what may be a password is replaced. A path is returned as it is."""
    if not is_address(place):
        return place
    head, mark, query = place.partition("?")
    return _USER_INFO.sub(r"\1:***@", head) + _PARAMETER.sub(r"\1***", mark + query)
