"""A value is concealed and opened again, and what is no disclosure opens nothing."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from agent_saga.trace import DisclosureError
from agent_saga.trace.conceal import Disclosures, conceal, digest_of, digests_in, parse_disclosure
from agent_saga.trace.values import CONCEALED_NAME

SALT = "Zk9mQ2hXb0pRc1R2VXd4eQ"
OTHER = "AAAAAAAAAAAAAAAAAAAAAA"


def _d(text: bytes) -> str:
    return urlsafe_b64encode(text).rstrip(b"=").decode()


def test_a_concealed_value_opens_to_itself() -> None:
    placeholder, disclosure = conceal({"iban": "DE89"}, SALT)
    assert Disclosures([("d:1", disclosure)]).open(["x", {"y": placeholder}]) == (["x", {"y": {"iban": "DE89"}}], False)


def test_without_its_disclosure_a_value_stays_sealed_and_the_rest_opens() -> None:
    sealed, _ = conceal(1, SALT)
    opened, disclosure = conceal(2, OTHER)
    assert Disclosures([("d:1", disclosure)]).open({"a": sealed, "b": [opened]}) == ({"a": sealed, "b": [2]}, True)


@pytest.mark.parametrize("salt", ["", "short", SALT + "A", SALT[:-1] + "B", SALT[:-1] + "=", "Zk9mQ2hXb0pRc1R2VXd4e+"])
def test_a_salt_of_another_form_conceals_nothing(salt: str) -> None:
    with pytest.raises(DisclosureError, match="salt"):
        conceal(1, salt)


@pytest.mark.parametrize("value", [1.5, 2**53, "\ud800", b"x", {1: 2}, conceal(1, SALT)[0], [conceal(1, SALT)[0]]])
def test_what_no_line_may_hold_cannot_be_concealed(value: object) -> None:
    with pytest.raises((DisclosureError, TypeError)):
        conceal(value, OTHER)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"x",
        b"[]",
        b'["%s"]' % SALT.encode(),
        b'["%s",1,2]' % SALT.encode(),
        b'["short",1]',
        b'[1,"%s"]' % SALT.encode(),
        b'{"%s":1}' % SALT.encode(),
        b'["%s", 1]' % SALT.encode(),
        b'["%s",1.0]' % SALT.encode(),
        b'["%s",9007199254740992]' % SALT.encode(),
        b'["%s","\\u00e9"]' % SALT.encode(),
        b'["%s","\\ud800"]' % SALT.encode(),
        b'["%s","\xff"]' % SALT.encode(),
        b'["%s",{"a":1,"a":1}]' % SALT.encode(),
        b'["%s",{"...":"%s"}]' % (SALT.encode(), b"A" * 43),
        b'["%s",%s1%s]' % (SALT.encode(), b"[" * 70, b"]" * 70),
        b"[" * 100_000,
    ],
)
def test_what_is_no_disclosure_in_its_one_spelling_is_refused(text: bytes) -> None:
    with pytest.raises(DisclosureError):
        parse_disclosure(_d(text))


@pytest.mark.parametrize("disclosure", ["=", "a", "ab+/", conceal(1, SALT)[1] + "=", conceal(1, SALT)[1] + "\n"])
def test_what_is_no_base64url_is_refused(disclosure: str) -> None:
    with pytest.raises(DisclosureError):
        parse_disclosure(disclosure)


def test_a_bad_disclosure_is_told_with_its_place_and_opens_nothing() -> None:
    found = Disclosures([("store:1", "!"), ("store:2", conceal(1, SALT)[1])])
    assert [place for place, _ in found.faults] == ["store:1"]
    assert len(found.values) == 1


def test_a_salt_used_for_two_values_is_told() -> None:
    one, two = conceal(1, SALT)[1], conceal(2, SALT)[1]
    assert Disclosures([("s:1", one), ("s:2", one)]).reused == []
    assert Disclosures([("s:1", one), ("s:2", two)]).reused == [("s:2", SALT)]


def test_the_digests_of_a_payload_are_found_in_order() -> None:
    one, two = conceal(1, SALT), conceal(2, OTHER)
    value = {"a": [one[0], 5], "b": {"c": two[0]}, "d": "x"}
    assert list(digests_in(value)) == [digest_of(one[1]), digest_of(two[1])]
    assert list(digests_in(({"args": value},))) == [digest_of(one[1]), digest_of(two[1])]
    assert one[0][CONCEALED_NAME] == digest_of(one[1])
