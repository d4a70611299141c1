"""Signing in without a browser, by a passkey whose private key the tests hold."""

from __future__ import annotations

from page_site import Site
from soft_passkey import SoftPasskey


def between(text: str, before: str, after: str = '"') -> str:
    """The part of a page that stands between two others."""
    assert before in text, text
    return text.partition(before)[2].partition(after)[0]


def login(site: Site, passkey: SoftPasskey, **headers: str) -> dict[str, str]:
    """The form of a sign-in that this passkey has answered."""
    page = site.ask("/sign-in", **headers)[2]
    ticket, challenge = between(page, 'name="ticket" value="'), between(page, 'data-challenge="')
    return {"ticket": ticket, "onward": "/"} | passkey.answer(challenge, site.origin)


def session_of(site: Site, passkey: SoftPasskey) -> str:
    """The cookie of a session, as its browser would send it, or a thief."""
    status, headers, body = site.ask("/sign-in", login(site, passkey))
    assert status == 303, body
    return headers["set-cookie"].partition(";")[0]
