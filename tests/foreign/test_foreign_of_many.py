"""The Go program verifies one saga out of very many, with two amounts concealed: the note, the chain, the inclusion."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "proofs" / "bundles"))

from bundle_samples import LOG, ORIGIN, WIRE
from many_sagas import LINES, write_log

from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.log import Log

Foreign = Callable[..., tuple[int, Any]]


@pytest.mark.xdist_group("foreign")
@pytest.mark.parametrize("sagas", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_one_saga_of_many_is_whole_to_a_foreign_verifier_too(sagas: int, foreign: Foreign, tmp_path: Path) -> None:
    store = tmp_path / "orders.jsonl"
    lines, disclosures = write_log(store, sagas)
    with Log.open(str(store)) as log:
        data = make_bundle(log, WIRE, conceal=["4:/args/amount", "5:/args/amount"], disclosures=disclosures)
    path = tmp_path / "one.bundle.json"
    path.write_bytes(data)
    size = 2 + len(lines) + sagas * LINES
    whole = {"ok": True, "claim": "whole", "saga": WIRE, "size": size, "lines": len(lines)}
    assert foreign("verify-bundle", path, str(LOG.vkey), ORIGIN) == (0, whole)
    path.write_bytes(data.replace(b"payments.wire", b"payments.fire", 1))
    assert foreign("verify-bundle", path, str(LOG.vkey), ORIGIN)[0] == 1
