"""A browser with a passkey, and what the people of the tests do on the page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from page_site import Site
from playwright.sync_api import Browser, CDPSession, Page
from soft_passkey import SoftPasskey

AUTHENTICATOR = {
    "protocol": "ctap2",
    "ctap2Version": "ctap2_1",
    "transport": "usb",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass
class Visit:
    """A page in a profile of its own. faults: what it said or asked for which it should not have."""

    site: Site
    page: Page
    cdp: CDPSession
    authenticator: str
    faults: list[str] = field(default_factory=list)

    def tell(self, command: str, **values: Any) -> None:
        """Tell the virtual authenticator something."""
        self.cdp.send(f"WebAuthn.{command}", {"authenticatorId": self.authenticator} | values)

    def hold(self, passkey: SoftPasskey) -> None:
        self.tell("addCredential", credential=passkey.credential("localhost", self.site.count()))

    def go(self, path: str) -> None:
        self.page.goto(self.site.origin + path)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def sign_in(self) -> None:
        self.go("/sign-in")
        self.press("Sign in with a passkey")
        self.title("Requests")

    def review(self, saga: str, answer: str = "Approve", reason: str = "") -> None:
        """Up to the page that asks for the passkey."""
        self.go(f"/request/{self.site.leaf(saga)}")
        self.page.get_by_label(f"{answer}:").check()
        self.page.get_by_label("Reason").fill(reason)
        self.press("Show what I would sign")
        self.title(f"{answer} bank.wire?")

    def send(self, values: dict[str, str]) -> None:
        """Send the page's own form with these values in place of a passkey's."""
        self.page.evaluate(
            "(values) => { const form = document.querySelector('form[data-passkey]');"
            "for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;"
            "form.submit(); }",
            values,
        )

    @property
    def challenge(self) -> str:
        found = self.page.locator("form[data-passkey]").get_attribute("data-challenge")
        assert found
        return found

    def title(self, text: str) -> None:
        self.page.locator("h1", has_text=text).wait_for()

    def refused(self, reason: str) -> None:
        """The page says that it was refused, and why."""
        self.page.get_by_role("alert").wait_for()
        assert f"Reason: {reason}" in self.page.get_by_role("alert").inner_text()

    def status(self, text: str) -> None:
        """What the page tells of the passkey."""
        end = time.monotonic() + 10
        while text not in (said := self.page.inner_text("main")):
            assert time.monotonic() < end, said
            self.page.wait_for_timeout(10)


@contextmanager
def visit(
    browser: Browser, site: Site, *passkeys: SoftPasskey, refusals: bool = False, **options: Any
) -> Iterator[Visit]:
    """A visit; an error or a broken policy fails who makes it. refusals: answers of 4xx are expected."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1000, "height": 900}, **options)
    context.set_default_timeout(15_000)
    page = context.new_page()
    cdp = context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    found = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    one = Visit(site, page, cdp, found["authenticatorId"])
    page.on("console", lambda message: one.faults.append(message.text))
    page.on("pageerror", lambda fault: one.faults.append(f"error: {fault}"))
    page.on("request", lambda sent: sent.url.startswith((site.origin, "data:")) or one.faults.append(sent.url))
    for passkey in passkeys:
        one.hold(passkey)
    yield one
    context.close()
    expected = ("pubKeyCredParams", *(("Failed to load resource",) if refusals else ()))
    assert not [fault for fault in one.faults if not any(word in fault for word in expected)], one.faults
