"""Reports arrive whole or not at all, where they were sent, and nothing else is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COMMAND = str(Path(sys.executable).with_name("agent-saga"))


def test_text_is_printed_when_no_other_report_is(ask: Callable[..., Any], folder: Path) -> None:
    done = ask("a.jsonl", "--output", "json=r.json", "--output", "sarif=r.sarif")
    assert done.returncode == 0
    assert "certified" in done.stdout.lower()
    assert json.loads((folder / "r.json").read_text())
    assert json.loads((folder / "r.sarif").read_text())["version"] == "2.1.0"


@pytest.mark.parametrize("args", [["--format", "json"], ["-f", "json"], ["--output", "json=-"], ["-o", "json=-"]])
def test_one_report_can_be_printed(ask: Callable[..., Any], args: list[str]) -> None:
    done = ask("a.jsonl", *args)
    assert json.loads(done.stdout)["verdict"] == "certified"
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["text", "json", "sarif", "junit", "github", "gitlab", "tap", "markdown", "html"])
def test_every_format_can_be_written(ask: Callable[..., Any], folder: Path, name: str) -> None:
    assert ask("a.jsonl", "-o", f"{name}=out").returncode == 0
    assert (folder / "out").exists()


def test_a_report_gets_the_mode_of_any_new_file(ask: Callable[..., Any], folder: Path) -> None:
    ask("a.jsonl", "-o", "json=r.json")
    (folder / "plain").touch()
    assert (folder / "r.json").stat().st_mode == (folder / "plain").stat().st_mode


def test_a_report_keeps_the_mode_of_the_file_it_replaces_and_follows_links(
    ask: Callable[..., Any], folder: Path
) -> None:
    (folder / "old").write_text("old")
    (folder / "old").chmod(0o640)
    (folder / "link").symlink_to("old")
    ask("a.jsonl", "-o", "json=link")
    assert (folder / "link").is_symlink()
    assert (folder / "old").stat().st_mode & 0o777 == 0o640
    assert json.loads((folder / "old").read_text())


def test_a_report_can_go_to_a_device(ask: Callable[..., Any]) -> None:
    assert ask("a.jsonl", "-o", "json=/dev/null", "-o", "sarif=/dev/null").returncode == 0


def test_no_temporary_file_is_left(ask: Callable[..., Any], folder: Path) -> None:
    before = {*os.listdir(folder), ".asked.json", "r.json"}
    ask("a.jsonl", "-o", "json=r.json")
    ask("a.jsonl", "-o", "json=r.json", mode="crash")
    assert set(os.listdir(folder)) <= before


def test_a_place_that_cannot_be_written_is_told_before_judging(
    ask: Callable[..., Any], folder: Path, sealed: str
) -> None:
    for place in (f"{sealed}/r.json", "no/such/folder/r.json", "a.jsonl/r.json", ".", "x" * 300):
        done = ask("a.jsonl", "-o", "sarif=first", "-o", f"json={place}")
        assert (done.returncode, done.asked) == (2, None), place
        assert "nothing was judged" in done.stderr
        assert not (folder / "first").exists()


@pytest.mark.parametrize("flag", [["-o", "json=a.jsonl"], ["-o", "json=./a.jsonl"], ["--write-baseline", "a.jsonl"]])
def test_evidence_is_never_written_over(ask: Callable[..., Any], folder: Path, flag: list[str]) -> None:
    done = ask("a.jsonl", *flag)
    assert (done.returncode, done.asked) == (2, None)
    assert (folder / "a.jsonl").read_text() == "{}\n"


def test_evidence_that_a_link_names_is_never_written_over(ask: Callable[..., Any], folder: Path) -> None:
    (folder / "link").symlink_to("a.jsonl")
    assert ask("a.jsonl", "-o", "json=link").returncode == 2
    assert (folder / "a.jsonl").read_text() == "{}\n"


def test_a_full_disk_behind_stdout_is_exit_2(ask: Callable[..., Any], folder: Path, standin: dict[str, str]) -> None:
    if not os.path.exists("/dev/full"):
        assert sys.platform == "darwin"  # only Linux has one
        return
    for args in (["certify", "a.jsonl"], ["rules"], ["--help"]):
        with open("/dev/full", "wb") as full:
            done = _run(args, folder, standin, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2, args
        assert b"standard output: No space left" in done.stderr
        assert b"Traceback" not in done.stderr
    done = ask("a.jsonl", "-o", "json=/dev/full")
    assert done.returncode == 2
    assert "this report was not written" in done.stderr


def _run(args: list[str], folder: Path, env: dict[str, str], **more: Any) -> subprocess.CompletedProcess[bytes]:
    surroundings = os.environ | env
    return subprocess.run([COMMAND, *args], cwd=folder, env=surroundings, timeout=60, check=False, **more)


@pytest.mark.parametrize(("args", "code"), [(["certify", "a.jsonl", "-o", "json=r.json"], 3), (["rules"], 0)])
def test_a_reader_that_goes_away_is_no_error(folder: Path, standin: dict[str, str], args: list[str], code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    env = standin | {"STANDIN_EXIT": "3"}
    done = _run(args, folder, env, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (code, b"")
    if "certify" in args:
        assert json.loads((folder / "r.json").read_text())["exit_code"] == 3


def test_closed_streams_are_no_error(folder: Path, standin: dict[str, str]) -> None:
    done = _run(["certify", "a.jsonl", "-v"], folder, standin, preexec_fn=_close_outputs)
    assert done.returncode == 0
    done = _run(["certify", "-"], folder, standin, preexec_fn=lambda: os.close(0), stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"standard input is closed" in done.stderr


def _close_outputs() -> None:
    os.close(1)
    os.close(2)


def test_the_job_summary_is_appended_on_github_only(ask: Callable[..., Any], folder: Path) -> None:
    page = folder / "summary.md"
    page.write_text("before\n")
    there = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(page)}
    ask("a.jsonl", "--format", "github", env=there | {"GITHUB_ACTIONS": ""})
    ask("a.jsonl", "--format", "json", env=there)
    assert page.read_text() == "before\n"
    assert ask("a.jsonl", "--format", "github", env=there).returncode == 0
    assert page.read_text().startswith("before\n")
    assert len(page.read_text()) > len("before\n")


def test_a_job_summary_that_cannot_be_written_changes_no_verdict(ask: Callable[..., Any], folder: Path) -> None:
    there = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(folder / "no" / "such")}
    done = ask("a.jsonl", "--format", "github", env=there)
    assert done.returncode == 0
    assert "job summary was not written" in done.stderr
