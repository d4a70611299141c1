"""The checked-in part: good traces, the demo, and a few spoiled traces of each operator with a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import demo
from .lines import render
from .mutants import Mutant
from .shapes import Base
from .shapes_policed import policy_name

LONGEST = 20_000
"""Bytes of a checked-in file: faults that need more are tried, but not kept."""

EACH_KIND = ("malformed_line", "against_the_schema", "unknown_version_or_type", "secret_in_clear")
"""Operators of which every kind of fault is kept, not the first two only."""


def files(bases: Iterable[Base], mutants: Iterable[Mutant]) -> dict[str, bytes]:
    """Path under fixtures/ to content, for everything that is generated."""
    made = {"demo/good.jsonl": render(demo.good()), "demo/bad.jsonl": render(demo.bad())}
    for base in bases:
        if base.policy:
            made[f"faults/{policy_name(base.name)}"] = base.policy.encode()
        elif base.good:
            made[f"good/{base.name}.jsonl"] = render(base.lines)
            if base.disclosures:
                made[f"good/{base.name}.disclosures"] = _opened(base.disclosures)
    entries = []
    for name, mutant in _named(_kept(mutants)):
        made[f"faults/{name}.jsonl"] = mutant.data
        if mutant.disclosures:
            made[f"faults/{name}.disclosures"] = _opened(mutant.disclosures)
        entries.append(_entry(name, mutant))
    made["faults/MANIFEST.json"] = _manifest(entries)
    return made


def _opened(disclosures: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in disclosures).encode("ascii")


def _kept(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """The first mutant of each operator, and the first one that wants other codes; some operators in full."""
    kinds: dict[str, set[object]] = {}
    for mutant in mutants:
        known = kinds.setdefault(mutant.operator, set())
        full = mutant.operator in EACH_KIND
        kind = re.sub(r" in line \d+$", "", mutant.what) if full else mutant.codes
        if kind not in known and (full or len(known) < 2) and len(mutant.data) < LONGEST:
            known.add(kind)
            yield mutant


def _named(mutants: Iterable[Mutant]) -> Iterator[tuple[str, Mutant]]:
    taken: set[str] = set()
    for mutant in mutants:
        slug = re.sub(r"[^a-z0-9]+", "_", re.sub(r" in line \d+$", "", mutant.what).lower()).strip("_")[:48]
        name = f"{mutant.operator}-{slug.rstrip('_')}"
        name = f"{name}-{mutant.base}" if name in taken else name
        assert name not in taken, name
        taken.add(name)
        yield name, mutant


def _entry(name: str, mutant: Mutant) -> dict[str, object]:
    entry: dict[str, object] = {"file": name + ".jsonl", "what": mutant.what, "operator": mutant.operator}
    entry |= {"base": mutant.base, "exit": sorted(mutant.exits), "codes": sorted(mutant.codes)}
    if mutant.disclosures:
        entry["disclosures"] = name + ".disclosures"
    args = ["--fail-on", mutant.fail_on] if mutant.fail_on != "error" else []
    args += ["--policy", policy_name(mutant.base)] if mutant.policy else []
    entry |= {"args": args} if args else {}
    return entry


def _manifest(entries: list[dict[str, object]]) -> bytes:
    rows = ",\n".join("    " + json.dumps(entry, ensure_ascii=False) for entry in entries)
    format_ = "agent-saga faults, version 1: README.md beside this file says how to read it"
    return f'{{\n  "about": "{format_}",\n  "files": [\n{rows}\n  ]\n}}\n'.encode()


def write(root: Path, made: dict[str, bytes]) -> None:
    """Write the files, and remove those that are made no longer."""
    for folder in ("faults", "good"):
        for path in (root / folder).glob("*"):
            if path.suffix in (".jsonl", ".disclosures") and f"{folder}/{path.name}" not in made:
                path.unlink()
    for name, data in made.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
