"""Random sagas, honest and not, are certified only when an independent model of the world finds nothing untrue.

`make test` takes two thousand walks, `make test-long` thirty thousand more. A walk that is judged wrongly is printed
with its seed and lines, so that it can be kept as a test of its own.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from walking import family, walk
from walking_judged import FALSE, OF_THE_WORLD, Tally, judge
from walking_lies import lies, stranded
from walking_lines import Pen, inverse_of
from walking_world import END, World

HERE = Path(__file__).resolve().parent
SEED = 20260105
WALKS = 2_000
LONG_SEEDS = (1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000)
LONG_WALKS = 6_000
MET = OF_THE_WORLD | {f"AS2{n:02}" for n in range(5, 14)} | {"AS102", "AS217", "AS507"}
"""The rules that walks break: those about effects, undos, children and decisions, without approvals and policies."""
NEEDED = sorted(MET - {"AS207", "AS211", "AS213", "AS502"})
"""Without any one of them something false would be certified soon; the four others mostly fire beside another."""


def _sensible(tally: Tally, walks: int) -> None:
    """Nothing was judged wrongly, and the walks had children, and were neither all true nor all lies."""
    print(tally)
    assert not tally.wrong, "\n".join(tally.wrong[:5])
    assert 1.2 < tally.walks / walks < 1.4
    assert 0.35 < tally.dishonest / tally.walks < 0.65
    assert 0.25 < tally.certified / tally.walks < 0.55
    assert tally.codes >= MET


def test_no_walk_is_certified_with_a_lie_or_refused_for_none(tmp_path: Path) -> None:
    _sensible(judge(range(SEED, SEED + WALKS), tmp_path), WALKS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", LONG_SEEDS)
def test_no_walk_of_many_is_certified_with_a_lie_or_refused_for_none(seed: int, tmp_path: Path) -> None:
    _sensible(judge(range(seed, seed + LONG_WALKS), tmp_path), LONG_WALKS)


@pytest.mark.parametrize("code", NEEDED)
def test_a_certifier_without_a_rule_is_caught(code: str, tmp_path: Path) -> None:
    false: list[str] = []
    for seed in range(SEED, SEED + WALKS, 150):
        wrong = judge(range(seed, seed + 150), tmp_path, ignored=(code,)).wrong
        false += [one for one in wrong if f": {FALSE}, although" in one]
        if false:
            break
    assert false, f"{WALKS:,} walks are judged alike without {code}"
    assert false[0].startswith("walk-202")
    assert '"type":"saga.started"' in false[0]


class Unforgiving(World):
    """Nothing is ever undone."""

    def undone(self, effect: str, before: int = END) -> bool:
        return False


class Blind(World):
    """Nothing ever stands."""

    def stands(self, effect: str, before: int = END) -> bool:
        return False


@pytest.mark.parametrize("world", [Unforgiving, Blind])
def test_a_certifier_that_lives_in_another_world_is_caught(world: type[World], tmp_path: Path) -> None:
    wrong = judge(range(SEED, SEED + 300), tmp_path, world_of=world).wrong
    assert len([one for one in wrong if f": {FALSE}, although" in one]) > 20


def test_a_walk_is_the_same_each_time() -> None:
    assert walk("walk-1") == walk("walk-1") != walk("walk-2")
    assert list(family(SEED).items()) == list(family(SEED).items())


def test_the_world_shares_no_code_with_the_certifier() -> None:
    for module in ("walking", "walking_lies", "walking_lines", "walking_moves", "walking_people", "walking_world"):
        tree = ast.parse((HERE / f"{module}.py").read_text("utf-8"))
        named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert named
        assert not [name for name in named if name.startswith("agent_saga")]


# What the world says of plain sagas is written down by hand here.


def _two_charges() -> Pen:
    pen = Pen()
    pen.start()
    for name in ("e0", "e1"):
        amount = {"minor": 100, "currency": "EUR"}
        about = {"effect": name, "step": f"s-{name}", "tool": "charge", "semantics": "compensable"}
        pen.intend(**about, args={"item": "x", "amount": amount}, key=f"k-{name}", attempt=1, amount=amount)
        pen.succeeded(pen.effects[name], inverse_of(pen.effects[name]))
    return pen


def _undo(pen: Pen, effect: str) -> None:
    inverse = inverse_of(pen.effects[effect])
    assert inverse is not None
    pen.undo_told(pen.intend_undo(pen.effects[effect], inverse, f"k-undo-{effect}"), "succeeded")


def _ended(pen: Pen, status: str, held: list[str]) -> list[str]:
    """What is untrue of it."""
    pen.put("check.evaluated", check="c", passed=True, evidence={})
    pen.put("saga.ended", status=status, held=held)
    return lies(World(pen.lines))


def test_the_world_finds_nothing_untrue_where_nothing_is() -> None:
    assert _ended(_two_charges(), "succeeded_verified", ["e0", "e1"]) == []
    pen = _two_charges()
    _undo(pen, "e1")
    _undo(pen, "e0")
    assert _ended(pen, "compensated_verified", []) == []


def test_the_world_sees_what_was_left_and_what_was_denied() -> None:
    pen = _two_charges()
    _undo(pen, "e1")
    assert _ended(pen, "compensated_verified", ["e0"]) == ["stands after the rollback: ['e0']"]
    assert _ended(_two_charges(), "succeeded_verified", ["e0"]) == ["says that ['e0'] stands, but ['e0', 'e1'] does"]


def test_the_world_sees_an_undo_before_what_stood_on_it() -> None:
    pen = _two_charges()
    _undo(pen, "e0")
    _undo(pen, "e1")
    assert _ended(pen, "compensated_verified", []) == ["u0 undoes e0 before e1"]


def test_the_world_knows_no_outcome_of_silence_and_none_of_a_failure() -> None:
    pen = _two_charges()
    pen.again(pen.effects["e1"])
    assert World(pen.lines).standing() == ["e0", "e1"]
    lost = [line for line in pen.lines if line["type"] != "effect.succeeded"]
    assert [World(lost).effects["e0"].happened(), World(lost).effects["e0"].absent()] == [False, False]
    failed = {"type": "effect.failed", "effect": "e0", "attempt": 1, "error": {}}
    assert World([*lost, failed]).effects["e0"].absent()
    assert World([*lost, failed]).standing() == ["e1"]


def test_the_world_sees_a_child_that_outlives_its_cause() -> None:
    child, parent = _two_charges(), _two_charges()
    child.lines[0]["parent"] = {"saga": "parent", "effect": "e1"}
    assert list(stranded(World(child.lines), World(parent.lines))) == []
    _undo(parent, "e1")
    told = "['e0', 'e1'] stand, but e1 of the parent is gone"
    assert list(stranded(World(child.lines), World(parent.lines))) == [told]
    _undo(child, "e1")
    _undo(child, "e0")
    assert list(stranded(World(child.lines), World(parent.lines))) == []


def test_the_world_takes_a_persons_word_when_the_person_signed_it() -> None:
    for forged, wrong in ((False, []), (True, ["forged decision about e0"])):
        pen = _two_charges()
        _undo(pen, "e1")
        pen.put("saga.paused", reason={}, waiting=["e0"])
        pen.decided("e0", "kept", forged)
        assert _ended(pen, "closed_with_exceptions", ["e0"]) == wrong


def test_the_world_lets_nobody_talk_away_what_is_known() -> None:
    pen = _two_charges()
    pen.put("saga.paused", reason={}, waiting=["e1"])
    pen.decided("e1", "absent", False)
    said = ["nobody was asked about e0", "e1 is known not to be absent", "e0 is known not to be absent"]
    pen.decided("e0", "absent", False)
    assert _ended(pen, "succeeded_verified", ["e0", "e1"]) == said
