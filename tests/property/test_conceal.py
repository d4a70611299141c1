"""Whatever is concealed opens to itself, and only by its own disclosure."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from trace_values import CLEAR, VALUES

from agent_saga.trace import DisclosureError
from agent_saga.trace.conceal import Disclosures, conceal, digests_in, parse_disclosure
from agent_saga.trace.writer import salt_of

SALTS = st.binary(min_size=16, max_size=16).map(salt_of)


@given(CLEAR, SALTS)
def test_a_concealed_value_opens_to_itself(value: Any, salt: str) -> None:
    placeholder, disclosure = conceal(value, salt)
    assert parse_disclosure(disclosure) == (salt, value)
    assert Disclosures([("d:1", disclosure)]).open(placeholder) == (value, False)


@given(CLEAR, SALTS, SALTS)
def test_another_salt_gives_another_digest(value: Any, one: str, other: str) -> None:
    assert (conceal(value, one)[0] == conceal(value, other)[0]) == (one == other)


@given(VALUES)
def test_without_disclosures_nothing_opens_and_what_is_sealed_is_known(value: Any) -> None:
    assert Disclosures().open(value) == (value, bool(list(digests_in(value))))


def parsed(disclosure: str) -> tuple[str, Any] | None:
    try:
        return parse_disclosure(disclosure)
    except DisclosureError:
        return None


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z0-9_-]{1,80}", fullmatch=True))
def test_any_text_is_refused_or_the_one_spelling_of_a_disclosure(text: str) -> None:
    found = parsed(text)
    assert found is None or conceal(found[1], found[0])[1] == text


@given(CLEAR, SALTS, st.sampled_from([(", ", ":"), (",", ": ")]))
def test_another_spelling_of_a_disclosure_is_refused(value: Any, salt: str, separators: tuple[str, str]) -> None:
    loose = json.dumps([salt, [value, {"a": 1}]], ensure_ascii=False, separators=separators)
    assert parsed(urlsafe_b64encode(loose.encode()).rstrip(b"=").decode()) is None
