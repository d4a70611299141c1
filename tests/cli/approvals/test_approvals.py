"""`agent-saga approvals` as people type it: what waits is shown in full, signed, recorded, and certifies."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires
from hands import ENV, at_a_terminal, exported, fingerprint, first_group

Run = Callable[..., Any]
BY_ANA = ("--key", "ana-soft", "--key-file", "ana.key", "--registry", "registry-3.json")


def certified(run_cli: Run, folder: Path) -> str:
    done = run_cli("certify", "pay.db", "--registry", "registry-3.json", cwd=folder)
    return "certified" if done.returncode == 0 else str(done.output)


def carried(run: Run, folder: Path, *options: str) -> Any:
    """Export Ana's request, sign it, import the proof; what the import said."""
    mark = exported(run, "ana-soft", *options)
    given = ("--registry", "registry-3.json", "--key-file", "ana.key", "-o", "proof.json", "--fingerprint", mark)
    done = run("sign", "request.json", *given)
    assert done.returncode == 0, done.output
    return run("import", "pay.db", "proof.json", "--registry", "registry-3.json")


def test_a_request_carried_by_hand_is_signed_elsewhere_and_certifies(
    run: Run, run_cli: Run, store: Path, registry: Path, tmp_path: Path
) -> None:
    mark = exported(run, "ana-soft")
    away = tmp_path / "away"
    away.mkdir()
    for name in ("request.json", "registry-3.json", "ana.key"):
        shutil.copy(tmp_path / name, away)
    given = ("--registry", "registry-3.json", "--key-file", "ana.key", "-o", "proof.json")
    done = run_cli("approvals", "sign", "request.json", *given, "--fingerprint", mark, cwd=away, env=ENV)
    assert done.returncode == 0, done.output
    assert fingerprint(done.stderr) == mark
    shutil.copy(away / "proof.json", tmp_path)
    done = run("import", "pay.db", "proof.json", "--registry", "registry-3.json")
    assert (done.returncode, "recorded: approve by p-ana" in done.stdout) == (0, True), done.output
    assert "1 of 1" in done.stderr
    bank = wires.Bank()
    assert wires.run(store, registry, bank=bank) == "succeeded_verified"
    assert len(bank) == 1
    assert certified(run_cli, tmp_path) == "certified"


def test_one_line_of_ssh_keygen_is_enough_to_sign(
    run: Run, run_cli: Run, store: Path, registry: Path, tmp_path: Path
) -> None:
    exported(run, "ben-ssh")
    line = (
        r"printf 'agent-saga-approval-v1 sha256:%s' "
        r'"$({ printf "agent-saga/approval/v1\0"; tr -d "\n" < request.json; } | sha256sum | cut -d" " -f1)" '
        r"| ssh-keygen -Y sign -n approval@agent-saga -f ben > request.sig"
    )
    subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    given = ("--signature", "request.sig", "--registry", "registry-3.json")
    done = run("import", "pay.db", "request.json", *given)
    assert done.returncode == 0, done.output
    assert wires.run(store, registry) == "succeeded_verified"
    assert certified(run_cli, tmp_path) == "certified"


def test_list_show_and_watch_tell_what_waits_and_write_nothing(run: Run, store: Path) -> None:
    before = store.read_bytes()
    (one,) = json.loads(run("list", "pay.db", "--format", "json").stdout)["approvals"]
    assert (one["saga"], one["step"], one["proposer"], one["quorum"]) == (wires.SAGA, "wire", "plan", 1)
    text, shown = run("list", "pay.db").stdout, run("show", "pay.db").stdout
    assert one["fingerprint"] in text
    assert one["fingerprint"] in shown
    assert 'args.to = "DE02120300000000202051"' in shown
    assert "args.minor = 1000" in shown
    assert run("watch", "pay.db", "--for", "0.5", "--every", "0.1").stdout == text
    (told,) = run("watch", "pay.db", "--for", "0.1", "--format", "json").stdout.splitlines()
    assert json.loads(told) == {"waits": "approval"} | one
    assert store.read_bytes() == before


def test_nothing_that_waits_is_exit_code_4(run: Run, store: Path, tmp_path: Path) -> None:
    assert run("show", "pay.db", "nobody").returncode == 4
    assert run("show", "pay.db", wires.SAGA, "other").returncode == 4
    assert run("sign", "pay.db", "nobody", *BY_ANA).returncode == 4
    assert run("decide", "pay.db", wires.SAGA, "wire", "landed", "--reason", "x", *BY_ANA).returncode == 4
    (tmp_path / "empty.jsonl").touch()
    assert run("list", "empty.jsonl").returncode == 4
    assert run("watch", "empty.jsonl", "--for", "0.2").returncode == 4


HOSTILE = 'DE\u202e1202\x1b[2J\x07\u200b\u0301\r\n = "x" \\ ' + "é" * 5000
ESCAPED = r"DE\u{202e}1202\u{1b}[2J\u{7}\u{200b}\u{301}\u{d}\u{a} = \"x\" \\ " + "é" * 5000


def test_what_is_shown_is_whole_and_no_character_of_it_steers_the_terminal(
    run: Run, registry: Path, tmp_path: Path
) -> None:
    wires.run(tmp_path / "pay.db", registry, to=HOSTILE)
    exported(run, "ana-soft")
    for words in (("show", "pay.db"), ("show", "request.json")):
        done = run(*words)
        assert done.returncode == 0, done.output
        assert not re.search(r"[^\x20-\x7eé\n]", done.stdout)
        (line,) = (row for row in done.stdout.splitlines() if re.match(r"(content\.)?args\.to = ", row))
        assert line.endswith(f'"{ESCAPED}"')


@pytest.mark.parametrize("types", ["", "no", "yes", "AAAA"])
def test_what_is_irreversible_is_signed_by_no_mere_yes(run: Run, store: Path, tmp_path: Path, types: str) -> None:
    code, shown = at_a_terminal(tmp_path, "sign", "pay.db", *BY_ANA, types=lambda shown: types)
    assert (code, "nothing was signed" in shown) == (1, True), shown
    assert json.loads(run("list", "pay.db", "--format", "json").stdout)["approvals"][0]["answered"] == []


def test_at_the_terminal_the_fingerprint_is_typed_and_the_answer_recorded(
    store: Path, registry: Path, tmp_path: Path
) -> None:
    code, shown = at_a_terminal(tmp_path, "sign", "pay.db", *BY_ANA, types=first_group)
    assert code == 0, shown
    assert "recorded: approve by p-ana" in shown
    assert wires.run(store, registry) == "succeeded_verified"


def test_a_denial_ends_it_for_good(run: Run, store: Path, registry: Path, tmp_path: Path) -> None:
    done = carried(run, tmp_path, "--answer", "deny", "--reason", "not this supplier")
    assert done.returncode == 0, done.output
    bank = wires.Bank()
    assert wires.run(store, registry, bank=bank) != "succeeded_verified"
    assert bank == []
    asked = json.loads(run("list", "pay.db", "--format", "json").stdout)["approvals"]
    assert "wire" not in {one["step"] for one in asked}, "to ask again takes a new step"


def test_deny_at_the_terminal(store: Path, registry: Path, tmp_path: Path) -> None:
    code, shown = at_a_terminal(tmp_path, "deny", "pay.db", *BY_ANA, "--reason", "no", types=first_group)
    assert (code, "recorded: deny by p-ana" in shown) == (0, True), shown


def test_a_quorum_of_two_counts_persons(run: Run, registry: Path, tmp_path: Path) -> None:
    wires.run(tmp_path / "pay.db", registry, quorum=2)
    assert carried(run, tmp_path).returncode == 0
    (tmp_path / "proof.json").unlink()
    (tmp_path / "request.json").unlink()
    again = carried(run, tmp_path)
    assert again.returncode == 1, again.output
    assert "before" in again.stderr
    assert wires.run(tmp_path / "pay.db", registry, quorum=2) == "waiting_approval"


def test_breaking_the_glass_needs_its_role_and_a_reason(run: Run, store: Path, tmp_path: Path) -> None:
    assert run("break-glass", "pay.db", *BY_ANA).returncode == 2
    done = run("export", "pay.db", "--key", "ana-soft", "--registry", "registry-3.json", "--answer", "break-glass")
    assert (done.returncode, "needs a reason" in done.stderr) == (1, True), done.output
    words = ("break-glass", "pay.db", *BY_ANA, "--reason", "the supplier waits")
    code, shown = at_a_terminal(tmp_path, *words, types=first_group)
    assert (code, "wrong-role" in shown) == (1, True), shown


def test_a_proof_that_does_not_hold_is_refused_and_not_recorded(run: Run, store: Path, tmp_path: Path) -> None:
    mark = exported(run, "ana-soft")
    given = ("--registry", "registry-3.json", "--key-file", "ana.key", "--fingerprint", mark)
    proof = json.loads(run("sign", "request.json", *given).stdout)
    other = json.loads(json.dumps(proof))
    other["request"]["content"]["args"]["minor"] = 9_999_999
    for name, value in {
        "amount": other,
        "signature": proof | {"signature": proof["signature"][::-1]},
        "scheme": proof | {"scheme": "pkcs11"},
        "key": proof | {"key_id": "nobody"},
        "more": proof | {"more": 1},
        "request": proof | {"request": None},
    }.items():
        (tmp_path / "bad.json").write_text(json.dumps(value))
        done = run("import", "pay.db", "bad.json", "--registry", "registry-3.json")
        assert (name, done.returncode) == (name, 1), done.output
    assert json.loads(run("list", "pay.db", "--format", "json").stdout)["approvals"][0]["answered"] == []


def test_a_request_for_another_fingerprint_or_key_is_not_signed(run: Run, store: Path, tmp_path: Path) -> None:
    mark = exported(run, "ana-soft")
    given = ("--registry", "registry-3.json", "--key-file", "ana.key")
    assert run("sign", "request.json", *given, "--fingerprint", "AAAA" + mark[4:]).returncode == 1
    assert run("sign", "request.json", *given).returncode == 2, "without a terminal nobody is asked"
    assert run("sign", "request.json", *given, "--key", "ben-ssh", "--fingerprint", mark).returncode == 2
    by_ben = ("--registry", "registry-3.json", "--ssh", "ben", "--fingerprint", mark)
    done = run("sign", "request.json", *by_ben)
    assert (done.returncode, "enrolled as ed25519" in done.stderr) == (1, True), done.output
    spaced = json.dumps(json.loads((tmp_path / "request.json").read_text()), indent=1)
    (tmp_path / "spaced.json").write_text(spaced)
    assert run("show", "-", stdin=spaced).returncode == 1, "only canonical JSON is what is signed"


def test_nobody_signs_a_concealed_value_that_they_cannot_see(run: Run, registry: Path, tmp_path: Path) -> None:
    store = tmp_path / "pay.db"
    assert wires.run(store, registry, definition=wires.QUIET) == "waiting_approval"
    shown = run("show", "pay.db").stdout
    assert 'args.to (opened) = "DE02120300000000202051"' in shown, "the store itself keeps what opens it"
    given = ("--registry", "registry-3.json")
    assert run("export", "pay.db", "--key", "ana-soft", *given).returncode == 2, "what opens it has to go along"
    mark = exported(run, "ana-soft", "--disclosures-to", "open.txt")
    assert "DE0212" not in (tmp_path / "request.json").read_text()
    assert (tmp_path / "open.txt").stat().st_mode & 0o077 == 0
    means = ("--key-file", "ana.key", *given, "--fingerprint", mark)
    for words in (("show", "request.json"), ("sign", "request.json", *means)):
        blind = run(*words)
        assert (blind.returncode, blind.stdout) == (3, ""), blind.output
    done = run("sign", "request.json", *means, "--disclosures", "open.txt", "-o", "proof.json")
    assert (done.returncode, "DE02120300000000202051" in done.stderr) == (0, True), done.output
    assert run("import", "pay.db", "proof.json", *given).returncode == 0
    bank = wires.Bank()
    assert wires.run(store, registry, definition=wires.QUIET, bank=bank) == "succeeded_verified"
    assert [to for _, to, _ in bank] == ["DE02120300000000202051"]
