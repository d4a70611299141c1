"""One Chromium for all tests of this folder, kept off the network; what it complains of fails the test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

from opening import CHROMIUM, FLAGS, Opened, watched


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without its background traffic."""
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed: CI needs it")
        pytest.skip("skipped: install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    found = browser.new_context(offline=True, locale="en-GB", viewport={"width": 1000, "height": 900})
    found.set_default_timeout(15_000)
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """The page as an auditor opens it: a file. What it logs, throws or asks the network for fails the test."""
    with watched(context.new_page()) as opened:
        yield opened.page


@pytest.fixture
def plain_page(context: BrowserContext) -> Iterator[Page]:
    """The page in a browser that keeps WebCrypto from it."""
    context.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    with watched(context.new_page()) as opened:
        assert opened.page.evaluate("crypto.subtle === undefined")
        yield opened.page


__all__ = ["Opened"]
