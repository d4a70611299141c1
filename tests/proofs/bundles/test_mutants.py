"""No mutant of a bundle verifies. `python tests/proofs/bundles` tries more of them and prints the figures."""

from __future__ import annotations

import pytest
from bundle_samples import FULL_PIN, NONE, WIRE, pins, sealed
from mutants import bytes_changed, lengths_changed, structure_changed, survivors

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.errors import Refuted

SAMPLES = {
    "whole": make_bundle(sealed(), WIRE),
    "part": make_bundle(sealed(), WIRE, lines=["4..6", "13"]),
    "absent": make_bundle(sealed(), NONE, absent=True),
}
PRIME = 17
"""Every 17th byte by default: a number that has nothing to do with the layout. ``--long`` takes every byte."""


@pytest.mark.parametrize("name", SAMPLES)
def test_no_changed_byte_verifies(name: str, long_run: bool, capsys: pytest.CaptureFixture[str]) -> None:
    data, every = SAMPLES[name], 1 if long_run else PRIME
    tried, alive = survivors(data, pins(), bytes_changed(data, every))
    more, cut = survivors(data, pins(), lengths_changed(data, every))
    with capsys.disabled():
        print(f" [{name}: {tried + more} mutants of {len(data)} bytes]", end="")
    assert tried > 5 * len(data) // every
    assert alive == cut == []


@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_or_member_dropped_doubled_exchanged_or_renumbered_verifies(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = SAMPLES[name]
    tried, alive = survivors(data, pins(), structure_changed(data))
    with capsys.disabled():
        print(f" [{name}: {tried} mutants]", end="")
    assert tried > 60
    assert alive == []


def test_a_changed_signature_of_a_cosigner_is_refused_or_counts_for_nothing() -> None:
    log = sealed()
    log.cosigned()
    data = make_bundle(log, WIRE)
    start, end = data.index("— w.example/1".encode()), data.index(b'","lines"')
    whole = verify_bundle(data, pins(FULL_PIN))
    assert len(whole.signed.witnesses) == len(whole.signed.monitors) == 1
    weaker = 0
    for name, mutant in bytes_changed(data):
        at = int(name.split()[1])
        if not start <= at < end:
            continue
        try:
            proven = verify_bundle(mutant, pins(FULL_PIN))
        except Refuted:
            continue
        weaker += 1
        assert len(proven.signed.witnesses) + len(proven.signed.monitors) == 1, name
        assert proven.signed.silent, name
        assert proven.lines == whole.lines
    assert weaker
