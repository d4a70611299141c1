"""The commands of a risk team from the first draft to the signature, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import signers

Run = Callable[..., Any]
ENV = {"AGENT_SAGA_KEY_PASSPHRASE": "correct horse battery staple"}


class Done(NamedTuple):
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return f"exit {self.returncode}\n{self.stdout}\n{self.stderr}"


@pytest.fixture
def saga(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`agent-saga WORDS...` in this process, in a folder of its own: a process each would take a minute in all."""
    from agent_saga.cli.program import run

    monkeypatch.chdir(tmp_path)
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)

    def ran(*words: str) -> Done:
        capsys.readouterr()
        code = run(words)
        return Done(code, *capsys.readouterr())

    return ran


@pytest.fixture
def policy(saga: Run) -> Run:
    """`agent-saga policy WORDS...`."""
    return lambda *words: saga("policy", *words)


def test_the_command_is_there(run_cli: Run, tmp_path: Path) -> None:
    assert run_cli("policy", "new", "p.yaml", cwd=tmp_path).returncode == 0
    done = run_cli("policy", "check", "p.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.output


def test_a_new_policy_checks_tests_and_is_not_written_over(policy: Run, tmp_path: Path) -> None:
    assert policy("new", "payments.yaml").returncode == 0
    checked = policy("check", "payments.yaml")
    assert (checked.returncode, "no errors" in checked.stdout) == (0, True), checked.output
    tested = policy("test", "payments.yaml", "--min-coverage", "100", "--junit", "out.xml")
    assert tested.returncode == 0, tested.output
    assert "6 tests: 6 passed\ncoverage: 100% (16 of 16)\n" in tested.stdout
    assert (tmp_path / "out.xml").read_text().startswith("<?xml")
    assert policy("new", "payments.yaml").returncode == 2
    assert policy("new", "no name.yaml").returncode == 2


def test_a_wrong_policy_is_told_at_its_places_and_exits_one(policy: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    path = tmp_path / "p.yaml"
    text = path.read_text().replace("args.amount.minor > 50000", "args.amount.minro > 50000").replace("PT24H", "24h")
    path.write_text(text)
    done = policy("check", "p.yaml")
    assert done.returncode == 1
    assert [line.split(": ", 1)[1] for line in done.stdout.splitlines()] == [
        "the field `minro` of `args.amount` is not described, so its type is unknown; did you mean `minor`?",
        "limits[0].window: found '24h'; expected an ISO 8601 duration such as PT15M, PT24H or P1D",
    ]
    assert all(line.startswith("p.yaml:") for line in done.stdout.splitlines())
    told = json.loads(policy("check", "p.yaml", "--format", "json").stdout)
    assert [one["line"] for one in told["errors"]] == [int(line.split(":")[1]) for line in done.stdout.splitlines()]
    assert policy("test", "p.yaml").returncode == 1


@pytest.mark.parametrize("word", ["check", "test"])
@pytest.mark.parametrize("name", ["none.yaml", "."])
def test_what_is_no_file_exits_two_without_a_trace(policy: Run, word: str, name: str) -> None:
    done = policy(word, name)
    assert done.returncode == 2
    assert "cannot be read" in done.stderr
    assert "Traceback" not in done.output


def test_a_failing_test_too_little_coverage_and_no_test_have_their_codes(policy: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    whole = (tmp_path / "p.yaml").read_text()
    (tmp_path / "fails.yaml").write_text(whole.replace("expect: allow", "expect: deny", 1))
    failed = policy("test", "fails.yaml")
    assert failed.returncode == 1
    assert "FAIL a small charge goes through\n     fails.yaml:62:5: expected deny; got allow\n" in failed.stdout
    head, _, tests = whole.partition("tests:\n")
    (tmp_path / "few.yaml").write_text(head + "tests:\n" + tests[: tests.index("  - name: one cent")])
    assert policy("test", "few.yaml").returncode == 0
    few = policy("test", "few.yaml", "--min-coverage", "100")
    assert few.returncode == 1
    assert "at least 100% is asked for" in few.stdout
    (tmp_path / "none.yaml").write_text(head[: head.index("# Each test is a call")])
    assert policy("test", "none.yaml").returncode == 4


def test_a_quorum_that_nobody_can_reach_is_told(policy: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    (tmp_path / "registry.json").write_text(json.dumps(signers.registry()))
    path = tmp_path / "p.yaml"
    assert policy("check", "p.yaml", "--registry", "registry.json", "--at", signers.NOW).returncode == 0
    path.write_text(path.read_text().replace("roles: [approver], strength: D", "roles: [aprover], strength: D"))
    done = policy("check", "p.yaml", "--registry", "registry.json", "--at", signers.NOW)
    assert done.returncode == 1
    assert "nobody in the registry has the role 'aprover'; did you mean 'approver'?" in done.stdout
    many = "quorum: 3, roles: [approver, treasury, risk]"
    path.write_text(path.read_text().replace("quorum: 1, roles: [aprover]", many))
    assert policy("check", "p.yaml", "--registry", "registry.json", "--at", signers.NOW).returncode == 0
    path.write_text(path.read_text().replace("quorum: 3", "quorum: 4"))
    done = policy("check", "p.yaml", "--registry", "registry.json", "--at", signers.NOW)
    assert done.returncode == 1
    told = (
        "p.yaml:42:30: the rule large-charge: 4 persons in the roles approver, treasury, risk are asked for, and 3 have"
    )
    assert told in done.stdout


def test_the_schemas_are_printed(saga: Run) -> None:
    for name in ("policy", "waivers"):
        made = json.loads(saga("schema", name).stdout)
        assert made["$id"] == f"urn:agent-saga:{name}:v1"


def _key(saga: Run, folder: Path) -> str:
    """A registry whose only person may sign everything, with a software key; the key's id."""
    made = saga("keys", "new", "p-ana", "--purpose", "approval", "-o", "ana.key")
    assert made.returncode == 0, made.output
    vkey = next(word for word in made.stdout.split() if word.startswith("p-ana+"))
    empty = {"v": 1, "version": 1, "people": [{"id": "p-ben"}]}
    (folder / "registry-1.json").write_text(json.dumps(empty))
    words = (
        "--registry",
        "registry-1.json",
        "-o",
        "registry-2.json",
        "--from",
        "2026-01-01T00:00:00Z",
        "--days",
        "27000",
    )
    roles = ("--role", "registrar", "--role", "approver")
    done = saga("approvals", "enroll", "p-ana", "--id", "ana-1", *roles, "--vkey", vkey, *words)
    assert done.returncode == 0, done.output
    registry = json.loads((folder / "registry-2.json").read_text())
    registry["changes"] = {"roles": ["registrar"], "quorum": 1, "strength": "D"}
    (folder / "registry.json").write_text(json.dumps(registry))
    return "ana-1"


def shown(done: Any) -> str:
    return next(line.split("  ", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("fingerprint"))


def test_a_policy_and_a_waiver_are_signed_and_verified(policy: Run, saga: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    with_key = ("--registry", "registry.json", "--key", _key(saga, tmp_path), "--key-file", "ana.key")
    sign = ("sign", "p.yaml", *with_key, "--at", signers.NOW)
    verify = ("verify", "p.yaml", "--registry", "registry.json", "--at", signers.AFTER)
    unsigned = policy(*verify)
    assert (unsigned.returncode, "nobody has signed" in unsigned.stderr) == (1, True), unsigned.output
    asked = policy(*sign, "--fingerprint", "AAAA")
    assert (asked.returncode, (tmp_path / "p.yaml.sig.json").exists()) == (1, False), asked.output
    assert "what         stand for p version 1" in asked.stderr
    assert "tests        6 of 6 pass, coverage 100%" in asked.stderr
    assert 'policy = "p"' in asked.stderr
    done = policy(*sign, "--fingerprint", shown(asked))
    assert done.returncode == 0, done.output
    known = policy(*verify)
    assert (known.returncode, "p version 1 is signed by p-ana" in known.stdout) == (0, True), known.output
    record = json.loads(policy(*verify, "-f", "json").stdout)
    assert record["persons"] == ["p-ana"]
    assert policy(*verify, "--registry-digest", "0" * 64).returncode == 1
    assert policy(*verify, "--previous", "0" * 64).returncode == 1

    path = tmp_path / "p.yaml"
    path.write_text(path.read_text().replace("50000", "60000"))
    changed = policy(*verify)
    assert (changed.returncode, "wrong-policy" in changed.stderr) == (1, True), changed.output
    stale = policy(*sign, "--fingerprint", "AAAA")
    assert (stale.returncode, "raise version above 1" in stale.stderr) == (1, True), stale.output
    path.write_text(path.read_text().replace("version: 1 ", "version: 2 "))
    done = policy(*sign, "--fingerprint", shown(policy(*sign, "--fingerprint", "AAAA")))
    assert done.returncode == 0, done.output
    assert policy(*verify, "--previous", record["digest"]).returncode == 0


def test_a_waiver_is_signed_in_its_file_and_judged_by_check(policy: Run, saga: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    key = ("--registry", "registry.json", "--key", _key(saga, tmp_path), "--key-file", "ana.key")
    waivers = tmp_path / "p.waivers.yaml"
    waivers.write_text("""policy: p
waivers:
  - id: W-3         # kept
    rule: daily-charges
    reason: migration
    owner: p-ben
    approved_by: p-ana
    created: 2026-11-01
    expires: 2026-12-15
""")
    check = ("check", "p.yaml", "--registry", "registry.json", "--at")
    unsigned = policy(*check, "2026-12-15T23:59:59Z")
    assert (unsigned.returncode, "p-ana has not signed it (unsigned)" in unsigned.stdout) == (1, True), unsigned.output
    asked = policy("sign", "p.yaml", *key, "--waiver", "W-3", "--fingerprint", "AAAA")
    assert "what         lift daily-charges until 2026-12-15" in asked.stderr
    done = policy("sign", "p.yaml", *key, "--waiver", "W-3", "--fingerprint", shown(asked))
    assert done.returncode == 0, done.output
    assert "  - id: W-3         # kept\n    proof: {" in waivers.read_text()
    assert policy(*check, "2026-12-15T23:59:59Z").returncode == 0
    ended = policy(*check, "2026-12-16T00:00:00Z")
    assert (ended.returncode, "it ended on 2026-12-15" in ended.stdout) == (1, True), ended.output
    other = policy("sign", "p.yaml", *key, "--waiver", "W-4", "--fingerprint", "AAAA")
    assert (other.returncode, "no waiver 'W-4'; did you mean 'W-3'?" in other.stdout) == (1, True), other.output


def test_signing_needs_a_policy_that_loads_and_a_known_key(policy: Run, saga: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    _key(saga, tmp_path)
    path = tmp_path / "p.yaml"
    words = ("--registry", "registry.json", "--key-file", "ana.key", "--fingerprint", "AAAA")
    stranger = policy("sign", "p.yaml", *words, "--key", "ben-1")
    assert (stranger.returncode, "the registry holds no key" in stranger.stderr) == (1, True), stranger.output
    path.write_text(path.read_text().replace("then: deny", "then: denny"))
    broken = policy("sign", "p.yaml", *words, "--key", "ana-1")
    assert (broken.returncode, "did you mean 'deny'?" in broken.stdout) == (1, True), broken.output
    assert policy("sign", "p.yaml", "--registry", "registry.json", "--key", "ana-1").returncode == 2


def test_a_policy_is_adopted_in_a_log_by_a_signed_change(policy: Run, saga: Run, tmp_path: Path) -> None:
    policy("new", "p.yaml")
    _key(saga, tmp_path)
    assert saga("keys", "new", "log.example", "--purpose", "log", "-o", "log.key").returncode == 0
    opened = saga("log", "open", "s.db", "--origin", "log.example/s", "--key", "log.key", "--registry", "registry.json")
    assert opened.returncode == 0, opened.output
    adopt = ("adopt", "p.yaml", "s.db")
    assert policy(*adopt).returncode == 2
    exported = policy(*adopt, "--key", "ana-1", "--export", "change.json")
    assert exported.returncode == 0, exported.output
    words = ("--registry", "registry.json", "--key-file", "ana.key", "-o", "proof.json")
    done = saga("approvals", "sign", "change.json", *words, "--fingerprint", shown(exported))
    assert done.returncode == 0, done.output
    path = tmp_path / "p.yaml"
    text = path.read_text()
    path.write_text(text.replace("50000", "60000"))
    other = policy(*adopt, "--proof", "proof.json")
    assert (other.returncode, "wrong-change" in other.stderr) == (1, True), other.output
    path.write_text(text)
    done = policy(*adopt, "--proof", "proof.json")
    assert (done.returncode, "adopted: p version 1" in done.stdout) == (0, True), done.output
    again = policy(*adopt, "--proof", "proof.json")
    assert (again.returncode, "in force already" in again.stderr) == (1, True), again.output
    digest = json.loads(policy("check", "p.yaml", "-f", "json").stdout)["digest"]
    lines = saga("store", "export", "s.db").stdout.splitlines()
    [line] = [one for one in map(json.loads, lines) if one["type"] == "policy.adopted"]
    assert line["policy"] == digest
