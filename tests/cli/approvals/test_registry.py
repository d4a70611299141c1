"""`approvals registry`, `revoke` and the log's own registry; and what nobody may type without being told why not."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires
from hands import ENV, at_a_terminal, exported, fingerprint, first_group, keygen

Run = Callable[..., Any]
BY_ANA = ("--key", "ana-soft", "--key-file", "ana.key")


def test_check_tells_what_cannot_work(run: Run, registry: Path, tmp_path: Path) -> None:
    good = run("registry", "check", "registry-3.json", "--quorum", "2:treasury", "--format", "json")
    assert good.returncode == 0, good.output
    assert re.fullmatch("[0-9a-f]{64}", json.loads(good.stdout)["digest"])
    for quorum, words in (("3:treasury", "nobody could ever approve"), ("1:nobodies", "0 have a valid key")):
        bad = run("registry", "check", "registry-3.json", "--quorum", quorum)
        assert (bad.returncode, words in bad.stdout) == (1, True), bad.output
    later = run("registry", "check", "registry-3.json", "--quorum", "1:treasury", "--at", "2100-01-01T00:00:00Z")
    assert later.returncode == 1, "no key signs for ever"
    twice = json.loads(registry.read_text())
    twice["keys"].append(twice["keys"][0] | {"id": "again", "person": "p-ben"})
    (tmp_path / "twice.json").write_text(json.dumps(twice))
    shared = run("registry", "check", "twice.json")
    assert (shared.returncode, "one raw key" in shared.stdout) == (1, True), shared.output


def test_a_quorum_that_needs_the_agent_s_owner_is_an_error(run: Run, registry: Path, tmp_path: Path) -> None:
    value = json.loads(registry.read_text())
    value["agents"][0]["owner"] = "p-ben"
    (tmp_path / "owned.json").write_text(json.dumps(value))
    done = run("registry", "check", "owned.json", "--quorum", "2:treasury")
    assert (done.returncode, "agent plan, whose owner p-ben may not approve" in done.stdout) == (1, True), done.output


def test_diff_says_what_differs(run: Run, registry: Path) -> None:
    assert run("registry", "diff", "registry-3.json", "registry-3.json").returncode == 0
    done = run("registry", "diff", "registry-2.json", "registry-3.json", "--format", "json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["differences"][0] == "~ version: 2 -> 3"
    assert any(line.startswith('+ key {"id": "ben-ssh"') for line in told["differences"])
    assert "do" in run("registry", "diff", "registry-1.json", "registry-3.json").stderr


def test_the_log_s_own_registry_is_in_force_and_no_other(run: Run, opened: Path, tmp_path: Path) -> None:
    other = run("export", "pay.db", "--key", "ana-soft", "--registry", "registry-3.json")
    assert (other.returncode, "not the registry in force" in other.stderr) == (2, True), other.output
    code, shown = at_a_terminal(tmp_path, "sign", "pay.db", *BY_ANA, types=first_group)
    assert code == 0, shown
    assert wires.run(opened, None) == "succeeded_verified"


def test_who_lost_a_key_revokes_it_alone_and_it_signs_no_more(run: Run, opened: Path, tmp_path: Path) -> None:
    mark = exported(run, "ana-soft", registry=4)
    given = ("--key-file", "ana.key", "--registry", "registry-4.json", "--fingerprint", mark, "-o", "proof.json")
    assert run("sign", "request.json", *given).returncode == 0
    assert run("import", "pay.db", "proof.json").returncode == 0
    code, shown = at_a_terminal(tmp_path, "revoke", "pay.db", "ana-soft", *BY_ANA, types=lambda shown: "yes")
    assert (code, "revoked: ana-soft" in shown) == (0, True), shown
    again = run("revoke", "pay.db", "ana-soft", *BY_ANA)
    assert again.returncode in (1, 2), again.output
    refused = run("export", "pay.db", "--key", "ana-soft")
    assert (refused.returncode, "revoked" in refused.stderr) == (1, True), refused.output
    bank = wires.Bank()
    assert wires.run(opened, None, bank=bank) == "waiting_approval", "an approval by a lost key counts no more"
    assert bank == []


def test_a_log_goes_on_being_signed_and_checked_after_a_key_was_revoked(
    run: Run, run_cli: Run, opened: Path, tmp_path: Path
) -> None:
    def log(*words: str) -> Any:
        done = run_cli("log", *words, cwd=tmp_path, env=ENV)
        assert done.returncode == 0, done.output
        return done

    log("checkpoint", "pay.db", "--key", "log.key")
    assert at_a_terminal(tmp_path, "revoke", "pay.db", "ana-soft", *BY_ANA, types=first_group)[0] == 0
    log("checkpoint", "pay.db", "--key", "log.key")
    wires.run(opened, None, saga="saga2AAAAAAAAAAAAAAAAA")
    log("checkpoint", "pay.db", "--key", "log.key")
    (tmp_path / "log.pin").write_text(log("pin", "pay.db").stdout)
    log("verify", "pay.db", "--pin", "log.pin")
    indices = [line["keys"]["index"] for line in _lines(run_cli, tmp_path) if line["type"] == "log.indexed"]
    (revoked,) = (at for at, line in enumerate(_lines(run_cli, tmp_path)) if line["type"] == "keys.revoked")
    assert indices == [0, revoked, revoked]


def test_a_bundle_of_an_approved_saga_is_judged_by_the_registry_that_its_log_had_then(
    run: Run, run_cli: Run, opened: Path, tmp_path: Path
) -> None:
    def cli(*words: str, code: int = 0) -> Any:
        done = run_cli(*words, cwd=tmp_path, env=ENV)
        assert done.returncode == code, done.output
        return done

    def certified(code: int, *trust: str) -> str:
        cli("prove", wires.SAGA, "--store", "pay.db", "-o", "pay.bundle.json")
        told: str = cli("certify", "pay.bundle.json", "--pin", "log.pin", *trust, "--no-config", code=code).stdout
        (tmp_path / "pay.bundle.json").unlink()
        return told

    assert at_a_terminal(tmp_path, "sign", "pay.db", *BY_ANA, types=first_group)[0] == 0
    assert wires.run(opened, None) == "succeeded_verified"
    cli("log", "checkpoint", "pay.db", "--key", "log.key")
    (tmp_path / "log.pin").write_text(cli("log", "pin", "pay.db").stdout)
    assert "AS306" not in certified(0, "--registry", "registry-4.json")
    assert "AS306" in certified(1, "--registry", "registry-3.json"), "another registry was pinned"
    assert at_a_terminal(tmp_path, "revoke", "pay.db", "ana-soft", *BY_ANA, types=lambda shown: "yes")[0] == 0
    cli("log", "checkpoint", "pay.db", "--key", "log.key")
    assert "AS306" not in certified(0, "--registry", "registry-4.json"), "it signed before it was revoked"


def _lines(run_cli: Run, folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run_cli("store", "export", "pay.db", cwd=folder).stdout.splitlines()]


def test_to_say_that_a_key_was_lost_earlier_takes_the_quorum(run: Run, opened: Path, tmp_path: Path) -> None:
    since = ("--compromised-since", "2026-01-02T00:00:00Z")
    alone = at_a_terminal(tmp_path, "revoke", "pay.db", "ana-soft", *BY_ANA, *since, types=first_group)
    assert (alone[0], "too-few" in alone[1]) == (1, True), alone[1]
    proofs = []
    for key, means in (("ana-soft", ("--key-file", "ana.key")), ("ben-ssh", ("--ssh", "ben"))):
        done = run("revoke", "pay.db", "ana-soft", "--key", key, *since, "--export", f"{key}.json")
        assert done.returncode == 0, done.output
        mark = ("--fingerprint", fingerprint(done.stderr))
        assert "change" in run("show", f"{key}.json").stdout
        signed = run("sign", f"{key}.json", "--registry", "registry-4.json", *means, *mark, "-o", f"{key}.proof")
        assert signed.returncode == 0, signed.output
        proofs += ["--proof", f"{key}.proof"]
    assert run("import", "pay.db", "ben-ssh.proof").returncode == 2, "a change is no answer"
    assert run("revoke", "pay.db", "ben-ssh", *since, *proofs).returncode == 1, "signed was the loss of another key"
    done = run("revoke", "pay.db", "ana-soft", *since, *proofs)
    assert (done.returncode, done.stdout) == (0, "revoked: ana-soft\n"), done.output


def test_a_log_without_a_registry_revokes_nothing(run: Run, store: Path) -> None:
    done = run("revoke", "pay.db", "ana-soft", *BY_ANA)
    assert (done.returncode, "not opened with a registry" in done.stderr) == (2, True), done.output


def test_a_person_decides_about_a_call_that_nobody_can_prove(run: Run, registry: Path, tmp_path: Path) -> None:
    value = json.loads(registry.read_text())
    value["people"][0]["roles"].append("decider")
    (tmp_path / "registry-4.json").write_text(json.dumps(value))
    known, store = tmp_path / "registry-4.json", tmp_path / "pay.db"
    wires.run(store, known)
    mark = exported(run, "ana-soft", registry=4)
    given = ("--registry", "registry-4.json", "--key-file", "ana.key")
    assert run("sign", "request.json", *given, "--fingerprint", mark, "-o", "proof.json").returncode == 0
    assert run("import", "pay.db", "proof.json", "--registry", "registry-4.json").returncode == 0
    assert wires.run(store, known, bank=[]) == "paused", "a bank that cannot be read proves nothing"
    (paused,) = json.loads(run("list", "pay.db", "--format", "json").stdout)["decisions"]
    assert paused["targets"] == ["e1"]
    words = ("decide", "pay.db", wires.SAGA, "e1", "kept", "--key", "ana-soft", *given)
    assert run(*words).returncode == 2, "a decision needs a reason"
    code, shown = at_a_terminal(tmp_path, *words, "--reason", "it is on the statement", types=lambda shown: "yes")
    assert (code, "recorded: e1 is kept, by p-ana" in shown) == (0, True), shown


BAD: dict[str, bytes] = {
    "empty": b"",
    "array": b"[]",
    "number": b"7",
    "null": b"null",
    "text": b"\xff\xfe",
    "deep": b'{"action":' * 5_000,
    "twice": b'{"action":1,"action":2}',
    "float": b'{"action":1.5}',
    "wrong": b'{"action":{},"content":[],"decision":7}',
    "other": b'{"change":null}',
    "large": b'{"action":"' + b"x" * 2_000_000 + b'"}',
    "database": b"SQLite format 3\0" + b"\0" * 100,
}


@pytest.mark.parametrize("name", BAD)
def test_no_file_shows_a_traceback_or_passes(run: Run, registry: Path, tmp_path: Path, name: str) -> None:
    bad = tmp_path / "bad\u202e.json"
    bad.write_bytes(BAD[name])
    path = os.fspath(bad)
    wires.run(tmp_path / "pay.db", registry)
    given = ("--registry", "registry-3.json")
    for words in (
        ("show", path),
        ("sign", path, *given, "--key-file", "ana.key", "--fingerprint", "AAAA"),
        ("import", "pay.db", path, *given),
        ("registry", "check", path),
        ("enroll", "p-ana", "--id", "k", "--passkey", path),
    ):
        done = run(*words)
        assert done.returncode in (1, 2, 4), (words, done.output)
        assert "\u202e" not in done.output


def test_no_argument_shows_a_traceback_or_steers_the_terminal(run: Run, store: Path) -> None:
    odd = "\x1b[2J\u202e\x07"
    for words in (
        ("show", odd),
        ("list", odd),
        ("show", "pay.db", odd, odd),
        ("sign", "pay.db", odd, "--key", odd, "--key-file", odd, "--registry", odd),
        ("export", "pay.db", "--key", odd, "--registry", "registry-3.json"),
        ("export", "pay.db", "--key", "ana-soft", "--registry", "registry-3.json", "--reason", odd * 5000),
        ("import", "pay.db", odd),
        ("import", "/dev/zero", "/dev/zero"),
        ("enroll", odd, "--id", odd, "--vkey", odd),
        ("revoke", "pay.db", odd, "--key", odd, "--key-file", odd, "--compromised-since", odd),
        ("registry", "check", "registry-3.json", "--quorum", odd),
        ("registry", "check", "registry-3.json", "--at", odd),
        ("registry", "diff", odd, odd),
        ("watch", odd, "--for", "0.1"),
    ):
        done = run(*words)
        assert done.returncode in (1, 2, 4), (words, done.output)
        assert not re.search("[\x1b\x07\u202e]", done.output), words


def test_two_keys_of_one_ssh_file_are_told_apart(run: Run, tmp_path: Path) -> None:
    wires.registry(tmp_path)
    keygen(tmp_path, "-q", "-t", "ed25519", "-N", "", "-f", "one")
    done = run("enroll", "p-ana", "--id", "k", "--ssh-public", "one", "--registry", "registry-1.json")
    assert done.returncode == 1, "the private half is no public key, and none of it is shown"
    assert "OPENSSH" not in done.stdout
