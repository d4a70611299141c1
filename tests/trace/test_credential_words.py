"""Long words, such as digests and signatures, are not searched for credentials: only their beginning is looked at."""

from __future__ import annotations

import json
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_samples import good_lines

from agent_saga.trace.codec import decode, decode_all
from agent_saga.trace.errors import LineError
from agent_saga.trace.secrets import FORMS, WORDS_BEGIN, kind_of_secret
from agent_saga.trace.values import SUSPECT

WORD = string.ascii_letters + string.digits + "_-"
ASCII = st.characters(min_codepoint=32, max_codepoint=126)
PIECES = st.sampled_from(["sk", "_live_", "AKIA", "gh", "p_", "npm_", "xox", "b-", "AIza", "hf_", "glpat-", "pypi-AgE"])
FORMED = st.sampled_from([form for *_, form in FORMS]).flatmap(
    lambda form: st.from_regex(form, fullmatch=True, alphabet=ASCII)
)
WORDS = st.text(WORD, max_size=70)
STEP = next(line for line in good_lines() if json.loads(line)["type"] == "step.proposed")


def by_hand(text: str) -> str:
    """What a search of every form tells, one after the other, with no short cut."""
    return next((kind for _, _, kind, form in FORMS if re.search(form, text)), "")


def with_reason(spelled: bytes) -> bytes:
    """A good line whose arguments hold this text, spelled so."""
    before, after = STEP.split(b'"args":{', 1)
    _, after = after.split(b'"allowed"', 1)
    return before + b'"args":{"text":"' + spelled + b'"},"allowed"' + after


@given(FORMED)
@settings(max_examples=600)
def test_a_credential_that_is_a_word_begins_as_the_table_says(text: str) -> None:
    if not text.strip(WORD):
        assert text[:2] in WORDS_BEGIN


@given(
    st.lists(WORDS | PIECES | FORMED | st.sampled_from([" ", ".", "/", "é", "\n", '"', "-"]), max_size=6).map("".join)
)
@settings(max_examples=1000)
def test_the_short_cut_tells_what_a_search_of_every_form_tells(text: str) -> None:
    assert kind_of_secret(text) == by_hand(text)


@given(st.text("0123456789abcdef", min_size=64, max_size=64), FORMED, st.sampled_from(["", " ", "/", ".", "_", "é"]))
@settings(max_examples=1000)
def test_a_credential_behind_a_digest_is_told_as_by_hand(digest: str, secret: str, between: str) -> None:
    for text in (digest + between + secret, secret + between + digest):
        assert kind_of_secret(text) == by_hand(text)


@pytest.mark.parametrize("escape", [r"\n", r"\"", r"\\", r"\t", r"\u0001", "é"])
def test_a_credential_behind_an_escape_is_told_alone_and_among_many(escape: str) -> None:
    line = with_reason((escape + "AK" + "IA" + "AB3" * 5 + "Z").encode())
    assert decode(line)[1] & SUSPECT
    many = decode_all([STEP, line, STEP])
    assert many is not None
    assert [traits & SUSPECT for traits in many[1]] == [0, SUSPECT, 0]


@pytest.mark.parametrize("spelled", [rb"\u0041KIA", rb"A\u004BIA", rb"A\u004bIA", rb"\u0067hp_", rb"sk\u005flive_"])
def test_a_marker_in_other_spelling_is_no_line_alone_or_among_many(spelled: bytes) -> None:
    line = with_reason(spelled + b"AB3" * 13)
    with pytest.raises(LineError):
        decode(line)
    assert decode_all([STEP, line]) is None


def test_any_case_of_a_header_is_told_among_many() -> None:
    for word in ("Bea" + "rer", "bea" + "rer", "BEA" + "RER"):
        line = with_reason(f"{word} {'Ab3' * 10}".encode())
        many = decode_all([STEP, line])
        assert many is not None
        assert many[1] == [decode(STEP)[1], decode(line)[1]]
        assert many[1][1] & SUSPECT
