"""Values shaped like credentials, by the prefixes and forms that their issuers publish.

Only forms with a fixed marker are looked for: a false alarm on an order number would teach people to ignore the rule.
The value itself is never shown.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from agent_saga.trace.events import EVENT_TYPES
from agent_saga.trace.values import LONG

_START: Final = r"(?<![0-9A-Za-z_-])"
_MIXED: Final = r"(?=[0-9A-Za-z_-]*[0-9])(?=[0-9A-Za-z_-]*[A-Z])"
"""A random text has digits and capitals; a slug or a title that happens to start alike has not both."""
_HEADER: Final = r" (?=[^\s]*[0-9])(?=[^\s]*[A-Z]|[0-9a-f]{32})[0-9A-Za-z+/_.~-]{20,}={0,2}"

_FORMS: Final[tuple[tuple[str, str, str], ...]] = (
    ("PRIVATE KEY-----", "a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
    ("AGE-SECRET-KEY-1", "an age secret key", _START + r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("k_live_", "a Stripe secret key", _START + r"[sr]k_live_[0-9A-Za-z]{16,}"),
    ("k_test_", "a Stripe secret key", _START + r"[sr]k_test_[0-9A-Za-z]{16,}"),
    ("AKIA", "an AWS access key id", _START + r"AKIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("ASIA", "an AWS access key id", _START + r"ASIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("gh", "a GitHub token", _START + r"(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{40,})"),
    ("glpat-", "a GitLab token", _START + r"glpat-[0-9A-Za-z_-]{20,}"),
    ("npm_", "an npm token", _START + r"npm_[0-9A-Za-z]{36}"),
    ("pypi-AgE", "a PyPI token", _START + r"pypi-AgE[0-9A-Za-z_-]{50,}"),
    ("xox", "a Slack token", _START + r"xox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("SG.", "a SendGrid key", _START + r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}"),
    ("hf_", "a Hugging Face token", _START + r"hf_[A-Za-z]{34}"),
    ("sk-", "an OpenAI or Anthropic key", _START + r"sk-" + _MIXED + r"[0-9A-Za-z_-]{32,}"),
    ("AIza", "a Google API key", _START + r"AIza[0-9A-Za-z_-]{35}"),
    ("eyJ", "a JSON Web Token", _START + r"eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{16,}"),
    (
        "://",
        "a password in a URL",
        r"(?<![0-9A-Za-z])[a-z][a-z0-9+.-]{2,20}://[^\s/:@]{1,64}:(?![*xX<$%{]|REDACTED|redacted)[^\s/@]{3,64}@",
    ),
    ("earer ", "an Authorization header", r"(?<![0-9A-Za-z])[Bb]earer" + _HEADER),
    ("EARER ", "an Authorization header", r"(?<![0-9A-Za-z])BEARER" + _HEADER),
    ("asic ", "an Authorization header", r"(?<![0-9A-Za-z])[Bb]asic" + _HEADER),
    ("ASIC ", "an Authorization header", r"(?<![0-9A-Za-z])BASIC" + _HEADER),
)
"""A text that any match holds, which is looked for first since that is fast; the kind; the form."""
_SEARCHES: Final = tuple((marker, kind, re.compile(form).search) for marker, kind, form in _FORMS)
_PAYLOADS: Final = (
    "args", "result", "undo", "error", "evidence", "goal", "reason", "cause", "why", "resource", "amount", "options"
)  # fmt: skip


def find_secret(event: Any) -> tuple[str, str] | None:
    """The first member of an event that holds a credential-shaped text, and its kind; None when none does."""
    for member in _members(event.type):
        value = getattr(event, member)
        for text in _texts(value) if value is not None else ():
            kind = kind_of_secret(text) if len(text) >= LONG else ""
            if kind:
                return member, kind
    return None


@cache
def _members(kind: str) -> tuple[str, ...]:
    """The members of a line type that hold payload."""
    return tuple(name for name in EVENT_TYPES[kind].__struct_fields__ if name in _PAYLOADS)


def kind_of_secret(text: str) -> str:
    """What kind of credential a text holds; "" when it holds none."""
    for marker, kind, search in _SEARCHES:
        if marker in text and search(text):
            return kind
    return ""


def _texts(value: Any) -> Iterator[str]:
    kind = type(value)
    if kind is str:
        yield value
    elif kind is dict:
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif kind in (list, tuple):
        for item in value:
            yield from _texts(item)
    elif hasattr(value, "args"):
        yield from _texts(value.args)
