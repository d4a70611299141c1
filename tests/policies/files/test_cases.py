"""The tests in a policy file: they pass and fail as they should, and what none of them has seen is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agent_saga.policies.cases import Report, run_cases
from agent_saga.policies.cases.reporting import as_json, as_junit
from agent_saga.policies.loading import load_policy
from agent_saga.policies.starter import starter

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "policies"
Run = Callable[..., Report]
SUM, LEAST, MOST = "args.amount.minor > 500000", "args.dose_ug >= 100", "args.dose_ug <= 50000"


@pytest.fixture
def run(example: str) -> Run:
    """Runs the tests of the example after replacing texts in it."""

    def ran(*changes: tuple[str, str]) -> Report:
        text = example
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return run_cases(load_policy(str(FOLDER / "changed.yaml"), text=text.encode()))

    return ran


def without(example: str, *names: str) -> tuple[str, str]:
    """The change that takes tests out, by their names."""
    head, *tests = example[example.index("tests:\n") :].split("  - name: ")
    kept = [one for one in tests if not one.startswith(names)]
    return example[example.index("tests:\n") :], "  - name: ".join([head, *kept])


def test_the_tests_of_the_example_pass_and_cover_it(run: Run) -> None:
    report = run()
    assert [one.faults for one in report.results] == [()] * 7
    assert (report.coverage.percent, report.coverage.gaps) == (100, ())


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("expect: {approve: {quorum: 2}}", "expect: allow", "expected allow; got approve with quorum 2"),
        ("expect: {approve: {quorum: 2}}", "expect: deny", "expected deny; got approve with quorum 2"),
        ("expect: {approve: {quorum: 2}}", "expect: {approve: {quorum: 3}}", "expected approve with quorum 3; got"),
        ("{approve: {quorum: 2}}", "{approve: {strength: B}}", "expected approve with strength B; got approve with"),
        ("{approve: {quorum: 2}}", "{approve: {within: PT16M}}", "expected approve with within PT16M; got approve"),
        ("{approve: {quorum: 2}}", "{approve: {roles: [risk]}}", "expected approve with roles risk; got approve"),
        ("{approve: {quorum: 2}}", "{approve: {}}\n    rules: []", "wire-needs-two fired, and is not among its rules"),
        ("rules: [dose-range]", "rules: [dose-range, wire-needs-two]", "wire-needs-two did not fire"),
        ("expect: allow", "expect: deny", "expected deny; got allow"),
    ],
)
def test_a_test_that_does_not_get_its_answer_fails_in_words(run: Run, old: str, new: str, fault: str) -> None:
    report = run((old, new))
    [failed] = report.failed
    assert failed.faults[0].startswith(fault), failed.faults


def test_what_a_test_names_of_an_approval_is_enough(run: Run) -> None:
    whole = "{approve: {quorum: 2, roles: [treasury], strength: A, within: PT15M}}"
    for named in ("{approve: {}}", "{approve: {within: PT900S}}", whole):
        assert run(("expect: {approve: {quorum: 2}}", f"expect: {named}")).failed == ()


@pytest.mark.parametrize(
    ("left_out", "gaps"),
    [
        (("big wire",), ["wire-needs-two was never true", f"wire-needs-two: `{SUM}` was never true"]),
        (("small wire",), [f"wire-needs-two: `{SUM}` was never false"]),
        (("a dose below",), [f"dose-range: `{LEAST}` was never false"]),
        (("a dose above",), [f"dose-range: `{MOST}` was never false"]),
        (("a dose below", "a dose above"), ["dose-range was never true", f"dose-range: `{LEAST}` was never false",
                                           f"dose-range: `{MOST}` was never false"]),
        (("one cent",), ["daily-spend was never exceeded"]),
        (("a charge within",), ["daily-spend was never kept"]),
        (("a charge within", "one cent"), ["daily-spend was never true", "daily-spend was never exceeded",
                                           "daily-spend was never kept"]),
    ],
)  # fmt: skip
def test_what_no_test_has_seen_is_a_gap(run: Run, example: str, left_out: tuple[str, ...], gaps: list[str]) -> None:
    found = run(without(example, *left_out)).coverage
    assert [str(gap) for gap in found.gaps] == gaps
    assert found.percent == (found.total - len(gaps)) * 100 // found.total


def test_a_part_that_is_not_reached_is_not_seen(run: Run, example: str) -> None:
    text = "tests:\n  - name: only\n    given: {tool: pharmacy.prescribe, args: {dose_ug: 1}}\n    expect: deny\n"
    gaps = {str(gap) for gap in run((example[example.index("tests:\n") :], text)).coverage.gaps}
    assert "dose-range: `args.dose_ug <= 50000` was never true" in gaps
    assert "dose-range: `args.dose_ug <= 50000` was never false" in gaps
    assert "dose-range: `args.dose_ug >= 100` was never false" not in gaps


def test_an_outcome_that_no_tool_can_bring_about_is_not_asked_for() -> None:
    text = """{policy: p, version: 1, owner: o, tools: {t: {semantics: preview}},
      rules: [{id: r, when: 'tool == "t" && agent == "x"', then: deny}],
      tests: [{name: a, given: {tool: t, agent: x}, expect: deny},
              {name: b, given: {tool: t, agent: y}, expect: allow}]}"""
    assert run_cases(load_policy("p.yaml", text=text.encode())).coverage.gaps == ()


def test_an_undeclared_tool_another_class_and_another_agent_can_be_tested(run: Run) -> None:
    more = """agents: [buyer]
tests:
  - {name: undeclared, given: {tool: payments.payout}, expect: deny}
  - {name: milder, given: {tool: payments.wire, semantics: reversible}, expect: deny}
  - {name: stranger, given: {tool: payments.charge, agent: seller}, expect: deny}
  - {name: concealed, given: {tool: pharmacy.prescribe, args: {dose_ug: {"...": x}}}, expect: deny}
"""
    report = run(("tests:\n", more))
    assert report.failed == ()
    assert [one.decision.code for one in report.results[:4]] == [
        "undeclared_tool", "wrong_class", "wrong_agent", "undecidable",
    ]  # fmt: skip


def test_a_concealed_argument_that_nothing_asks_for_changes_no_answer(run: Run) -> None:
    digest = "A" * 43
    more = "{amount: {minor: 600000, currency: EUR}, note: {'...': " + digest + "}}"
    report = run(("{amount: {minor: 600000, currency: EUR}}", more))
    assert report.failed == ()
    hidden = "{amount: {'...': " + digest + "}}"
    [failed] = run(("{amount: {minor: 600000, currency: EUR}}", hidden)).failed
    assert failed.decision.code == "undecidable"


def test_the_time_of_a_test_is_the_time_of_its_call() -> None:
    text = """{policy: p, version: 1, owner: o, tools: {t: {semantics: preview}},
      rules: [{id: r, when: 'at.getHours() < 6', then: deny}],
      tests: [{name: night, given: {tool: t, at: "2026-11-30T05:59:59.9Z"}, expect: deny},
              {name: day, given: {tool: t, at: "2026-11-30T06:00:00Z"}, expect: allow}]}"""
    report = run_cases(load_policy("p.yaml", text=text.encode()))
    assert (report.failed, report.coverage.percent) == ((), 100)


def test_junit_holds_every_test_and_the_coverage_that_was_asked_for(run: Run, example: str) -> None:
    report = run(("expect: allow", "expect: deny"), ("name: big wire needs two", 'name: "<&\\" big"'))
    suite = ElementTree.fromstring(as_junit(report, 100))
    assert (suite.get("tests"), suite.get("failures")) == ("8", "1")
    failed = suite.findall("testcase[failure]")
    assert [one.get("name") for one in failed] == ["a charge within the day's budget"]
    assert suite[0].get("name") == '<&" big'
    short = ElementTree.fromstring(as_junit(run(without(example, "one cent")), 100))
    assert short.findall("testcase[failure]")[0].get("name") == "coverage of 100%"
    assert "daily-spend was never exceeded" in (short.findall("testcase/failure")[0].text or "")


def test_the_json_report_names_places(run: Run, example: str) -> None:
    made = as_json(run(without(example, "one cent")))
    assert made["coverage"]["gaps"] == [{"line": 18, "column": 5, "what": "daily-spend was never exceeded"}]
    assert made["tests"][0]["passed"]


@pytest.mark.parametrize(("name", "owner"), [("payments", "risk@example.com"), ("12", 'a "b": #c'), ("true", "é: {")])
def test_the_starter_checks_and_tests_green_and_covers_itself(name: str, owner: str) -> None:
    policy = load_policy("new.yaml", text=starter(name, owner).encode())
    report = run_cases(policy)
    assert (policy.policy, policy.owner) == (name, owner)
    assert (report.failed, report.coverage.percent) == ((), 100)
