"""Each rule: a bad trace that gives exactly its finding, the nearest good one that gives none, a minimal witness."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.rules import all_rules
from agent_saga.certify.run import Options, certify

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make_fixtures  # noqa: E402
from rulelib.case import ABSENT, BYTES, INPUT, PRESENT  # noqa: E402
from rulelib.corpus import CASES, Case  # noqa: E402
from rulelib.lines import chain, parsed, written  # noqa: E402

FIXTURES = HERE.parents[1] / "fixtures" / "rules"
MANIFEST: list[dict[str, Any]] = json.loads((FIXTURES / "MANIFEST.json").read_text("utf-8"))["files"]
NAMED = ("registry", "policy", "waivers")
ENDS = (".disclosures", ".checkpoint", ".pin")


def judged(path: Path, args: list[str] | tuple[str, ...] = ()) -> Report:
    """The report on one file, with the options of the manifest."""
    severity = args[args.index("--fail-on") + 1] if "--fail-on" in args else "error"
    opened, points, pins = (tuple(str(FIXTURES / n) for n in args if n.endswith(end)) for end in ENDS)
    named = {name: str(FIXTURES / args[args.index(f"--{name}") + 1]) for name in NAMED if f"--{name}" in args}
    known: Any = {name: path for name, path in named.items() if name != "policy"}
    known |= {"policies": (named["policy"],)} if "policy" in named else {}
    choices = Choices(fail_on=severity, checkpoints=points, pin="".join(pins), **known)
    return certify([str(path)], Options(choices=choices, disclosures=opened))


def by_kind(*kinds: str) -> Any:
    return pytest.mark.parametrize("case", [c for c in CASES if c.kind in kinds], ids=lambda c: c.id)


def told(findings: tuple[Finding, ...], code: str) -> set[tuple[str, str]]:
    """Subjects and reasons, without line numbers."""
    return {(f.subject, re.sub(r"\blines? \d+", "line #", f.because)) for f in findings if f.code == code}


def the_one(case: Case) -> Finding:
    (found,) = [f for f in judged(FIXTURES / case.file("bad"), case_args(case, "bad")).findings if f.code == case.code]
    return found


def case_args(case: Case, side: str) -> list[str]:
    (entry,) = [e for e in MANIFEST if e["file"] == case.file(side)]
    return list(entry.get("args", []))


def test_the_files_are_what_the_scripts_make() -> None:
    assert not make_fixtures.stale(), "run tests/rules/make_fixtures.py"


def test_every_rule_has_a_bad_and_a_good_fixture() -> None:
    assert {case.code for case in CASES} == set(all_rules())


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda e: e["file"])
def test_a_file_gives_exactly_what_the_manifest_says(entry: dict[str, Any]) -> None:
    report = judged(FIXTURES / entry["file"], entry.get("args", []))
    assert sorted(f.code for f in report.findings) == sorted([*entry["codes"], *entry.get("also", [])])
    assert int(report.exit_code) == entry["exit"]


@by_kind(PRESENT)
def test_without_any_line_of_its_witness_a_finding_of_something_present_vanishes(case: Case, tmp_path: Path) -> None:
    found = the_one(case)
    lines = parsed((FIXTURES / case.file("bad")).read_bytes())
    assert 1 <= len(found.witness) <= 5
    for witness in found.witness:
        path = tmp_path / "less.jsonl"
        path.write_bytes(written(chain(lines[: witness.line - 1] + lines[witness.line :])))
        left = told(judged(path, case_args(case, "bad")).findings, case.code)
        assert not left & told((found,), case.code), f"the finding stands without line {witness.line}"


@by_kind(ABSENT)
def test_a_finding_of_something_absent_goes_when_the_expected_events_are_added(case: Case) -> None:
    bad, good = (parsed(case.data(side)) for side in ("bad", "good"))
    kinds = [
        [(line["type"], line.get("effect"), line.get("check"), line.get("step")) for line in x] for x in (bad, good)
    ]
    for event in kinds[0]:
        kinds[1].remove(event)  # raises when the good trace is not the bad one with events added
    assert kinds[1], "nothing was added"
    found = the_one(case)
    assert any(event[0] in found.expected for event in kinds[1]), found.expected


@by_kind(ABSENT)
def test_the_witness_of_something_absent_is_its_duty_and_the_end(case: Case) -> None:
    found = the_one(case)
    last = len(parsed((FIXTURES / case.file("bad")).read_bytes()))
    lines = [witness.line for witness in found.witness]
    assert len(lines) <= 3
    assert lines[-1] <= last
    assert lines == sorted(lines)


@by_kind(BYTES)
def test_a_finding_about_bytes_goes_when_the_file_is_as_it_was(case: Case) -> None:
    assert case.data("bad") != case.data("good")
    assert the_one(case).witness, "a finding about bytes names their line"


@by_kind(INPUT)
def test_a_finding_about_what_was_handed_over_goes_with_the_right_thing(case: Case) -> None:
    if case.checkpoint:
        lines = case.data("good").splitlines()
        assert case.checkpoint["bad"](lines) != case.checkpoint["good"](lines)
        assert case.data("bad") == case.data("good"), "the checkpoint alone makes the difference"
    else:
        beside = case.disclosures or case.waivers
        assert case.data("bad") != case.data("good") or beside["bad"] != beside["good"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_a_finding_says_what_to_do(case: Case) -> None:
    found = the_one(case)
    assert not re.search(r"[^.]\.$|\s$", found.because), "a clause, without a full stop"
    assert "  " not in found.because + found.expected
    assert found.expected
    assert found.fix.endswith(".")


SECRETS = ("A-1001", "lamp-7", "somebody-else", "ref-e1", "not-a-real-password", "supplier-3")


@pytest.mark.parametrize("case", [c for c in CASES if c.kind in (PRESENT, ABSENT)], ids=lambda c: c.id)
def test_a_finding_shows_no_payload_value(case: Case) -> None:
    found = the_one(case)
    shown = " ".join((found.because, found.expected, found.subject, *(w.what for w in found.witness)))
    assert not [value for value in SECRETS if value in shown]
