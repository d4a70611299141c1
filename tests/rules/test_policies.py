"""Calls judged by the user's policy: whose policy counts, limits over sagas and processes, waivers, certificates."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from agent_saga.certify.certificate.making import statement
from agent_saga.certify.certificate.opening import Certificate
from agent_saga.certify.certificate.predicate import predicate
from agent_saga.certify.certificate.reading import check_predicate
from agent_saga.certify.certificate.rederiving import Given, NotComparable, rederive
from agent_saga.certify.judging import dividing
from agent_saga.certify.policing.sums import seen_by_each
from agent_saga.certify.policing.telling import OPERATOR
from agent_saga.certify.policing.trust import PolicyChoice, PolicyTrust
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.policies.answers import Spend
from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.windows import Windows
from agent_saga.proofs.pins import parse_pins
from agent_saga.trace.errors import AgentSagaError
from agent_saga.trace.instants import SECOND

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.ask import lines_of, told_to_judge
from rulelib.checkpoints import pin
from rulelib.lines import chain, conceal, written
from rulelib.policies import DIGEST, POLICY_FILES, SHOP, SHOP_NAME, digest, waiver, waivers
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_DIGEST, REGISTRY_FILE

START = f"start policy={DIGEST}"
NOW = "2026-01-05T10:00:00.000000Z"
CHARGE = f"{START}\ndo e1 payments.charge\nsuccess e1"
APPROVED = f"""
    begin policy={DIGEST}
    propose s1 payments.charge minor=60000
    request s1 quorum=2
    sign s1 ana-1
    sign s1 ben-1
    use e1 payments.charge minor=60000
    success e1
"""


def judged(script: str, folder: Path, jobs: int = 1, text: bytes = b"", **choices: object) -> Report:
    """The report on a script's trace. A choice that is FILE names the file that goes by its name."""
    files = {"policy": SHOP_NAME, "registry": "registry.json", "waivers": "waivers.json"}
    (folder / SHOP_NAME).write_bytes(text or POLICY_FILES[SHOP_NAME])
    (folder / "registry.json").write_bytes(REGISTRY_FILE)
    path = folder / "trace.jsonl"
    path.write_bytes(written(chain(SignedScript("policies").run(script))))
    made = {name: str(folder / files[name]) if value == "FILE" else value for name, value in choices.items()}
    made |= {"policies": (made.pop("policy"),)} if "policy" in made else {}
    return certify([str(path)], Options(choices=Choices(**made), jobs=jobs))  # type: ignore[arg-type]


def codes(report: Report) -> list[str]:
    return sorted(finding.code for finding in report.findings)


def test_calls_that_the_policy_allows_are_certified_and_the_report_names_it(tmp_path: Path) -> None:
    report = judged(CHARGE, tmp_path, policy="FILE")
    assert (codes(report), int(report.exit_code)) == ([], 0)
    said = " ".join(report.inputs[0].assumptions)
    assert f"1 call was judged by policy shop version 1 ({DIGEST[:16]}...)" in said
    assert OPERATOR not in report.inputs[0].assumptions
    assert predicate(report, NOW)["policy"] == report.inputs[0].policy == DIGEST


def test_without_a_policy_a_trace_that_names_none_is_judged_as_before(tmp_path: Path) -> None:
    report = judged("start\ndo e1 payments.charge\nsuccess e1", tmp_path)
    assert int(report.exit_code) == 0
    assert OPERATOR in report.inputs[0].assumptions
    assert predicate(report, NOW)["policy"] is None


@pytest.mark.parametrize("first", [START, f"opened policy={DIGEST}\nbegin"], ids=["in the saga", "in the log"])
def test_without_a_policy_one_that_is_named_leaves_the_verdict_open(first: str, tmp_path: Path) -> None:
    script = f"{first}\ndo e1 payments.charge\nsuccess e1"
    report = judged(script, tmp_path)
    assert ([*codes(report)], int(report.exit_code)) == (["AS402"], 3)
    trusted = judged(script, tmp_path, trust_on_first_use=True)
    assert int(trusted.exit_code) == 0
    assert any("no call was judged by it" in one for one in trusted.inputs[0].assumptions)


def test_what_the_log_adopts_while_a_saga_runs_must_be_the_given_policy(tmp_path: Path) -> None:
    script = f"opened policy={'a' * 64}\nbegin policy={DIGEST}\ndo e1 payments.charge\nsuccess e1"
    assert codes(judged(script, tmp_path, policy="FILE")) == ["AS402"]


def test_a_digest_without_its_policy_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(PolicyChoice, match="goes with --policy"):
        judged(CHARGE, tmp_path, policy_digest=DIGEST)
    with pytest.raises(PolicyChoice, match="names"):
        judged(CHARGE, tmp_path, policy="FILE", policy_digest="0" * 64)
    assert int(judged(CHARGE, tmp_path, policy="FILE", policy_digest=DIGEST).exit_code) == 0


def test_a_policy_that_does_not_load_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    bad = POLICY_FILES[SHOP_NAME].replace(b"args.count > 10", b"args.cuont > 10")
    with pytest.raises(PolicyError, match="cuont"):
        judged(CHARGE, tmp_path, text=bad, policy="FILE")


def test_approvals_that_the_policy_asks_for_are_counted_by_verified_persons(tmp_path: Path) -> None:
    given = {"policy": "FILE", "registry": "FILE"}
    assert codes(judged(APPROVED, tmp_path, **given)) == []
    one = APPROVED.replace("sign s1 ben-1", "").replace("quorum=2", "quorum=1")
    assert codes(judged(one, tmp_path, **given)) == ["AS401"]
    # who has the role, has signed, and owns the agent: AS308 says so, and nobody is missed once more
    assert codes(judged(APPROVED.replace("ben-1", "dan-1"), tmp_path, **given)) == ["AS308"]


def test_without_a_registry_nobody_can_tell_who_approved(tmp_path: Path) -> None:
    report = judged(APPROVED, tmp_path, policy="FILE")
    assert (set(codes(report)), int(report.exit_code)) == ({"AS312", "AS401"}, 3)
    one = APPROVED.replace("sign s1 ben-1", "").replace("quorum=2", "quorum=1")
    assert int(judged(one, tmp_path, policy="FILE").exit_code) == 1, "one claim is not two, whoever made it"


def test_an_irreversible_call_with_a_limits_approval_needs_no_other(tmp_path: Path) -> None:
    shop = json.loads(json.dumps(SHOP))
    shop["irreversible"] = {"roles": ["board"]}
    shop["limits"].append(
        {
            "id": "wires",
            "of": 'tool == "bank.wire"',
            "window": "PT1H",
            "max": 0,
            "then": {"approve": {"roles": ["treasury"]}},
        }
    )
    wire = """
        begin policy=DIGEST
        propose s1 bank.wire
        request s1
        sign s1 ana-1
        use e1 bank.wire
        success e1
    """.replace("DIGEST", digest(shop))
    text = json.dumps(shop).encode()
    assert codes(judged(wire, tmp_path, text=text, policy="FILE", registry="FILE")) == []
    shop["limits"][-1]["max"] = 1
    again = wire.replace(digest(json.loads(text)), digest(shop))
    report = judged(again, tmp_path, text=json.dumps(shop).encode(), policy="FILE", registry="FILE")
    assert codes(report) == ["AS401"], "the limit asks for nothing, so the policy's own approval is due"
    bare = "\n".join(line for line in again.splitlines() if "request" not in line and "sign" not in line)
    nobody = judged(bare, tmp_path, text=json.dumps(shop).encode(), policy="FILE", registry="FILE")
    assert codes(nobody) == ["AS301"], "that nobody was asked is said once"


@pytest.mark.parametrize("change", [{"enforcement": "advisory"}, {"enforcement": "evaluate"}, {"then": "allow"}])
def test_a_limit_without_effect_hides_no_approval_of_the_policys_own(change: dict[str, str], tmp_path: Path) -> None:
    shop = json.loads(json.dumps(SHOP))
    shop["irreversible"] = {"roles": ["board"]}
    shop["limits"].append({"id": "wires", "of": 'tool == "bank.wire"', "window": "PT1H", "max": 0, **change})
    wire = f"""
        begin policy={digest(shop)}
        propose s1 bank.wire
        request s1
        sign s1 ana-1
        use e1 bank.wire
        success e1
    """
    report = judged(wire, tmp_path, text=json.dumps(shop).encode(), policy="FILE", registry="FILE")
    assert codes(report) == ["AS401"], "ana is not of the board"


def test_a_charge_beyond_the_budget_passes_with_the_approval_that_the_limit_asks_for(tmp_path: Path) -> None:
    first = f"begin policy={DIGEST} saga=a\ndo e1 payments.charge minor=50000 saga=a\nsuccess e1 saga=a\n"
    first += first.replace("saga=a", "saga=b")
    last = f"""
        begin policy={DIGEST}
        propose s1 payments.charge minor=1000
        request s1
        sign s1 ana-1
        use e1 payments.charge minor=1000
        success e1
    """
    given = {"policy": "FILE", "registry": "FILE"}
    assert codes(judged(first + last, tmp_path, **given)) == []
    (found,) = judged(first + last.replace("sign s1 ana-1", "").replace("request s1", ""), tmp_path, **given).findings
    assert found.code == "AS403"
    assert "to 101000 of 100000 within 86400 s in 3 calls since line 3" in found.because
    assert [one.line for one in found.witness] == [3, 15]


def test_the_answer_does_not_depend_on_how_the_work_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty sagas side by side that spend one budget; some beyond it, some of lamps beyond a rule that is waived."""
    monkeypatch.setattr(dividing, "SPLIT", 1)
    rng, script = random.Random(3), []
    for number in range(30):
        saga = f"saga=o{number}"
        script += [
            f"{START} keys={REGISTRY_DIGEST} {saga}",
            f"do e1 payments.charge minor={rng.randrange(100, 9000)} {saga}",
        ]
        script += [f"do e2 stock.reserve arg.count={rng.choice((3, 11))} {saga}", f"success e1 e2 {saga}"]
    (tmp_path / "waivers.json").write_bytes(waivers(waiver("few-lamps")))
    given = {"policy": "FILE", "registry": "FILE", "waivers": "FILE"}
    one, two, three = (judged("\n".join(script), tmp_path, jobs, **given) for jobs in (1, 2, 3))
    assert set(codes(one)) == {"AS403"}
    assert 1 <= len(one.findings) < 30
    assert one.findings == two.findings == three.findings
    assert one.inputs == two.inputs == three.inputs
    assert one.inputs[0].waived["W-3"] > 1


@pytest.mark.parametrize("back", [False, True], ids=["clock goes on", "clock goes back"])
def test_sums_of_all_calls_at_once_are_those_of_the_gate(back: bool) -> None:
    rng = random.Random(7)
    for _ in range(200):
        window = rng.randrange(1, 60)
        ats = [rng.randrange(0, 90) for _ in range(rng.randrange(0, 40))]
        ats = ats if back else sorted(ats)
        amounts = [rng.randrange(0, 9) for _ in ats]
        gate, due = Windows(), []
        for number, (at, amount) in enumerate(zip(ats, amounts, strict=True)):
            spend, text = Spend("l", "k", amount, window, 0), f"2026-01-05T09:{at // 60:02}:{at % 60:02}.000000Z"
            due.append(gate.used(spend, text))
            gate.add([spend], text, number)
        found = list(seen_by_each([at * SECOND for at in ats], amounts, window * SECOND))
        assert [total for total, _, _ in found] == due
        counts = [sum(a > t - window for a in ats[:n]) for n, t in enumerate(ats)]
        assert [calls for _, calls, _ in found] == counts


def concealed(start: str) -> tuple[str, str]:
    """Eleven lamps whose number is concealed, where they were proposed and where they are reserved."""
    (one, first), (two, second) = conceal(11, "proposed"), conceal(11, "intended")
    said = [json.dumps(hidden, separators=(",", ":")) for hidden in (one, two)]
    call = f"step s1 stock.reserve arg.count={said[0]}\ngo e1 stock.reserve arg.count={said[1]}\nok e1"
    return f"{start}\n{call}\nsuccess e1", f"{first}\n{second}\n"


def test_a_concealed_value_leaves_the_policy_open_and_its_disclosure_decides(tmp_path: Path) -> None:
    script, opened = concealed(START)
    report = judged(script, tmp_path, policy="FILE")
    assert (codes(report), int(report.exit_code)) == (["AS408", "AS602"], 3)
    (tmp_path / "opened").write_text(opened, "ascii")
    choices = Choices(policies=(str(tmp_path / SHOP_NAME),))
    again = certify([str(tmp_path / "trace.jsonl")], Options(choices=choices, disclosures=(str(tmp_path / "opened"),)))
    assert (codes(again), int(again.exit_code)) == (["AS401"], 1)


def test_what_is_concealed_hides_no_rule_that_can_be_decided(tmp_path: Path) -> None:
    shop = json.loads(json.dumps(SHOP))
    ask = {"approve": {"roles": ["treasury"]}}
    shop["rules"].append({"id": "no-lamps", "when": 'tool == "stock.reserve"', "then": ask})
    script, _ = concealed(f"start policy={digest(shop)}")
    report = judged(script, tmp_path, text=json.dumps(shop).encode(), policy="FILE")
    assert (codes(report), int(report.exit_code)) == (["AS401", "AS408", "AS602"], 1)


def test_a_fee_that_the_policy_allows_may_be_kept_back(tmp_path: Path) -> None:
    shop = json.loads(json.dumps(SHOP))
    shop["tools"]["payments.charge"]["fee"] = 200
    for kept, due in ((200, []), (201, ["AS209"])):
        script = f"""
            start policy={digest(shop)}
            do e1 payments.charge minor=4200 undo.minor={4200 - kept}
            rollback
            undo u1 e1
            end compensated_verified
        """
        assert codes(judged(script, tmp_path, text=json.dumps(shop).encode(), policy="FILE")) == due
    assert codes(judged(script, tmp_path)) == ["AS209", "AS402"]


PAUSED = f"""
    begin policy={DIGEST}
    propose s1 payments.charge
    go e1 payments.charge
    ok e1
    rollback
    pause e1
    settle e1 kept ana-1
    end closed_with_exceptions e1
"""


@pytest.mark.parametrize(
    "decide, due",
    [
        ({"kept": {"roles": ["decider"]}}, []),
        ({"kept": {"roles": ["board"]}}, ["AS201", "AS507"]),
        ({"kept": {"roles": ["decider"], "strength": "B"}}, ["AS201", "AS507"]),
        ({"kept": {"roles": ["decider"], "quorum": 2}}, ["AS201", "AS507"]),
        ({"undone": {"roles": ["decider"]}}, ["AS201", "AS507"]),
    ],
    ids=["role", "other role", "weak key", "two persons", "no such verdict"],
)
def test_who_may_decide_is_the_policys_to_say(decide: dict[str, object], due: list[str], tmp_path: Path) -> None:
    shop = SHOP | {"decide": decide}
    script = PAUSED.replace(DIGEST, digest(shop))
    report = judged(script, tmp_path, text=json.dumps(shop).encode(), policy="FILE", registry="FILE")
    assert set(codes(report)) <= {*due, "AS502"}
    assert ("AS507" in codes(report)) is bool(due)


def test_a_waiver_without_a_registry_lifts_nothing_and_says_so(tmp_path: Path) -> None:
    script = f"{START}\ndo e1 stock.reserve arg.count=11\nsuccess e1"
    (tmp_path / "waivers.json").write_bytes(waivers(waiver("few-lamps")))
    assert codes(judged(script, tmp_path, policy="FILE", waivers="FILE")) == ["AS401", "AS406"]


def test_a_certificate_by_a_policy_can_be_reached_again_with_the_same_policy_only(tmp_path: Path) -> None:
    script = f"begin policy={DIGEST}\ndo e1 stock.reserve arg.count=11\nsuccess e1"
    (tmp_path / "waivers.json").write_bytes(waivers(waiver("few-lamps")))
    report = judged(script, tmp_path, policy="FILE", registry="FILE", waivers="FILE")
    assert (codes(report), report.choices.profile) == ([], "custom")
    made = statement(report, NOW)
    check_predicate(made)
    assert made.predicate["policy"] == DIGEST
    assert made.predicate["policy_waivers"] == [{"waiver": "W-3", "calls": 1}]
    pins = parse_pins(pin().decode())
    certificate, trace = Certificate(made, pins.log.vkey), str(tmp_path / "trace.jsonl")
    files = {"policies": (str(tmp_path / SHOP_NAME),), "waivers": str(tmp_path / "waivers.json")}
    registry = str(tmp_path / "registry.json")
    assert int(rederive(certificate, Given(trace, registry=registry, **files), pins).exit_code) == 0
    with pytest.raises(NotComparable, match="give --policy"):
        rederive(certificate, Given(trace, registry=registry), pins)
    with pytest.raises(NotComparable, match="give --waivers"):
        rederive(certificate, Given(trace, registry=registry, policies=files["policies"]), pins)


def test_a_waivers_file_that_cannot_be_read_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    with pytest.raises(AgentSagaError, match=r"waivers\.json"):
        judged(CHARGE, tmp_path, policy="FILE", waivers="FILE")


FOREIGN = [
    ("do e1 stock.reserve arg.count=11", (), {"AS401"}),
    ("do e1 mail.send", (), {"AS401"}),
    ("do e1 bank.wire semantics=compensable", (), {"AS401"}),
    ("do e1 stock.reserve arg.count=[REDACTED]", (), {"AS408"}),
    ("do e1 stock.reserve arg.count=", (), {"AS408"}),
    ("step s1 payments.charge\nanswer s1 approve\ndo e1 payments.charge step=s1 minor=60000", (), {"AS401"}),
    ("do e1 payments.charge minor=60000", ("AS305",), {"AS401"}),
    ("do e1 payments.charge minor=60000", (), {"AS401"}),
    ("do e1 shipping.book\ndo e2 shipping.book\ndo e3 shipping.book", (), {"AS403"}),
    ("do e1 shipping.book\ndo e2 shipping.book", (), set()),
]
UNDECIDED = {3, 6}
"""Which of these leave the question open: something redacted, and a format that records no approvals."""


@pytest.mark.parametrize("number", range(len(FOREIGN)))
def test_calls_of_other_formats_are_judged_by_their_arguments(number: int, tmp_path: Path) -> None:
    script, leave_out, due = FOREIGN[number]
    (tmp_path / SHOP_NAME).write_bytes(POLICY_FILES[SHOP_NAME])
    trust = PolicyTrust(load_policy(str(tmp_path / SHOP_NAME)))
    found = told_to_judge(lines_of(f"{script}\nsuccess"), ("AS402", "AS301", *leave_out), trust)
    ours = [one for one in found if one.code.startswith("AS4")]
    assert {one.code for one in ours} == due
    assert any(one.inconclusive for one in ours) is (number in UNDECIDED)
