"""One Chromium for the tests of a file, kept off the network; what the page complains of fails the test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "bundles")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without its background traffic. Closed after each file: its loop would run under later tests."""
    from opening import CHROMIUM, FLAGS

    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed: CI needs it")
        pytest.skip("skipped: install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def _context(browser: Browser) -> BrowserContext:
    found = browser.new_context(offline=True, locale="en-GB", viewport={"width": 1000, "height": 900})
    found.set_default_timeout(15_000)
    return found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile of its own, for a test that changes what the browser offers."""
    found = _context(browser)
    yield found
    found.close()


@pytest.fixture(scope="module")
def usual(browser: Browser) -> Iterator[BrowserContext]:
    found = _context(browser)
    yield found
    found.close()


@pytest.fixture
def page(usual: BrowserContext) -> Iterator[Page]:
    """The page as an auditor opens it: a file. What it logs, throws or asks the network for fails the test."""
    from opening import watched

    with watched(usual.new_page()) as opened:
        yield opened.page
    opened.page.close()


@pytest.fixture
def plain_page(context: BrowserContext) -> Iterator[Page]:
    """The page in a browser that keeps WebCrypto from it."""
    from opening import watched

    context.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    with watched(context.new_page()) as opened:
        assert opened.page.evaluate("crypto.subtle === undefined")
        yield opened.page
