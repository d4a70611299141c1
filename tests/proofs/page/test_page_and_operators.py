"""Whatever an operator writes, chains, indexes and signs, the page and Python give one answer to it.

Mutants of a bundle's bytes die at the first hash. Here the log itself is altered by whoever holds its key: one line
says something else, every later line is chained to it, and index, tree and checkpoint are made over the result.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from answering_bundles import answer
from bundle_samples import FULL_PIN, OPEN, REGISTRY_DIGEST, SHORT, SIGNED, WIRE, MemoryLog, shop
from opening import answers
from playwright.sync_api import Page

from agent_saga.proofs.bundles.reading import VERSION
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.index import Index
from agent_saga.proofs.names import to_base64
from agent_saga.proofs.tree import shared_paths

pytestmark = pytest.mark.xdist_group("chromium")
TRIED = 500
SALT = "Q_Ar8G8JYTtj02LzlT4ycQ"
NAMES = ["zz", "...", "policy", "amount", "__proto__", "constructor", "é", "x\0"]
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53 - 1,
    2**53,
    1.0,
    1e300,
    "",
    "\0",
    "\u2028",
    "\U0001f600",
    [],
    {},
    "0" * 64,
]
VALUES += [{"...": "A" * 43}, {"...": "x"}, "2026-02-29T07:00:00.000000Z", "2028-02-29T23:59:59.999999Z", {"": 1}]


def altered(record: dict[str, Any], random: Random) -> dict[str, Any]:
    """The record with one value or member changed, put in, left out or moved."""
    found: dict[str, Any] = json.loads(json.dumps(record))
    within = random.choice(list(_objects(found)))
    name = random.choice(list(within) or [""])
    how = random.randrange(4)
    if how == 0:
        within.pop(name, None)
    elif how == 1:
        within[random.choice(NAMES)] = random.choice(VALUES)
    elif how == 2:
        within[name] = within.pop(name, None)
    else:
        within[name] = random.choice(VALUES)
    return found


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(item)


def written(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def signed_anew(random: Random, saga: str) -> MemoryLog:
    """A log with one line of this saga, or the index line, altered, and all that hangs on it made anew."""
    log, heads = shop(), dict[str, str]()
    victim = random.choice([None, *(at for at, name in enumerate(log.names) if name == saga)])
    for at, (name, line) in enumerate(zip(log.names, log.lines, strict=True)):
        record = json.loads(line)
        if at == victim:
            record = altered(record, random)
        record["prev"] = heads.get(name, "0" * 64)
        log.lines[at] = written(record)
        heads[name] = leaf(log.lines[at]).hex()
    log.claimed = Index(log.entries())
    last = {"v": 1, "saga": "log", "seq": 1, "prev": heads["log"], "at": "2026-11-30T07:01:40.000000Z"}
    last |= {"type": "log.indexed", "by": "runtime", "size": log.claimed.size, "root": log.claimed.root.hex()}
    last |= {"keys": {"digest": REGISTRY_DIGEST, "index": 0}, "salt": SALT}
    log.add("log", written(altered(last, random) if victim is None else last))
    log.sign()
    return log


def bundle_of(log: MemoryLog, saga: str) -> bytes:
    """The bundle of a whole saga as its operator writes it, whatever the lines say."""
    own = [at for at, name in enumerate(log.names) if name == "log"]
    lines = log.saga(saga)
    entry = log.claimed.present(saga)
    last = lines[-1][0]
    document = {"bundle": VERSION, "claim": "whole", "saga": saga, "checkpoint": log.checkpoint().decode()}
    document |= {"lines": [[seq, line.decode()] for seq, (_, line) in enumerate(lines)]}
    document |= {"anchors": [[len(lines) - 1, last]], "log": [[at, log.lines[at].decode()] for at in own]}
    document |= {"proof": [to_base64(one) for one in shared_paths(log.tree, [*own, last], log.size)]}
    path = [to_base64(one) for one in entry.path]
    document |= {"entries": [[entry.place, entry.entry.text()[:-1], path]], "disclosures": []}
    return written(document) + b"\n"


def test_what_an_operator_signed_comes_to_the_same_on_the_page(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    random, vectors = Random(20261130), []
    for _ in range(TRIED):
        saga = random.choice([WIRE, WIRE, OPEN, SIGNED, SHORT])
        data = bundle_of(signed_anew(random, saga), saga)
        vectors.append({"kind": "bundle", "pin": FULL_PIN, "base64": b64encode(data).decode()})
    due = [answer(one) for one in vectors]
    wrong = [(want, say) for want, say in zip(due, answers(page, vectors), strict=True) if want != say]
    assert not wrong, f"{len(wrong)} of {TRIED}: {wrong[:5]}"
    taken = sum("ok" in one for one in due)
    with capsys.disabled():
        print(f" [{TRIED} bundles of altered and signed logs, {taken} taken]", end="")
    assert 50 < taken < TRIED - 50
