"""`agent-saga certify --state`, night after night, as an operator types it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_saga.proofs.hashing import Frontier

Run = Callable[..., Any]
PASS = {"AGENT_SAGA_KEY_PASSPHRASE": "a passphrase of the tests"}
UNDER = ["--checkpoint", "orders.db.log/checkpoint", "--pin", "acme.pin", "--no-config"]


class Shop:
    """A log of a shop, in a folder of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        self._run, self.folder = run, folder

    def __call__(self, *args: str, code: int = 0) -> Any:
        """Run the command; it must end with this code and show no stack."""
        done = self._run(*args, cwd=self.folder, env=PASS)
        assert done.returncode == code, (args, done.output)
        assert "Traceback" not in done.stderr
        return done

    def play(self, scenario: str) -> None:
        """One more saga, and a checkpoint over it."""
        self("demo", "--scenario", scenario, "--store", "orders.db")
        self("log", "checkpoint", "orders.db", "--key", "log.key")

    def night(self, *more: str, state: str = "n.state", code: int = 0) -> Any:
        """Certify from the state."""
        return self("certify", "orders.db", *UNDER, "--state", state, *more, code=code)

    def bend(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change what the state says."""
        with closing(sqlite3.connect(self.folder / "n.state")) as db, db:
            state = json.loads(db.execute("SELECT value FROM state").fetchone()[0])
            change(state)
            db.execute("UPDATE state SET value = ?", (json.dumps(state).encode(),))


@pytest.fixture(scope="session")
def first_night(run_cli: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder after a first night."""
    folder = tmp_path_factory.mktemp("shop")
    shop = Shop(run_cli, folder)
    shop("keys", "new", "log.example/acme", "--purpose", "log", "-o", "log.key")
    shop("log", "open", "orders.db", "--origin", "log.example/acme", "--key", "log.key")
    shop.play("happy-path")
    (folder / "acme.pin").write_text(shop("log", "pin", "orders.db").stdout)
    shop.night()
    return folder


@pytest.fixture
def shop(run_cli: Run, first_night: Path, tmp_path: Path) -> Shop:
    """A copy of it."""
    shutil.copytree(first_night, tmp_path / "shop")
    return Shop(run_cli, tmp_path / "shop")


def test_each_night_reports_the_whole_log(shop: Shop) -> None:
    shop.play("business-failure")
    told = json.loads(shop.night("--format", "json").stdout)
    whole = json.loads(shop("certify", "orders.db", *UNDER, "--format", "json").stdout)
    assert told["verdict"] == whole["verdict"] == "certified"
    (item,), (of_whole,) = told["inputs"], whole["inputs"]
    assert (item["lines"], item["bytes"], item["sagas"]) == (of_whole["lines"], of_whole["bytes"], 2)
    assert any("were certified at" in sentence for sentence in item["assumptions"])
    assert stat.S_IMODE(os.stat(shop.folder / "n.state").st_mode) == 0o600


def test_the_certificate_of_a_night_is_verified_and_reached_again_from_all_lines(shop: Shop) -> None:
    shop("keys", "new", "ci.example", "--purpose", "certificate", "-o", "ci.key")
    with (shop.folder / "acme.pin").open("a") as pin:
        pin.write("certificate " + shop("keys", "show", "ci.key").stdout.split()[-1] + "\n")
    sign = ["--sign", "ci.key", "--certificate"]
    shop.night(*sign, "first.json", state="new.state")
    shop.play("lost-response")
    shop.night(*sign, "second.json", state="new.state")
    for name in ("first.json", "second.json"):
        assert "certified" in shop("verify", name, "--pin", "acme.pin").stdout.lower()
    shop("verify", "second.json", "--pin", "acme.pin", "--trace", "orders.db")
    said = json.loads(base64.b64decode(json.loads((shop.folder / "second.json").read_bytes())["payload"]))
    assert said["predicate"]["input"]["since"] > 0
    assert said["predicate"]["input"]["sha256"] is None


def test_a_root_and_size_that_are_expected_are_held_against_all_lines(shop: Shop) -> None:
    shop.play("business-failure")
    size, root = (shop.folder / "orders.db.log/checkpoint").read_text().splitlines()[1:3]
    expected = ["--expect-size", size, "--expect-root", base64.b64decode(root).hex()]
    assert "AS115" in shop.night("--expect-size", str(int(size) + 1), code=1).stdout
    assert "AS111" in shop.night("--expect-root", "ab" * 32, state="other.state", code=1).stdout
    shop.night(*expected, state="new.state")
    shop.night()  # what an earlier run expected in vain is no fault of the log


def test_what_was_found_one_night_is_said_every_night(shop: Shop) -> None:
    shop.play("irreversible")
    for _ in range(2):
        assert "AS504" in shop.night(code=1).stdout, "it still waits"


@pytest.mark.parametrize(
    "args, words",
    [
        (["--state", "n.state"], "--state goes with --checkpoint and --pin"),
        (["--state", "orders.db"], "nothing writes over evidence"),
        (["--state", "n.state", "-"], "exactly one PATH"),
    ],
)
def test_a_state_of_no_use_is_refused(shop: Shop, args: list[str], words: str) -> None:
    assert words in shop("certify", "orders.db", *args, "--no-config", code=2).stderr


def test_a_state_that_is_none_is_refused_and_left_alone(shop: Shop) -> None:
    (shop.folder / "n.state").write_bytes(b"no database at all\n" * 100)
    assert "cannot be used" in shop.night(code=2).stderr
    assert (shop.folder / "n.state").read_bytes().startswith(b"no database")


def test_a_state_of_another_log_is_refused(shop: Shop) -> None:
    shop.bend(lambda state: state.update(origin="log.example/else"))
    assert "is of the log log.example/else" in shop.night(code=2).stderr


def test_a_state_whose_tree_was_bent_is_refused(shop: Shop) -> None:
    shop.bend(lambda state: state["edge"].__setitem__(0, "00" * 32))
    assert "does not give its root" in shop.night(code=2).stderr


def test_lines_that_do_not_grow_out_of_those_before_are_found(shop: Shop) -> None:
    """A state of other lines stands for a log that was written anew, with a checkpoint of its own."""

    def other(state: dict[str, Any]) -> None:
        tree = Frontier()
        for number in range(state["size"]):
            tree.add(number.to_bytes(32, "big"))
        state["edge"], state["root"] = [one.hex() for one in tree.subtrees], tree.root().hex()

    shop.bend(other)
    assert "AS111" in shop.night(code=1).stdout
