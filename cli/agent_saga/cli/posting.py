"""Posting a notice to a webhook: the one place of the commands that opens a connection; it reads only a status."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

PATIENCE: Final = 10.0
"""Seconds until a receiver that is silent counts as one that is not there."""


class _Stay(HTTPRedirectHandler):
    """A redirect is an answer: a signed body goes to no other place than the one that was named."""

    def redirect_request(self, *arguments: Any, **more: Any) -> None:
        """None: not followed."""


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a body and return the status code. Raises OSError, also for a URL that is neither http nor https."""
    try:
        if urlsplit(url).scheme not in ("http", "https"):
            raise OSError("a webhook's address begins with https:// or http://")
        request = Request(url, data=body, headers=dict(headers), method="POST")
        with build_opener(_Stay()).open(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except HTTPError as fault:
        return fault.code
    except ValueError as fault:
        raise OSError(str(fault)) from fault
