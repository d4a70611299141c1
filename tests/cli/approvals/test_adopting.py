"""`approvals registry adopt`: the next version is in force in a running log from its line on, and not before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires
from hands import ENV, at_a_terminal, fingerprint, first_group

from agent_saga.proofs.keys import key_from_seed, save_key

Run = Callable[..., Any]
SECOND = "saga2AAAAAAAAAAAAAAAAA"
NEW = key_from_seed("ben.example", "approval", b"b" * 32)
BY_NEW = ("--key", "ben-soft", "--key-file", "ben.key")
HOLDERS = {"ana-soft": ("--key-file", "ana.key"), "ben-ssh": ("--ssh", "ben")}


@pytest.fixture
def enrolled(run: Run, opened: Path, tmp_path: Path) -> Path:
    """Ben has a second key in version 4; the log was opened with version 3, whose file is registry-4.json."""
    save_key(NEW, tmp_path / "ben.key", wires.SECRET.encode())
    given = ("--vkey", str(NEW.vkey), "--registry", "registry-4.json", "-o", "registry-5.json")
    done = run("enroll", "p-ben", "--id", "ben-soft", *given, "--from", "2026-01-01T00:00:00Z", "--days", "27000")
    assert done.returncode == 0, done.output
    return tmp_path / "registry-5.json"


def signed(run: Run, file: str = "registry-5.json", *, by: tuple[str, ...] = tuple(HOLDERS)) -> list[str]:
    """Each holder's change, exported, signed where they are, as options of the command."""
    proofs = []
    for key in by:
        for left in (f"{key}.json", f"{key}.proof"):
            Path(left).unlink(missing_ok=True)
        done = run("registry", "adopt", file, "pay.db", "--key", key, "--export", f"{key}.json")
        assert done.returncode == 0, done.output
        given = ("--registry", "registry-4.json", *HOLDERS[key], "--fingerprint", fingerprint(done.stderr))
        assert run("sign", f"{key}.json", *given, "-o", f"{key}.proof").returncode == 0
        proofs += ["--proof", f"{key}.proof"]
    return proofs


@pytest.fixture
def adopted(run: Run, enrolled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log in which two persons put version 4 in force."""
    monkeypatch.chdir(tmp_path)
    done = run("registry", "adopt", "registry-5.json", "pay.db", *signed(run))
    assert (done.returncode, done.stdout.startswith("adopted: registry version 4, digest ")) == (0, True), done.output
    return tmp_path / "pay.db"


def lines(run_cli: Run, folder: Path) -> list[bytes]:
    found: str = run_cli("store", "export", "pay.db", cwd=folder).stdout
    return found.encode().splitlines(keepends=True)


def certify(run_cli: Run, folder: Path, path: str, *trust: str) -> Any:
    return run_cli("certify", path, *(trust or ("--registry", "registry-4.json")), "--no-config", cwd=folder)


def test_a_new_key_approves_after_the_adoption_and_certify_agrees(run_cli: Run, adopted: Path, tmp_path: Path) -> None:
    assert wires.run(adopted, None, saga=SECOND) == "waiting_approval"
    code, shown = at_a_terminal(tmp_path, "sign", "pay.db", SECOND, "wire", *BY_NEW, types=first_group)
    assert code == 0, shown
    assert wires.run(adopted, None, saga=SECOND) == "succeeded_verified"
    told = certify(run_cli, tmp_path, "pay.db", "--inconclusive", "pass", "--open", "inconclusive",
                   "--registry", "registry-4.json")  # fmt: skip
    assert told.returncode == 0, told.output
    assert certify(run_cli, tmp_path, "pay.db", "--registry", "registry-5.json").returncode == 1, "the log began with 3"


def test_a_new_key_approves_nothing_that_was_asked_before_the_adoption(
    run: Run, run_cli: Run, adopted: Path, tmp_path: Path
) -> None:
    refused = run("export", "pay.db", wires.SAGA, "wire", "--key", "ben-soft")
    assert (refused.returncode, "unknown-key" in refused.stderr) == (1, True), refused.output
    code, shown = at_a_terminal(tmp_path, "sign", "pay.db", "--key", "ana-soft", "--key-file", "ana.key",
                                types=first_group)  # fmt: skip
    assert code == 0, shown
    assert wires.run(adopted, None) == "succeeded_verified", "who could approve it before still can"
    assert certify(run_cli, tmp_path, "pay.db").returncode == 0


def test_an_adoption_that_stands_after_the_approval_comes_too_late(run_cli: Run, adopted: Path, tmp_path: Path) -> None:
    wires.run(adopted, None, saga=SECOND)
    assert at_a_terminal(tmp_path, "sign", "pay.db", SECOND, "wire", *BY_NEW, types=first_group)[0] == 0
    wires.run(adopted, None, saga=SECOND)
    whole = [line for line in lines(run_cli, tmp_path) if wires.SAGA.encode() not in line]
    own = [line for line in whole if json.loads(line)["type"] == "keys.enrolled"]
    (tmp_path / "good.jsonl").write_bytes(b"".join(whole))
    assert certify(run_cli, tmp_path, "good.jsonl").returncode == 0
    (tmp_path / "late.jsonl").write_bytes(b"".join([line for line in whole if line not in own] + own))
    late = certify(run_cli, tmp_path, "late.jsonl", "--format", "json", "--registry", "registry-4.json")
    assert late.returncode == 1, late.output
    assert "AS303" in late.stdout
    (tmp_path / "never.jsonl").write_bytes(b"".join(line for line in whole if line not in own))
    assert certify(run_cli, tmp_path, "never.jsonl").returncode == 1


def test_what_differs_is_shown_before_anybody_signs(run: Run, enrolled: Path, tmp_path: Path) -> None:
    given = ("--key", "ana-soft", "--key-file", "ana.key")
    code, shown = at_a_terminal(tmp_path, "registry", "adopt", "registry-5.json", "pay.db", *given, types=first_group)
    assert (code, "too-few" in shown) == (1, True), "one of two registrars"
    assert shown.index('+ key {"id": "ben-soft"') < shown.index("fingerprint  ")


def test_one_signature_and_others_make_the_quorum(
    run: Run, enrolled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (_, other) = signed(run, by=("ben-ssh",))
    given = ("--key", "ana-soft", "--key-file", "ana.key", "--proof", other)
    code, shown = at_a_terminal(tmp_path, "registry", "adopt", "registry-5.json", "pay.db", *given, types=first_group)
    assert (code, "adopted: registry version 4" in shown) == (0, True), shown


def test_a_registry_that_is_not_approved_is_refused_and_nothing_is_written(
    run: Run, run_cli: Run, enrolled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = lines(run_cli, tmp_path)
    ana, ben = signed(run)[1::2]
    assert run("registry", "adopt", "registry-5.json", "pay.db").returncode == 2, "nobody signed"
    value = json.loads(enrolled.read_text())
    value["keys"][0]["not_after"] = "2040-01-01T00:00:00.000000Z"
    (tmp_path / "other.json").write_text(json.dumps(value))
    for file, proofs, reason in (
        ("registry-5.json", (ana,), "too-few"),
        ("registry-5.json", (ana, ana), "too-few"),
        ("other.json", (ana, ben), "wrong-change"),
    ):
        done = run("registry", "adopt", file, "pay.db", *(word for one in proofs for word in ("--proof", one)))
        assert (done.returncode, reason in done.stderr) == (1, True), done.output
    assert lines(run_cli, tmp_path) == before


def test_a_registry_that_cannot_follow_the_one_in_force_is_refused_before_anybody_signs(
    run: Run, run_cli: Run, adopted: Path, tmp_path: Path
) -> None:
    before = lines(run_cli, tmp_path)
    by = ("--key", "ana-soft", "--export", "-")
    same = run("registry", "adopt", "registry-5.json", "pay.db", *by)
    assert (same.returncode, "in force already" in same.stderr) == (1, True), same.output
    value = json.loads((tmp_path / "registry-5.json").read_text())
    for name, changed, reason in (
        ("stale", value | {"agents": []}, "wrong-version"),
        ("ahead", value | {"version": value["version"] + 2}, "wrong-version"),
        ("moved", _moved(value), "key-id-reused"),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(changed))
        done = run("registry", "adopt", f"{name}.json", "pay.db", *by)
        assert (done.returncode, reason in done.stderr) == (1, True), done.output
    (tmp_path / "none.json").write_text("{}")
    assert run("registry", "adopt", "none.json", "pay.db", *by).returncode == 2
    assert lines(run_cli, tmp_path) == before


def _moved(value: dict[str, Any]) -> dict[str, Any]:
    """The next version, in which a key is another person's."""
    moved: dict[str, Any] = json.loads(json.dumps(value))
    moved["version"] += 1
    next(one for one in moved["keys"] if one["id"] == "ben-soft")["person"] = "p-dan"
    return moved


def test_a_revoked_key_cannot_be_adopted_again(run: Run, adopted: Path, tmp_path: Path) -> None:
    assert at_a_terminal(tmp_path, "revoke", "pay.db", "ben-soft", *BY_NEW, types=lambda shown: "yes")[0] == 0
    value = json.loads((tmp_path / "registry-5.json").read_text())
    (tmp_path / "again.json").write_text(json.dumps(value | {"version": value["version"] + 1}))
    done = run("registry", "adopt", "again.json", "pay.db", "--key", "ana-soft", "--export", "-")
    assert (done.returncode, "revoked" in done.stderr) == (1, True), done.output


def test_a_change_that_was_signed_for_an_earlier_state_is_refused(
    run: Run, enrolled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    proofs = signed(run)
    ssh = ("--key", "ben-ssh", "--ssh", "ben")
    assert at_a_terminal(tmp_path, "revoke", "pay.db", "ben-ssh", *ssh, types=lambda shown: "yes")[0] == 0
    done = run("registry", "adopt", "registry-5.json", "pay.db", *proofs)
    assert (done.returncode, "revoked" in done.stderr) == (1, True), done.output


def test_a_log_without_a_registry_adopts_none(run: Run, store: Path) -> None:
    done = run("registry", "adopt", "registry-3.json", "pay.db", "--key", "ana-soft", "--export", "-")
    assert (done.returncode, "not opened with a registry" in done.stderr) == (2, True), done.output


def test_a_log_goes_on_being_signed_after_an_adoption(run_cli: Run, adopted: Path, tmp_path: Path) -> None:
    for words in (("checkpoint", "pay.db", "--key", "log.key"), ("verify", "pay.db", "--pin", "log.pin")):
        done = run_cli("log", *words, cwd=tmp_path, env=ENV)
        assert done.returncode == 0, done.output
        (tmp_path / "log.pin").write_text(run_cli("log", "pin", "pay.db", cwd=tmp_path, env=ENV).stdout)
