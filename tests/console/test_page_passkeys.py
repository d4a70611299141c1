"""A person enrols a passkey and signs with it on our own page, in a real browser; whatever is wrong is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Visit, visit
from free_ports import free_port
from page_site import Site, registry
from playwright.sync_api import Browser, Route
from soft_passkey import SoftPasskey

from agent_saga.approvals.proofs import verify_recorded
from agent_saga.approvals.registry import parse_registry
from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify

ANA, BEN = SoftPasskey("ana"), SoftPasskey("ben")


@pytest.fixture
def site() -> Iterator[Site]:
    port = free_port()
    found = Site(":memory:", port, registry(f"http://localhost:{port}", ANA.entry("p-ana"), BEN.entry("p-ben")))
    yield found
    found.close()


@pytest.fixture
def ana(browser: Browser, site: Site) -> Iterator[Visit]:
    """Ana, with her passkey, signed in."""
    with visit(browser, site, ANA, refusals=True) as found:
        found.sign_in()
        yield found


def enrolled(browser: Browser, site: Site, kept: Path) -> tuple[dict[str, object], dict[str, object]]:
    """A passkey made on the page: the entry that the page gives to save, and the credential itself."""
    with visit(browser, site) as new:
        new.go("/enrol")
        new.page.get_by_label("Your id in the registry").fill("p-ana")
        new.press("Make a passkey")
        new.title("Your registry entry")
        with new.page.expect_download() as saving:
            new.page.get_by_role("link", name="Save the entry").click()
        saving.value.save_as(kept)
        made = new.cdp.send("WebAuthn.getCredentials", {"authenticatorId": new.authenticator})["credentials"]
        assert json.loads(new.page.locator("textarea").input_value()) == json.loads(kept.read_text("utf-8"))
    return json.loads(kept.read_text("utf-8")), made[0]


def put_into_registry(folder: Path, old: dict[str, object]) -> dict[str, object]:
    """What an administrator does with the entry: the registry's next version, by the command."""
    (folder / "old.json").write_text(json.dumps(old), "utf-8")
    options = ["--passkey", "key.json", "--registry", "old.json", "-o", "registry.json"]
    command = [sys.executable, "-m", "agent_saga.cli", "approvals", "enroll", "p-ana", "--id", "ana-phone", *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    found: dict[str, object] = json.loads((folder / "registry.json").read_text("utf-8"))
    return found


def test_a_new_passkey_is_enrolled_signs_and_the_saga_goes_on(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    origin = f"http://localhost:{port}"
    before = Site(":memory:", port, registry(origin))
    entry, credential = enrolled(browser, before, tmp_path / "key.json")
    before.close()
    assert entry["person"] == "p-ana"
    assert entry["verify"] is True
    assert "attested" not in entry

    site = Site(tmp_path / "saga.db", port, put_into_registry(tmp_path, registry(origin)))
    try:
        saga = site.begin().saga
        with visit(browser, site) as ana:
            ana.tell("addCredential", credential=credential)
            ana.sign_in()
            assert "bank.wire in payout" in ana.page.inner_text("main")
            ana.review(saga, reason="invoice 17 is right")
            ana.press("Approve with my passkey")
            ana.page.get_by_text("Your approval is recorded").wait_for()
        (line,) = site.answers(saga)
        signed = verify_recorded(line, parse_registry(site.registry))
        assert (line.person, line.decision, signed.about.reason) == ("p-ana", "approve", "invoice 17 is right")
        assert signed.key.id == "ana-phone"
        assert signed.evidence.present
        assert signed.evidence.verified
        assert site.wired == []
        assert site.go_on(saga).status == "succeeded_verified"
        assert site.wired == [("DE02120300000000202051", "invoice 17")]
    finally:
        site.close()
    report = certify([str(tmp_path / "saga.db")], Options(choices=Choices(registry=str(tmp_path / "registry.json"))))
    assert report.exit_code == 0, report.findings


def test_a_denial_is_signed_too_and_ends_the_action(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga, "Deny", "never heard of them")
    ana.press("Deny with my passkey")
    ana.page.get_by_text("Your denial is recorded").wait_for()
    (line,) = ana.site.answers(saga)
    assert (line.person, line.decision) == ("p-ana", "deny")
    wired = list(ana.site.wired)
    ana.site.go_on(saga)
    assert ana.site.wired == wired


def test_what_is_shown_is_the_whole_request_with_hidden_characters_spelled_out(ana: Visit) -> None:
    saga = ana.site.begin("<script>alert(1)</script>", "to \u202egro.live\u200b pay").saga
    ana.review(saga)
    text = ana.page.inner_text("main")
    assert 'content.args.to = "<script>alert(1)</script>"' in text
    assert r'content.args.note = "to \u{202e}gro.live\u{200b} pay"' in text
    for word in ("person = ", "nonce = ", "not_after = ", "content.tool.version = ", "prev = ", "action = "):
        assert word in text


def test_two_persons_sign_one_after_the_other_and_each_sees_only_her_own_session(browser: Browser, ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.press("Approve with my passkey")
    ana.page.get_by_text("Your approval is recorded").wait_for()
    ana.review(saga)
    ana.press("Approve with my passkey")
    ana.refused("stale")
    with visit(browser, ana.site, BEN) as ben:
        ben.sign_in()
        assert "p-ben" in ben.page.inner_text("header")
        ben.review(saga)
        ben.press("Approve with my passkey")
        ben.page.get_by_text("Your approval is recorded").wait_for()
    assert [one.person for one in ana.site.answers(saga)] == ["p-ana", "p-ben"]


def test_without_pin_or_biometry_the_browser_gives_no_answer(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.tell("setUserVerified", isUserVerified=False)
    ana.press("Approve with my passkey")
    ana.status("No passkey answered")
    assert not ana.site.answers(saga)


def test_without_a_touch_the_page_waits_and_nothing_is_recorded(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.tell("setAutomaticPresenceSimulation", enabled=False)
    ana.press("Approve with my passkey")
    ana.status("Waiting for your passkey")
    ana.page.wait_for_timeout(300)
    ana.status("Waiting for your passkey")
    assert not ana.site.answers(saga)


@pytest.mark.parametrize(
    "bits, reason",
    [("isBadUV", "no-verification"), ("isBadUP", "no-touch"), ("isBogusSignature", "bad-signature")],
)
def test_an_authenticator_that_lies_is_refused_by_the_server(ana: Visit, bits: str, reason: str) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.tell("setResponseOverrideBits", **{bits: True})
    ana.press("Approve with my passkey")
    ana.refused(reason)
    assert not ana.site.answers(saga)


@pytest.mark.parametrize(
    "bits, reason",
    [("isBadUV", "no-verification"), ("isBadUP", "no-touch"), ("isBogusSignature", "bad-signature")],
)
def test_nobody_signs_in_with_such_an_answer(browser: Browser, site: Site, bits: str, reason: str) -> None:
    with visit(browser, site, ANA, refusals=True) as found:
        found.go("/sign-in")
        found.tell("setResponseOverrideBits", **{bits: True})
        found.press("Sign in with a passkey")
        found.refused(reason)
        found.go("/")
        found.title("Sign in")


def test_another_challenge_than_the_digest_is_refused(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.page.evaluate("() => { document.querySelector('form[data-passkey]').dataset.challenge = 'A'.repeat(43) }")
    ana.press("Approve with my passkey")
    ana.refused("wrong-challenge")
    assert not ana.site.answers(saga)


def test_an_answer_made_on_another_page_of_this_machine_is_refused(browser: Browser, ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    challenge = ana.challenge
    port = free_port()
    elsewhere = Site(":memory:", port, registry(f"http://localhost:{port}", ANA.entry("p-ana")))
    try:
        with visit(browser, elsewhere, ANA) as lure:
            lure.go("/sign-in")
            lure.page.evaluate(
                "(challenge) => { const form = document.querySelector('form[data-passkey]');"
                "form.dataset.challenge = challenge; form.submit = () => { form.dataset.sent = 'yes' } }",
                challenge,
            )
            lure.press("Sign in with a passkey")
            lure.page.locator("form[data-sent=yes]").wait_for()
            names = ("credential", "authenticator_data", "client_data", "signature")
            caught = {name: lure.page.locator(f"input[name={name}]").input_value() for name in names}
    finally:
        elsewhere.close()
    ana.send(caught)
    ana.refused("wrong-origin")
    assert not ana.site.answers(saga)


@pytest.mark.parametrize(
    "wrong, reason",
    [
        ({"rp": "example.org"}, "wrong-rp"),
        ({"crossOrigin": True}, "cross-origin"),
        ({"topOrigin": "https://example.org"}, "cross-origin"),
        ({"type": "webauthn.create"}, "wrong-type"),
        ({"flags": 0x01}, "no-verification"),
        ({"flags": 0x04}, "no-touch"),
        ({"flags": 0x15}, "bad-flags"),
    ],
)
def test_an_answer_with_one_thing_wrong_is_refused(ana: Visit, wrong: dict[str, object], reason: str) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.send(ANA.answer(ana.challenge, ana.site.origin, **wrong))
    ana.refused(reason)
    assert not ana.site.answers(saga)


def test_the_same_answer_with_nothing_wrong_is_taken(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.send(ANA.answer(ana.challenge, ana.site.origin))
    ana.page.get_by_text("Your approval is recorded").wait_for()
    assert ana.site.answers(saga)


def test_the_passkey_of_another_person_is_refused(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.review(saga)
    ana.send(BEN.answer(ana.challenge, ana.site.origin))
    ana.refused("other-key")
    assert not ana.site.answers(saga)


def test_an_answer_that_was_used_is_not_taken_again(ana: Visit) -> None:
    first, second = ana.site.begin().saga, ana.site.begin().saga
    ana.review(first)
    page, answer = ana.page.content(), ANA.answer(ana.challenge, ana.site.origin)
    ana.send(answer)
    ana.page.get_by_text("Your approval is recorded").wait_for()
    assert len(ana.site.answers(first)) == 1
    digest = page.partition('name="digest" value="')[2][:64]
    ana.review(second)
    ana.send({"digest": digest} | answer)
    ana.refused("not-shown")
    ana.review(second)
    ana.send(answer)
    ana.refused("wrong-challenge")
    assert not ana.site.answers(second)
    assert len(ana.site.answers(first)) == 1


def test_no_passkey_is_made_without_pin_or_biometry(browser: Browser, site: Site) -> None:
    with visit(browser, site) as new:
        new.tell("setUserVerified", isUserVerified=False)
        new.go("/enrol")
        new.page.get_by_label("Your id in the registry").fill("p-ana")
        new.press("Make a passkey")
        new.status("No passkey answered")


def test_the_page_shows_itself_in_no_frame(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.set_content(f'<iframe src="{site.origin}/sign-in"></iframe>')
    frame = page.frames[1]
    frame.wait_for_load_state()
    assert "Sign in" not in frame.content()
    page.close()


def test_everything_is_done_by_the_keyboard_alone(ana: Visit) -> None:
    saga, keys = ana.site.begin().saga, ana.page.keyboard
    ana.go(f"/request/{ana.site.leaf(saga)}")
    keys.press("Tab")
    assert focused(ana) == "To the content"
    reach(ana, "approve")
    keys.press("Space")
    reach(ana, "Show what I would sign")
    keys.press("Enter")
    ana.title("Approve bank.wire?")
    reach(ana, "Approve with my passkey")
    keys.press("Enter")
    ana.page.get_by_text("Your approval is recorded").wait_for()
    assert ana.site.answers(saga)


def focused(ana: Visit) -> str:
    """What has the keyboard: its text, or the value of a choice."""
    found = ana.page.evaluate("() => document.activeElement.textContent || document.activeElement.value || ''")
    return str(found).strip()


def reach(ana: Visit, name: str) -> None:
    for _ in range(20):
        if focused(ana) == name:
            return
        ana.page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {name}")


def test_without_script_the_request_can_still_be_read(browser: Browser, ana: Visit) -> None:
    saga = ana.site.begin().saga
    cookies = ana.page.context.cookies()
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{ana.site.origin}/request/{ana.site.leaf(saga)}")
    assert "content.args.to" in page.inner_text("main")
    page.get_by_label("Approve:").check()
    page.get_by_role("button", name="Show what I would sign").click()
    assert "needs JavaScript" in page.inner_text("main")
    assert page.get_by_role("button", name="Approve with my passkey").is_disabled()
    context.close()


def test_nothing_can_be_sent_before_the_script_is_there_to_ask_for_the_passkey(ana: Visit) -> None:
    saga = ana.site.begin().saga
    ana.go(f"/request/{ana.site.leaf(saga)}")
    ana.page.get_by_label("Deny:").check()
    late: list[Route] = []
    ana.page.route("**/assets/passkey.js", lambda route: late.append(route))
    ana.page.get_by_role("button", name="Show what I would sign").click(no_wait_after=True)
    button = ana.page.get_by_role("button", name="Deny with my passkey")
    button.wait_for()
    assert button.is_disabled()
    late.pop().continue_()
    button.click()
    ana.page.get_by_text("Your denial is recorded").wait_for()
