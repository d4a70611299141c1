"""Every format holds for every odd report, says the same twice, and lets no hidden character through."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from agent_saga.certify.outputs import FORMATS, job_summary, render
from agent_saga.certify.report import Report

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
SUFFIX = {
    "text": "txt",
    "json": "json",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github.txt",
    "gitlab": "gitlab.json",
    "tap": "tap",
    "markdown": "md",
    "html": "html",
}
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}

pytestmark = pytest.mark.filterwarnings("error")


def test_there_is_a_golden_file_for_each_format() -> None:
    assert set(SUFFIX) == set(FORMATS)


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_every_report_can_be_written_and_encoded(fmt: str, report: Report, written: Callable[..., str]) -> None:
    text = written(report, fmt, show_suppressed=True, verbose=1)
    assert text.encode()
    assert text.endswith("\n")


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_no_hidden_character_gets_through(fmt: str, written: Callable[..., str], samples: ModuleType) -> None:
    text = written("hostile", fmt, show_suppressed=True, verbose=1)
    hidden = {c for c in text if unicodedata.category(c) in HIDDEN and c != "\n"}
    assert not hidden
    assert "\ufffe" not in text
    assert samples.HOSTILE not in text


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_the_sample_is_written_as_its_golden_file_shows(fmt: str, written: Callable[..., str]) -> None:
    # AGENT_SAGA_GOLDEN=write writes them anew; read the difference before committing it.
    path = GOLDEN / f"rich.{SUFFIX[fmt]}"
    text = written("rich", fmt, width=80)
    if os.environ.get("AGENT_SAGA_GOLDEN") == "write":
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_the_job_summary_is_written_as_its_golden_file_shows() -> None:
    path = GOLDEN / "rich.summary.md"
    text = job_summary(_sample("rich"))
    if os.environ.get("AGENT_SAGA_GOLDEN") == "write":
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def _sample(name: str) -> Report:
    found: Report = sys.modules["outputs_samples"].SAMPLES[name]
    return found


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_nothing_to_check_never_reads_as_a_pass(fmt: str, written: Callable[..., str]) -> None:
    for name in ("nothing", "empty-file", "unreadable"):
        text = written(name, fmt).lower()
        assert any(
            word in text for word in ("nothing to check", "not certified", "no such file", "not judged", "not a pass")
        )


@pytest.mark.parametrize("fmt", sorted(FORMATS))
def test_choices_stand_in_every_report(fmt: str, written: Callable[..., str]) -> None:
    text = written("rich", fmt)
    assert "AS407" in text
    assert "pyproject.toml" in text
    assert "cd" * 32 in text


@pytest.mark.parametrize("fmt", ["text", "json", "sarif", "junit", "tap", "markdown", "html"])
def test_the_missing_checkpoint_is_told(fmt: str, written: Callable[..., str]) -> None:
    text = written("clean", fmt)
    assert "checkpoint" in text


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ValueError, match="no output format 'pdf'; choose one of text, json"):
        render(_sample("clean"), "pdf")


def test_json_never_imports_rich() -> None:
    program = (
        "import sys; from agent_saga.certify.outputs import render; from agent_saga.certify.report import *; "
        "r = Report('0', '', Verdict.NOTHING, Exit.NOTHING, (), (), 0, (), (), (), Choices(), (), ()); "
        "[render(r, f) for f in ('json', 'junit', 'github', 'gitlab', 'tap', 'markdown')]; "
        "sys.exit('rich' in sys.modules)"
    )
    paths = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", program], check=False, env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 0
