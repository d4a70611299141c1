"""Writes fixtures/proofs: a store with its log, a pin, a bundle and one cut down, for the docs and for tests.

    python tests/proofs/bundles/make_sample_log.py            writes them
    python tests/proofs/bundles/make_sample_log.py --check    exits 1 when they are not what would be written

The key of the log is 32 times the byte 1: for tests, and worth nothing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from attacking import forged
from bundle_samples import LOG, ORIGIN, PIN, WIRE, MemoryLog, shop, stream

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.reading import Bundle, parse_bundle
from agent_saga.proofs.log import Log, open_log, write_checkpoint
from agent_saga.proofs.names import to_base64
from agent_saga.trace.store.sqlite import DISCLOSURES

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "proofs"
SKIPPED = {"lock", "offsets"}
"""Files of a log that hold nothing but the writer's convenience."""


def write(folder: Path) -> None:
    """The store, its log as of two checkpoints, the pin, and a bundle with one value revealed."""
    store = folder / "shop.jsonl"
    samples = shop()
    half = len(samples.lines) // 2
    open_log(str(store), LOG, origin=ORIGIN, now=1_796_000_000, random=stream("opened"))
    _append(store, samples, 1, half)
    write_checkpoint(str(store), LOG, now=1_796_100_000, random=stream("first"))
    _append(store, samples, half, len(samples.lines))
    write_checkpoint(str(store), LOG, now=1_796_200_000, random=stream("second"))
    Path(f"{store}{DISCLOSURES}").write_text("".join(text + "\n" for text in samples.disclosures), "ascii")
    (folder / "shop.pin").write_text(PIN, "utf-8")
    with Log.open(str(store)) as log:
        bundle = make_bundle(log, WIRE, reveal=["4:/args/amount"], disclosures=samples.disclosures)
        cut = _cut(log, parse_bundle(bundle))
    (folder / "wire.bundle.json").write_bytes(bundle)
    (folder / "cut.bundle.json").write_bytes(cut)


def _cut(log: Log, whole: Bundle) -> bytes:
    """The same saga cut to its first three lines, each hash of its proof true."""
    index = log.saga(WIRE)[2][0]
    placed = [index, *(at for at, _ in whole.log)]
    proof = tuple(map(to_base64, log.shared(placed, log.latest.size)))
    return forged(whole, lines=whole.lines[:3], anchors=((2, index),), proof=proof, disclosures=())


def _append(store: Path, samples: MemoryLog, first: int, end: int) -> None:
    with open(store, "ab") as out:
        out.writelines(line + b"\n" for line in samples.lines[first:end])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that counts, by its path in the folder."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in SKIPPED]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say whether they are up to date."""
    with tempfile.TemporaryDirectory() as made:
        write(Path(made))
        due = contents(Path(made))
    there = contents(FOLDER)
    stale = sorted(name for name in due.keys() | there.keys() if due.get(name) != there.get(name))
    if arguments == ["--check"]:
        print("\n".join(stale))
        return 1 if stale else 0
    for name in stale:
        (FOLDER / name).unlink(missing_ok=True)
    for name, data in due.items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
