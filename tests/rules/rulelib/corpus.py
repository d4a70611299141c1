"""All cases, and the files and the manifest that they make."""

from __future__ import annotations

import json
from collections.abc import Iterator

from . import (
    cases_approvals,
    cases_checkpoints,
    cases_disclosure,
    cases_effects,
    cases_integrity,
    cases_people,
    cases_policies,
    cases_undos,
)
from .case import CASES, Case
from .checkpoints import PIN_NAME, pin
from .policies import POLICY_FILES
from .signing import REGISTRY_FILE, REGISTRY_NAME

__all__ = ["CASES", "Case", "files"]
_ = (
    cases_checkpoints,
    cases_integrity,
    cases_effects,
    cases_undos,
    cases_people,
    cases_disclosure,
    cases_approvals,
    cases_policies,
)  # each registers its cases


def files() -> Iterator[tuple[str, bytes]]:
    """Every file below fixtures/rules with its bytes."""
    entries = []
    for case in sorted(CASES, key=lambda one: (one.code, one.name)):
        for side in ("bad", "good"):
            yield case.file(side), case.data(side)
            if case.disclosures:
                disclosed = "".join(line + "\n" for line in case.disclosures[side])
                yield _beside(case, side, ".disclosures"), disclosed.encode()
            if case.waivers:
                yield _beside(case, side, ".waivers.json"), case.waivers[side]
            if case.checkpoint:
                yield _beside(case, side, ".checkpoint"), case.checkpoint[side](case.data(side).splitlines())
            entries.append(_entry(case, side))
    about = "Written by tests/rules/make_fixtures.py. codes: what a file gives; also: what it gives besides."
    yield PIN_NAME, pin()
    yield REGISTRY_NAME, REGISTRY_FILE
    yield from POLICY_FILES.items()
    yield "MANIFEST.json", json.dumps({"about": about, "files": entries}, indent=1).encode() + b"\n"


def _beside(case: Case, side: str, suffix: str) -> str:
    return case.file(side).removesuffix(case.suffix) + suffix


def _entry(case: Case, side: str) -> dict[str, object]:
    bad = side == "bad"
    entry: dict[str, object] = {
        "file": case.file(side),
        "rule": case.code,
        "what": case.what if bad else "The nearest good one.",
    }
    entry["codes"] = [case.code] if bad else []
    if also := sorted(case.others(side)):
        entry["also"] = also
    entry["exit"] = case.exit if bad or also else 0
    args = list(case.args)
    if case.disclosures:
        args += ["--disclosures", _beside(case, side, ".disclosures")]
    if case.waivers:
        args += ["--waivers", _beside(case, side, ".waivers.json")]
    if case.checkpoint:
        args += ["--checkpoint", _beside(case, side, ".checkpoint"), "--pin", PIN_NAME]
    return entry | ({"args": args} if args else {})
