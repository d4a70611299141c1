"""A person keeps one of several calls that were made for one step: that settles this one, and none of the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulelib.lines import chain, written
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE

from agent_saga.certify.report import Choices, Exit
from agent_saga.certify.run import Options, certify

THREE = """
    begin
    propose s1 payments.charge
    go e1 payments.charge
    lose e1
    found e1 absent
    go e2 payments.charge step=s1
    lose e2
    found e2 absent
    go e3 payments.charge step=s1
    ok e3
    found e1 landed
    found e2 landed
    pause {names}
"""


@pytest.mark.parametrize(
    ("kept", "told"),
    [(("e1",), ["effect e3"]), (("e2",), ["effect e3"]), (("e3",), ["effect e2"]), (("e1", "e2"), [])],
    ids=["the first", "the second", "the third", "the first two"],
)
def test_two_calls_of_a_step_that_nobody_kept_are_two(kept: tuple[str, ...], told: list[str], tmp_path: Path) -> None:
    decisions = "\n".join(f"settle {one} kept ana-1" for one in kept)
    script = f"{THREE.format(names=' '.join(kept))}{decisions}\nsuccess e1 e2 e3"
    path, registry = tmp_path / "trace.jsonl", tmp_path / "registry.json"
    path.write_bytes(written(chain(SignedScript("kept").run(script))))
    registry.write_bytes(REGISTRY_FILE)
    report = certify([str(path)], Options(choices=Choices(registry=str(registry))))
    assert [(one.code, one.subject) for one in report.findings] == [("AS205", one) for one in told]
    assert report.exit_code is (Exit.NOT_CERTIFIED if told else Exit.CERTIFIED)


LATE = """
    start
    step s1 payments.charge
    go e1 payments.charge
    lose e1
    found e1 absent
    go e2 payments.charge step=s1
    fail e2
    {late}
    go e3 payments.charge step=s1
    ok e3
    rollback
    undo u3 e3
    {undo}
    end compensated_verified
"""


@pytest.mark.parametrize(
    ("late", "undo", "codes"),
    [("found e1 landed", "undo u1 e1", ["AS205"]), ("found e1 landed\nundo u1 e1", "", []), ("", "", [])],
    ids=["stands", "undone before", "never landed"],
)
def test_a_call_is_not_made_again_while_one_before_the_last_stands(
    late: str, undo: str, codes: list[str], tmp_path: Path
) -> None:
    """The last one failed; the one before it was found after all, and is undone only afterwards."""
    path = tmp_path / "trace.jsonl"
    path.write_bytes(written(chain(SignedScript("late").run(LATE.format(late=late, undo=undo)))))
    assert sorted(one.code for one in certify([str(path)]).findings) == codes


def test_what_landed_while_its_fallback_was_open_stands_in_the_way_of_a_third_call(tmp_path: Path) -> None:
    """The fallback fails after that: of the three calls the first is the one that stands."""
    script = """
        start
        step s1 payments.charge
        go e1 payments.charge
        lose e1
        found e1 absent
        step s2 payments.charge
        go e2 payments.charge step=s2 fallback_of=e1
        found e1 landed
        fail e2
        go e3 payments.charge step=s1 after=[]
        ok e3
        undo u1 e1
        success e3
    """
    path = tmp_path / "trace.jsonl"
    path.write_bytes(written(chain(SignedScript("open").run(script))))
    assert [(one.code, one.subject) for one in certify([str(path)]).findings] == [("AS205", "effect e3")]
