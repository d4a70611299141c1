"""`agent-saga doctor`: 0 only when everything was tried and held; what is wrong is named with what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.runtime import AgentKit
from agent_saga.runtime.doctor import Outcome, Trial, examine_machine, examine_place, try_claims, verdict
from agent_saga.runtime.doctor.machine import _lacks
from agent_saga.runtime.guarantees import CLAIMS, PROBES, REMEDIES
from agent_saga.trace import SagaWriter
from agent_saga.trace.store import open_store

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "fixtures" / "demo" / "good.jsonl"
Cli = Callable[..., Any]
KITS = """
import sys
from agent_saga.runtime import AgentKit
from agent_saga.trace.store import open_store

print("a module may print")

class Generous:  # gives every saga to everybody, and remembers nothing
    durable = True
    def __init__(self, store): self._store = store
    def __getattr__(self, name): return getattr(self._store, name)
    async def acquire(self, saga, holder, ttl, now): return await self._store.acquire(saga + holder, holder, ttl, now)
    async def recall(self, key): return None

def dead(saga, name): raise OSError("password open-sesame")

def good(store): return AgentKit(store, stop=lambda saga, name: "")
def unread(store): return AgentKit(store, stop=dead)
def both(store): return AgentKit(Generous(open_store(store)), stop=dead)
def broken(store): return AgentKit(Generous(open_store(store)))
def late(store): return 1 / 0
def leaves(store): sys.exit(0)
def text(store): return "a kit"
made = AgentKit(":memory:")
passed = AgentKit(open_store(":memory:"))
none = None
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "kits.py").write_text(KITS)
    (tmp_path / "leaving.py").write_text("import sys; sys.exit(0)")
    (tmp_path / "torn.py").write_text("def")
    (tmp_path / "raising.py").write_text("raise ValueError('first\\nsecond')")
    return tmp_path


@pytest.fixture
def doctor(place: Path, run_cli: Cli) -> Callable[..., tuple[int, dict[str, dict[str, str]], Any]]:
    """Runs it with --format json: exit code, trials by id, and all that was printed."""

    def run(*args: str) -> tuple[int, dict[str, dict[str, str]], Any]:
        done = run_cli("doctor", *args, "--format", "json", cwd=place, env={"PYTHONDONTWRITEBYTECODE": "1"})
        assert "Traceback" not in done.stderr, done.output
        found = json.loads(done.stdout)["trials"] if done.stdout else []
        return done.returncode, {trial["id"]: trial for trial in found}, done

    return run


def outcomes(trials: dict[str, dict[str, str]]) -> dict[str, str]:
    return {id: trial["outcome"] for id, trial in trials.items() if not id.startswith("extra ")}


MACHINE = dict.fromkeys(("python", "system"), "held")
PLACE = dict.fromkeys(("store", "write", "fsync", "clock"), "held")


def test_without_a_kit_the_machine_and_the_place_are_looked_at_and_nothing_stays(doctor: Any, place: Path) -> None:
    before = sorted(os.listdir(place))
    code, trials, _ = doctor()
    assert (code, outcomes(trials)) == (0, MACHINE | PLACE)
    assert sorted(os.listdir(place)) == before


def test_every_claim_of_a_kit_is_tried_and_held(doctor: Any, place: Path) -> None:
    code, trials, done = doctor("kits:good", "--store", "s.db")
    assert (code, outcomes(trials)) == (0, MACHINE | PLACE | dict.fromkeys(set(PROBES) - {"policy-first"}, "held")), (
        done.output
    )
    assert all(trial["says"] and not trial["todo"] for trial in trials.values() if trial["outcome"] == "held")
    assert "a module may print" in done.stderr
    assert json.loads(done.stdout)["not_claimed"]


def test_it_may_be_run_again_on_a_store_with_sagas_and_leaves_the_trace_alone(
    doctor: Any, place: Path, run_cli: Cli
) -> None:
    assert run_cli("store", "import", "s.db", GOOD, cwd=place).returncode == 0
    for _ in range(2):
        code, trials, done = doctor("kits:good", "--store", "s.db")
        assert code == 0, done.output
    assert trials["store"]["found"].startswith(f"{GOOD.read_bytes().count(10)} lines of ")
    assert run_cli("store", "export", "s.db", cwd=place).stdout.encode() == GOOD.read_bytes()


def test_a_claim_that_could_not_be_tried_is_not_green(doctor: Any) -> None:
    code, trials, done = doctor("kits:unread")
    assert code == 3
    assert trials["kill-switch"]["outcome"] == "not probed"
    assert trials["kill-switch"]["found"] == "the probe raised OSError"
    assert trials["kill-switch"]["todo"]
    assert "open-sesame" not in done.stdout + done.stderr


@pytest.mark.parametrize("kit", ["broken", "both"])
def test_a_claim_that_does_not_hold_is_told_with_what_to_do(doctor: Any, kit: str) -> None:
    code, trials, _ = doctor(f"kits:{kit}")
    assert code == 1
    for claim in ("one-runner", "durable"):
        assert trials[claim]["outcome"] == "failed"
        assert trials[claim]["todo"] == REMEDIES[claim]
    assert trials["intent-first"]["outcome"] == "held"


@pytest.mark.parametrize("kit", ["made", "passed"])
def test_a_store_in_memory_claims_nothing_durable(doctor: Any, kit: str) -> None:
    code, trials, done = doctor(f"kits:{kit}")
    assert (code, outcomes(trials)) == (
        0,
        MACHINE | dict.fromkeys(set(PROBES) - {"durable", "kill-switch", "policy-first"}, "held"),
    )
    assert "in memory" in "".join(json.loads(done.stdout)["not_claimed"])


BAD = {
    "no colon": (["kits"], "kits: expected MODULE:NAME"),
    "no name": (["kits:"], "expected MODULE:NAME"),
    "no module": (["no_such_module:kit"], "no module no_such_module"),
    "relative": ([".kits:good"], "module .kits does not load: TypeError"),
    "no such name": (["kits:nothing"], "module kits has no nothing"),
    "syntax": (["torn:kit"], "module torn does not load: SyntaxError"),
    "raises": (["raising:kit"], "module raising does not load: ValueError"),
    "ends the program": (["leaving:kit"], "module leaving does not load: SystemExit"),
    "no kit": (["kits:none"], "kits:none is a NoneType; expected an agent_saga.runtime.AgentKit"),
    "makes no kit": (["kits:text"], "kits:text is a str; expected"),
    "fails": (["kits:late"], "fails: ZeroDivisionError"),
    "ends in the function": (["kits:leaves"], "fails: SystemExit"),
    "two stores": (["kits:made", "--store", "s.db"], "leave --store out"),
    "format": (["--format", "jsn"], "unknown format 'jsn'; expected one of text, json; did you mean"),
    "folder": (["--store", "."], ".: is no file"),
    "no folder": (["--store", "none/s.db"], "none/s.db: no such folder"),
    "text": (["--store", "kits.py"], "neither a SQLite database nor lines of a trace"),
    "binary": (["--store", "binary"], "neither a SQLite database nor lines of a trace"),
    "database of others": (["--store", "other.db"], "other.db"),
    "empty": (["--store", "empty.db"], "empty.db: an empty file; name a store"),
    "unreadable": (["--store", "/proc/self/mem"], "/proc/self/mem: cannot be read"),
    "fifo": (["--store", "fifo"], "fifo: is no file"),
    "link": (["kits:good", "--store", "link"], "link: is no file"),
}


@pytest.mark.parametrize(("args", "says"), BAD.values(), ids=BAD.keys())
def test_what_is_wrong_with_the_question_is_one_line(args: list[str], says: str, place: Path, run_cli: Cli) -> None:
    (place / "binary").write_bytes(bytes(range(256)) * 9)
    (place / "link").symlink_to("nowhere")
    (place / "empty.db").touch()
    os.mkfifo(place / "fifo")
    code = "import sqlite3; c = sqlite3.connect('other.db'); c.execute('create table t (x)'); c.commit()"
    subprocess.run([sys.executable, "-c", code], cwd=place, check=True)
    done = run_cli("doctor", *args, cwd=place, timeout=60)
    errors = [line for line in done.stderr.splitlines() if line != "a module may print"]
    assert (done.returncode, done.stdout, len(errors)) == (2, "", 1), done.output
    assert says in errors[0]


def test_a_line_that_cannot_be_read_fails_the_store(doctor: Any, place: Path) -> None:
    (place / "s.jsonl").write_bytes(GOOD.read_bytes().replace(b'"seq":2,', b'"seq": 2,'))
    code, trials, _ = doctor("--store", "s.jsonl")
    assert (code, trials["store"]["outcome"]) == (1, "failed")
    assert "agent-saga certify s.jsonl" in trials["store"]["todo"]


def test_a_torn_line_is_told_and_left_as_it_is(doctor: Any, place: Path) -> None:
    (place / "s.jsonl").write_bytes(GOOD.read_bytes()[:-30])
    code, trials, _ = doctor("--store", "s.jsonl")
    assert (code, trials["store"]["outcome"]) == (0, "held")
    assert "ends inside a line" in trials["store"]["found"]
    assert (place / "s.jsonl").read_bytes() == GOOD.read_bytes()[:-30]


def test_a_clock_behind_the_newest_line_is_told(doctor: Any, place: Path) -> None:
    started = {"log": "log.example/acme", "name": "order", "format": "1.0", "tools": {}}
    line = SagaWriter("k3JxQ0m7y2aTt5v9WcZ1eA", os.urandom).line(
        "saga.started", "2999-01-01T00:00:00.000000Z", **started
    )
    (place / "s.jsonl").write_bytes(line + b"\n")
    code, trials, _ = doctor("--store", "s.jsonl")
    assert (code, trials["clock"]["outcome"]) == (1, "failed")
    assert "2999" in trials["clock"]["found"]


@pytest.mark.parametrize("off", [-60, 60, -1e9])
def test_a_clock_that_was_never_set_or_that_the_disk_contradicts_is_told(off: float, tmp_path: Path) -> None:
    clock = examine_place(tmp_path / "s.db", lambda: time.time() + off)[-1]
    assert (clock.id, clock.outcome) == ("clock", Outcome.FAILED)
    assert clock.todo


def test_a_folder_that_cannot_be_written_fails_and_leaves_the_rest_open(doctor: Any, sealed: str) -> None:
    code, trials, _ = doctor("--store", f"{sealed}/s.db")
    assert code == 1
    assert [trials[id]["outcome"] for id in ("write", "fsync", "clock")] == ["failed", "not probed", "not probed"]


@pytest.mark.parametrize("how", ["thread", "loop"])
def test_a_probe_that_hangs_is_told_and_the_doctor_goes_on_or_ends(how: str) -> None:
    class Slow:
        def __init__(self) -> None:
            self._store = open_store(":memory:")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._store, name)

        async def acquire(self, *args: Any) -> Any:
            import asyncio

            await asyncio.sleep(60)

    def hangs(saga: str, name: str) -> str:
        time.sleep(60 if how == "thread" else 0)
        return ""

    kit = AgentKit(open_store(":memory:") if how == "thread" else Slow(), stop=hangs)  # type: ignore[arg-type]
    start = time.monotonic()
    trials = {trial.id: trial.outcome for trial in try_claims(kit, patience=1.0)}
    assert time.monotonic() - start < 30
    late = {"kill-switch", "no-blind-repeat", "undone-or-told"} if how == "thread" else {"one-runner"}
    assert {id for id, outcome in trials.items() if outcome is Outcome.UNPROBED} == late
    assert verdict(Trial(id, "", outcome) for id, outcome in trials.items()) == 3


def test_every_claim_has_a_remedy_and_every_outcome_its_exit_code() -> None:
    assert set(REMEDIES) == {claim.id for claim in CLAIMS} == set(PROBES)
    trial = {outcome: Trial("", "", outcome) for outcome in Outcome}
    held, failed, unprobed, absent = (trial[outcome] for outcome in Outcome)
    assert verdict([held, absent]) == 0
    assert verdict([held, unprobed, failed]) == 1
    assert verdict([held, unprobed]) == 3
    assert verdict([]) == verdict([absent]) == 4


def test_every_extra_that_users_install_is_looked_for() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    looked = {trial.id.removeprefix("extra ") for trial in examine_machine() if trial.id.startswith("extra ")}
    assert looked == set(extras) - {"dev", "docs"}
    assert _lacks("no-such-package-at-all", ">=1") == "no no-such-package-at-all"
    assert _lacks("pytest", ">=999.1") != ""
    assert _lacks("pytest", ">=8.3") == ""


def test_the_text_says_what_to_do(place: Path, run_cli: Cli) -> None:
    done = run_cli("doctor", "kits:unread", cwd=place)
    assert done.returncode == 3
    assert "not probed  kill-switch" in done.stdout
    assert "do: mend that and run the doctor again" in done.stdout
    assert "not claimed: " in done.stdout
