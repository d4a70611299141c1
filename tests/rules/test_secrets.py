"""Credentials are told by their published forms; what only looks alike is left alone. All values here are made up."""

from __future__ import annotations

import string
import sys
from pathlib import Path

import pytest

from agent_saga.certify.members.secrets import find_secret
from agent_saga.trace.events import Option, StepProposed
from agent_saga.trace.secrets import FORMS as FORMS_BY_MARKER
from agent_saga.trace.secrets import kind_of_secret

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.ask import findings

MIXED = "Ab3" * 30
UPPER = "AB3" * 30

FORMS = {
    "a private key": "-----BEGIN RSA PRIVATE " + "KEY-----",
    "an age secret key": "AGE-SECRET-" + "KEY-1" + UPPER[:58],
    "a Stripe secret key": "sk" + "_live_" + MIXED[:24],
    "an AWS access key id": "AK" + "IA" + UPPER[:16],
    "a GitHub token": "gh" + "p_" + MIXED[:36],
    "a GitLab token": "gl" + "pat-" + MIXED[:20],
    "an npm token": "np" + "m_" + MIXED[:36],
    "a PyPI token": "py" + "pi-AgE" + MIXED[:60],
    "a Slack token": "xo" + "xb-" + MIXED[:24],
    "a SendGrid key": "S" + "G." + MIXED[:22] + "." + MIXED[:43],
    "a Hugging Face token": "h" + "f_" + "Abc" * 11 + "A",
    "an OpenAI or Anthropic key": "s" + "k-proj-" + MIXED[:40],
    "a Google API key": "AI" + "za" + MIXED[:35],
    "a JSON Web Token": "ey" + "J" + MIXED[:20] + ".ey" + "J" + MIXED[:20] + "." + MIXED[:20],
    "a password in a URL": "postgres://app:" + "made-up-word" + "@db.example/orders",
    "an Authorization header": "Authorization: Bea" + "rer " + MIXED[:32],
}


@pytest.mark.parametrize(("kind", "text"), FORMS.items(), ids=FORMS)
def test_a_credential_is_told_by_its_form(kind: str, text: str) -> None:
    assert kind_of_secret(text) == kind
    assert kind_of_secret(f'the answer was "{text}", said the tool') == kind


SHORTEST = [
    "-----BEGIN PRIVATE " + "KEY-----",
    "AGE-SECRET-" + "KEY-1" + UPPER[:58],
    "sk" + "_live_" + MIXED[:16],
    "rk" + "_test_" + MIXED[:16],
    "AK" + "IA" + UPPER[:16],
    "AS" + "IA" + UPPER[:16],
    "gh" + "p_" + MIXED[:36],
    "github" + "_pat_" + MIXED[:40],
    "gl" + "pat-" + MIXED[:20],
    "np" + "m_" + MIXED[:36],
    "py" + "pi-AgE" + MIXED[:50],
    "xo" + "xb-" + MIXED[:10],
    "S" + "G." + MIXED[:22] + "." + MIXED[:43],
    "h" + "f_" + "Abc" * 11 + "A",
    "s" + "k-" + MIXED[:32],
    "AI" + "za" + MIXED[:35],
    "ey" + "J" + MIXED[:10] + ".ey" + "J" + MIXED[:10] + "." + MIXED[:16],
    "abc://a:" + "bcd@",
    "Bea" + "rer " + MIXED[:20],
    "BEA" + "RER " + MIXED[:20],
    "Ba" + "sic " + MIXED[:20],
    "BA" + "SIC " + MIXED[:20],
]


def test_the_shortest_of_each_form_is_as_short_as_the_table_says() -> None:
    assert [len(text) for text in SHORTEST] == [shortest for _, shortest, _, _ in FORMS_BY_MARKER]
    assert [kind_of_secret(text) for text in SHORTEST] == [kind for _, _, kind, _ in FORMS_BY_MARKER]


HARMLESS = [
    "basic internationalization of the catalogue",
    "bearer of the letter of 2024-annual-report-final",
    "sk-slovensko-velmi-dlhy-nazov-produktu-v-katalogu",
    "task-0123456789ABCDEF0123456789ABCDEF0123456789",
    "https://shop.example:8443/orders?by=a@b.example",
    "postgres://app:***@db.example/orders",
    "postgres://app:${PASSWORD}@db.example/orders",
    "the box is 40x40x40, sealed",
    "order AKIAB-1001 of 2026-01-05T09:00:00.000000Z",
    "eyJust a name.eyJust another.and so on and on",
    "github pages and npm_config_registry settings",
    string.printable * 4,
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_is_left_alone(text: str) -> None:
    assert kind_of_secret(text) == ""


def test_the_finding_names_the_place_and_the_kind_and_never_the_value() -> None:
    secret = FORMS["a GitHub token"]
    (found,) = findings(
        f'step s1 mail.send arg.token={secret}\ngo e1 mail.send args={{"order":"A-1001"}}\nfail e1\nend aborted_clean'
    )[:1]
    assert found.code == "AS505"
    found = next(one for one in findings(f"step s1 mail.send arg.token={secret}\nend aborted_clean"))
    assert (found.code, found.subject) == ("AS604", "args a GitHub token")
    assert secret not in repr(found)


def test_names_and_nested_values_are_looked_at_too() -> None:
    secret = FORMS["a GitHub token"]
    head = {"v": 1, "saga": "s", "seq": 1, "prev": "0" * 64, "at": "", "type": "step.proposed", "by": "runtime"}
    option = Option("a", "mail.send", {"deep": [{"token": secret}]}, "1")
    step = StepProposed(**head, step="s1", tool="t", args={secret: 1}, allowed=(), driver="d")  # type: ignore[arg-type]
    offer = StepProposed(**head, step="s1", tool="t", args={}, allowed=(), driver="d", options=(option,))  # type: ignore[arg-type]
    assert find_secret(step) == ("args", "a GitHub token")
    assert find_secret(offer) == ("options", "a GitHub token")


@pytest.mark.parametrize("start", ["eyJ-", "sk-A1", "bearer ", "a://", "-----BEGIN ", "xoxb-", "gh"])
def test_no_text_takes_long(start: str) -> None:
    assert kind_of_secret(start * 60_000) in ("", "an OpenAI or Anthropic key", "a Slack token")
