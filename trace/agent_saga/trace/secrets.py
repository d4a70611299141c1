"""Texts shaped like credentials, by the prefixes and forms that their issuers publish.

The one table: the runtime refuses or conceals by it, ``certify`` finds by it (AS604). Only forms with a fixed marker
are looked for: a false alarm on an order number would teach people to ignore the rule.
"""

import re
import string
from collections.abc import Callable
from typing import Final

Search = Callable[[str], re.Match[str] | None]

_START: Final = r"(?<![0-9A-Za-z_-])"
_MIXED: Final = r"(?=[0-9A-Za-z_-]*[0-9])(?=[0-9A-Za-z_-]*[A-Z])"
"""A random text has digits and capitals; a slug or a title that happens to start alike has not both."""
_HEADER: Final = r" (?=[^\s]*[0-9])(?=[^\s]*[A-Z]|[0-9a-f]{32})[0-9A-Za-z+/_.~-]{20,}={0,2}"

FORMS: Final[tuple[tuple[str, int, str, str], ...]] = (
    ("PRIVATE KEY-----", 27, "a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
    ("AGE-SECRET-KEY-1", 74, "an age secret key", _START + r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("k_live_", 24, "a Stripe secret key", _START + r"[sr]k_live_[0-9A-Za-z]{16,}"),
    ("k_test_", 24, "a Stripe secret key", _START + r"[sr]k_test_[0-9A-Za-z]{16,}"),
    ("AKIA", 20, "an AWS access key id", _START + r"AKIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("ASIA", 20, "an AWS access key id", _START + r"ASIA[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("gh", 40, "a GitHub token", _START + r"gh[pousr]_[0-9A-Za-z]{36}"),
    ("github_pat_", 51, "a GitHub token", _START + r"github_pat_[0-9A-Za-z_]{40,}"),
    ("glpat-", 26, "a GitLab token", _START + r"glpat-[0-9A-Za-z_-]{20,}"),
    ("npm_", 40, "an npm token", _START + r"npm_[0-9A-Za-z]{36}"),
    ("pypi-AgE", 58, "a PyPI token", _START + r"pypi-AgE[0-9A-Za-z_-]{50,}"),
    ("xox", 15, "a Slack token", _START + r"xox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("SG.", 69, "a SendGrid key", _START + r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}"),
    ("hf_", 37, "a Hugging Face token", _START + r"hf_[A-Za-z]{34}"),
    ("sk-", 35, "an OpenAI or Anthropic key", _START + r"sk-" + _MIXED + r"[0-9A-Za-z_-]{32,}"),
    ("AIza", 39, "a Google API key", _START + r"AIza[0-9A-Za-z_-]{35}"),
    ("eyJ", 44, "a JSON Web Token", _START + r"eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{16,}"),
    (
        "://",
        12,
        "a password in a URL",
        r"(?<![0-9A-Za-z])[a-z][a-z0-9+.-]{2,20}://[^\s/:@]{1,64}:(?![*xX<$%{]|REDACTED|redacted)[^\s/@]{3,64}@",
    ),
    ("earer ", 27, "an Authorization header", r"(?<![0-9A-Za-z])[Bb]earer" + _HEADER),
    ("EARER ", 27, "an Authorization header", r"(?<![0-9A-Za-z])BEARER" + _HEADER),
    ("asic ", 26, "an Authorization header", r"(?<![0-9A-Za-z])[Bb]asic" + _HEADER),
    ("ASIC ", 26, "an Authorization header", r"(?<![0-9A-Za-z])BASIC" + _HEADER),
)
"""A text that any match holds, which is looked for first since that is fast; the characters of the shortest match; the
kind; the form."""
_SEARCHES: Final = tuple((marker, shortest, kind, re.compile(form).search) for marker, shortest, kind, form in FORMS)
_LONGEST: Final = max(shortest for _, shortest, _, _ in FORMS)
_FITTING: Final[tuple[tuple[tuple[str, str, Search], ...], ...]] = tuple(
    tuple((marker, kind, search) for marker, shortest, kind, search in _SEARCHES if shortest <= length)
    for length in range(_LONGEST + 1)
)
"""For each length the searches that can match in such a text: most texts are too short for most credentials."""

_IN_WORD: Final = (string.ascii_letters + string.digits + "_-").encode()
_LONG_WORD: Final = 32
"""Characters from which so many forms fit that a look at the beginning of a word is quicker than at its markers."""
WORDS_BEGIN: Final = frozenset({"AG", "sk", "rk", "AK", "AS", "gh", "gi", "gl", "np", "py", "xo", "hf", "AI"})
"""How the credentials begin that are one word: letters, digits, ``_`` and ``-``. None of them begins inside a word."""


def kind_of_secret(text: str) -> str:
    """What kind of credential a text holds; "" when it holds none."""
    length = len(text)
    if length >= _LONG_WORD and text[:2] not in WORDS_BEGIN and _is_word(text):
        return ""
    for marker, kind, search in _FITTING[length if length < _LONGEST else _LONGEST]:
        if marker in text and search(text):
            return kind
    return ""


def _is_word(text: str) -> bool:
    """Whether a text is nothing but one word, as digests, signatures and ids are."""
    return " " not in text and text.isascii() and not text.encode().translate(None, _IN_WORD)
