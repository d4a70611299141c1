"""What every test may use. Slow tests run only on request, and in CI nothing of ours is skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

# What the surroundings may set and the program reads: a test that wants one of them says so.
_DROPPED_PREFIXES = ("AGENT_SAGA_", "GITHUB_", "GITLAB_", "RUNNER_", "CI_")
_DROPPED = {
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "NO_COLOR",
    "PYTHONPATH",
    "PYTHONWARNINGS",
    "SOURCE_DATE_EPOCH",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
}

# A shared machine is slow at times, so no deadline. CI tries the same examples every time.
settings.register_profile("agent-saga", deadline=None, derandomize=IN_CI)
settings.load_profile("agent-saga")


@dataclass(frozen=True)
class CliResult:
    """What one run of the command left: its exit code and both outputs."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Both outputs, for messages of failed tests."""
        return f"exit {self.returncode}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def clean_environment() -> dict[str, str]:
    """This process's environment without anything that would change what the command prints."""
    kept = {k: v for k, v in os.environ.items() if k not in _DROPPED and not k.startswith(_DROPPED_PREFIXES)}
    return kept | {"COLUMNS": "120", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}


def find_inputs() -> Path | None:
    """The folder of other projects' logs: AGENT_SAGA_INPUTS, else ../shared/inputs, else None."""
    named = os.environ.get("AGENT_SAGA_INPUTS")
    folder = Path(named) if named else ROOT.parent / "shared" / "inputs"
    return folder.resolve() if folder.is_dir() else None


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def inputs_dir() -> Path:
    """The folder of other projects' logs; a test that asks for it is skipped where there is none."""
    found = find_inputs()
    if found is None:
        pytest.skip("no logs of other projects here: set AGENT_SAGA_INPUTS or provide ../shared/inputs")
    return found


@pytest.fixture(scope="session")
def run_cli() -> Callable[..., CliResult]:
    """Runs the installed `agent-saga` command: `run_cli("certify", path, cwd=tmp_path)`."""
    command = Path(sys.executable).with_name("agent-saga")

    def run(
        *args: str | os.PathLike[str],
        cwd: str | os.PathLike[str] = ROOT,
        env: Mapping[str, str] | None = None,
        stdin: str | bytes | None = None,
        timeout: float = 120,
    ) -> CliResult:
        assert command.exists(), f"{command.name} is not installed beside {Path(sys.executable).name}: run `make test`"
        done = subprocess.run(
            [os.fspath(command), *map(os.fspath, args)],
            cwd=cwd,
            env=clean_environment() | dict(env or {}),
            input=stdin.encode() if isinstance(stdin, str) else (stdin or b""),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return CliResult(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked slow as well")


@pytest.fixture(scope="session")
def long_run(request: pytest.FixtureRequest) -> bool:
    """Whether this is `make test-long`: a test of samples then takes all of them."""
    return bool(request.config.getoption("--long"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "inputs_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("inputs")
    if config.getoption("--long") or config.getoption("-m"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


# A skip that nobody sees is a test that nobody has: in CI it fails, but for what reads other projects' logs.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail") and not item.get_closest_marker("inputs"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"a whole file is skipped in CI, where nothing may be: {_reason(report.longrepr)}"
    return report


def _reason(longrepr: object) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) and len(longrepr) == 3 else str(longrepr)
