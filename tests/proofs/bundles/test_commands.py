"""`agent-saga prove` and `agent-saga verify`: exit codes, words, what is recognised, and files that are no evidence."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_sample_log
import pytest
from bundle_samples import LOG, NONE, ORIGIN, WIRE, stream

from agent_saga.proofs.continuing import Continuation, format_continuation
from agent_saga.proofs.log import Log, write_checkpoint

FOLDER = make_sample_log.FOLDER
STORE, PIN, BUNDLE = FOLDER / "shop.jsonl", FOLDER / "shop.pin", FOLDER / "wire.bundle.json"
OLD, NEW = (FOLDER / "shop.jsonl.log" / "checkpoints" / size for size in ("17", "35"))
Run = Callable[..., Any]


@pytest.fixture
def verify(run_cli: Run, tmp_path: Path) -> Run:
    """Runs verify under the pin, in an empty folder."""

    def run(file: object, *more: object, stdin: bytes | None = None) -> Any:
        return run_cli("verify", str(file), "--pin", str(PIN), *map(str, more), cwd=tmp_path, stdin=stdin)

    return run


@pytest.fixture
def prove(run_cli: Run, tmp_path: Path) -> Run:
    """Runs prove on the sample log."""

    def run(saga: str, *more: object) -> Any:
        return run_cli("prove", saga, "--store", str(STORE), *map(str, more), cwd=tmp_path)

    return run


def consistency(tmp_path: Path) -> Path:
    with Log.open(str(STORE)) as log:
        proof = Continuation(17, 35, log.consistency(17, 35))
    path = tmp_path / "consistency"
    path.write_bytes(format_continuation(proof))
    return path


def test_the_sample_log_is_what_its_maker_writes() -> None:
    assert make_sample_log.main(["--check"]) == 0, "run python tests/proofs/bundles/make_sample_log.py"


def test_a_saga_is_proven_and_verified_and_its_lines_go_on_to_certify(
    prove: Run, verify: Run, run_cli: Run, tmp_path: Path
) -> None:
    made = prove(WIRE, "--reveal", "all", "-o", "w.json", "--tlog-proof", "w.proof")
    assert made.returncode == 0, made.output
    done = verify("w.json", "--lines-out", "w.jsonl", "--disclosures-out", "w.txt", "--saga", WIRE)
    assert done.returncode == 0, done.output
    assert done.stdout.startswith(f"proven:     WHOLE SAGA {WIRE}: 14 lines")
    lines = [line for line in STORE.read_bytes().splitlines(keepends=True) if WIRE.encode() in line[:60]]
    assert (tmp_path / "w.jsonl").read_bytes() == b"".join(lines)
    assert (tmp_path / "w.txt").stat().st_mode & 0o077 == 0
    judged = run_cli("certify", "w.jsonl", "--disclosures", "w.txt", "--no-config", cwd=tmp_path)
    assert judged.returncode == 1, judged.output  # opened, the undo is seen not to have the amount
    (tmp_path / "line").write_bytes(lines[-1])
    one = verify("w.proof", "--line", "line")
    assert one.returncode == 0, one.output
    assert "ONE LINE: it is line 27 of the log" in one.stdout
    (tmp_path / "line").write_bytes(lines[-2])
    assert verify("w.proof", "--line", "line").returncode == 1
    assert verify("w.proof").returncode == 2


def test_json_says_the_same(verify: Run) -> None:
    done = verify(BUNDLE, "--format", "json")
    told = json.loads(done.stdout)
    assert (told["result"], told["claim"], told["lines"], len(told["withheld"])) == ("proven", "whole", 14, 4)
    assert told["index"] == {"claimed_by": ORIGIN, "audited_by": []}
    assert done.stdout.isascii()


def test_a_refusal_is_exit_1_with_its_reason_in_both_forms(verify: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(BUNDLE.read_bytes().replace(b"s-17", b"s-18", 1))
    done = verify(bad)
    assert done.returncode == 1
    assert done.stdout.startswith("refuted:    broken-chain: ")
    told = json.loads(verify(bad, "--format", "json").stdout)
    assert (told["result"], told["reason"]) == ("refuted", "broken-chain")
    assert verify(BUNDLE, "--saga", NONE).stdout.startswith("refuted:    other-saga: ")


@pytest.mark.parametrize("name", ["bad-lines-other-saga", "bad-form-deep", "bad-form-not-utf8", "bad-key-other"])
def test_hostile_bundles_never_show_a_traceback(name: str, verify: Run, tmp_path: Path) -> None:
    vector = json.loads((FOLDER.parent / "vectors" / "bundles" / f"{name}.json").read_text("utf-8"))
    from base64 import b64decode

    data = b64decode(vector["base64"]) if "base64" in vector else vector["bundle"].encode()
    (tmp_path / "hostile").write_bytes(data)
    done = verify("hostile")
    assert done.returncode == 1, done.output
    assert done.stdout.startswith(f"refuted:    {vector['expect']['reason']}: ")
    assert "Traceback" not in done.output
    assert done.stderr == ""


def test_the_text_holds_no_character_that_steers_a_terminal(verify: Run, tmp_path: Path) -> None:
    vector = json.loads((FOLDER.parent / "vectors" / "bundles" / "good-whole-open.json").read_text("utf-8"))
    (tmp_path / "open.json").write_text(vector["bundle"], "utf-8")
    done = verify("open.json")
    assert done.returncode == 0, done.output
    assert "\\u202e" in done.stdout
    assert all(char.isprintable() or char == "\n" for char in done.stdout)


def test_an_earlier_checkpoint_must_be_continued(verify: Run, tmp_path: Path) -> None:
    proof = consistency(tmp_path)
    done = verify(BUNDLE, "--checkpoint", OLD, "--consistency", proof)
    assert done.returncode == 0, done.output
    assert "continues:  the checkpoint of 17 lines that you hold" in done.stdout
    undecided = verify(BUNDLE, "--checkpoint", OLD)
    assert undecided.returncode == 3
    assert "--consistency" in undecided.stdout
    assert verify(OLD, "--checkpoint", NEW).stdout.startswith("refuted:    rolled-back: ")
    assert verify(BUNDLE, "--consistency", proof).returncode == 2
    assert verify(BUNDLE, "--checkpoint", OLD, "--checkpoint", NEW).returncode == 2


def test_each_kind_of_evidence_is_recognised_by_its_content(verify: Run, tmp_path: Path) -> None:
    proof = consistency(tmp_path)
    assert "CHECKPOINT of 35 lines" in verify(NEW).stdout
    both = verify(proof, "--checkpoint", NEW, "--checkpoint", OLD)
    assert both.returncode == 0, both.output
    assert "continues:  the checkpoint of 17 lines" in both.stdout
    assert verify(proof, "--checkpoint", NEW).returncode == 2
    trace = verify(STORE)
    assert trace.returncode == 2
    assert "agent-saga certify" in trace.stderr
    assert "--pin" in verify(PIN).stderr
    assert "WHOLE SAGA" in verify("-", stdin=BUNDLE.read_bytes()).stdout


def test_what_is_no_evidence_is_never_a_yes(verify: Run, run_cli: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert verify("empty").returncode == 4
    (tmp_path / "other").write_bytes(os.urandom(4096))
    (tmp_path / "folder").mkdir()
    for name in ("other", "missing", "folder"):
        done = verify(name)
        assert done.returncode == 2, done.output
        assert "Traceback" not in done.output
    assert verify(BUNDLE, "--format", "xml").returncode == 2
    assert run_cli("verify", str(BUNDLE)).returncode == 2, "without a pin"
    for pin in (BUNDLE, tmp_path / "other", tmp_path / "missing"):
        assert run_cli("verify", str(BUNDLE), "--pin", str(pin)).returncode == 2
    assert verify(NEW, "--lines-out", "lines").returncode == 2
    assert not (tmp_path / "lines").exists()


def test_nothing_is_written_over(prove: Run, verify: Run, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine", "utf-8")
    assert prove(WIRE, "-o", "there").returncode == 2
    assert verify(BUNDLE, "--lines-out", "there").returncode == 2
    assert (tmp_path / "there").read_text("utf-8") == "mine"


def test_parts_and_absence(prove: Run, verify: Run) -> None:
    assert prove(WIRE, "--lines", "4..6", "--lines", "13", "-o", "part").returncode == 0
    assert verify("part").stdout.startswith(f"proven:     PART OF A SAGA, {WIRE}: 5 lines")
    assert prove(NONE, "--absent", "-o", "absent").returncode == 0
    assert verify("absent").stdout.startswith(f"proven:     ABSENT SAGA {NONE}")
    assert prove(WIRE, "--absent").returncode == 2
    assert prove(NONE).returncode == 2
    assert prove(NONE, "--absent", "--lines", "1..2").returncode == 2


def test_a_value_in_clear_cannot_be_withheld(prove: Run) -> None:
    done = prove(WIRE, "--conceal", "4:/tool")
    assert done.returncode == 2
    assert "was written in clear and cannot be withheld" in done.stderr
    assert done.stdout == ""


def test_a_damaged_or_missing_log_is_exit_1_and_makes_no_bundle(run_cli: Run, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "copy")
    store = tmp_path / "copy" / "shop.jsonl"
    tile = next((tmp_path / "copy" / "shop.jsonl.log" / "tile" / "0").rglob("35"))
    tile.write_bytes(b"\0" * 32 + tile.read_bytes()[32:])
    done = run_cli("prove", WIRE, "--store", str(store))
    assert (done.returncode, done.stdout) == (1, "")
    assert "error:" in done.stderr
    shutil.rmtree(tmp_path / "copy" / "shop.jsonl.log")
    assert run_cli("prove", WIRE, "--store", str(store)).returncode == 1


def test_a_sqlite_store_reveals_from_its_own_disclosures(run_cli: Run, tmp_path: Path) -> None:
    place = tmp_path / "shop.db"
    done = run_cli("store", "import", str(place), str(STORE), "--disclosures", str(STORE) + ".disclosures")
    assert done.returncode == 0, done.output
    write_checkpoint(str(place), LOG, now=1_796_300_000, random=stream("third"))
    made = run_cli("prove", WIRE, "--store", str(place), "--reveal", "5:/args", "-o", "b.json", cwd=tmp_path)
    assert made.returncode == 0, made.output
    done = run_cli("verify", "b.json", "--pin", str(PIN), cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert "5:/args/iban = " in done.stdout
    assert "4:/args/iban = " not in done.stdout
