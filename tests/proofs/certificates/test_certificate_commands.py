"""certify --sign and verify, as they are typed; and what a store keeps opens its own values."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from certified_logs import CERTIFIER, NOW, PIN, settled

from agent_saga.proofs.keys import key_from_seed, save_key

SECRET = {"AGENT_SAGA_KEY_PASSPHRASE": "for tests only"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    settled(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    save_key(CERTIFIER, tmp_path / "certify.key", b"for tests only")
    save_key(key_from_seed("log.example/x", "log", b"x" * 32), tmp_path / "log.key", b"for tests only")
    (tmp_path / "log-alone.pin").write_text(PIN.partition("certificate")[0], "utf-8")
    return tmp_path


UNDER = ("--checkpoint", "orders.jsonl.log/checkpoint", "--pin", "pin")
SIGN = ("--sign", "certify.key", "--certificate", "c.json", "--now", NOW)


def test_a_certificate_is_written_verified_and_derived_again(run_cli: Callable[..., Any], folder: Path) -> None:
    done = run_cli("certify", "orders.jsonl", *UNDER, *SIGN, "-q", cwd=folder, env=SECRET)
    assert (done.returncode, done.stdout) == (0, "certified\n"), done.stderr
    first = (folder / "c.json").read_bytes()
    run_cli("certify", "orders.jsonl", *UNDER, *SIGN, "-qq", "--jobs", "2", cwd=folder, env=SECRET)
    assert (folder / "c.json").read_bytes() == first
    seen = run_cli("verify", "c.json", "--pin", "pin", cwd=folder)
    assert seen.returncode == 0
    assert "not proven:  that the verdict follows from the trace" in seen.stdout
    again = run_cli("verify", "c.json", "--pin", "pin", "--trace", "orders.jsonl", "-f", "json", cwd=folder)
    assert again.returncode == 0
    assert json.loads(again.stdout)["rederived"] is True
    kept = run_cli("verify", "c.json", "--pin", "pin", "--checkpoint", "orders.jsonl.log/checkpoint", cwd=folder)
    assert kept.returncode == 0, kept.output


def test_what_is_refused_says_why(run_cli: Callable[..., Any], folder: Path) -> None:
    run_cli("certify", "orders.jsonl", *UNDER, *SIGN, "--fail-on", "warning", "-q", cwd=folder, env=SECRET)
    custom = run_cli("verify", "c.json", "--pin", "pin", cwd=folder)
    assert (custom.returncode, "custom-profile" in custom.stdout) == (1, True)
    accepted = run_cli("verify", "c.json", "--pin", "pin", "--accept-profile", "custom", cwd=folder)
    assert accepted.returncode == 0
    unpinned = run_cli("verify", "c.json", "--pin", "log-alone.pin", cwd=folder)
    assert (unpinned.returncode, "names no certificate key" in unpinned.stderr) == (2, True)
    for wrong in (["--disclosures", "d"], ["--accept-profile", "any"]):
        assert run_cli("verify", "c.json", "--pin", "pin", *wrong, cwd=folder).returncode == 2
    note = run_cli("verify", "orders.jsonl.log/checkpoint", "--pin", "pin", "--trace", "orders.jsonl", cwd=folder)
    assert note.returncode == 2


def test_a_certificate_of_a_bad_verdict_never_exits_0(run_cli: Callable[..., Any], folder: Path) -> None:
    lines = (folder / "orders.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "cut.jsonl").write_bytes(b"".join(lines[:-2]))
    done = run_cli("certify", "cut.jsonl", *UNDER, *SIGN, "-q", cwd=folder, env=SECRET)
    assert (done.returncode, done.stdout) == (1, "not certified\n")
    assert run_cli("verify", "c.json", "--pin", "pin", cwd=folder).returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--sign", "certify.key"],
        ["--certificate", "c.json"],
        ["--sign", "log.key", "--certificate", "c.json"],
        ["--sign", "nobody.key", "--certificate", "c.json"],
        ["--sign", "certify.key", "--certificate", "r.json", "-o", "json=r.json"],
        ["--sign", "certify.key", "--certificate", "orders.jsonl"],
        ["--checkpoint", "orders.jsonl.log/checkpoint"],
        ["--checkpoint", "nowhere", "--pin", "pin"],
        ["--pin", "orders.jsonl"],
        ["--expect-root", "xyz"],
        ["--expect-size", "-1"],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_refused(
    run_cli: Callable[..., Any], folder: Path, arguments: list[str]
) -> None:
    before = (folder / "orders.jsonl").read_bytes()
    done = run_cli("certify", "orders.jsonl", *arguments, "-q", cwd=folder, env=SECRET)
    assert done.returncode == 2, done.output
    assert "Traceback" not in done.stderr
    assert not (folder / "c.json").exists()
    assert (folder / "orders.jsonl").read_bytes() == before


def test_a_root_may_be_given_in_base64(run_cli: Callable[..., Any], folder: Path) -> None:
    root = (folder / "orders.jsonl.log" / "checkpoint").read_text("utf-8").split("\n")[2]
    size = (folder / "orders.jsonl.log" / "checkpoint").read_text("utf-8").split("\n")[1]
    good = run_cli("certify", "orders.jsonl", "--expect-root", root, "--expect-size", size, "-q", cwd=folder)
    assert (good.returncode, good.stdout) == (0, "certified\n")
    wrong = run_cli("certify", "orders.jsonl", "--expect-root", "A" * 43 + "=", "-q", cwd=folder)
    assert (wrong.returncode, wrong.stdout) == (1, "not certified\n")


def test_no_certificate_is_written_of_nothing(run_cli: Callable[..., Any], folder: Path) -> None:
    (folder / "empty.jsonl").touch()
    done = run_cli("certify", "empty.jsonl", *SIGN, "-q", cwd=folder, env=SECRET)
    assert done.returncode == 4
    assert not (folder / "c.json").exists()
    several = run_cli("certify", "orders.jsonl", "empty.jsonl", *SIGN, "-q", cwd=folder, env=SECRET)
    assert several.returncode == 2
    assert not (folder / "c.json").exists()


ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guide" / "certificates.md"


def test_the_commands_of_the_guide_run_one_after_another(run_cli: Callable[..., Any], folder: Path) -> None:
    (folder / "certify.key").unlink()
    shown = re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S)
    commands = [line for block in shown for line in block.splitlines()]
    assert len(commands) == 3
    for number, command in enumerate(commands):
        done = run_cli(*shlex.split(command)[1:], cwd=folder, env=SECRET)
        assert done.returncode == 0, f"{command}: {done.output}"
        if number == 0:
            pinned = PIN.partition("certificate")[0] + f"certificate {done.stdout}"
            (folder / "pin").write_text(pinned, "utf-8")


def withheld(done: Any) -> list[str]:
    return [found["code"] for found in json.loads(done.stdout)["findings"] if found["code"] == "AS602"]


@pytest.mark.parametrize("name", ["orders.db", "orders.jsonl"])
def test_a_store_opens_what_it_keeps_and_what_was_erased_stays_closed(
    run_cli: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    (tmp_path / "pyproject.toml").touch()
    trace = ROOT / "fixtures" / "good" / "concealed_values.jsonl"
    opened = trace.with_suffix(".disclosures")
    assert withheld(run_cli("certify", str(trace), "-f", "json", cwd=tmp_path))
    given = ["--disclosures", str(opened)]
    done = run_cli("store", "import", name, str(trace), *given, cwd=tmp_path)
    assert done.returncode == 0, done.output
    kept = run_cli("certify", name, "-f", "json", cwd=tmp_path)
    assert (kept.returncode, withheld(kept)) == (0, []), kept.stdout
    saga = json.loads(trace.read_bytes().splitlines()[0])["saga"]
    gone = run_cli("erase", name, saga, "--all", "--yes", cwd=tmp_path)
    assert gone.returncode == 0, gone.output
    after = run_cli("certify", name, "-f", "json", cwd=tmp_path)
    assert withheld(after), after.stdout
    assert after.returncode == 3


def test_a_certificate_is_not_taken_for_a_trace(run_cli: Callable[..., Any], folder: Path) -> None:
    run_cli("certify", "orders.jsonl", *SIGN, "-q", cwd=folder, env=SECRET)
    done = run_cli("certify", "c.json", cwd=folder)
    assert done.returncode == 2
    assert "agent-saga verify" in done.output
