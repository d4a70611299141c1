"""Opening the page in Chromium, and driving it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
VERIFY: Final = ROOT / "proofs" / "agent_saga" / "proofs" / "page" / "verify.html"
CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@dataclass
class Opened:
    """A page, and everything that it said or asked for which it should not have."""

    page: Page
    faults: list[str] = field(default_factory=list)


@contextmanager
def watched(page: Page) -> Iterator[Opened]:
    """Opens verify.html as a file. A request, an error or a broken policy fails who uses it."""
    opened = Opened(page)
    own = VERIFY.as_uri()
    page.on("console", lambda message: opened.faults.append(f"console: {message.text}"))
    page.on("pageerror", lambda fault: opened.faults.append(f"error: {fault}"))
    page.on("request", lambda request: request.url == own or opened.faults.append(f"request: {request.url}"))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (e) => console.error('policy', e.violatedDirective, e.blockedURI))"
    )
    page.goto(own)
    page.bring_to_front()  # or another page of the browser may have the keyboard
    until(page, "document.getElementById('computed').textContent.startsWith('SHA-256')")
    yield opened
    page.wait_for_timeout(50)
    assert not opened.faults, opened.faults


def until(page: Page, expression: str) -> None:
    """Waits for an expression. Playwright's own way evaluates a string inside of the page, which its policy forbids."""
    end = time.monotonic() + 15
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never: {expression}"
        page.wait_for_timeout(5)


def script(name: str) -> str:
    """A JavaScript expression of this folder."""
    return (HERE / name).read_text("utf-8")


def answers(page: Page, vectors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's functions say to vectors."""
    found: list[dict[str, Any]] = page.evaluate(f"(vectors) => {script('answering.js').rstrip()}(vectors)", vectors)
    return found


def drive(page: Page, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page shows when its own form is filled in and sent, once for each of these."""
    found: list[dict[str, Any]] = page.evaluate(f"(steps) => {script('driving.js').rstrip()}(steps)", steps)
    return found
