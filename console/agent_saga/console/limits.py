"""Every bound and time of the page, with its reason."""

from typing import Final

MAX_BODY: Final = 65_536
"""Bytes of a form: an assertion has some 1,000, an attestation with its certificates up to some 20,000."""

REQUEST_SECONDS: Final = 20
"""In which a connection must have asked for something whole: a phone on a bad network sends a form in a few."""

LEAVING_SECONDS: Final = 2
"""For which bytes that come after the answer are still taken, and dropped, so that the answer is not lost with them."""

MAX_FIELDS: Final = 16
"""Fields of a form: the largest has 7."""

MAX_SESSIONS: Final = 256
"""Sessions kept in memory, each opened by an enrolled passkey; the oldest goes first."""

MAX_OPENED: Final = 8
"""Requests that one session may have before it unsigned; the oldest goes first."""

IDLE_SECONDS: Final = 900
SESSION_SECONDS: Final = 3_600
"""A session ends after a quarter of an hour without a sign of its person, and after an hour in any case."""

TICKET_SECONDS: Final = 600
"""How long the challenge of a sign-in or enrolment stands: WebAuthn recommends five to ten minutes at most."""

KEY_DAYS: Final = 365
"""For how long an entry for the registry asks: a year, which the administrator may change."""
