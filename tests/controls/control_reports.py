"""Reports over the rules' own fixtures, judged as the manifest says."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from agent_saga.certify.controls.reading import framework_ids
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "rules"
NOW = "2026-11-30T07:00:00.000000Z"


def entries() -> list[dict[str, Any]]:
    """The fixtures that need no option beyond those that :func:`judged` gives."""
    found: list[dict[str, Any]] = json.loads((FIXTURES / "MANIFEST.json").read_text("utf-8"))["files"]
    known = {"--registry", "--checkpoint", "--pin", "--disclosures", "--policy", "--waivers"}
    return [entry for entry in found if {word for word in entry.get("args", []) if word.startswith("--")} <= known]


@cache
def judged(name: str) -> Report:
    """The report on one fixture, with its own options and every framework asked for."""
    entry = next(entry for entry in entries() if entry["file"] == name)
    args = entry.get("args", [])
    given: dict[str, list[str]] = {}
    for option, value in zip(args[::2], args[1::2], strict=True):
        given.setdefault(option, []).append(str(FIXTURES / value))
    choices = Choices(
        checkpoints=tuple(given.get("--checkpoint", ())),
        pin="".join(given.get("--pin", ())),
        registry="".join(given.get("--registry", ())),
        policies=tuple(given.get("--policy", ())),
        waivers="".join(given.get("--waivers", ())),
        controls=framework_ids(),
        now=NOW,
    )
    disclosures = tuple(given.get("--disclosures", ()))
    return certify([str(FIXTURES / name)], Options(choices=choices, disclosures=disclosures))
