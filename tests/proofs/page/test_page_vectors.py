"""The page says of every vector what Python says, with the browser's cryptography and with its own."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
from opening import answers, drive
from playwright.sync_api import Page
from typer import BadParameter
from vector_files import VECTORS, all_vectors, certificates, steps

from agent_saga.cli.evidence import recognise
from agent_saga.proofs.bundles.verifying import Earlier, verify_bundle
from agent_saga.proofs.bundles.words import words
from agent_saga.proofs.continuing import parse_continuation
from agent_saga.proofs.pins import parse_pins

pytestmark = pytest.mark.xdist_group("chromium")
OURS = {"proven", "log", "signed by", "witness", "monitor", "continues", "rests on", "shown", "not proven"}


def check_all(page: Page) -> None:
    names, vectors = zip(*all_vectors(), strict=True)
    found = answers(page, list(vectors))
    wrong = {
        name: (said, vector["expect"])
        for name, vector, said in zip(names, vectors, found, strict=True)
        if said != vector["expect"]
    }
    assert not wrong, f"{len(wrong)} of {len(names)}: {dict(list(wrong.items())[:8])}"
    assert len(names) > 550


def check_form(page: Page) -> None:
    names, done, expected = zip(*steps(), strict=True)
    shown = drive(page, list(done))
    due = [expected_of(*found) for found in zip(done, expected, strict=True)]
    wrong = {name: (one, say) for name, one, say in zip(names, shown, due, strict=True) if not say(one)}
    assert not wrong, f"{len(wrong)} of {len(names)}: {dict(list(wrong.items())[:5])}"
    assert all(one["focused"] == "verdict" and one["status"] for one in shown)
    assert len(names) > 200


def expected_of(step: dict[str, Any], expect: dict[str, Any]) -> Callable[[dict[str, Any]], bool]:
    """What the form must show where the vector expects this."""
    reason = expect.get("reason")
    if reason == "bad-key":
        return lambda shown: shown["verdict"] == "unchecked" and shown["pin"].startswith("bad-key: ")
    try:
        recognise(b64decode(step["file"]), "it")
    except BadParameter:  # what the command cannot tell for a file of any kind, the page cannot either
        return lambda shown: shown["verdict"] == "unchecked"
    if reason == "wrong-sizes" and "consistency" not in step:
        return lambda shown: shown["verdict"] == "undecided"
    if reason == "unsigned" and "\nwitness " in step["pin"]:  # a silent witness is named, and refutes nothing
        return lambda shown: (
            shown["reason"] == reason or any("no signature of theirs" in text for _, text in shown["words"])
        )
    if reason == "wrong-key" and "\nwitness " in step["pin"]:
        return lambda shown: shown["verdict"] == "unchecked" and shown["pin"].startswith("bad-key: ")
    if reason:
        return lambda shown: (shown["verdict"], shown["reason"]) == ("refuted", reason)
    return lambda shown: shown["verdict"] == "proven"


def test_every_vector_is_answered_by_the_browsers_cryptography(page: Page) -> None:
    assert "Ed25519 by this browser" in page.inner_text("#computed")
    check_all(page)


def test_every_vector_is_answered_by_the_pages_own_cryptography(plain_page: Page) -> None:
    assert "SHA-256 is computed by this page, Ed25519 by this page" in plain_page.inner_text("#computed")
    check_all(plain_page)


def test_every_file_is_judged_through_the_form(page: Page) -> None:
    check_form(page)


def test_every_file_is_judged_through_the_form_without_webcrypto(plain_page: Page) -> None:
    check_form(plain_page)


def test_a_certificate_is_told_apart_and_never_proven(page: Page) -> None:
    shown = drive(page, list(certificates()))
    assert all(one["said"].startswith("This is a certificate.") for one in shown)
    assert {one["verdict"] for one in shown} == {"unchecked"}


def test_what_is_proven_is_said_in_the_words_of_the_command(page: Page) -> None:
    good = {path.stem: json.loads(path.read_text("utf-8")) for path in (VECTORS / "bundles").glob("good-*.json")}
    done = {name.split("/")[1]: step for name, step, _ in steps() if name.startswith("bundles/good-")}
    assert good.keys() == done.keys()
    for (name, vector), shown in zip(good.items(), drive(page, [done[name] for name in good]), strict=True):
        earlier = None
        if "earlier" in vector:
            earlier = Earlier(vector["earlier"].encode(), parse_continuation(vector["consistency"].encode()))
        proven = verify_bundle(vector["bundle"].encode(), parse_pins(vector["pin"]), earlier)
        rows = [(row[:12].strip().rstrip(":"), row[12:].replace("`", "")) for row in words(proven)]
        seen = [("proven", shown["said"].removesuffix(".")), *map(tuple, shown["words"])]
        assert seen == [row for row in rows if row[0] in OURS], name
        assert shown["lines"] == len(proven.lines) + len(proven.own)
        assert (shown["closed"], shown["opened"]) == (len(proven.withheld), len(proven.opened))
