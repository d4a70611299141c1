"""With --no-config certify heeds those variables that the page on configuration names, and no other of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sys.executable).with_name("agent-saga"))
PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
NAMED = set(re.findall(r"`([A-Z_]{5,})`", PAGE))
STILL = set(re.findall(r"`([A-Z_]{5,})`", PAGE.split("`--no-config`, for auditors,")[1].split("those of colour")[0]))
VALUES = {"AGENT_SAGA_PATHS": "/", "AGENT_SAGA_FORMAT": "text", "SOURCE_DATE_EPOCH": "86400", "AGENT_SAGA_DATA": "/x"}


def report(**variables: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AGENT_SAGA", "SOURCE_DATE"))}
    words = [COMMAND, "certify", "--no-config", "--format", "json", str(ROOT / "fixtures" / "demo" / "bad.jsonl")]
    done = subprocess.run(words, env=env | variables, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(name for name in NAMED if name.startswith(("AGENT_SAGA_", "SOURCE_"))))
def test_a_variable_says_nothing_unless_the_page_says_so(name: str) -> None:
    heard = report(**{name: VALUES.get(name, "nonsense")})
    if name == "SOURCE_DATE_EPOCH":
        assert name in STILL
        assert json.loads(heard)["choices"]["now"].startswith("1970-01-02T")
    else:
        assert heard == report()


def test_the_page_names_those_that_are_still_heard() -> None:
    assert {"SOURCE_DATE_EPOCH", "AGENT_SAGA_KEY_PASSPHRASE", "AGENT_SAGA_DATA"} == STILL
