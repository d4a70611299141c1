"""The command loads what the call needs, and nothing of it shows."""

import subprocess
import sys
from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from agent_saga.cli.assembling import COMMANDS, GROUPS, assembled, assembled_for

ALL = [*COMMANDS, *GROUPS]


def _offered(app: typer.Typer) -> dict[str, Any]:
    return cast(Any, typer.main.get_command(app)).commands


def _told(app: typer.Typer, name: str) -> str:
    return CliRunner().invoke(app, [name, "--help"]).output


@pytest.mark.parametrize("name", ALL)
def test_a_command_alone_is_what_it_is_among_all(name: str) -> None:
    alone = assembled_for([name, "--anything"])
    assert list(_offered(alone)) == [name]
    assert _told(alone, name) == _told(assembled(), name) != ""


@pytest.mark.parametrize("arguments", [[], ["--help"], ["certfy"], ["--version"]])
def test_whoever_names_no_command_meets_all_of_them(arguments: list[str]) -> None:
    assert list(_offered(assembled_for(arguments))) == ALL


def test_certify_loads_no_other_command_and_no_way_of_judging_that_was_not_asked_for() -> None:
    asked = (
        "import sys; from agent_saga.cli.program import run; run(['certify', '--help']); import agent_saga.cli.judging"
    )
    strangers = ("agent_saga.cli.approvals", "agent_saga.proofs.bundles", "agent_saga.certify.controls.assessing")
    code = f"{asked}; sys.exit(sorted({{*{strangers!r}}} & sys.modules.keys()) and 1 or 0)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
