"""What a process found of approvals is, in the process that asked, what it was."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from agent_saga.certify.approving.uses import Burnt, Signature, Uses
from agent_saga.certify.judging.inputs import judge_part
from agent_saga.certify.preparing import Options, prepared
from agent_saga.certify.report import Choices

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "rules"
FILES = [path for code in ("AS304", "AS309", "AS311") for path in sorted((FIXTURES / code).glob("*.jsonl"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_approvals_come_back_as_they_were(path: Path) -> None:
    options = Options(choices=Choices(registry=str(FIXTURES / "registry.json")))
    uses = judge_part(prepared(options).task(str(path), "log")).bench.crossing.uses
    assert uses.burnt
    assert uses.signatures
    back: Uses = pickle.loads(pickle.dumps(uses))
    assert (back.burnt, back.signatures, back.exceptions) == (uses.burnt, uses.signatures, uses.exceptions)
    assert {type(one) for one in back.burnt} == {Burnt}
    assert {type(one) for one in back.signatures} == {Signature}


def test_nothing_comes_back_as_nothing() -> None:
    assert pickle.loads(pickle.dumps(Uses())) == Uses()
