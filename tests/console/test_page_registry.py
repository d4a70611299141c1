"""The page goes by the registry that the log itself has in force: by signed changes only, and at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from free_ports import free_port
from page_site import Site, registry
from signing_in import between, login, session_of
from soft_passkey import SoftPasskey

from agent_saga.approvals.registry import registry_digest
from agent_saga.approvals.requests import Change, as_written
from agent_saga.runtime.times import instant, later, utc_now
from agent_saga.testing.approving import People, key_id
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.store.following import lines_since

ANA = SoftPasskey("ana")
PEOPLE = People({"registrar": ["registrar"]}, agents={"other-agent": "registrar"})


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    port = free_port()
    value = registry(f"http://localhost:{port}", *PEOPLE.registry["keys"])
    value["people"].append({"id": "registrar", "roles": ["registrar"]})
    value["changes"] = {"roles": ["registrar"], "quorum": 1, "strength": "D"}
    found = Site(tmp_path / "saga.db", port, value, in_log=True)
    yield found
    found.close()


def proof(site: Site, change: str, subject: str) -> dict[str, Any]:
    """What the registrar signs to change the registry."""
    last, now = site.in_force(), instant(utc_now())
    about = Change(
        v=1,
        log="local",
        change=change,  # type: ignore[arg-type]
        subject=subject,
        registry=last.digest,
        prev=last.prev,
        person="registrar",
        key_id=key_id("registrar"),
        nonce=unpadded(os.urandom(16)),
        issued_at=now,
        not_after=later(now, 600),
    )
    return {"signatures": [PEOPLE.signed(as_written(about))]}


def enrol(site: Site, **more: Any) -> None:
    """Ana's passkey, enrolled in the log; more: members of the line that differ."""
    value = site.registry | {"version": 2, "keys": [*site.registry["keys"], ANA.entry("p-ana")]}
    members = {"registry": value, "proof": proof(site, "enroll", registry_digest(value))} | more
    site.change("keys.enrolled", **members)


def test_a_passkey_counts_from_the_signed_line_on_that_enrols_it(site: Site) -> None:
    status, _, body = site.ask("/sign-in", login(site, ANA))
    assert status == 403
    assert "Reason: unknown-key" in body
    enrol(site)
    saga = site.begin().saga
    cookie = session_of(site, ANA)
    path, form = prepared(site, saga, cookie)
    assert site.ask(path, form, Cookie=cookie)[0] == 303
    assert site.go_on(saga).status == "succeeded_verified"
    assert len(site.wired) == 1


def prepared(site: Site, saga: str, cookie: str) -> tuple[str, dict[str, str]]:
    """The path and the form with Ana's answer, ready to be sent."""
    path = f"/request/{site.leaf(saga)}"
    form = {"form": between(site.ask(path, Cookie=cookie)[2], 'name="form" value="')}
    shown = site.ask(path, form | {"decision": "approve"}, Cookie=cookie)[2]
    form |= {"digest": between(shown, 'name="digest" value="')}
    return f"{path}/sign", form | ANA.answer(between(shown, 'data-challenge="'), site.origin)


def test_while_another_process_holds_the_saga_nothing_is_recorded_and_one_may_send_it_again(site: Site) -> None:
    enrol(site)
    saga, cookie = site.begin().saga, session_of(site, ANA)
    path, form = prepared(site, saga, cookie)
    lease = site.call(site.store.acquire(saga, "worker", 60, time.time()))
    status, _, body = site.ask(path, form, Cookie=cookie)
    assert status == 409
    assert "Reason: busy" in body
    assert not site.answers(saga)
    assert lease
    site.call(site.store.release(lease))
    assert site.ask(path, form, Cookie=cookie)[0] == 303
    assert len(site.answers(saga)) == 1


def test_a_store_that_cannot_be_read_approves_nothing(site: Site, tmp_path: Path) -> None:
    enrol(site)
    saga, cookie = site.begin().saga, session_of(site, ANA)
    path, form = prepared(site, saga, cookie)
    site.call(site.store.close())
    for status, _, body in (site.ask(path, form, Cookie=cookie), site.ask("/", Cookie=cookie)):
        assert status == 503
        assert "nothing is approved by that" in body
        assert "Traceback" not in body
    kept = list(lines_since(str(tmp_path / "saga.db"), 0))
    assert any(b'"approval.requested"' in line for line in kept)
    assert not any(b'"approval.recorded"' in line for line in kept)


def test_a_line_that_nobody_signed_enrols_nobody(site: Site) -> None:
    enrol(site, proof={"signatures": []})
    status, _, body = site.ask("/sign-in", login(site, ANA))
    assert status == 403
    assert "Reason: unknown-key" in body


def test_a_revocation_ends_the_session_and_refuses_what_was_prepared(site: Site) -> None:
    enrol(site)
    saga = site.begin().saga
    cookie = session_of(site, ANA)
    path, form = prepared(site, saga, cookie)
    site.change("keys.revoked", key_id="k-ana", proof=proof(site, "revoke", "k-ana"))
    assert site.ask(path, form, Cookie=cookie)[0] == 401
    assert site.ask("/", Cookie=cookie)[1]["location"] == "/sign-in"
    assert "Reason: revoked" in site.ask("/sign-in", login(site, ANA))[2]
    assert not site.answers(saga)
