"""The page in a browser: wide, narrow, dark and on paper."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from agent_saga.policies.diffing import compare_policies
from agent_saga.policies.loading import load_policy
from agent_saga.policies.rendering.html import html_page
from agent_saga.policies.rendering.page import Sources, page_of

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail("chromium is not installed: CI needs it")
        pytest.skip("skipped: install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(__file__).resolve().parents[3] / "fixtures" / "policies" / "payments.yaml"
    text = path.read_text("utf-8").replace("> 500000", "> 700000").replace("version: 7", "version: 8")
    old, new = load_policy(str(path)), load_policy(str(path), text=text.encode())
    made = tmp_path_factory.mktemp("page") / "page.html"
    made.write_text(html_page(page_of(Sources(new, changes=compare_policies(old, new)))), "utf-8")
    return made


LOOKS = [(1200, "light", "screen"), (1200, "dark", "screen"), (360, "light", "screen"), (800, "light", "print")]


@pytest.mark.parametrize("width, scheme, media", LOOKS)
def test_the_page_fits_asks_for_nothing_and_is_styled(
    browser: Browser, file: Path, width: int, scheme: Any, media: Any
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("request", lambda sent: told.append(sent.url) if not sent.url.startswith("file://") else None)
    page.emulate_media(media=media, color_scheme=scheme)
    page.goto(file.as_uri())
    assert told == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (scheme == "light")
    assert page.locator("nav").is_visible() is (media == "screen")
    assert page.locator(".signer").count() == 3
    assert page.locator("h1").inner_text() == "payments"
    context.close()


def test_every_text_is_readable_against_its_ground(browser: Browser, file: Path) -> None:
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(file.as_uri())
        colors = page.evaluate(
            "[...document.querySelectorAll('h1,h2,p,dt,dd,td,th,li,.tag,a')].map(e => getComputedStyle(e).color)"
        )
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert min(_contrast(color, paper) for color in set(colors)) >= 4.5  # WCAG 2.2, 1.4.3
        context.close()


def _contrast(one: str, two: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(part) / 255 for part in color[4:-1].split(",")]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
