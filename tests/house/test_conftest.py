"""A skip fails in CI and nowhere else, and slow tests wait until they are asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = "import pytest\ndef test_it(): pytest.skip('no such program')\n"
SKIPPED_FILE = "import pytest\npytest.skip('no such module', allow_module_level=True)\n"
EXPECTED_TO_FAIL = "import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\n"
NEEDS_INPUTS = "def test_it(inputs_dir): pass\n"
SLOW = "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\ndef test_fast(): pass\n"


def _pytest(folder: Path, source: str, *options: str, ci: bool) -> subprocess.CompletedProcess[str]:
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    (folder / "tests" / "test_it.py").write_text(source, encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")} | {
        "CI": "true" if ci else "",
        "AGENT_SAGA_INPUTS": str(folder / "absent"),
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("source", [SKIPPED, SKIPPED_FILE], ids=["one-test", "whole-file"])
def test_a_skip_fails_in_ci(source: str, tmp_path: Path) -> None:
    done = _pytest(tmp_path, source, ci=True)
    assert done.returncode in {1, 2}, done.stdout
    assert "skipped in CI" in done.stdout
    assert "no such" in done.stdout


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    done = _pytest(tmp_path, SKIPPED, ci=False)
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout


@pytest.mark.parametrize("source", [EXPECTED_TO_FAIL, NEEDS_INPUTS], ids=["xfail", "inputs"])
def test_ci_allows_an_expected_failure_and_the_absence_of_foreign_logs(source: str, tmp_path: Path) -> None:
    done = _pytest(tmp_path, source, ci=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("options", "ran"), [([], "1 passed"), (["--long"], "2 passed"), (["-m", "slow"], "1 passed")])
def test_slow_tests_run_on_request(options: list[str], ran: str, tmp_path: Path) -> None:
    done = _pytest(tmp_path, SLOW, *options, ci=True)
    assert done.returncode == 0, done.stdout
    assert ran in done.stdout
