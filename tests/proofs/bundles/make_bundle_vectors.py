"""Writes fixtures/vectors/bundles: one JSON file a bundle, good or hostile, for verifiers in any language.

    python tests/proofs/bundles/make_bundle_vectors.py            writes them
    python tests/proofs/bundles/make_bundle_vectors.py --check    exits 1 when they are not what would be written

A vector has ``pin`` (the text of a pin file), ``bundle`` (its text) or ``base64`` (its bytes, where they are no text),
perhaps ``earlier`` (the note of a checkpoint that the auditor kept) and ``consistency`` (the text of the proof), and
``expect``: ``{"ok": true, "claim": ..., "lines": ..., "withheld": ..., "opened": ..., "audited": ...}`` or
``{"reason": WORD}``, a word of docs/spec/bundle-v1.md.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import hostile_bundles
import hostile_claims
from bundle_samples import FULL_PIN, NONE, OPEN, PIN, SHORT, SIGNED, WIRE, MemoryLog, sealed, shop

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.continuing import Continuation, format_continuation
from agent_saga.proofs.tree import consistency

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "vectors" / "bundles"
Named = tuple[str, dict[str, Any]]


def vector(description: str, bundle: bytes, expect: dict[str, Any], pin: str = PIN, **more: Any) -> dict[str, Any]:
    """One vector; bytes that are no text are given in base64."""
    try:
        spelled = {"bundle": bundle.decode()}
    except UnicodeDecodeError:
        spelled = {"base64": b64encode(bundle).decode()}
    return {"description": description, "kind": "bundle", "pin": pin, **spelled, **more, "expect": expect}


def _good(log: MemoryLog) -> Iterator[tuple[str, str, bytes, dict[str, Any]]]:
    def made(saga: str, **choices: Any) -> bytes:
        return make_bundle(log, saga, disclosures=log.disclosures, **choices)

    def says(claim: str, lines: int, withheld: int = 0, opened: int = 0) -> dict[str, Any]:
        return {"claim": claim, "lines": lines, "withheld": withheld, "opened": opened}

    yield "whole", "a whole saga of 14 lines, nothing revealed", made(WIRE), says("whole", 14, 5)
    text = "a whole saga; the copy of the amount on line 5 stands in two places and both open"
    yield "whole-revealed", text, made(WIRE, reveal=["5:/args"]), says("whole", 14, 2, 3)
    yield (
        "whole-all-revealed",
        "a whole saga with everything opened",
        made(WIRE, reveal=["all"]),
        says("whole", 14, 0, 5),
    )
    text = "a saga that has not ended; the opened value holds a bidi override and an escape sequence"
    yield "whole-open", text, made(OPEN, reveal=["all"]), says("whole", 2, 0, 1)
    yield "whole-one-line", "a saga of a single line", made(SHORT), says("whole", 1)
    text = "a saga with an approval: the log's own lines say who may sign"
    yield "whole-approved", text, made(SIGNED), says("whole", 3)
    text = "two stretches besides line 0, with one value opened"
    yield "part", text, made(WIRE, lines=["4..6", "13"], reveal=["4:/args/iban"]), says("part", 5, 4, 1)
    yield "part-of-all-lines", "every line, but claimed as a part", made(WIRE, lines=["0..13"]), says("part", 14, 5)
    yield "part-line-0", "line 0 alone", made(WIRE, lines=["0"]), says("part", 1)
    yield "absent", "a saga that the log does not have", made(NONE, absent=True), says("absent", 0)


def _dots() -> MemoryLog:
    """A log with a saga that has a tool of the name under which concealed values stand."""
    log = MemoryLog(seed="dots")
    log.open()
    tools = {"...": {"version": "1", "semantics": "preview"}}
    log.write(WIRE, "saga.started", log="", name="n", format="1.0", tools=tools)
    log.write(WIRE, "rollback.started", cause=log.hide("why"))
    log.seal()
    return log


def _plain() -> MemoryLog:
    """A log without log.opened and without an index."""
    log = MemoryLog(seed="plain")
    log.write(WIRE, "saga.started", log="", name="n", format="1.0", tools={})
    log.write(WIRE, "rollback.started", cause=1)
    log.sign()
    return log


def good() -> Iterator[Named]:
    """Bundles that must verify."""
    log = sealed()
    for name, text, data, says in _good(log):
        yield f"good-{name}", vector(text, data, {"ok": True, **says, "audited": False})
    plain = make_bundle(_plain(), WIRE, lines=["0..1"])
    says = {"ok": True, "claim": "part", "lines": 2, "withheld": 0, "opened": 0, "audited": False}
    yield "good-part-of-a-plain-log", vector("a part, from a log that keeps no index", plain, says)
    says = {"ok": True, "claim": "whole", "lines": 2, "withheld": 1, "opened": 0, "audited": False}
    yield "good-whole-tool-of-dots", vector("a tool has the name ...", make_bundle(_dots(), WIRE), says)
    log.cosigned()
    says = {"ok": True, "claim": "whole", "lines": 14, "withheld": 5, "opened": 0, "audited": True}
    data = make_bundle(log, WIRE)
    text = "a whole saga; a pinned witness and a pinned monitor have cosigned"
    yield "good-whole-audited", vector(text, data, says, FULL_PIN)
    text = "the same, by an auditor who pins neither: their signatures are passed over"
    yield "good-whole-unpinned-cosigners", vector(text, data, {**says, "audited": False})
    yield "good-whole-continued", _continued(says)


def _continued(says: dict[str, Any]) -> dict[str, Any]:
    log = shop()
    earlier = log.sign()
    old = log.size
    log.seal()
    proof = Continuation(old, log.size, consistency(log.tree, old, log.size))
    return vector(
        "a whole saga under a checkpoint that continues the one that the auditor kept",
        make_bundle(log, WIRE),
        {**says, "audited": False},
        earlier=earlier.decode(),
        consistency=format_continuation(proof).decode(),
    )


def bad() -> Iterator[Named]:
    """Bundles that must be refused, each with its reason."""
    for name, reason, text, data, more in [*hostile_bundles.all_of_them(), *hostile_claims.all_of_them()]:
        yield f"bad-{name}", vector(text, data, {"reason": reason}, **more)


def files() -> dict[str, str]:
    """The text of every file of vectors."""
    made = [*good(), *bad()]
    found = {f"{name}.json": json.dumps(one, indent=1, ensure_ascii=True) + "\n" for name, one in made}
    if len(found) < len(made):
        raise SystemExit("two vectors of one name")
    return found


def stale(due: dict[str, str]) -> list[str]:
    """Files that are missing, different, or not written by this maker."""
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*")}
    return sorted(name for name in due.keys() | there.keys() if due.get(name) != there.get(name))


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say whether they are up to date."""
    due = files()
    if arguments == ["--check"]:
        print("\n".join(stale(due)))
        return 1 if stale(due) else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale(due):
        (FOLDER / name).unlink(missing_ok=True)
    for name, text in due.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
