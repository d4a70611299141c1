"""The page in the hands of an auditor: keyboard, drag and drop, small windows, both color schemes, hostile evidence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bundle_samples import LOG, ORIGIN, PIN, WIRE, MemoryLog, sealed
from many_sagas import write_log
from opening import VERIFY, drive, script, until, watched
from playwright.sync_api import Browser, BrowserContext, FileChooser, Page
from playwright.sync_api import Error as BrowserError
from vector_files import VECTORS, encoded

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.log import Log

pytestmark = pytest.mark.xdist_group("chromium")
BUNDLE = make_bundle(sealed(), WIRE)
EVIL = '<img src="x" onerror="document.title=1"><script>document.title=1</script>'
UNSEEN = "[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\u3164]"
HIDING = "a\u202eb\u2066c\u200bd\u00a0e\u0007f\u3164g\ufe0fh"


def named(name: str, data: bytes) -> dict[str, Any]:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def shown(page: Page, data: bytes, pin: str = PIN) -> None:
    """Gives the page a pin and a file and waits for its verdict."""
    page.set_input_files("#pin", named("auditor.pin", pin.encode()))
    until(page, "document.getElementById('vkey').value !== ''")
    page.set_input_files("#file", named("x.bundle.json", data))
    page.click("#verify")
    page.wait_for_selector("#result:not([hidden])")


def verdict(page: Page) -> str:
    page.wait_for_selector("#result:not([hidden])")
    return page.inner_text("#verdict")


def test_one_saga_of_many_is_proven_whole_with_its_amounts_concealed(page: Page, tmp_path: Path) -> None:
    store = tmp_path / "orders.jsonl"
    lines, disclosures = write_log(store, 500)
    with Log.open(str(store)) as log:
        data = make_bundle(log, WIRE, conceal=["4:/args/amount", "5:/args/amount"], disclosures=disclosures)
    shown(page, data)
    assert verdict(page) == "Proven: whole saga"
    told = page.inner_text("#result")
    assert f"WHOLE SAGA {WIRE}: {len(lines)} lines, 0 to {len(lines) - 1}, none left out." in told
    assert "the index is claimed by the log; audited by: nobody" in told
    assert "3 concealed values stay closed" in told
    assert page.locator("#result .line .closed").count() == 3
    assert "420000" not in page.content()


def test_a_keyboard_alone_is_enough(page: Page) -> None:
    keys = page.keyboard
    choosers: list[FileChooser] = []

    def opened(chooser: FileChooser) -> None:
        choosers.append(chooser)

    page.on("filechooser", opened)  # from the start: a chooser that opens before anybody listens is lost
    keys.press("Tab")
    assert page.evaluate("document.activeElement.id") == "origin"
    keys.type(ORIGIN)
    keys.press("Tab")
    keys.type(str(LOG.vkey))
    for due in ("cosigners", "pin", "file"):
        keys.press("Tab")
        assert page.evaluate("document.activeElement.id") == due
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for _ in range(5):
        keys.press("Enter")
        page.wait_for_timeout(500)
        if choosers:
            break
    choosers[0].set_files([named("saga.bundle.json", BUNDLE)])  # type: ignore[list-item]
    keys.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    keys.press("Enter")
    for due in ("saga", "kept", "consistency", "line-file", "line-text", "verify"):
        keys.press("Tab")
        assert page.evaluate("document.activeElement.id") == due
    keys.press("Enter")
    assert verdict(page) == "Proven: whole saga"
    assert page.evaluate("document.activeElement.id") == "verdict"
    assert page.inner_text("#status").startswith("Proven: whole saga. WHOLE SAGA")
    for _ in range(3):
        keys.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    keys.press("Enter")
    page.wait_for_selector(".line details[open] .exact")


def dropped(page: Page, *files: tuple[str, str]) -> None:
    transfer = page.evaluate_handle(
        """(files) => {
          const transfer = new DataTransfer();
          for (const [name, text] of files) transfer.items.add(new File([text], name));
          return transfer;
        }""",
        [list(file) for file in files],
    )
    page.dispatch_event("body", "dragover", {"dataTransfer": transfer})
    assert page.evaluate("document.body.classList.contains('over')")
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def test_pin_and_bundle_are_dropped_together(page: Page) -> None:
    dropped(page, ("saga.bundle.json", BUNDLE.decode()), ("auditor.pin", PIN))
    until(page, "document.getElementById('vkey').value && document.getElementById('file').files.length")
    assert page.input_value("#origin") == ORIGIN
    assert "Dropped: saga.bundle.json" in page.inner_text("#file-told")
    page.click("#verify")
    assert verdict(page) == "Proven: whole saga"


def test_two_files_of_evidence_at_once_are_not_guessed_at(page: Page) -> None:
    dropped(page, ("a", BUNDLE.decode()), ("b", BUNDLE.decode()))
    page.wait_for_selector("#file-told.fault")
    assert page.evaluate("document.getElementById('file').files.length") == 0


def test_without_a_pin_or_under_another_key_nothing_is_proven(page: Page) -> None:
    page.set_input_files("#file", named("x", BUNDLE))
    page.click("#verify")
    assert verdict(page) == "Nothing was checked"
    assert "Nothing is pinned" in page.inner_text("#result")
    page.fill("#origin", ORIGIN)
    page.fill("#vkey", str(LOG.vkey).replace("+9", "+8", 1))
    page.click("#verify")
    assert verdict(page) == "Nothing was checked: bad-key"
    page.fill("#vkey", str(LOG.vkey))
    page.fill("#origin", "log.example/other")
    page.click("#verify")
    assert verdict(page) == "Refuted: wrong-origin"


def test_a_verdict_disappears_when_the_form_changes(page: Page) -> None:
    page.click("#extras summary")
    for field in ("origin", "vkey", "cosigners", "saga", "line-text"):
        shown(page, BUNDLE)
        page.type(f"#{field}", "x")
        assert page.is_hidden("#result")
        assert page.text_content("#status") == ""
        page.fill(f"#{field}", "")


def test_a_pin_that_cannot_be_read_leaves_nobody_trusted(page: Page) -> None:
    shown(page, BUNDLE)
    page.set_input_files("#pin", named("broken.pin", PIN.replace("AYqI", "AYqJ").encode()))
    page.wait_for_selector("#pin-told.fault")
    assert [page.input_value(f"#{name}") for name in ("origin", "vkey", "cosigners")] == ["", "", ""]
    assert page.is_hidden("#result")


def test_what_else_an_auditor_has_is_used(page: Page) -> None:
    vector = json.loads((VECTORS / "bundles" / "good-whole-continued.json").read_text("utf-8"))
    bundle, kept = encoded(vector["bundle"]), [encoded(vector["earlier"])]
    later = encoded(json.loads(vector["bundle"])["checkpoint"])
    proof = encoded(vector["consistency"])
    common = {"pin": vector["pin"]}
    found = drive(
        page,
        [
            {**common, "file": bundle, "kept": kept, "consistency": proof, "saga": WIRE},
            {**common, "file": bundle, "kept": kept},
            {**common, "file": bundle, "saga": "another"},
            {**common, "file": bundle, "consistency": proof},
            {**common, "file": proof, "kept": [later, *kept]},
            {**common, "file": proof, "kept": kept},
            {**common, "file": later, "kept": kept, "consistency": proof},
            {**common, "file": kept[0], "kept": [later]},
            {**common, "file": encoded("")},
            {**common, "file": encoded('{"payloadType":"x"}')},
            {**common, "file": encoded('{"v":1,')},
            {**common, "file": encoded(vector["pin"])},
            {**common, "file": encoded("\x00\xff")},
        ],
    )
    assert [one["heading"] for one in found] == [
        "Proven: whole saga",
        "Undecided",
        "Refuted: other-saga",
        "Nothing was checked",
        "Proven: the log only grew",
        "Nothing was checked",
        "Proven: signed checkpoint",
        "Refuted: rolled-back",
        *["Nothing was checked"] * 5,
    ]
    assert ["continues", "the checkpoint of 33 lines that you hold"] in found[0]["words"]


def hostile(count: int = 2) -> bytes:
    """A bundle whose lines hold markup, characters that hide or turn text, and a very long word."""
    log = MemoryLog()
    log.open()
    log.write(WIRE, "saga.started", log=EVIL, name=HIDING, format="1.0", tools={}, goal={EVIL: HIDING, "x": "W" * 3000})
    for number in range(1, count):
        said = log.hide({EVIL: HIDING}) if number == 1 else number
        long = "y" * (9000 if number == 1 else 9)
        log.write(WIRE, "rollback.started", by=f"agent:{EVIL}", cause={"said": said, "long": long})
    log.seal()
    return make_bundle(log, WIRE, reveal=["all"], disclosures=log.disclosures)


def unfolded(page: Page) -> None:
    """Opens all that is folded in the result: the exact lines, and what is long."""
    count = page.evaluate(
        "[...document.querySelectorAll('#result details')].map((one) => { one.open = true; return one; }).length"
    )
    until(page, f"document.querySelectorAll('#result details[data-filled]').length === {count}")


def test_evidence_is_only_ever_text_and_every_character_of_it_is_seen(page: Page) -> None:
    shown(page, hostile())
    assert verdict(page) == "Proven: whole saga"
    unfolded(page)
    assert page.locator("#result img, #result script").count() == 0
    assert page.title().startswith("Verify evidence")
    text: str = page.evaluate("document.getElementById('result').textContent")
    assert EVIL in text
    assert not re.search(
        "[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\u3164]", text
    )
    for code in ("U+202E", "U+2066", "U+200B", "U+00A0", "U+3164", "U+FE0F"):
        assert text.count(code) >= 3, code
    assert "y" * 9000 in text
    assert "W" * 3000 in text


def test_a_long_saga_is_shown_whole_a_part_at_a_time(page: Page) -> None:
    shown(page, hostile(450))
    count = page.locator("#result ol.timeline").first.locator(":scope > li")
    assert count.count() == 200
    page.click("text=Show 200 of 250 lines that follow")
    page.click("text=Show 50 of 50 lines that follow")
    assert count.count() == 450


def looked_at(page: Page) -> None:
    found = page.evaluate(script("looking.js"))
    assert found["faults"] == []
    assert found["texts"] > 25


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1000])
def test_everybody_can_read_it(browser: Browser, scheme: Any, width: int) -> None:
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": 700})
    with watched(context.new_page()) as opened:
        looked_at(opened.page)
        opened.page.click("#extras summary")
        shown(opened.page, hostile())
        unfolded(opened.page)
        looked_at(opened.page)
        shown(opened.page, BUNDLE.replace(b"whole", b"part", 1))
        looked_at(opened.page)
        shown(opened.page, b"")
        looked_at(opened.page)
    context.close()


def test_nothing_is_kept(page: Page) -> None:
    shown(page, BUNDLE)
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert page.context.cookies() == []
    page.reload()
    assert page.input_value("#origin") == ""
    assert page.is_hidden("#result")


@pytest.mark.parametrize(
    "broken, computed",
    [
        ("importKey = async () => { throw new DOMException('Ed25519', 'NotSupportedError'); }", ("browser", "page")),
        ("verify = async () => true", ("browser", "page")),
        ("verify = async () => false", ("browser", "page")),
        ("digest = async () => new ArrayBuffer(32)", ("page", "browser")),
    ],
)
def test_a_browser_that_lacks_or_fakes_a_primitive_is_not_used_for_it(
    context: BrowserContext, broken: str, computed: tuple[str, str]
) -> None:
    context.add_init_script(f"SubtleCrypto.prototype.{broken}")
    with watched(context.new_page()) as opened:
        told = f"SHA-256 is computed by this {computed[0]}, Ed25519 by this {computed[1]}."
        assert opened.page.inner_text("#computed") == told
        shown(opened.page, BUNDLE)
        assert verdict(opened.page) == "Proven: whole saga"
        at = BUNDLE.index(b'","lines"') - 10
        altered = BUNDLE[:at] + (b"A" if BUNDLE[at : at + 1] != b"A" else b"B") + BUNDLE[at + 1 :]
        shown(opened.page, altered)
        assert verdict(opened.page) == "Refuted: bad-signature"


def test_the_policy_lets_nothing_in(context: BrowserContext) -> None:
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(VERIFY.as_uri())
    with pytest.raises(BrowserError, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<p>x</p>'")
    with pytest.raises(BrowserError, match="Failed to fetch"):
        page.evaluate("fetch('data:text/plain,x')")
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    page.evaluate("document.body.append(Object.assign(document.createElement('img'), {src: 'data:,'}))")
    page.wait_for_timeout(100)
    blocked = " ".join(said)
    assert all(word in blocked for word in ("connect-src", "style-src", "img-src")), said
