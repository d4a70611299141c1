"""`log open` says what its registry, or the lack of one, means for good."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires
from hands import ENV

Run = Callable[..., Any]


@pytest.fixture
def opening(run_cli: Run, registry: Path, tmp_path: Path) -> Run:
    """Opens pay.db with what is given."""
    assert (
        run_cli("keys", "new", "log.example", "--purpose", "log", "-o", "log.key", cwd=tmp_path, env=ENV).returncode
        == 0
    )

    def opening(*given: str) -> Any:
        words = ("log", "open", "pay.db", "--origin", "log.example/shop", "--key", "log.key")
        return run_cli(*words, *given, cwd=tmp_path, env=ENV)

    return opening


def test_without_a_registry_it_says_that_nobody_can_ever_approve(opening: Run, run: Run, tmp_path: Path) -> None:
    done = opening()
    assert done.returncode == 0, done.output
    assert "no approval, decision or change of policy can ever be verified in it" in done.stderr
    assert "registry:    none" in done.stdout
    assert wires.run(tmp_path / "pay.db", tmp_path / "registry-3.json") == "waiting_approval"
    given = ("--key", "ana-soft", "--registry", "registry-3.json")
    assert run("export", "pay.db", *given).returncode == 2, "and it is so: a registry given later changes nothing"


def test_with_a_registry_it_names_its_digest(opening: Run, run: Run, registry: Path, tmp_path: Path) -> None:
    value = json.loads(registry.read_text()) | {"changes": {"roles": ["registrar"], "quorum": 2, "strength": "D"}}
    (tmp_path / "registry-4.json").write_text(json.dumps(value))
    done = opening("--registry", "registry-4.json", "--format", "json")
    assert (done.returncode, done.stderr) == (0, ""), done.output
    checked = json.loads(run("registry", "check", "registry-4.json", "--format", "json").stdout)
    assert json.loads(done.stdout)["registry"] == checked["digest"]


def test_a_registry_that_nobody_may_change_is_told(opening: Run) -> None:
    done = opening("--registry", "registry-3.json")
    assert (done.returncode, "no key can ever be added" in done.stderr) == (0, True), done.output


@pytest.mark.parametrize("text", ["{}", '{"people":3}', "[]", "", '{"v":1,"version":1,"version":2}', "\udcff"])
def test_what_is_no_registry_does_not_begin_a_log(opening: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text, errors="surrogateescape")
    done = opening("--registry", "bad.json")
    assert (done.returncode, "bad.json" in done.stderr) == (2, True), done.output
    assert not (tmp_path / "pay.db").exists()
