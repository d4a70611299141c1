"""``agent-saga erase`` and ``hold`` as a person types them, over a log whose bundles were made before."""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from base64 import urlsafe_b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.trace.conceal import digest_of
from agent_saga.trace.store import open_store

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "fixtures" / "proofs"
WIRE = "Wq3kx0mJ7y2aTt5v9WcZ1e"
RUNNING = "Fill00aTt5v9WcZ1eAk3JxQ0m7y"
CLEAR = (PROOFS / "shop.jsonl.disclosures").read_text("ascii").split()
Run = Callable[..., Any]


@pytest.fixture(params=["orders.db", "orders.jsonl"])
def shop(request: pytest.FixtureRequest, tmp_path: Path, run_cli: Run) -> Path:
    """A store with its log, made of the sample log, and what opens its values."""
    place = tmp_path / str(request.param)
    done = run_cli("store", "import", place, PROOFS / "shop.jsonl", "--disclosures", PROOFS / "shop.jsonl.disclosures")
    assert done.returncode == 0, done.output
    shutil.copytree(PROOFS / "shop.jsonl.log", f"{place}.log")
    return place


def held_in(folder: Path, texts: list[str]) -> list[str]:
    """Files of a folder that hold a D, or the JSON that it encodes."""
    needles = [text.encode() for text in texts] + [urlsafe_b64decode(text + "=" * (-len(text) % 4)) for text in texts]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in files if any(needle in path.read_bytes() for needle in needles)]


def test_the_value_is_gone_and_log_bundle_and_chain_stay(shop: Path, run_cli: Run, tmp_path: Path) -> None:
    pin = str(PROOFS / "shop.pin")
    bundle = tmp_path / "elsewhere" / "before.json"
    bundle.parent.mkdir()
    assert run_cli("prove", WIRE, "--store", shop, "--reveal", "all", "-o", bundle).returncode == 0
    opened = run_cli("verify", bundle, "--pin", pin)
    assert opened.stdout.count("opened:  ") == 5, opened.stdout
    trace = run_cli("store", "export", shop).stdout

    done = run_cli("erase", shop, WIRE, "--all", "--yes")
    assert done.returncode == 0, done.output
    told = set(re.findall(r"^to erase +(\S{43}) ", done.stdout, re.M))
    assert len(told) == 4
    assert told <= set(map(digest_of, CLEAR))
    assert "DE89370400440532013000" not in done.output
    assert done.stderr == "", "no text of a value stands anywhere else"
    assert "nothing of them found in" in done.stdout

    assert held_in(tmp_path, CLEAR) == ["before.json"], "what left the store before stays where it went"
    assert run_cli("store", "export", shop).stdout == trace
    assert run_cli("log", "verify", shop, "--pin", pin).returncode == 0
    assert run_cli("verify", bundle, "--pin", pin).stdout == opened.stdout
    closed = run_cli("prove", WIRE, "--store", shop, "--reveal", "all", "-o", tmp_path / "after.json")
    assert "were erased and stay concealed: 4" in closed.stderr
    assert "opened" not in run_cli("verify", tmp_path / "after.json", "--pin", pin).stdout
    named = run_cli("prove", WIRE, "--store", shop, "--reveal", "4:/args/iban")
    assert named.returncode == 2
    assert "erased" in named.output
    exported = run_cli("store", "export", shop, "-o", tmp_path / "e", "--disclosures", tmp_path / "d")
    assert "4 values were erased" in exported.stderr
    left = (tmp_path / "d").read_text("ascii").split()
    assert sorted(left) == sorted(text for text in CLEAR if digest_of(text) not in told)


def test_certify_says_what_it_cannot_tell_any_more(shop: Path, run_cli: Run, tmp_path: Path) -> None:
    def codes() -> list[str]:
        run_cli("store", "export", shop, "-o", tmp_path / "e", "--disclosures", tmp_path / "d")
        found = run_cli("certify", tmp_path / "e", "--disclosures", tmp_path / "d").stdout
        for name in ("e", "d"):
            (tmp_path / name).unlink()
        return sorted(set(re.findall(r"\bAS\d{3}\b", found)))

    assert "AS602" not in codes()
    assert run_cli("erase", shop, WIRE, "--all", "--yes").returncode == 0
    assert "AS602" in codes()


def test_nothing_happens_without_yes_before_the_end_or_under_hold(shop: Path, run_cli: Run) -> None:
    shown = run_cli("erase", shop, WIRE, "--path", "4:/args", "--dry-run")
    assert (shown.returncode, shown.stdout.count("would erase")) == (0, 2)
    assert f"stays        {WIRE} 5:/args/iban: the same value under another digest" in shown.stdout
    asked = run_cli("erase", shop, WIRE, "--path", "4:/args")
    assert (asked.returncode, asked.stdout) == (2, shown.stdout)
    assert "nothing was erased" in asked.stderr
    running = run_cli("erase", shop, RUNNING, "--all", "--yes")
    assert (running.returncode, running.stderr.count("\n")) == (1, 1)
    assert "has not ended" in running.stderr
    assert run_cli("hold", shop, WIRE, "--reason", "court order 17/26").returncode == 0
    assert "court order 17/26" in run_cli("hold", shop).stdout
    for choice in (["--all"], ["--path", "4"]):
        held = run_cli("erase", shop, WIRE, *choice, "--yes")
        assert (held.returncode, held.stdout) == (1, "")
        assert "legal hold: court order 17/26" in held.stderr
    assert run_cli("hold", shop, WIRE, "--release").returncode == 0
    assert run_cli("hold", shop, WIRE, "--release").returncode == 4
    both = run_cli("erase", shop, WIRE, "--path", "4:/args", "--yes", "--dry-run")
    assert (both.returncode, both.stdout) == (0, shown.stdout)
    assert run_cli("erase", shop, WIRE, "--path", "4:/args", "--yes").returncode == 0
    again = run_cli("erase", shop, WIRE, "--path", "4:/args", "--yes")
    assert (again.returncode, again.stdout.count("erased  "), "erased before" in again.stdout) == (0, 2, True)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["erase", "S", WIRE], 2),
        (["erase", "S", WIRE, "--all", "--subject", "x"], 2),
        (["erase", "S", "--all"], 2),
        (["erase", "S", "nobody", "--all", "--yes"], 2),
        (["erase", "S", WIRE, "--path", "4:/tool", "--yes"], 2),
        (["erase", "S", WIRE, "--path", "x", "--yes"], 2),
        (["erase", "none.db", WIRE, "--all", "--yes"], 2),
        (["erase", "S", WIRE, "--subject", "x", "--yes"], 4),
        (["erase", "S", "--subject", "x", "--yes"], 4),
        (["hold", "S", WIRE], 2),
        (["hold", "S", "--release"], 2),
        (["hold", "S", "--reason", "x"], 2),
        (["hold", "S", "nobody", "--reason", "x"], 2),
        (["hold", "S", WIRE, "--reason", "x", "--release"], 2),
    ],
)
def test_misuse_is_told_and_erases_nothing(shop: Path, run_cli: Run, words: list[str], code: int) -> None:
    done = run_cli(*[str(shop) if word == "S" else word for word in words], cwd=shop.parent)
    assert (done.returncode, "Traceback" in done.output) == (code, False), done.output
    assert run_cli("erase", shop, WIRE, "--all", "--dry-run").stdout.count("would erase") == 4


def test_copies_and_memory_that_hold_the_value_are_named(shop: Path, run_cli: Run) -> None:
    async def remember() -> None:
        store = open_store(shop)
        await store.remember("agent/note", b"the account is DE89370400440532013000")
        await store.close()

    asyncio.run(remember())
    copy = shop.with_name(shop.name + ".exported")
    copy.write_text("\n".join(CLEAR), "ascii")
    done = run_cli("erase", shop, WIRE, "--all", "--yes")
    assert done.returncode == 1
    assert f"{copy}: the disclosure of" in done.stderr
    assert "agent/note: what was remembered under this key holds" in done.stderr
    assert "DE89370400440532013000" not in done.output


def test_disclosures_in_clear_are_migrated_before_they_are_erased(tmp_path: Path, run_cli: Run) -> None:
    for end in ("", ".disclosures"):
        shutil.copy(PROOFS / f"shop.jsonl{end}", tmp_path / f"shop.jsonl{end}")
    refused = run_cli("erase", tmp_path / "shop.jsonl", WIRE, "--all", "--yes")
    assert refused.returncode == 2
    assert "store migrate" in refused.stderr
    assert run_cli("store", "migrate", tmp_path / "shop.jsonl").returncode == 0
    assert run_cli("erase", tmp_path / "shop.jsonl", WIRE, "--all", "--yes").returncode == 0


def test_the_commands_of_the_guide_run_in_their_order(tmp_path: Path, run_cli: Run) -> None:
    page = (ROOT / "docs" / "guide" / "erase.md").read_text("utf-8")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", page, re.S) for line in block.splitlines()]
    assert len(lines) == 8
    for words in map(shlex.split, lines):
        done = run_cli(*words[1:], cwd=tmp_path)
        assert done.returncode == (1 if words[1] == "certify" else 0), (words, done.output)
