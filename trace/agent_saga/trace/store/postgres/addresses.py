"""Addresses of stores in PostgreSQL: told from paths, and never shown with a password.

Source: postgresql.org/docs/current/libpq-connect.html, "Connection URIs".
"""

import re
from typing import Final

SCHEMES: Final = ("postgresql://", "postgres://")
"""What an address begins with. Everything behind is libpq's, environment and service files included."""

_USER_INFO: Final = re.compile(r"^(postgres(?:ql)?://[^/?#]*?):.*@(?=[^@]*$)", re.DOTALL)
_PARAMETER: Final = re.compile(r"([?&](?:[a-z]*password|sslkey|oauth_client_secret)=)[^&]*", re.IGNORECASE)


_NAME: Final = re.compile(r"[^/]*//[^/?]*/([A-Za-z0-9_.-]+)")
_SECRETS: Final[dict[str, str]] = {}
"""Addresses as they were given, by what was shown in their place; of this process only."""


def is_address(place: str) -> bool:
    """Whether a place is an address of PostgreSQL and no path."""
    return place.startswith(SCHEMES)


def masked(place: str) -> str:
    """The address as it may be shown: what may be a password is replaced. A path is returned as it is."""
    if not is_address(place):
        return place
    head, mark, query = place.partition("?")
    return _USER_INFO.sub(r"\1:***@", head) + _PARAMETER.sub(r"\1***", mark + query)


def concealed(place: str) -> str:
    """The address without its passwords, which this process keeps for :func:`revealed`; a path as it is.

    What was typed on a command line then stands in no message, report or certificate.
    """
    if not is_address(place):
        return place
    head, mark, query = place.partition("?")
    shown = _USER_INFO.sub(r"\1@", head)
    left = [part for part in query.split("&") if part and not _PARAMETER.match(f"?{part}")]
    shown += mark * bool(left) + "&".join(left)
    if shown != place:
        _SECRETS[shown] = place
    return shown


def revealed(place: str) -> str:
    """The address as it was given to :func:`concealed`."""
    return _SECRETS.get(place, place)


def beside(place: str) -> str:
    """The path of a store, for what lies in files beside it: of an address, its database in the working folder."""
    if not is_address(place):
        return place
    found = _NAME.match(place)
    return f"{found[1] if found else 'store'}.postgres"
