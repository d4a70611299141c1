"""A log whose sagas are all settled, its pin with a certificate key, and the command's arguments for it."""

from __future__ import annotations

from pathlib import Path

import logs
from samples import whole

from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.proofs.keys import key_from_seed

CERTIFIER = key_from_seed("acme.example/certify", "certificate", b"c" * 32)
PIN = f"agent-saga-pin-v1\norigin {logs.ORIGIN}\nlog {logs.KEY.vkey}\ncertificate {CERTIFIER.vkey}\n"
NOW = "2026-11-30T12:00:00.000000Z"


def settled(folder: Path, name: str = "orders.jsonl", sagas: int = 3) -> Path:
    """A log of settled sagas with a checkpoint; the pin stands beside it."""
    store = folder / name
    logs.begin(store)
    logs.append(store, [line for number in range(sagas) for line in whole(f"saga-{number}")])
    logs.mark(store)
    (folder / "pin").write_text(PIN, "utf-8")
    return store


def held(store: Path, *notes: Path, **choices: object) -> Report:
    """The report on a store under its latest checkpoint, or under these."""
    points = notes or (Path(f"{store}.log/checkpoint"),)
    made = Choices(checkpoints=tuple(map(str, points)), pin=str(store.parent / "pin"), **choices)  # type: ignore[arg-type]
    return certify([str(store)], Options(made))


def codes(report: Report) -> list[str]:
    return sorted({found.code for found in report.findings})
