"""The packs load, pass their own tests with everything seen, and say of each number where it comes from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_saga.policies.cases import run_cases
from agent_saga.policies.linting import lint
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Limit, Policy, Rule
from agent_saga.policies.packs import POLICY, README, PackError, pack, pack_names
from agent_saga.runtime import Engine
from agent_saga.trace.store import open_store

DUE = {"aisvs-c9", "banking", "clinical", "devices", "cloud-and-repositories"}
NUMBER = re.compile(r"(?<![\w.\"/-])\d+(?![\w\"])")
STANDARD = re.compile(r"\bC9\.\d")


@pytest.fixture(params=sorted(DUE))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def _copied(name: str, folder: Path) -> Path:
    for path, data in pack(name).files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder / POLICY


def _policy(name: str, folder: Path) -> Policy:
    return load_policy(str(_copied(name, folder)))


def test_the_packs_that_were_asked_for_are_there() -> None:
    assert set(pack_names()) == DUE
    for one in map(pack, pack_names()):
        assert next(iter(one.files)) == POLICY
        assert README in one.files
        assert len(one.title) <= 100


def test_an_unknown_pack_is_told_with_the_nearest() -> None:
    with pytest.raises(
        PackError, match=r"unknown pack 'bankng'; expected one of aisvs-c9, .*; did you mean 'banking'\?"
    ):
        pack("bankng")


def test_an_engine_begins_with_each_pack(name: str, tmp_path: Path) -> None:
    engine = Engine(open_store(":memory:"), policy=_policy(name, tmp_path))
    assert engine.policing.digest == _policy(name, tmp_path).digest


def test_a_pack_passes_its_tests_and_they_see_everything_both_ways(name: str, tmp_path: Path) -> None:
    report = run_cases(_policy(name, tmp_path))
    assert not [f"{one.case.name}: {one.faults}" for one in report.failed]
    assert not [str(gap) for gap in report.coverage.gaps]
    assert report.coverage.percent == 100


def test_nothing_in_a_pack_is_superfluous(name: str, tmp_path: Path) -> None:
    assert [f"{note.place.line}: {note.message}" for note in lint(_policy(name, tmp_path), proving=False)] == []


def test_every_number_says_where_it_comes_from_or_that_it_is_an_example(name: str, tmp_path: Path) -> None:
    policy = _policy(name, tmp_path)
    for one in (*policy.rules, *policy.limits):
        assert one.why, one.id
        if isinstance(one, Limit) or _numbers(one):
            assert "Source: " in one.why or "Example: " in one.why, f"{one.id}: {one.why}"


def _numbers(rule: Rule) -> list[str]:
    quorum = [] if isinstance(rule.then, str) else [str(rule.then.quorum)]
    return [*NUMBER.findall(rule.when.text), *quorum]


def test_what_does_not_come_back_is_hard_or_needs_people(name: str, tmp_path: Path) -> None:
    policy = _policy(name, tmp_path)
    for one in policy.rules:
        if one.then == "deny":
            assert one.enforcement == "hard", f"{one.id}: a waiver could lift a denial of the pack"


def test_every_schema_of_a_pack_is_used_and_closed(name: str, tmp_path: Path) -> None:
    policy = _policy(name, tmp_path)
    schemas = [path for path in pack(name).files if path.startswith("schemas/")]
    text = pack(name).files[POLICY].decode()
    assert all(f"args: {path}" in text for path in schemas)
    for tool in policy.tools.values():
        if tool.args is not None:
            assert tool.args["additionalProperties"] is False, tool.name


def test_argument_names_of_quantities_carry_their_unit() -> None:
    unit = re.compile(r"_(ug|g|ml|umol_per_h|ml_per_min|mdeg|mc|mv|ma|mah|ms|um_per_s|hours|days|years)$")
    plain = {"count", "doses_per_day", "cells_in_series", "minor"}
    for name in ("clinical", "devices", "cloud-and-repositories", "banking"):
        for path, data in pack(name).files.items():
            if path.startswith("schemas/"):
                for key in _quantities(json.loads(data)):
                    assert unit.search(key) or key in plain, f"{name} {path}: {key}"


def _quantities(schema: Any) -> set[str]:
    found: set[str] = set()
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            if value.get("type") in ("integer", "number"):
                found.add(key)
        for value in schema.values():
            found |= _quantities(value)
    return found


def test_each_pair_of_the_interactions_is_a_rule_that_holds_both_ways(tmp_path: Path) -> None:
    rules = {one.id: one for one in _policy("clinical", tmp_path).rules if one.id.startswith("interaction-")}
    pairs = json.loads(pack("clinical").files["interactions.json"])["pairs"]
    assert list(rules) == [f"interaction-{'-'.join(pair['drugs'])}" for pair in pairs]
    for pair, rule in zip(pairs, rules.values(), strict=True):
        first, second = pair["drugs"]
        wanted = (
            f'tool == "pharmacy.prescribe" && (args.drug == "{first}" && "{second}" in args.active_drugs '
            f'|| args.drug == "{second}" && "{first}" in args.active_drugs)'
        )
        assert " ".join(rule.when.text.split()) == wanted
        assert " ".join(rule.why.split()) == f"Source: {pair['source']}."


def test_no_number_of_a_readme_contradicts_the_policy() -> None:
    # Sums of money stand in both, in major units here and in minor units there.
    for name in ("banking", "cloud-and-repositories"):
        readme, policy = (pack(name).files[path].decode() for path in (README, POLICY))
        for text in re.findall(r"\d[\d,]*\.\d\d(?!\d)", readme):
            assert re.search(rf"\b{text.replace(',', '').replace('.', '')}\b", policy), f"{name}: {text}"


def test_the_packs_are_listed(run_cli: Callable[..., Any]) -> None:
    done = run_cli("policy", "packs")
    assert [line.split()[0] for line in done.stdout.splitlines()] == sorted(DUE)
    listed = json.loads(run_cli("policy", "packs", "--format", "json").stdout)
    assert listed[1]["files"][0] == POLICY


def test_a_pack_becomes_ones_own(name: str, run_cli: Callable[..., Any], tmp_path: Path) -> None:
    done = run_cli("policy", "new", "mine", "--pack", name, cwd=tmp_path)
    assert done.returncode == 0, done.output
    made = {str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*") if path.is_file()}
    assert made == set(pack(name).files)
    assert run_cli("policy", "check", "mine/policy.yaml", cwd=tmp_path).returncode == 0
    again = run_cli("policy", "new", "mine", "--pack", name, cwd=tmp_path)
    assert again.returncode == 2, "nothing that stands there is written over"


@pytest.mark.parametrize(
    "words", [["mine", "--pack", "bankng"], ["-", "--pack", "banking"], ["m", "--pack", "banking", "--name", "x"]]
)
def test_what_cannot_be_copied_is_told_and_nothing_is_written(
    words: list[str], run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = run_cli("policy", "new", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert ("did you mean 'banking'?" in done.stderr) or ("give a new folder, and no --name" in done.stderr)
    assert not list(tmp_path.iterdir())
