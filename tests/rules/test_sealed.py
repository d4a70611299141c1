"""Concealed values: whatever needed one says AS602, and nothing is accused or passed because of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.ask import codes, findings, lines_of
from rulelib.lines import chain, conceal, dumps, written

from agent_saga.certify.run import certify
from agent_saga.trace.events import SagaStarted


def hidden(value: object, *parts: object) -> tuple[str, str]:
    """A value as it stands in a script, and its disclosure."""
    shown, disclosure = conceal(value, "sealed", *parts)
    return dumps(shown).decode(), disclosure


EURO = {"minor": 4200, "currency": "EUR"}
OPEN = '{"minor":4200,"currency":"EUR"}'
CHARGE, OF_CHARGE = hidden(EURO, "charge")
UNDO, OF_UNDO = hidden(EURO, "undo")
PART, OF_PART = hidden({"minor": 4000, "currency": "EUR"}, "part")
REST, OF_REST = hidden({"minor": 200, "currency": "EUR"}, "rest")
LESS, OF_LESS = hidden({"minor": 1, "currency": "EUR"}, "less")
NONE, OF_NONE = hidden("forty-two", "none")
BOOK = f"do e1 shipping.book amount={OPEN} undo.amount={OPEN}\n"
ORDER, OF_ORDER = hidden({"amount": EURO}, "order")

CASES = {
    "a charge and its argument": (
        f"step s1 payments.charge\ngo e1 payments.charge amount={CHARGE} arg.amount={OPEN}\nfail e1\nend aborted_clean",
        (OF_CHARGE,),
    ),
    "a charge and the recorded amount": (
        f"do e1 shipping.book amount={CHARGE} undo.amount={OPEN} undo.args={{}}\nsuccess e1",
        (OF_CHARGE,),
    ),
    "an undo in two parts": (
        f"{BOOK}rollback\nundo u1 e1 amount={PART}\nundo u2 e1 amount={REST}\nend compensated_verified",
        (OF_PART, OF_REST),
    ),
    "two parts at once": (
        f"{BOOK}rollback\ngoundo u1 e1 amount={PART}\ngoundo u2 e1 amount={REST}\nokundo u1\nokundo u2\n"
        "end compensated_verified",
        (OF_PART, OF_REST),
    ),
    "an undo that others wait for": (
        f"do e0 stock.reserve\n{BOOK}rollback\nundo u1 e1 amount={UNDO}\nundo u0 e0\nend compensated_verified",
        (OF_UNDO,),
    ),
    "the amount of a retry": (
        f"step s1 mail.send\ngo e1 mail.send amount={OPEN}\nfail e1\nagain e1 amount={CHARGE}\nfail e1\n"
        "end aborted_clean",
        (OF_CHARGE,),
    ),
}


@pytest.mark.parametrize(("script", "disclosures"), CASES.values(), ids=CASES)
def test_a_sealed_comparison_is_inconclusive_and_an_opened_one_is_not(
    script: str, disclosures: tuple[str, ...]
) -> None:
    assert codes(script) == "AS602"
    assert all(found.inconclusive for found in findings(script))
    assert codes(script, disclosures) == ""


def test_a_sealed_undo_that_was_too_little_is_found_once_it_is_opened() -> None:
    script = f"{BOOK}rollback\nundo u1 e1 amount={LESS}\nend compensated_verified"
    assert codes(script) == "AS602"
    assert codes(script, [OF_LESS]) == "AS209"


def test_what_the_open_parts_alone_give_back_too_much_is_an_error() -> None:
    more = '{"minor":4201,"currency":"EUR"}'
    script = f"{BOOK}rollback\nundo u1 e1 amount={UNDO}\nundo u2 e1 amount={more}\nend compensated_verified"
    assert codes(script) == "AS209 AS602"


def test_a_second_undo_after_a_sealed_one_is_not_accused_of_being_one_too_many() -> None:
    script = f"{BOOK}rollback\nundo u1 e1 amount={UNDO}\nundo u2 e1 amount={OPEN}\nend compensated_verified"
    assert codes(script) == "AS602"
    assert codes(script, [OF_UNDO]) == "AS213"


@pytest.mark.parametrize("held", ["", " e1"])
def test_what_is_held_is_not_judged_where_it_is_sealed(held: str) -> None:
    script = f"{BOOK}rollback\nundo u1 e1 amount={UNDO}\nend compensated_verified{held}"
    assert codes(script) == "AS602"


def test_a_disclosed_amount_that_is_no_money_is_refused() -> None:
    script = f"step s1 mail.send\ngo e1 mail.send amount={NONE}\nfail e1\nend aborted_clean"
    assert codes(script) == ""
    assert codes(script, [OF_NONE]) == "AS102"


def test_a_pointer_into_a_concealed_part_is_followed_once_it_is_opened() -> None:
    catalogue = '{"pay":{"version":"1","semantics":"compensable","undo":"back","amount_from":"/order/amount"}}'
    start = f'start tools={catalogue}\nstep s1 pay args={{"order":{ORDER}}} allowed=["pay"]\n'
    intent = f'go e1 pay args={{"order":{{"amount":{OPEN}}}}} amount={OPEN}\nfail e1\nend aborted_clean'
    assert codes(start + intent) == "AS602"
    assert codes(start + intent, [OF_ORDER]) == ""


def test_values_that_differ_in_an_open_part_differ_whatever_is_sealed() -> None:
    name, disclosure = hidden("lamp-7", "name")
    script = f"step s1 stock.reserve arg.sku={name}\ngo e1 stock.reserve arg.count=3\nok e1\nsuccess e1"
    assert codes(script) == codes(script, [disclosure]) == "AS505"


def test_a_tool_may_be_called_like_a_placeholder(tmp_path: Path) -> None:
    first, last = lines_of("start\nend aborted_clean")
    first["tools"] = {"...": {"version": "1", "semantics": "preview"}}
    first["goal"] = conceal("the goal", "sealed")[0]
    order = (*(name for name in SagaStarted.__struct_fields__ if name != "salt"), "salt")
    first = {name: first[name] for name in order if name in first}
    path = tmp_path / "trace.jsonl"
    path.write_bytes(written(chain([first, last])))
    assert certify([str(path)]).findings == ()
