"""Python and Go give one answer, for the same reason, to thousands of altered vectors as well."""

from __future__ import annotations

import importlib.util
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "fixtures" / "vectors"
TOPICS = ("tree", "notes", "checkpoints", "cosignatures", "tlog-proof", "index")
MUTANTS = 20
"""Mutants of each vector."""
HASHED = {"path", "proof", "root", "old_root", "new_root"}
"""Members that hold hashes."""
FILES = {"tlog-proof", "consistency-file"}
"""Kinds of vectors whose proof is the text of a file."""
LETTERS = "\n\n\r\t +=/-—AQz09\u00a0\u200bé"

Foreign = Callable[..., tuple[int, Any]]


def answering() -> ModuleType:
    spec = importlib.util.spec_from_file_location("answering", ROOT / "tests" / "proofs" / "core" / "answering.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def texts(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where texts and numbers stand in a vector."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in {
                "description",
                "kind",
                "expect",
                "seeds",
                "entries",
                "note_hex",
                "digest",
                "sizes",
                "note_parts",
            }:
                yield from texts(inner, (*at, key))
    elif isinstance(value, str | int):
        yield at


def altered(value: str | int, hashed: bool, random: Random) -> str | int:
    if isinstance(value, int):
        return random.choice([value - 1, value + 1, value ^ 1, value * 2, 0, 2**53 - 1])
    if hashed:  # not text of a format: only another hash makes another vector
        data = bytearray(b64decode(value) or b"0")
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        return b64encode(data).decode()
    at = random.randrange(len(value) + 1)
    end = min(len(value), at + random.choice([0, 1, 1, 1, 2, 44, 45]))
    return value[:at] + random.choice(["", *LETTERS, value[at:end] * 2]) + value[end:]


def reordered(found: list[Any], random: Random) -> None:
    """Drops, repeats or exchanges what stands in a list."""
    at, other = random.randrange(len(found)), random.randrange(len(found))
    random.choice(
        [
            lambda: found.pop(at),
            lambda: found.insert(at, found[other]),
            lambda: found.__setitem__(slice(None), found[at:] + found[:at]),
        ]
    )()


def mutant(vector: dict[str, Any], random: Random) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(vector))
    lists = [found[name] for name in HASHED if isinstance(found.get(name), list) and found[name]]
    if lists and random.random() < 0.3:
        reordered(random.choice(lists), random)
        return found
    *way, last = random.choice(list(texts(found)))
    inner: Any = found
    for key in way:
        inner = inner[key]
    file = last == "proof" and vector["kind"] in FILES
    hashed = (last in HASHED and not file) or bool({*way} & HASHED)
    inner[last] = altered(inner[last], hashed, random)
    return found


def well_formed(vector: dict[str, Any], answer: Callable[[Any], Any]) -> dict[str, Any] | None:
    """The answer; None where the vector itself is no vector any more, such as hex that is none."""
    try:
        found: dict[str, Any] = answer(vector)
    except (ValueError, AssertionError):
        return None
    return found


@pytest.mark.xdist_group("foreign")
def test_both_say_the_same_of_altered_vectors(foreign: Foreign, tmp_path: Path) -> None:
    answer, random = answering().answer, Random(20261130)
    due: dict[str, dict[str, Any]] = {}
    for path in sorted(path for topic in TOPICS for path in (VECTORS / topic).glob("*.json")):
        vector = json.loads(path.read_text("utf-8"))
        for number in range(MUTANTS if list(texts(vector)) else 0):
            one = mutant(vector, random)
            expected = well_formed(one, answer)
            if expected is not None:
                place = tmp_path / f"{path.parent.name}-{path.stem}-{number}.json"
                place.write_text(json.dumps(one), "utf-8")
                due[str(place)] = expected
    _, found = foreign("vectors", *due)
    different = {place: (due[place], found[place]) for place in due if found[place] != due[place]}
    assert not different, f"{len(different)} of {len(due)}: {dict(list(different.items())[:5])}"
    assert len(due) > 3000
    print(f"{len(due)} altered vectors, {sum('reason' in one for one in due.values())} of them refused")
