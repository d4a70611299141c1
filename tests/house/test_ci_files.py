"""The composite action's own script runs here, with the environment that a runner gives it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


class Runner:
    """A folder laid as a runner's, and the action's certify step to run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / "temp" / "agent-saga" / "bin"
        tools.mkdir(parents=True)
        (tools / "agent-saga").symlink_to(Path(sys.executable).with_name("agent-saga"))
        (folder / "fixtures").symlink_to(ROOT / "fixtures")
        (folder / "pyproject.toml").touch()
        self.summary = folder / "summary.md"
        self.outputs = folder / "outputs"

    def certify(self, path: str, args: str = "") -> subprocess.CompletedProcess[str]:
        script = re.findall(r"^      run: \|\n((?:        .*\n|\n)+)", (ROOT / "action.yml").read_text("utf-8"), re.M)[
            -1
        ]
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", textwrap.dedent(script)],
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "GITHUB_ACTIONS": "true",
                "GITHUB_OUTPUT": str(self.outputs),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_WORKSPACE": str(self.folder),
                "RUNNER_TEMP": str(self.folder / "temp"),
                "PATHS": path,
                "ARGS": args,
                "SARIF": "agent-saga.sarif",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_the_action_passes_a_good_log(runner: Runner) -> None:
    done = runner.certify("fixtures/demo/good.jsonl\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "exit-code=0" in runner.outputs.read_text("utf-8")
    assert (runner.folder / "agent-saga.sarif").is_file()


def test_the_action_refuses_a_bad_log_and_annotates_it_once(runner: Runner) -> None:
    done = runner.certify("fixtures/demo/good.jsonl\nfixtures/demo/bad.jsonl\n")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^::error .*file=fixtures/demo/bad\.jsonl", done.stdout, re.M), done.stdout
    assert "exit-code=1" in runner.outputs.read_text("utf-8")
    assert runner.summary.read_text("utf-8").count("not certified") >= 1
    headings = re.findall(r"^#{1,2} .*", runner.summary.read_text("utf-8"), re.M)
    assert len(headings) == len(set(headings)), f"the summary was written twice: {headings}"


def test_the_action_gives_its_args_to_certify(runner: Runner) -> None:
    done = runner.certify("fixtures/demo/good.jsonl", "--no-such-option")
    assert done.returncode == 2


@pytest.mark.parametrize("path", ["$(touch pwned)", "`touch pwned`", "; touch pwned", "--no-config"])
def test_a_path_given_to_the_action_is_never_a_command_or_an_option(path: str, runner: Runner) -> None:
    done = runner.certify(path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"::error file={path},title=input not judged::" in done.stdout
    assert not (runner.folder / "pwned").exists()


def test_ci_is_valid_bash_that_stops_at_the_first_failure() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text("utf-8")
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_what_the_ci_page_shows_is_complete() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)]
    assert len(blocks) == 4
    assert not re.search(r"OWNER|YOUR[-_ ]|TODO|FIXME|example\.(com|org)|<[a-z-]+>", page), "a word to be filled in"
    steps = [step for block in blocks for step in _steps(block) if step.get("id") == "certify"]
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert steps
    assert all(step["uses"].startswith("./") and set(step["with"]) <= set(inputs) for step in steps)
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.M)) == set(inputs)


def _steps(block: Any) -> list[dict[str, Any]]:
    if isinstance(block, list):
        return block
    return [step for job in block.get("jobs", {}).values() for step in job["steps"]]


def test_the_hook_on_the_ci_page_is_the_one_that_the_repository_offers() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    (shown,) = yaml.safe_load(re.findall(r"^```yaml\n(repos:.*?)^```", page, re.M | re.S)[0])["repos"][0]["hooks"]
    (offered,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    members = ("id", "name", "entry", "language", "require_serial")
    assert {name: shown[name] for name in members} == {name: offered[name] for name in members}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert shown["additional_dependencies"] == [f"agent-saga-toolkit=={version}"]


@pytest.mark.parametrize(("log", "code"), [("good", 0), ("bad", 1)])
def test_the_pre_commit_hook_judges_the_files_that_it_is_given(
    log: str, code: int, run_cli: Callable[..., Any]
) -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.findall(r"^  entry: (.+)$", hook, re.M)[0].split()
    files = re.findall(r"^  files: (.+)$", hook, re.M)[0]
    path = f"fixtures/demo/{log}.jsonl"
    assert entry[0] == "agent-saga"
    assert re.search(files, path)
    assert run_cli(*entry[1:], path).returncode == code
