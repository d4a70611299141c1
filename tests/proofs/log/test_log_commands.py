"""`agent-saga keys` and `agent-saga log`, as a person types them; and everything that the guide tells her to type."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from logs import KEY, ORIGIN, OTHER, append, folder_of, sample
from samples import whole

from agent_saga.proofs.checkpoints import Pin, open_checkpoint
from agent_saga.proofs.keys import key_from_seed, save_key
from agent_saga.proofs.pins import Pins, format_pins

ROOT = Path(__file__).resolve().parents[3]
SECRET = "correct horse battery staple"
Run = Callable[..., Any]


@pytest.fixture
def run(run_cli: Run, tmp_path: Path) -> Run:
    """Runs a command in the test's folder, with the passphrase in the environment."""
    return lambda *words, **more: run_cli(
        *words, cwd=tmp_path, **{"env": {"AGENT_SAGA_KEY_PASSPHRASE": SECRET}, **more}
    )


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with a log and its key, another key of each purpose, and pins."""
    sample(tmp_path / "orders.db")
    save_key(KEY, tmp_path / "log.key", SECRET.encode())
    for purpose in ("witness", "monitor"):
        save_key(
            key_from_seed(f"{purpose}.example", purpose, os.urandom(32)), tmp_path / f"{purpose}.key", SECRET.encode()
        )
    (tmp_path / "acme.pin").write_text(format_pins(Pins(Pin(ORIGIN, KEY.vkey))), "utf-8")
    (tmp_path / "other.pin").write_text(format_pins(Pins(Pin(ORIGIN, OTHER.vkey))), "utf-8")
    return tmp_path


def test_everything_in_the_guide_runs_in_its_order(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guide" / "proofs.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) >= 7
    shutil.copy(ROOT / "fixtures" / "demo" / "good.jsonl", tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "set -euo pipefail\n" + "".join(blocks)
    environment = {"PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for said in ("24 lines, 22 of them new", "2, each signed as pinned", "cosigned log.example/acme at 24 lines"):
        assert said in done.stdout + done.stderr
    note = (tmp_path / "orders.db.log" / "cosigned" / "24").read_text("utf-8")
    assert note.count("\n— ") == 3
    assert SECRET not in done.stdout + done.stderr


def test_a_key_is_made_shown_and_listed_and_its_secret_never_told(run: Run, tmp_path: Path) -> None:
    made = run("keys", "new", "log.example/a", "--purpose", "log", "-o", "a.key")
    assert made.returncode == 0
    assert made.stdout.startswith("log.example/a+")
    assert (tmp_path / "a.key").stat().st_mode & 0o777 == 0o600
    assert run("keys", "show", "a.key").stdout == made.stdout
    told = json.loads(run("keys", "show", "a.key", "--format", "json").stdout)
    assert (told["vkey"], told["purpose"]) == (made.stdout.strip(), "log")
    (tmp_path / "pass").write_text(SECRET + "\n", "utf-8")
    assert run("keys", "show", "a.key", "--passphrase-file", "pass", env={}).stdout == made.stdout
    assert run("keys", "list", ".").stdout.split() == ["log", made.stdout.strip(), "a.key"]
    assert json.loads(run("keys", "list", "-f", "json").stdout)[0]["vkey"] == made.stdout.strip()
    (tmp_path / "empty").mkdir()
    assert run("keys", "list", "empty").returncode == 4
    assert run("keys", "new", "log.example/a", "--purpose", "log", "-o", "a.key").returncode == 2


WRONG_KEYS: dict[str, tuple[list[str], str]] = {
    "no passphrase": (["keys", "show", "log.key"], "no terminal to ask"),
    "a missing passphrase file": (["keys", "show", "log.key", "--passphrase-file", "nowhere"], "cannot be read"),
    "an empty passphrase": (["keys", "show", "log.key", "--passphrase-file", os.devnull], "is empty"),
    "an unknown purpose": (["keys", "new", "a", "--purpose", "logs", "-o", "x"], "did you mean"),
    "a name with a space": (
        ["keys", "new", "a b", "--purpose", "log", "-o", "x", "--passphrase-file", "acme.pin"],
        "name",
    ),
    "no folder": (["keys", "list", "nowhere"], "cannot be listed"),
    "no key": (["keys", "show", "acme.pin", "--passphrase-file", "acme.pin"], ""),
    "a wrong passphrase": (["keys", "show", "log.key", "--passphrase-file", "acme.pin"], "passphrase does not open"),
}


@pytest.mark.parametrize("case", WRONG_KEYS)
def test_what_is_wrong_with_a_key_is_said_in_one_line(case: str, run_cli: Run, kept: Path) -> None:
    words, said = WRONG_KEYS[case]
    done = run_cli(*words, cwd=kept)
    _one_line(done, 2, said)


def _one_line(done: Any, code: int, said: str) -> None:
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert said in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert SECRET not in done.stdout + done.stderr


WRONG_LOGS: dict[str, tuple[list[str], int, str]] = {
    "another key": (["checkpoint", "orders.db", "--key", "other.key"], 2, "use the key of log.opened"),
    "a key for another purpose": (["checkpoint", "orders.db", "--key", "witness.key"], 2, "one key serves one purpose"),
    "no store": (["checkpoint", "nowhere.db", "--key", "log.key"], 2, "nowhere.db"),
    "a store that is a folder": (["checkpoint", ".", "--key", "log.key"], 2, "directory"),
    "a store that is none": (["checkpoint", "acme.pin", "--key", "log.key"], 2, "neither a store nor a plain trace"),
    "open twice": (["open", "orders.db", "--origin", ORIGIN, "--key", "log.key"], 1, "holds lines already"),
    "an origin of two lines": (["open", "n.db", "--origin", "a\nb", "--key", "log.key"], 1, "cannot be a log's origin"),
    "no digest": (["open", "n.db", "--origin", ORIGIN, "--key", "log.key", "--policy", "x"], 2, "64 lower-case"),
    "no registry": (["open", "n.db", "--origin", ORIGIN, "--key", "log.key", "--registry", "acme.pin"], 2, "not JSON"),
    "a list as registry": (
        ["open", "n.db", "--origin", ORIGIN, "--key", "log.key", "--registry", "l.json"],
        2,
        "object",
    ),
    "a float in the registry": (
        ["open", "n.db", "--origin", ORIGIN, "--key", "log.key", "--registry", "f.json"],
        2,
        "",
    ),
    "a format": (["checkpoint", "orders.db", "--key", "log.key", "--format", "xml"], 2, "unknown format"),
    "another pin": (["verify", "orders.db", "--pin", "other.pin"], 1, "unsigned"),
    "no pin": (["verify", "orders.db"], 2, "--pin"),
    "a pin that is none": (["verify", "orders.db", "--pin", "log.key"], 2, "no pin file"),
    "a pin that is missing": (["verify", "orders.db", "--pin", "nowhere"], 2, "cannot be read"),
    "no log": (["verify", "plain.jsonl", "--pin", "acme.pin"], 2, "has no checkpoint"),
    "a kept checkpoint that is none": (
        ["verify", "orders.db", "--pin", "acme.pin", "--checkpoint", "acme.pin"],
        1,
        "bad-",
    ),
    "a larger size": (["consistency", "orders.db", "--from", "14"], 2, "the latest checkpoint has 13"),
    "a size of nothing": (["consistency", "orders.db", "--from", "0"], 2, "latest"),
    "no size": (["consistency", "orders.db", "--from", "acme.pin"], 2, "neither a size nor a checkpoint"),
    "an output that is there": (["consistency", "orders.db", "--from", "13", "-o", "acme.pin"], 2, "something already"),
    "a saga that is not there": (["index", "orders.db", "nobody"], 1, "not in the index"),
    "an index of no log": (["index", "plain.jsonl"], 2, "has no checkpoint"),
    "a witness with the log's key": (
        ["witness", "cp", "--pin", "acme.pin", "--key", "log.key", "--state", "s"],
        2,
        "purpose",
    ),
    "no checkpoint": (
        ["witness", "acme.pin", "--pin", "acme.pin", "--key", "witness.key", "--state", "s"],
        1,
        "bad-note",
    ),
    "a state in no folder": (
        ["witness", "cp", "--pin", "acme.pin", "--key", "witness.key", "--state", "no/s"],
        1,
        "no/s",
    ),
    "a proof that is none": (
        ["witness", "cp", "--pin", "acme.pin", "--key", "witness.key", "--state", "s", "--consistency", "acme.pin"],
        1,
        "bad-proof",
    ),
    "a monitor with a witness's key": (
        ["monitor", "orders.db", "--pin", "acme.pin", "--key", "witness.key"],
        2,
        "purpose",
    ),
    "nothing to attach to": (["attach", "plain.jsonl", "cp", "--pin", "acme.pin"], 2, "holds no checkpoint"),
    "a pin of no log": (["pin", "plain.jsonl"], 2, "has no log.opened"),
}


@pytest.mark.parametrize("case", WRONG_LOGS)
def test_what_is_wrong_with_a_log_is_said_in_one_line(case: str, run: Run, kept: Path) -> None:
    words, code, said = WRONG_LOGS[case]
    save_key(OTHER, kept / "other.key", SECRET.encode())
    shutil.copy(folder_of(kept / "orders.db") / "checkpoint", kept / "cp")
    append(kept / "plain.jsonl", whole("a"))
    (kept / "l.json").write_text("[]", "utf-8")
    (kept / "f.json").write_text('{"a":1.5}', "utf-8")
    _one_line(run("log", *words), code, said)


def test_every_command_tells_programs_what_it_tells_people(run: Run, kept: Path) -> None:
    append(kept / "orders.db", whole("later"))
    done = json.loads(run("log", "checkpoint", "orders.db", "--key", "log.key", "-f", "json").stdout)
    checkpoint, _ = open_checkpoint(done["checkpoint"].encode(), Pin(ORIGIN, KEY.vkey))
    assert (done["size"], done["new_lines"], done["indexed"], done["signed"]) == (18, 5, True, True)
    assert checkpoint.root.hex() == done["root"]
    again = json.loads(run("log", "checkpoint", "orders.db", "--key", "log.key", "-f", "json").stdout)
    assert (again["signed"], again["new_lines"], again["checkpoint"]) == (False, 0, done["checkpoint"])
    found = json.loads(run("log", "verify", "orders.db", "--pin", "acme.pin", "-f", "json").stdout)
    assert (found["result"], found["size"], found["sagas"], found["checkpoints"]) == ("verified", 18, 5, 2)
    entry = json.loads(run("log", "index", "orders.db", "later", "-f", "json").stdout)
    assert (entry["present"], entry["first"], entry["last"], entry["lines"]) == (True, 13, 16, 4)
    refused = json.loads(run("log", "verify", "orders.db", "--pin", "other.pin", "-f", "json").stdout)
    assert (refused["result"], refused["reason"]) == ("refuted", "unsigned")


def test_a_witness_that_lacks_the_proof_is_undecided_and_signs_nothing(run: Run, kept: Path) -> None:
    at = str(folder_of(kept / "orders.db") / "checkpoint")
    common = ["--pin", "acme.pin", "--key", "witness.key", "--state", "seen"]
    assert run("log", "witness", at, *common).returncode == 0
    seen = (kept / "seen").read_bytes()
    append(kept / "orders.db", whole("later"))
    run("log", "checkpoint", "orders.db", "--key", "log.key")
    done = run("log", "witness", at, *common, "-o", "signed")
    assert (done.returncode, done.stdout) == (3, "")
    assert "log consistency" in done.stderr
    assert not (kept / "signed").exists()
    assert (kept / "seen").read_bytes() == seen


def test_a_damaged_log_exits_with_no_and_is_rebuilt_on_request(run: Run, kept: Path) -> None:
    (folder_of(kept / "orders.db") / "tile/0/000.p/13").write_bytes(b"")
    for words in (["verify", "orders.db", "--pin", "acme.pin"], ["consistency", "orders.db", "--from", "13"]):
        _one_line(run("log", *words), 1, "--rebuild")
    assert run("log", "checkpoint", "orders.db", "--key", "log.key", "--rebuild").returncode == 0
    assert run("log", "verify", "orders.db", "--pin", "acme.pin").returncode == 0


def test_signatures_of_those_who_are_not_pinned_are_not_taken_in(run: Run, kept: Path) -> None:
    at = str(folder_of(kept / "orders.db") / "checkpoint")
    run("log", "witness", at, "--pin", "acme.pin", "--key", "witness.key", "--state", "seen", "-o", "signed")
    assert "0 signatures" in run("log", "attach", "orders.db", "signed", "--pin", "acme.pin").stdout
    pinned = (kept / "acme.pin").read_text("utf-8") + "witness " + run("keys", "show", "witness.key").stdout
    (kept / "acme.pin").write_text(pinned, "utf-8")
    note = (kept / "signed").read_text("utf-8")
    (kept / "false").write_text(note[:-9] + ("A" if note[-9] != "A" else "B") + note[-8:], "utf-8")
    _one_line(run("log", "attach", "orders.db", "false", "--pin", "acme.pin"), 1, "bad-signature")
    assert "1 signatures" in run("log", "attach", "orders.db", "signed", "--pin", "acme.pin").stdout
    assert "0 signatures" in run("log", "attach", "orders.db", "signed", "--pin", "acme.pin").stdout
    assert (folder_of(kept / "orders.db") / "cosigned" / "13").read_text("utf-8") == note
