"""Whom the page answers and how, asked without a browser; and that a session alone approves nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection

import pytest
from free_ports import free_port
from page_site import Site, registry
from signing_in import between, login, session_of
from soft_passkey import SoftPasskey

from agent_saga.approvals.errors import RegistryFault
from agent_saga.approvals.registry import parse_registry
from agent_saga.console.app import check_origin
from agent_saga.console.errors import Refused
from agent_saga.console.limits import IDLE_SECONDS, MAX_BODY, MAX_OPENED, MAX_SESSIONS, SESSION_SECONDS, TICKET_SECONDS
from agent_saga.console.sessions import Sessions
from agent_saga.console.tickets import Tickets

ANA = SoftPasskey("ana")
PAGES = ("/", "/sign-in", "/enrol", "/nowhere", "/request/x", "/assets/style.css", "/assets/passkey.js")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    port = free_port()
    found = Site(":memory:", port, registry(f"http://localhost:{port}", ANA.entry("p-ana")))
    yield found
    found.close()


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_forbids_foreign_code_frames_and_copies(site: Site, path: str) -> None:
    _, headers, body = site.ask(path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers
    assert not re.search(r"<style|style=|<script(?! src=\"/assets/)|\son\w+=|https?://(?!www\.w3\.org)", body)


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(site: Site) -> None:
    kept = site.ask("/sign-in", login(site, ANA))[1]["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=strict" in kept
    assert "domain" not in kept


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Content_Type": "application/json"}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content_Length": "1e3"}, 400),
        ({"Content_Length": str(MAX_BODY + 1)}, 413),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
    ],
)
def test_a_form_of_another_site_or_under_another_name_changes_nothing(
    site: Site, headers: dict[str, str], status: int
) -> None:
    found = site.ask("/sign-in", login(site, ANA), **headers)
    assert found[0] == status
    assert "set-cookie" not in found[1]


def test_a_form_whose_length_is_not_told_is_not_read(site: Site) -> None:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=20)
    headers = {"Host": f"localhost:{site.port}", "Origin": site.origin}
    headers |= {"Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"}
    connection.request("POST", "/sign-in", iter([b"a=1"]), headers, encode_chunked=True)
    assert connection.getresponse().status == 411
    connection.close()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "TRACE", "OPTIONS"])
def test_other_methods_are_refused(site: Site, method: str) -> None:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=20)
    connection.request(method, "/", headers={"Host": f"localhost:{site.port}"})
    assert connection.getresponse().status == 405
    connection.close()


def test_the_page_answers_to_its_own_name_only(site: Site) -> None:
    assert site.ask("/sign-in", Host=f"127.0.0.1:{site.port}")[0] == 421


def test_a_sign_in_is_good_once(site: Site) -> None:
    form = login(site, ANA)
    assert site.ask("/sign-in", form)[0] == 303
    status, headers, body = site.ask("/sign-in", form)
    assert status == 400
    assert "Reason: used" in body
    assert "set-cookie" not in headers


@pytest.mark.parametrize("changed", ["", "A" * 75, "!", "A" * 10_000])
def test_a_ticket_that_the_page_did_not_issue_is_refused(site: Site, changed: str) -> None:
    status, headers, body = site.ask("/sign-in", login(site, ANA) | {"ticket": changed})
    assert status == 400
    assert "Reason: bad-ticket" in body
    assert "set-cookie" not in headers


def test_after_signing_in_one_goes_nowhere_but_to_a_page_of_this_site(site: Site) -> None:
    for onward in ("https://evil.example", "//evil.example", "/sign-out", "/request/" + "g" * 64, "\\evil"):
        assert site.ask("/sign-in", login(site, ANA) | {"onward": onward})[1]["location"] == "/"
    path = "/request/" + "a" * 64
    assert site.ask("/sign-in", login(site, ANA) | {"onward": path})[1]["location"] == path


def test_who_is_not_signed_in_reads_nothing(site: Site) -> None:
    saga = site.begin().saga
    path = f"/request/{site.leaf(saga)}"
    for asked in ("/", path):
        status, headers, body = site.ask(asked)
        assert status == 303
        assert headers["location"].startswith("/sign-in")
        assert saga not in body
    assert site.ask(path, {"decision": "approve"})[0] == 401
    assert site.ask(f"{path}/sign", {"digest": "0" * 64})[0] == 401


def test_a_stolen_session_approves_nothing(site: Site) -> None:
    saga = site.begin().saga
    path = f"/request/{site.leaf(saga)}"
    answered = login(site, ANA)
    stolen = site.ask("/sign-in", answered)[1]["set-cookie"].partition(";")[0]
    page = site.ask(path, Cookie=stolen)[2]
    form = {"form": between(page, 'name="form" value="')}
    shown = site.ask(path, form | {"decision": "approve", "reason": ""}, Cookie=stolen)[2]
    form |= {"digest": between(shown, 'name="digest" value="')}
    login_answer = {name: answered[name] for name in ("credential", "authenticator_data", "client_data", "signature")}
    thief = SoftPasskey("thief").answer(between(shown, 'data-challenge="'), site.origin)
    tries = {
        "no-passkey": {},
        "wrong-challenge": login_answer,
        "other-key": thief,
        "bad-signature": thief | {"credential": login_answer["credential"]},
    }
    for reason, answer in tries.items():
        status, _, body = site.ask(f"{path}/sign", form | answer, Cookie=stolen)
        assert status in (400, 403)
        assert f"Reason: {reason}" in body
    assert not site.answers(saga)
    assert site.wired == []


def test_a_form_without_the_secret_of_its_session_is_refused(site: Site) -> None:
    saga = site.begin().saga
    path, stolen = f"/request/{site.leaf(saga)}", session_of(site, ANA)
    for form in ({}, {"form": ""}, {"form": "A" * 43}, {"form": "ä"}):
        status, _, body = site.ask(path, form | {"decision": "approve"}, Cookie=stolen)
        assert status == 403
        assert "Reason: bad-form" in body


def test_what_was_shown_for_one_request_does_not_answer_another(site: Site) -> None:
    first, second = (site.leaf(site.begin().saga) for _ in range(2))
    stolen = session_of(site, ANA)
    form = {"form": between(site.ask(f"/request/{first}", Cookie=stolen)[2], 'name="form" value="')}
    shown = site.ask(f"/request/{first}", form | {"decision": "approve"}, Cookie=stolen)[2]
    form |= {"digest": between(shown, 'name="digest" value="')} | ANA.answer(
        between(shown, 'data-challenge="'), site.origin
    )
    status, _, body = site.ask(f"/request/{second}/sign", form, Cookie=stolen)
    assert status == 409
    assert "Reason: not-shown" in body


def test_who_signs_out_has_no_session_any_more(site: Site) -> None:
    stolen = session_of(site, ANA)
    page = site.ask("/", Cookie=stolen)[2]
    assert site.ask("/sign-out", {"form": between(page, 'name="form" value="')}, Cookie=stolen)[0] == 303
    assert site.ask("/", Cookie=stolen)[1]["location"] == "/sign-in"


@pytest.mark.parametrize("body", ["a=1&a=2", "a", "a=%ff", "&".join(f"f{n}=1" for n in range(40))])
def test_a_form_that_is_none_is_refused_in_words(site: Site, body: str) -> None:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=20)
    headers = {"Host": f"localhost:{site.port}", "Origin": site.origin}
    connection.request("POST", "/sign-in", body, headers | {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    assert answer.status == 400
    assert "Reason: bad-form" in answer.read().decode()
    connection.close()


def test_a_session_ends_with_its_time_and_when_nobody_is_there() -> None:
    now = datetime(2026, 11, 30, 7, tzinfo=UTC)
    clock = [now]
    sessions = Sessions(lambda: clock[0], lambda size: bytes([len(clock)]) * size)
    key = parse_registry(registry("http://localhost:1", ANA.entry("p-ana"))).keys[0]
    token = sessions.begin(key)
    clock[0] += timedelta(seconds=IDLE_SECONDS - 1)
    assert sessions.find(token)
    clock[0] += timedelta(seconds=IDLE_SECONDS)
    assert not sessions.find(token)
    token = sessions.begin(key)
    for _ in range(SESSION_SECONDS // 600):
        assert sessions.find(token)
        clock[0] += timedelta(seconds=600)
    assert not sessions.find(token)


def test_memory_is_bounded() -> None:
    sessions = Sessions(lambda: datetime(2026, 11, 30, tzinfo=UTC), os.urandom)
    key = parse_registry(registry("http://localhost:1", ANA.entry("p-ana"))).keys[0]
    tokens = [sessions.begin(key) for _ in range(MAX_SESSIONS + 1)]
    assert not sessions.find(tokens[0])
    session = sessions.find(tokens[-1])
    assert session
    for number in range(MAX_OPENED + 3):
        session.keep(str(number), None)  # type: ignore[arg-type]
    assert list(session.opened) == [str(number) for number in range(3, MAX_OPENED + 3)]


def test_a_ticket_is_good_for_its_purpose_its_time_and_once() -> None:
    clock = [datetime(2026, 11, 30, tzinfo=UTC)]
    tickets = Tickets(lambda: clock[0], os.urandom)
    ticket = tickets.issue("login")
    assert tickets.check("login", ticket) == tickets.challenge("login", ticket) != tickets.challenge("enrol", ticket)
    other = ("B" if ticket[0] == "A" else "A") + ticket[1:]
    for wrong, reason in ((("enrol", ticket), "bad-ticket"), (("login", other), "bad-ticket")):
        with pytest.raises(Refused) as refused:
            tickets.check(*wrong)  # type: ignore[arg-type]
        assert refused.value.reason == reason
    clock[0] += timedelta(seconds=TICKET_SECONDS + 1)
    with pytest.raises(Refused, match="too long"):
        tickets.check("login", ticket)


@pytest.mark.parametrize(
    "origin, word",
    [
        ("http://approve.example", "https"),
        ("http://127.0.0.1:8440", "https"),
        ("https://approve.example/", "host and port only"),
        ("https://user@approve.example/x", "host and port only"),
        ("https://other.example", "does not list"),
    ],
)
def test_an_origin_where_no_passkey_could_sign_is_refused_before_anything_is_served(origin: str, word: str) -> None:
    value = registry("https://approve.example", rp={"id": "approve.example", "origins": ["https://approve.example"]})
    with pytest.raises(RegistryFault, match=word):
        check_origin(parse_registry(value), origin)
