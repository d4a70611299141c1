"""What an approver sees: all of it, from the bytes, with nothing that could hide or steer."""

from __future__ import annotations

import json
from typing import Any

import people
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.approvals.concealing import open_all
from agent_saga.approvals.digests import APPROVAL, DECISION, digest, fingerprint
from agent_saga.approvals.display import escaped, show
from agent_saga.approvals.errors import NotApproved
from agent_saga.trace.conceal import conceal

SALT = "Zk9mQ2hXb0pRc1R2VXd4eQ"
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT.filter(lambda n: n != "..."), inner, max_size=4),
    max_leaves=12,
)


def leaves(value: Any) -> int:
    if isinstance(value, dict | list) and value:
        return sum(map(leaves, value.values() if isinstance(value, dict) else value))
    return 1


@given(VALUES)
def test_every_value_has_its_line_and_every_line_is_plain(value: Any) -> None:
    about = people.content(args={"given": value})
    request = people.request("ben-sk", about)
    shown = show(request)
    assert len(shown) == 2 + leaves(request)
    assert shown[0] == f"fingerprint  {fingerprint(digest(APPROVAL, request))}"
    assert all(line.isprintable() and "\u202e" not in line for line in shown)
    assert len({line.partition(" = ")[0] for line in shown}) == len(shown)


@given(TEXT, TEXT)
def test_two_texts_never_look_the_same_by_what_is_hidden(one: str, other: str) -> None:
    assert (escaped(one) == escaped(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10\u202e00.00", r'"10\u{202e}00.00"'),
        ("a\u200bb", r'"a\u{200b}b"'),
        ("a\u2066b\u2069", r'"a\u{2066}b\u{2069}"'),
        ("line\nnext\r\x1b[2J", r'"line\u{a}next\u{d}\u{1b}[2J"'),
        ("e\u0301", r'"e\u{301}"'),
        ("no\u00a0break", r'"no\u{a0}break"'),
        ("\u2028", r'"\u{2028}"'),
        ('say "hi" \\', r'"say \"hi\" \\"'),
        ("Zürich", '"Zürich"'),
        ("\U000e0041", r'"\u{e0041}"'),
        (r"\u{a}", r'"\\u{a}"'),
    ],
)
def test_hidden_characters_are_spelled_out(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_nothing_is_cut() -> None:
    about = people.content(args={"text": "x" * 50_000, "list": list(range(2_000))})
    shown = "\n".join(show(people.request("ben-sk", about)))
    assert "x" * 50_000 in shown
    assert "content.args.list[1999] = 1999" in shown


def test_a_name_cannot_look_like_another_path() -> None:
    about = people.content(args={"amount": {"minor": 1}, "amount.minor": 2, "a = b\n": 3})
    shown = show(people.request("ben-sk", about))
    assert "content.args.amount.minor = 1" in shown
    assert 'content.args."amount.minor" = 2' in shown
    assert r'content.args."a = b\u{a}" = 3' in shown


def test_a_concealed_value_is_shown_opened_beside_its_digest_or_refused() -> None:
    placeholder, disclosure = conceal({"iban": "DE02120300000000202051"}, SALT)
    request = people.request("ben-sk", people.content(args={"to": placeholder}))
    shown = show(request, [disclosure])
    assert f"content.args.to (concealed) = {placeholder['...']}" in shown
    assert 'content.args.to (opened).iban = "DE02120300000000202051"' in shown
    _, other = conceal({"iban": "DE00"}, SALT)
    for given_ in ([], [other], ["no disclosure"]):
        with pytest.raises(NotApproved) as refused:
            show(request, given_)
        assert refused.value.reason == "withheld"
    assert open_all(request, [disclosure])["content"]["args"] == {"to": {"iban": "DE02120300000000202051"}}


def test_decisions_and_changes_are_shown_as_well() -> None:
    decision = people.decision()
    shown = show(decision)
    assert shown[:2] == [
        f"fingerprint  {fingerprint(digest(DECISION, decision))}",
        'what         decide that "e1" is landed',
    ]
    value = {"v": 1, "log": "log.example/shop", "change": "revoke", "subject": "ana-software", "registry": "0" * 64}
    value |= {"prev": "0" * 64, "person": "p-ana", "key_id": "k", "nonce": people.nonce("x")}
    change = value | {"issued_at": people.NOW, "not_after": people.LATER}
    assert show(change)[1] == 'what         revoke "ana-software"'


@pytest.mark.parametrize("value", [None, 1, [], {}, {"content": {}}, {"verdict": "kept"}, {"change": "enroll"}])
def test_what_is_no_request_is_not_shown(value: Any) -> None:
    with pytest.raises(NotApproved) as refused:
        show(value)
    assert refused.value.reason == "bad-request"


def test_a_request_carried_as_a_file_has_one_spelling() -> None:
    from agent_saga.approvals.digests import canonical
    from agent_saga.approvals.requests import parse_file

    request = people.request("ben-sk")
    data = canonical(request)
    assert parse_file(data) == parse_file(data + b"\n") == request
    twice = data.replace(b'{"action"', b'{"v":1,"action"', 1)
    for bad in (json.dumps(request).encode(), data + b"\n\n", data[:-1], b"", b"\xff", twice, b" " + data, b"[" * 9999):
        with pytest.raises(NotApproved) as refused:
            parse_file(bad)
        assert refused.value.reason == "bad-request"
