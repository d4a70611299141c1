"""A check that waits for something has nothing to find before that has come: each rule's ``only_after`` is true.

Everything is judged once more by a certifier that makes every check of every line and says which of those that it
need not have made found anything: the fixtures, random sagas, and the faults, of which `make test` takes a fifth and
`make test-long` all.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("rules", "faults", "red", "oracle")]

from faultlib.judge import all_bases, all_mutants, judge_mutants  # noqa: E402
from test_fixtures import FIXTURES, MANIFEST, judged  # noqa: E402
from walking_judged import judge  # noqa: E402

from agent_saga.certify.history.fold import FOLD  # noqa: E402
from agent_saga.certify.history.saga import Saga  # noqa: E402
from agent_saga.certify.judging import book  # noqa: E402
from agent_saga.certify.judging.book import Move, Moves  # noqa: E402
from agent_saga.certify.rule import POLICY, Draft, OnEvent  # noqa: E402
from agent_saga.certify.rules import all_rules  # noqa: E402
from agent_saga.certify.run import certify  # noqa: E402

WAITING = sorted((code, kind) for code, rule in all_rules().items() for kind in rule.only_after)
FILES = sorted(str(path) for path in FIXTURES.parent.rglob("*.jsonl"))


class Asked:
    """Every check is made. needless: how often each was that need not have been; wrong: what it found then."""

    def __init__(self) -> None:
        self.needless: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []

    def all_of(self, moves: Moves, kind: str, move: Move) -> Move:
        """The move with the checks that it leaves out."""
        made = dict(move.checks)
        checks = [(c, made.get(c) or self._watched(c, kind, check)) for c, check, _ in moves.book.on[kind]]
        return move._replace(checks=tuple(checks))

    def _watched(self, code: str, kind: str, check: OnEvent) -> OnEvent:
        def found(saga: Saga, event: Any, line: int) -> Draft | None:
            self.needless[code, kind] += 1
            draft = check(saga, event, line)
            if draft is not None:
                self.wrong.append(f"{code} at {kind} after {sorted(saga.moves.shown)}: {draft.because}")
            return draft

        return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    asked, made = Asked(), Moves.__missing__

    def missing(moves: Moves, kind: str) -> Move:
        moves[kind] = asked.all_of(moves, kind, made(moves, kind))
        return moves[kind]

    monkeypatch.setattr(Moves, "__missing__", missing)
    yield asked
    assert not asked.wrong, "\n".join(asked.wrong[:20])


def test_what_a_rule_names_is_there_to_be_waited_for() -> None:
    for code, kind in WAITING:
        rule = all_rules()[code]
        assert kind in rule.on
        assert rule.only_after[kind]
        assert set(rule.only_after[kind]) <= {*FOLD, POLICY}
    assert len(WAITING) > 12


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda e: e["file"])
def test_nothing_is_found_too_early_in_a_fixture_of_a_rule(entry: dict[str, Any], asked: Asked) -> None:
    report = judged(FIXTURES / entry["file"], entry.get("args", []))
    assert sorted(f.code for f in report.findings) == sorted([*entry["codes"], *entry.get("also", [])])


def test_nothing_is_found_too_early_in_any_fixture(asked: Asked) -> None:
    assert certify(FILES).findings
    # no policy was given, and these wait for nothing else
    assert {one for one in WAITING if all_rules()[one[0]].only_after[one[1]] == (POLICY,)} <= set(asked.needless)


def _faults(asked: Asked, every: int) -> None:
    mutants = islice(all_mutants(all_bases()), 0, None, every)
    assert all(verdict.right for verdict in judge_mutants(mutants))
    assert {one for one in WAITING if asked.needless[one] < 100 // every} <= {("AS213", "undo.reconciled")}


def test_nothing_is_found_too_early_in_a_fixed_fifth_of_the_faults(asked: Asked) -> None:
    _faults(asked, 5)


@pytest.mark.slow
def test_nothing_is_found_too_early_in_any_fault(asked: Asked) -> None:
    _faults(asked, 1)


def test_nothing_is_found_too_early_in_random_sagas(asked: Asked, tmp_path: Path) -> None:
    assert not judge(range(500), tmp_path).wrong


def test_a_rule_that_waits_for_the_wrong_line_is_seen(monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    wrong = replace(all_rules()["AS214"], only_after={"effect.intended": ("undo.succeeded",)})
    monkeypatch.setattr(book, "all_rules", lambda: {**all_rules(), "AS214": wrong})
    for entry in MANIFEST:
        if entry["codes"] == ["AS214"]:
            judged(FIXTURES / entry["file"], entry.get("args", []))
    assert asked.wrong
    assert all(one.startswith("AS214 at effect.intended") for one in asked.wrong)
    asked.wrong.clear()
