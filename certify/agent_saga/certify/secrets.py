"""Values shaped like credentials, by the prefixes and forms that their issuers publish.

Only forms with a fixed marker are looked for: a false alarm on an order number would teach people to ignore the rule.
The value itself is never shown.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from agent_saga.trace.values import LONG

_FORMS: Final[tuple[tuple[str, str], ...]] = (
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
    ("a Stripe secret key", r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    ("an AWS access key id", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{40,})"),
    ("a GitLab token", r"\bglpat-[0-9A-Za-z_-]{20,}"),
    ("a Slack token", r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("an OpenAI or Anthropic key", r"\bsk-(?:proj-|ant-)?[0-9A-Za-z_-]{32,}"),
    ("a Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("a JSON Web Token", r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{16,}"),
    ("a password in a URL", r"\b[a-z][a-z0-9+.-]{2,20}://[^\s/:@]{1,64}:[^\s/@]{3,64}@"),
    ("an Authorization header", r"(?i:\b(?:bearer|basic) )[0-9A-Za-z+/_.~-]{20,}={0,2}"),
)
_ANY: Final = re.compile("|".join(f"(?P<f{i}>{pattern})" for i, (_, pattern) in enumerate(_FORMS))).search
_PAYLOADS: Final = ("args", "result", "undo", "error", "evidence", "goal", "reason", "cause", "why", "resource", "options")


def find_secret(event: Any) -> tuple[str, str] | None:
    """The first member of an event that holds a credential-shaped text, and the kind of credential; None if none does."""
    for member in _PAYLOADS:
        value = getattr(event, member, None)
        for text in _texts(value):
            match = _ANY(text) if len(text) >= LONG else None
            if match and match.lastgroup:
                return member, _FORMS[int(match.lastgroup[1:])][0]
    return None


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
