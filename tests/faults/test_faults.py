"""Every fault is caught for what it is, no good trace is refused, and the checked-in corpus is what the
generator makes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FAULTS, GOOD, DEMO = (ROOT / "fixtures" / name for name in ("faults", "good", "demo"))
sys.path.insert(0, str(HERE))

from faultlib import corpus, tables  # noqa: E402
from faultlib.judge import all_bases, all_mutants, judge_bases, judge_mutants  # noqa: E402
from faultlib.mutants import OPERATORS, Mutant  # noqa: E402
from faultlib.shapes import Base  # noqa: E402

MANIFEST: list[dict[str, Any]] = json.loads((FAULTS / "MANIFEST.json").read_text("utf-8"))["files"]
SPECIAL = [entry for entry in MANIFEST if "args" in entry or "disclosures" in entry or entry["exit"] != [1]]
PLAIN = [entry for entry in MANIFEST if entry not in SPECIAL]
EVERY = 12
"""In `make test` the exit code of each so many-th plain file is asked for by a command of its own."""


@pytest.fixture(scope="module")
def bases() -> list[Base]:
    return all_bases()


@pytest.fixture(scope="module")
def mutants(bases: list[Base]) -> list[Mutant]:
    return list(all_mutants(bases))


@pytest.mark.xdist_group("faults")
def test_every_fault_is_caught_and_every_good_trace_is_certified(bases: list[Base], mutants: list[Mutant]) -> None:
    seen = tables.figures(judge_bases(bases), judge_mutants(mutants))
    assert seen.total("tried") > 9_000
    assert not tables.faults(seen), "\n".join(tables.faults(seen)[:40])
    page = (ROOT / "docs" / "faults.md").read_text("utf-8")
    assert page == tables.page(seen), "docs/faults.md is out of date: run `python tests/faults --write-docs`"


@pytest.mark.xdist_group("faults")
def test_every_operator_makes_mutants(mutants: list[Mutant]) -> None:
    made = {mutant.operator for mutant in mutants}
    assert not set(OPERATORS) - made


@pytest.mark.xdist_group("faults")
def test_the_corpus_is_what_the_generator_makes(bases: list[Base], mutants: list[Mutant]) -> None:
    made = corpus.files(bases, mutants)
    kept = {f"{folder.name}/{path.name}" for folder in (FAULTS, GOOD, DEMO) for path in folder.iterdir()}
    assert kept - {"faults/README.md", "good/README.md"} == set(made), "run `python tests/faults --write`"
    stale = [name for name, data in made.items() if (ROOT / "fixtures" / name).read_bytes() != data]
    assert not stale, "run `python tests/faults --write`"


def test_the_manifest_names_every_operator_and_every_file() -> None:
    named = {entry["operator"].removesuffix("_unchained") for entry in MANIFEST}
    assert {name.removesuffix("_unchained") for name in OPERATORS} <= named
    assert {entry["file"] for entry in MANIFEST} == {path.name for path in FAULTS.glob("*.jsonl")}


def test_one_command_gives_every_file_a_code_that_the_manifest_wants(run_cli: Callable[..., Any]) -> None:
    done = run_cli("certify", "--no-config", "--format", "json", *(entry["file"] for entry in PLAIN), cwd=FAULTS)
    assert done.returncode == 1, done.output
    given: dict[str, set[str]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        given.setdefault(finding["source"], set()).add(finding["code"])
    wrong = [
        (e["file"], e["codes"], given.get(e["file"]))
        for e in PLAIN
        if not set(e["codes"]) & given.get(e["file"], set())
    ]
    assert not wrong


def _command(entry: dict[str, Any]) -> list[str]:
    opened = ["--disclosures", entry["disclosures"]] if "disclosures" in entry else []
    return ["certify", "--no-config", "--format", "json", *entry.get("args", ()), *opened, entry["file"]]


def _gets_what_the_manifest_wants(run_cli: Callable[..., Any], entry: dict[str, Any]) -> None:
    done = run_cli(*_command(entry), cwd=FAULTS)
    assert done.returncode in entry["exit"], done.output
    codes = {finding["code"] for finding in json.loads(done.stdout)["findings"]}
    assert not entry["codes"] or set(entry["codes"]) & codes, (entry["codes"], codes)


@pytest.mark.parametrize("entry", SPECIAL + PLAIN[::EVERY], ids=lambda entry: entry["file"].removesuffix(".jsonl"))
def test_a_file_gets_the_exit_code_and_a_code_of_the_manifest(
    run_cli: Callable[..., Any], entry: dict[str, Any]
) -> None:
    _gets_what_the_manifest_wants(run_cli, entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", PLAIN, ids=lambda entry: entry["file"].removesuffix(".jsonl"))
def test_each_file_gets_them_by_a_command_of_its_own(run_cli: Callable[..., Any], entry: dict[str, Any]) -> None:
    _gets_what_the_manifest_wants(run_cli, entry)


def test_the_good_traces_are_certified_without_a_finding(run_cli: Callable[..., Any]) -> None:
    sealed = sorted(path.with_suffix("").name for path in GOOD.glob("*.disclosures"))
    plain = sorted(path.name for path in GOOD.glob("*.jsonl") if path.stem not in sealed)
    asked = [["--disclosures", f"{name}.disclosures", f"{name}.jsonl"] for name in sealed]
    for args in (plain, *asked):
        done = run_cli("certify", "--no-config", "--format", "json", "--fail-on", "note", *args, cwd=GOOD)
        assert done.returncode == 0, done.output
        assert json.loads(done.stdout)["findings"] == []


def test_the_demo_log_is_certified_and_its_lying_twin_is_not(run_cli: Callable[..., Any]) -> None:
    assert run_cli("certify", "--no-config", "good.jsonl", cwd=DEMO).returncode == 0
    done = run_cli("certify", "--no-config", "--format", "json", "bad.jsonl", cwd=DEMO)
    assert done.returncode == 1
    assert [finding["code"] for finding in json.loads(done.stdout)["findings"]] == ["AS201"]
