"""The page as a file: assembled from its sources, closed to the outside, and handed out by the command."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import make_page
import pytest
from opening import VERIFY

from agent_saga.proofs.page import digest, location, page
from agent_saga.trace.events import EVENT_TYPES

Run = Callable[..., Any]
TEXT = VERIFY.read_text("utf-8")
SCRIPT = re.search(r"<script>(.*)</script>", TEXT, re.DOTALL)
FORBIDDEN = [
    *("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import("),
    *("localStorage", "sessionStorage", "indexedDB", "cookie"),
    *("eval(", "new Function", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "JSON.parse"),
]
STYLE = re.search(r"<style>(.*)</style>", TEXT, re.DOTALL)


def test_the_page_is_what_its_sources_make() -> None:
    assert make_page.stale() == []
    assert make_page.files() == make_page.files()


def test_the_guide_tells_the_digest_of_the_page_that_is_shipped() -> None:
    assert location() == VERIFY
    assert f"{digest(page())}  verify.html" in make_page.GUIDE.read_text("utf-8")


def test_the_policy_names_the_one_script_and_the_one_style() -> None:
    assert SCRIPT is not None
    assert STYLE is not None
    hashes = [b64encode(sha256(found[1].encode()).digest()).decode() for found in (SCRIPT, STYLE)]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', TEXT)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashes[0]}'",
        "style-src": f"'sha256-{hashes[1]}'",
        "connect-src": "'none'",
        "img-src": "'none'",
        "form-action": "'none'",
        "base-uri": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert TEXT.index("Content-Security-Policy") < TEXT.index("<style>"), "a policy binds only what follows it"
    assert len(re.findall("<(?:script|style)", TEXT)) == 2


def test_nothing_in_the_page_leads_outside_or_is_kept() -> None:
    assert not re.search(r"https?:|\bsrc=|\bhref=|\bstyle=|\son[a-z]+=|@import|\burl\(", TEXT)
    assert SCRIPT is not None
    code = re.sub(r"//.*|/\*.*?\*/", "", SCRIPT[1])
    assert [word for word in FORBIDDEN if word in code] == []


def test_every_type_of_line_is_known_to_the_page() -> None:
    assert all(f'"{name}": [[' in TEXT for name in EVENT_TYPES)


def test_every_module_can_be_read_at_one_sitting() -> None:
    for path in make_page.SOURCES.glob("*"):
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) <= 250, path.name
        assert path.name == "tables.js" or all(len(line) <= 120 for line in lines), path.name


ONE, USE = "export const x = 1;\n", 'import { x } from "./a.js";\n'


@pytest.mark.parametrize(
    "texts, complaint",
    [
        ({"a.js": ONE}, "no module imports a.js"),
        ({"app.js": USE.replace("x", "y"), "a.js": ONE}, "does not export"),
        (
            {"app.js": 'import { x } from "./a.js";\nconst x = 1;\n', "a.js": "export const x = 1;\n"},
            "declared in a.js",
        ),
        (
            {"app.js": 'import { x } from "./a.js";\n', "a.js": 'import { x } from "./a.js";\nexport const x = 1;\n'},
            "each other",
        ),
        ({"app.js": "const [a, b] = [1, 2];\n"}, "one name at a time"),
        ({"app.js": 'import a from "a";\n'}, "cannot be taken off"),
        ({"app.js": 'const a = "</script>";\n'}, "cannot be taken off"),
    ],
)
def test_sources_that_do_not_fit_together_are_refused(texts: dict[str, str], complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        make_page.Sources({"app.js": "const z = 1;\n", **texts}).joined()


def test_the_command_writes_a_copy_and_tells_its_digest(run_cli: Run, tmp_path: Path) -> None:
    done = run_cli("verify", "--html", "-o", "v.html", cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert (tmp_path / "v.html").read_bytes() == page()
    assert f"sha256:     {digest(page())}" in done.stdout
    again = run_cli("verify", "--html", "-o", "v.html", cwd=tmp_path)
    assert again.returncode != 0
    assert "Traceback" not in again.stderr
    assert run_cli("verify", "-o", "v2.html", cwd=tmp_path).returncode == 2
    assert run_cli("verify", "--html", "v.html", "--pin", "v.html", cwd=tmp_path).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="needs a browser that is a shell script")
def test_the_command_opens_the_page_in_the_browser(run_cli: Run, tmp_path: Path) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}\n', "utf-8")
    browser.chmod(0o755)
    done = run_cli("verify", "--html", cwd=tmp_path, env={"BROWSER": str(browser)})
    assert done.returncode == 0, done.output
    assert told.read_text("utf-8").strip() == location().as_uri()
    assert f"page:       {location()}" in done.stdout
    broken = run_cli("verify", "--html", cwd=tmp_path, env={"BROWSER": "/nowhere", "PATH": str(tmp_path)})
    assert broken.returncode == 0
    assert "open the page yourself" in broken.stdout
