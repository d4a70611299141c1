"""No rule looks at all that was before: twice the events take twice the steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.ask import told_to_judge
from rulelib.lines import Line
from rulelib.script import Script

SMALL = 300
ALLOWED = 2.3
"""Steps for twice the events over steps for the events: 2, and some for what grows with the logarithm."""


def stepped(lines: list[Line]) -> int:
    """How many lines of Python judging takes."""
    count = 0

    def step(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        told_to_judge(lines)
    finally:
        sys.settrace(before)
    return count


def many(n: int, verb: str) -> str:
    return "".join(verb.replace("#", str(i)) + "\n" for i in range(n))


def reverse(n: int) -> str:
    back = "".join(f"undo u{i} e{i}\n" for i in reversed(range(n)))
    return f"{many(n, 'do e# shipping.book')}rollback\n{back}end compensated_verified"


def forward(n: int) -> str:
    return f"{many(n, 'do e# shipping.book')}rollback\n{many(n, 'undo u# e#')}end compensated_verified"


def parallel(n: int) -> str:
    return f"{many(n, 'do e# shipping.book after=[]')}rollback\n{many(n, 'undo u# e#')}end compensated_verified"


def linked(n: int) -> str:
    first = "do e0 shipping.book after=[]\n"
    rest = "".join(f'do e{i} shipping.book after=["e{i - 1}"]\n' for i in range(1, n))
    back = "".join(f"undo u{i} e{i}\n" for i in reversed(range(n)))
    return f"{first}{rest}rollback\n{back}end compensated_verified"


def failed_behind(n: int) -> str:
    gone = many(n, "do x# catalog.quote\nstep f# mail.send\ngo f# mail.send step=f#\nfail f#")
    back = "".join(f"undo u{i} e{i}\n" for i in reversed(range(n)))
    return f"{many(n, 'do e# shipping.book')}{gone}rollback\n{back}end compensated_verified"


def paid(n: int) -> str:
    amount = f'{{"minor":{n},"currency":"EUR"}}'
    return f"do e0 shipping.book amount={amount} undo.amount={amount}\nrollback\n"


CENT = 'amount={"minor":1,"currency":"EUR"}'


def parts(n: int) -> str:
    return f"{paid(n)}{many(n, f'undo u# e0 {CENT}')}end compensated_verified"


def parts_at_once(n: int) -> str:
    begun, done = many(n, f"goundo u# e0 {CENT}"), many(n, "okundo u#")
    return f"{paid(n)}{begun}{done}end compensated_verified"


def retries(n: int) -> str:
    again = "fail e0\nagain e0\n" * n
    return f"step s0 mail.send\ngo e0 mail.send\n{again}fail e0\nend aborted_clean"


def blind_retries(n: int) -> str:
    again = "lose e0\nagain e0\n" * n
    return f"step s0 mail.send\ngo e0 mail.send\n{again}found e0 absent\nend aborted_clean"


def retried_undos(n: int) -> str:
    again = "failundo u0\nagain u0\n" * n
    return f"do e0 shipping.book\nrollback\ngoundo u0 e0\n{again}okundo u0\nend compensated_verified"


def undone_again(n: int) -> str:
    return f"do e0 shipping.book\nrollback\nundo first e0\n{many(n, 'undo u# e0')}end compensated_verified"


def wires(n: int) -> str:
    verb = (
        "step s# bank.wire\nask s#\nanswer s# approve\ngo e# bank.wire action="
        + "0" * 64
        + f' approvals=["{"0" * 64}"]'
    )
    return f"start pivot=s0\n{many(n, verb)}end aborted_clean"


def held(n: int) -> str:
    names = " ".join(f"e{i}" for i in range(n))
    return f"{many(n, 'do e# shipping.book')}check goal\nend succeeded_verified {names}"


def forged_held(n: int) -> str:
    names = " ".join(f"x{i}" for i in range(n))
    return f"{many(n, 'do e# shipping.book')}check goal\nend succeeded_verified {names}"


SHAPES: list[Callable[[int], str]] = [
    reverse, forward, parallel, linked, failed_behind, parts, parts_at_once, retries, blind_retries, retried_undos,
    undone_again, wires, held, forged_held,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_twice_the_events_take_twice_the_steps(shape: Callable[[int], str]) -> None:
    small, large = (stepped(made(shape(n))) for n in (SMALL, 2 * SMALL))
    assert large / small < ALLOWED


def made(script: str) -> list[Line]:
    """The lines of a script, made in linear time themselves."""
    return list(_numbered(Script("linear").run(script if script.startswith("start") else "start\n" + script)))


def _numbered(lines: list[Line]) -> Iterator[Line]:
    for line in lines:
        yield {**line, "at": "2026-01-05T09:00:00.000000Z"}
