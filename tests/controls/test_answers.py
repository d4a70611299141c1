"""PASS only where the rules met cases and found nothing on a sound log with the evidence at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import control_reports as reports
import pytest

from agent_saga.certify.controls.assessing import assess
from agent_saga.certify.controls.reading import framework, framework_ids
from agent_saga.certify.controls.results import Answer, ControlResult
from agent_saga.certify.controls.traits import TRAITS, traits_of
from agent_saga.certify.report import Pinned, Report, Suppressed
from agent_saga.certify.standing.trust import Trust, told
from agent_saga.policies.loading import load_policy

CONTROLS = {(ident, one.id): one for ident in framework_ids() for one in framework(ident).controls}
ENTRIES = reports.entries()


def _answer(report: Report, control: str, ident: str = "nist-800-53-r5") -> ControlResult:
    return next(one for one in report.controls if (one.framework, one.control) == (ident, control))


def _again(report: Report, control: str, ident: str = "nist-800-53-r5", **changes: Any) -> ControlResult:
    changed = replace(report, **changes)
    return _answer(replace(changed, controls=assess(changed, [ident])), control, ident)


def _given(report: Report, name: str) -> bool:
    item = report.inputs[0]
    return {
        "chain": "AS114" not in item.not_assessable,
        "checkpoint": item.checkpoint is not None and item.checkpoint.agrees and item.lines <= item.checkpoint.size,
        "registry": bool(item.registry),
        "policy": bool(item.policy),
    }.get(name, name in report.policy_traits)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_the_answers_over_a_fixture_are_those_of_the_definition(entry: dict[str, Any]) -> None:
    report = reports.judged(entry["file"])
    assert len(report.controls) == len(CONTROLS)
    sound = not any(f.code.startswith("AS1") and f.severity == "error" for f in report.findings)
    for one in report.controls:
        control = CONTROLS[one.framework, one.control]
        codes = {*control.rules, *control.also}
        hits = [f for f in report.findings if f.code in codes and f.severity != "note"]
        decided = [f for f in hits if not f.inconclusive]
        assert (one.answer is Answer.FAIL) == bool(decided), one
        assert [f.fingerprint for f in one.findings] == [f.fingerprint for f in decided]
        if one.answer is Answer.PASS:
            assert control.rules
            assert sound
            assert not hits
            assert not set(control.rules) & set(report.rules_not_exercised)
            assert all(_given(report, name) for name in control.evidence)
            assert "policy" not in control.evidence or not report.inputs[0].waived
            assert one.reasons[0].startswith("provides evidence for it: ")
            assert one.reasons[1] == f"not covered: {control.not_covered}"
        assert one.reasons


def test_passes_fails_and_unanswered_all_occur_over_the_fixtures() -> None:
    found = {one.answer for entry in ENTRIES for one in reports.judged(entry["file"]).controls}
    assert found == set(Answer)
    passed = {
        (one.framework, one.control)
        for entry in ENTRIES
        for one in reports.judged(entry["file"]).controls
        if one.answer is Answer.PASS
    }
    failed = {
        (one.framework, one.control)
        for entry in ENTRIES
        for one in reports.judged(entry["file"]).controls
        if one.answer is Answer.FAIL
    }
    answerable = {key for key, control in CONTROLS.items() if control.rules}
    assert failed == answerable, f"no fixture fails {answerable - failed}"
    # No fixture has both a registry and a checkpoint, or a policy that reads the chain: each has a test of its own.
    apart = {("nist-800-53-r5", "AU-10"), ("aisvs-1.0", "C9.2.10")}
    assert passed == answerable - apart, f"no fixture passes {answerable - passed}"


GOOD = "AS302/good_line_names_another_person.jsonl"
BAD = "AS302/bad_line_names_another_person.jsonl"


def test_a_signed_approval_under_a_pinned_registry_is_evidence() -> None:
    one = _answer(reports.judged(GOOD), "CM-3")
    assert one.answer is Answer.PASS, one.reasons
    assert "AS301, AS303 and AS305 met cases here and all found nothing" in one.reasons[0]
    assert "a key registry that you pin yourself" in one.reasons[0]


def test_approvals_under_a_registry_and_a_checkpoint_are_evidence_of_non_repudiation() -> None:
    report = reports.judged(GOOD)
    assert _answer(report, "AU-10").reasons == (
        "it needs a signed checkpoint over all lines, by a key that you pin: --checkpoint FILE --pin PIN",
    )
    item = report.inputs[0]
    pinned = Pinned("log.example/x", item.lines, "ab" * 32, "note", agrees=True)
    assert _again(report, "AU-10", inputs=(replace(item, checkpoint=pinned),)).answer is Answer.PASS
    for other in (replace(pinned, agrees=False), replace(pinned, size=item.lines - 1)):
        assert _again(report, "AU-10", inputs=(replace(item, checkpoint=other),)).answer is Answer.NOT_ASSESSABLE


def _under_a_policy() -> Report:
    """A good log, as one that was judged by a policy that has everything."""
    report = reports.judged(GOOD)
    quiet = tuple(code for code in report.rules_not_exercised if code not in {"AS401", "AS403"})
    inputs = (replace(report.inputs[0], policy="ab" * 32),)
    return replace(report, rules_not_exercised=quiet, inputs=inputs, policy_traits=tuple(TRAITS))


def test_gating_of_chains_is_evidenced_only_by_a_policy_that_reads_the_chain() -> None:
    report = _under_a_policy()
    assert _again(report, "C9.2.10", "aisvs-1.0").answer is Answer.PASS
    without = _again(report, "C9.2.10", "aisvs-1.0", policy_traits=("limits", "argument-rules"))
    assert without.answer is Answer.NOT_ASSESSABLE
    assert without.reasons == (
        "it needs a policy with a rule that reads the chain: --policy FILE, with conditions on chain in it, as in the "
        "pack aisvs-c9",
    )


def test_budgets_are_evidenced_only_by_a_policy_that_has_one() -> None:
    report = _under_a_policy()
    assert _again(report, "C9.1.2", "aisvs-1.0").answer is Answer.PASS
    without = _again(report, "C9.1.2", "aisvs-1.0", policy_traits=())
    assert without.reasons == ("it needs a policy with a limit that binds: --policy FILE, with limits in it",)


def test_a_policy_that_was_waived_for_some_calls_did_not_hold() -> None:
    report = _under_a_policy()
    inputs = (replace(report.inputs[0], waived={"W-3": 2}),)
    one = _again(report, "C9.1.2", "aisvs-1.0", inputs=inputs)
    assert one.answer is Answer.NOT_ASSESSABLE
    assert one.reasons == ("waiver W-3 let 2 calls pass that the policy refuses: judge without --waivers",)
    assert _again(report, "CM-3", inputs=inputs).answer is Answer.PASS


POLICY = """\
policy: p
version: 1
owner: us
tools: {a.b: {semantics: preview, args: {type: object, properties: {n: {type: integer}}, required: [n]}}}
"""
ASKS = "then: {approve: {quorum: 1}}"


@pytest.mark.parametrize(
    ("body", "traits"),
    [
        ("", ()),
        ("rules: [{id: r, when: 'args.n > 1', then: deny}]", ("argument-rules",)),
        ("rules: [{id: r, when: 'args.n > 1', then: allow}]", ()),
        ("rules: [{id: r, when: 'args.n > 1', then: deny, enforcement: advisory}]", ()),
        ("rules: [{id: r, when: 'args.n > 1', then: deny, enforcement: evaluate}]", ()),
        (f"rules: [{{id: r, when: 'chain.semantics == \"irreversible\"', {ASKS}}}]", ("chain-rules",)),
        ("limits: [{id: l, of: 'tool == \"a.b\"', window: PT1H, max: 3}]", ("limits",)),
        (
            "limits: [{id: l, of: 'tool == \"a.b\"', sum: args.n, window: PT1H, max: 3}]",
            ("limits", "argument-rules"),
        ),
        ("limits: [{id: l, of: 'tool == \"a.b\"', window: PT1H, max: 3, enforcement: advisory}]", ()),
    ],
)
def test_what_a_policy_has_is_what_binds_in_it(body: str, traits: tuple[str, ...]) -> None:
    policy = load_policy("policy.yaml", text=(POLICY + body + "\n").encode())
    assert traits_of(policy) == traits
    assert traits_of(None) == ()


def test_a_fail_lists_what_was_found_and_where() -> None:
    one = _answer(reports.judged(BAD), "IA-2")
    assert one.answer is Answer.FAIL
    assert one.findings[0].code == "AS302"
    assert one.reasons[0].startswith("AS302 bad-signature at ")
    assert f"{BAD}:{one.findings[0].line}" in one.reasons[0]


def test_a_finding_that_is_not_counted_fails_the_control_all_the_same() -> None:
    report = reports.judged(BAD)
    hidden = tuple(Suppressed(finding, "baseline") for finding in report.findings)
    one = _again(report, "IA-2", findings=(), suppressed=hidden)
    assert one.answer is Answer.FAIL
    assert "(not counted: baseline)" in one.reasons[0]


def test_a_rule_that_was_left_out_is_not_a_pass() -> None:
    report = reports.judged(GOOD)
    one = _again(report, "CM-3", rules_run=tuple(code for code in report.rules_run if code != "AS309"))
    assert one.answer is Answer.NOT_ASSESSABLE
    assert one.reasons == ("AS309 was left out of this run: judge without --select and --ignore",)


def test_a_rule_that_met_no_case_is_not_a_pass() -> None:
    one = _again(reports.judged(GOOD), "CM-3", rules_not_exercised=("AS305",))
    assert one.answer is Answer.NOT_ASSESSABLE
    assert one.reasons == ("AS305 met no case here: judge a log that has such cases",)


def test_a_source_that_cannot_answer_a_rule_is_not_a_pass() -> None:
    report = reports.judged(GOOD)
    inputs = (replace(report.inputs[0], not_assessable={"AS305": "the format has no quorum"}),)
    one = _again(report, "CM-3", inputs=inputs)
    assert one.reasons == ("AS305 cannot be answered by the source: the format has no quorum",)


def test_the_logs_own_registry_taken_as_it_is_is_no_evidence() -> None:
    report = reports.judged(GOOD)
    first = told(Trust(first_use=True), "ab" * 32)
    one = _again(report, "CM-3", inputs=(replace(report.inputs[0], assumptions=first),))
    assert one.answer is Answer.NOT_ASSESSABLE
    assert one.reasons == ("it needs a key registry that you pin yourself: --registry FILE or --registry-digest HEX",)


def test_one_input_of_several_without_the_evidence_is_enough_to_withhold_a_pass() -> None:
    report = reports.judged(GOOD)
    one = _again(report, "CM-3", inputs=(report.inputs[0], replace(report.inputs[0], registry="")))
    assert one.answer is Answer.NOT_ASSESSABLE


def test_an_input_that_was_not_judged_is_not_a_pass() -> None:
    report = reports.judged(GOOD)
    gone = replace(report.inputs[0], path="gone.jsonl", error="no such file")
    one = _again(report, "CM-3", inputs=(report.inputs[0], gone))
    assert "gone.jsonl was not judged: no such file" in one.reasons


def test_an_unsound_log_is_evidence_of_nothing_else() -> None:
    report = reports.judged(GOOD)
    broken = next(f for e in ENTRIES if e["codes"] == ["AS104"] for f in reports.judged(e["file"]).findings)
    one = _again(report, "CM-3", findings=(broken,))
    assert one.answer is Answer.NOT_ASSESSABLE
    assert one.reasons[0].startswith("the log is not sound: AS104 broken-chain at ")


def test_a_withheld_value_leaves_every_control_open_that_reads_values() -> None:
    report = reports.judged(GOOD)
    sealed = next(
        f for e in ENTRIES if e["codes"] == ["AS602"] for f in reports.judged(e["file"]).findings if f.inconclusive
    )
    assert _again(report, "CM-3", findings=(sealed,)).answer is Answer.NOT_ASSESSABLE
    assert _again(report, "AU-8", findings=(sealed,)).answer is Answer.PASS


def test_a_log_with_very_many_findings_is_answered_in_few_words() -> None:
    report = reports.judged(BAD)
    (one,) = [finding for finding in report.findings if finding.code == "AS302"]
    many = tuple(replace(one, saga=f"s{at}") for at in range(20_000))
    failed = _again(report, "IA-2", findings=many)
    assert len(failed.findings) == 20_000
    assert (len(failed.reasons), failed.reasons[-1]) == (21, "and 19,980 more")
    open_ones = tuple(replace(one, saga=f"s{at}", inconclusive=True) for at in range(20_000))
    unanswered = _again(report, "IA-2", findings=open_ones)
    assert unanswered.answer is Answer.NOT_ASSESSABLE
    assert unanswered.reasons[-1] == "and 19,980 more of the kind"


def test_nothing_judged_is_nothing_evidenced(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    done = run_cli("certify", "--no-config", "empty.jsonl", "--controls", "soc2-2017", cwd=tmp_path)
    assert done.returncode == 4
    assert "Controls of soc2-2017: 0 PASS, 0 FAIL, 9 NOT ASSESSABLE" in done.stdout
    assert "PASS CC" not in done.stdout


def test_the_exit_code_stays_the_verdicts(run_cli: Callable[..., Any]) -> None:
    for log, code in (("good", 0), ("bad", 1)):
        plain = run_cli("certify", "--no-config", f"fixtures/demo/{log}.jsonl")
        asked = run_cli("certify", "--no-config", f"fixtures/demo/{log}.jsonl", "--controls", "nist-800-53-r5")
        assert plain.returncode == asked.returncode == code
        assert "PASS" not in plain.stdout
    assert "FAIL AU-6 Audit records are reviewed and reported: AS201 uncompensated-effect at " in asked.stdout


def test_frameworks_can_be_set_in_a_file_and_each_is_answered_once(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "saga.toml").write_text('controls = ["hipaa-security", "hipaa-security"]\n')
    (tmp_path / "good.jsonl").write_bytes((reports.ROOT / "fixtures/demo/good.jsonl").read_bytes())
    done = run_cli("certify", "--config", "saga.toml", "good.jsonl", cwd=tmp_path)
    assert done.stdout.count("Controls of hipaa-security:") == 1
