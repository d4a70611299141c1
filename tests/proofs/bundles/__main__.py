"""Tries every mutant of sample bundles and prints how many there were: ``python tests/proofs/bundles``.

With --all each byte takes all of its 255 other values; that takes an hour.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bundle_samples import NONE, WIRE, pins, sealed
from mutants import bytes_changed, lengths_changed, structure_changed, survivors

from agent_saga.proofs.bundles.making import make_bundle


def main(arguments: list[str]) -> int:
    """Try them all. Exit code 1 when one verifies."""
    log, found = sealed(), 0
    kept = log.disclosures
    samples = {
        "whole saga of 14 lines": make_bundle(log, WIRE, disclosures=kept),
        "part of 5 lines, one value revealed": make_bundle(
            log, WIRE, lines=["4..6", "13"], reveal=["4:/args/iban"], disclosures=kept
        ),
        "absent saga": make_bundle(log, NONE, absent=True),
    }
    for name, data in samples.items():
        began = time.monotonic()
        every = [bytes_changed(data, all_values="--all" in arguments), lengths_changed(data), structure_changed(data)]
        total, alive = 0, []
        for mutants in every:
            tried, lived = survivors(data, pins(), mutants)
            total, alive = total + tried, alive + lived
        alive = [one for one in alive if one not in _HARMLESS.get(name, ())]
        took = time.monotonic() - began
        print(f"{name}: {len(data)} bytes, {total} mutants tried, {len(alive)} verify, {took:.0f} s", *alive[:9])
        found += len(alive)
    return 1 if found else 0


_HARMLESS = {
    "part of 5 lines, one value revealed": ("disclosures without 0", "disclosures ends at 0", "disclosures emptied")
}
"""A disclosure left out withholds what was revealed: the lines are the same, and the report says what stays closed."""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
