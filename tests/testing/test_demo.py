"""`agent-saga demo` plays each scenario and tells what the trace, the providers and certify say, each for itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.cli.demo import NAMES
from agent_saga.testing import assert_certified
from agent_saga.testing.demo import choices
from agent_saga.testing.scenarios import SCENARIOS, Shop

UNDONE = (
    "\n  1  cancel_fulfillment  takes back schedule_fulfillment\n  2  refund_payment      takes back charge_payment\n"
)


def test_the_help_names_every_scenario() -> None:
    assert NAMES.split("|") == list(SCENARIOS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_comes_out_as_it_should(name: str, run_cli: Callable[..., Any], tmp_path: Path) -> None:
    store, trace = tmp_path / "demo.db", tmp_path / "demo.jsonl"
    done = run_cli("demo", "--scenario", name, "--store", store, "--trace", trace)
    assert done.returncode == 0, done.output
    scenario = SCENARIOS[name]
    assert f"\nOutcome\n  {scenario.status}" in done.stdout
    assert (UNDONE in done.stdout) == bool(scenario.undone)
    assert "\x1b" not in done.stdout
    ledger = {one.action: (one.times, one.undone) for one in Shop.beside(store).ledger()}
    assert ledger == dict(scenario.ledger)
    for place in (trace, store):
        assert_certified(place, findings=scenario.findings, sagas=1, choices=choices(scenario, place))


def test_a_decision_is_refused_when_it_is_stale_or_by_somebody_who_may_not(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    told = run_cli("demo", "-s", "compensation-failure", "--trace", "a.jsonl", cwd=tmp_path).stdout
    assert (tmp_path / "a.jsonl").read_text().count('"type":"person.decided"') == 1
    decisions = told.partition("Persons decided\n")[2].partition("\n\n")[0].splitlines()
    assert [re.findall(r"refused|accepted", line)[0] for line in decisions] == ["refused"] * 3 + ["accepted"]
    assert "StaleDecision" in decisions[0]
    assert "NotEntitled" in decisions[1]
    assert "NotApproved" in decisions[2]


def test_an_approval_is_refused_from_the_owner_and_for_another_amount(
    run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    told = run_cli("demo", "-s", "irreversible-approved", "--trace", "a.jsonl", cwd=tmp_path).stdout
    decisions = told.partition("Persons decided\n")[2].partition("\n\n")[0].splitlines()
    assert [re.findall(r"refused|accepted", line)[0] for line in decisions] == ["refused"] * 2 + ["accepted"] * 2
    judged = run_cli("certify", "a.jsonl", "--registry", "a.jsonl.registry.json", cwd=tmp_path)
    assert judged.returncode == 0, judged.output
    assert run_cli("certify", "a.jsonl", cwd=tmp_path).returncode == 3


def test_nothing_is_left_behind_where_nothing_was_named(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    told = run_cli("demo", "-s", "irreversible-approved", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert told.returncode == 0
    assert "\nTrace\n  12 lines, not kept (--trace PATH keeps it)\n\n" in told.stdout
    assert list(tmp_path.iterdir()) == []


def test_scenarios_can_share_a_store(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    for number, name in enumerate(("crash", "happy-path", "crash")):
        done = run_cli("demo", "-s", name, "--store", tmp_path / "a.db", "--trace", tmp_path / f"{number}.jsonl")
        assert done.returncode == 0, done.output
    assert_certified(tmp_path / "a.db", sagas=3)


@pytest.mark.parametrize(
    "options, says",
    [
        (["-s", "sad-path"], "no scenario is named sad-path; there are happy-path"),
        (["--trace", "there.jsonl"], "there is something already"),
        (["--store", "there.jsonl/demo.db"], "there.jsonl"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_happens(
    options: list[str], says: str, run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "there.jsonl").write_text("mine")
    done = run_cli("demo", *options, cwd=tmp_path)
    assert (done.returncode, says in done.stderr) == (2, True), done.output
    assert [one.name for one in tmp_path.iterdir()] == ["there.jsonl"]
    assert (tmp_path / "there.jsonl").read_text() == "mine"


def test_titles_are_bold_where_colour_is_wanted(run_cli: Callable[..., Any]) -> None:
    assert "\x1b[1mOutcome\x1b[0m" in run_cli("demo", env={"FORCE_COLOR": "1"}).stdout


def test_an_outcome_that_is_not_the_scenarios_is_told_and_exits_1(tmp_path: Path) -> None:
    from dataclasses import replace

    from agent_saga.testing.demo import play
    from agent_saga.testing.telling import story

    wrong = replace(SCENARIOS["happy-path"], status="compensated_verified")
    played = play(wrong, tmp_path / "demo.db", tmp_path / "demo.jsonl", print)
    assert not played.as_expected
    assert "This is not what the scenario should come to." in story(played, "x")


def test_an_address_is_no_place_for_the_demo(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    """As a path it would become folders whose names hold the password."""
    done = run_cli("demo", "--store", "postgresql://shop:secret@db.example/audit", cwd=tmp_path)
    assert done.returncode == 2
    assert "name a path, no address" in done.stderr
    assert "secret" not in done.output
    assert not list(tmp_path.iterdir())
