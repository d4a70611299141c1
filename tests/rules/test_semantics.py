"""What the rules decide where a reader of docs/rules.md may ask: one short trace a question, and its codes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.ask import codes, foreign

CHARGED = "do e1 payments.charge\nrollback\n"
BACK = "\nend compensated_verified"
LOST = "step s1 payments.charge\ngo e1 payments.charge\nlose e1 undo=1\nrollback\n"
HALF = '{"minor":2100,"currency":"EUR"}'

UNDOS = {
    "an undo confirmed by the provider counts": (CHARGED + "goundo u1 e1\nloseundo u1\nfoundundo u1 landed" + BACK, ""),
    "an undo that the provider does not know must be made again": (
        CHARGED + "goundo u1 e1\nloseundo u1\nfoundundo u1 absent\nagain u1\nokundo u1" + BACK,
        "",
    ),
    "an unresolved undo stays unknown": (
        CHARGED + "goundo u1 e1\nloseundo u1\nfoundundo u1 unresolved" + BACK,
        "AS207",
    ),
    "an undo that a person confirms counts, unsigned": (
        CHARGED + "goundo u1 e1\nloseundo u1\npause u1\ndecide u1 landed" + BACK,
        "AS507",
    ),
    "a person cannot overturn a failed undo": (
        CHARGED + "goundo u1 e1\nfailundo u1\npause u1\ndecide u1 landed" + BACK,
        "AS102 AS207 AS507",
    ),
    "two parts under way at once": (
        CHARGED + "goundo u1 e1 minor=4000\ngoundo u2 e1 minor=200\nokundo u1\nokundo u2" + BACK,
        "",
    ),
    "two parts under way at once that are too much": (
        CHARGED
        + "goundo u1 e1 minor=4000\ngoundo u2 e1 minor=300\nokundo u1\nfailundo u2\nundo u3 e1 minor=200"
        + BACK,
        "AS205",
    ),
    "two whole undos under way at once": (
        "do e1 shipping.book\nrollback\ngoundo u1 e1\ngoundo u2 e1\nokundo u1\nfailundo u2" + BACK,
        "AS205",
    ),
    "an undo of a negative amount cannot make up for one that is too high": (
        CHARGED + "undo u1 e1 minor=4700\nundo u2 e1 minor=-500" + BACK,
        "AS102 AS209",
    ),
    "a part, and a failed rest": (
        CHARGED + "undo u1 e1 minor=4000\ngoundo u2 e1 minor=200\nfailundo u2" + BACK,
        "AS209",
    ),
    "a wrong undo that failed does not hide a partial one": (
        CHARGED + "goundo u1 e1 arg.ref=other\nfailundo u1\nundo u2 e1 minor=420" + BACK,
        "AS208 AS209",
    ),
    "an effect of nothing is undone by an undo of nothing": (
        "do e1 payments.charge minor=0\nrollback\nundo u1 e1" + BACK,
        "",
    ),
    "an effect of nothing is not undone by an undo of something": (
        "do e1 payments.charge minor=0\nrollback\nundo u1 e1 minor=1" + BACK,
        "AS209",
    ),
    "an undo without the amount that is due": (
        f"do e1 shipping.book amount={HALF} undo.amount=\nrollback\nundo u1 e1 amount=" + BACK,
        "AS209",
    ),
    "the recorded undo has no amount, so the charge's own counts": (
        f"do e1 shipping.book amount={HALF} undo.amount=\nrollback\nundo u1 e1 amount={HALF}" + BACK,
        "",
    ),
    "an amount in the arguments is compared when no amount is due": (
        'do e1 mail.send undo.tool=payments.refund undo.args={"amount":{"minor":4200,"currency":"EUR"}}\nrollback\n'
        'undo u1 e1 arg.amount={"minor":1,"currency":"EUR"} amount={"minor":1,"currency":"EUR"}' + BACK,
        "AS102 AS208",
    ),
    "huge sums": (
        "do e1 payments.charge minor=9007199254740991\nrollback\nundo u1 e1 minor=9007199254740990\nundo u2 e1 minor=1"
        + BACK,
        "",
    ),
    "a late success after a confirmed undo changes nothing": (LOST + "undo u1 e1\nok e1" + BACK, ""),
    "what was restored exactly may be found absent": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1 undo=1\nrollback\nundo u1 e1\nfound e1 absent" + BACK,
        "",
    ),
    "an offset under way when the call is proven absent": (
        LOST + "goundo u1 e1\nfound e1 absent\nokundo u1" + BACK,
        "AS211",
    ),
    "a person says that it was undone": (CHARGED + "decide e1 undone" + BACK, "AS507"),
    "a person keeps it, and it is held": (CHARGED + "decide e1 kept\nend closed_with_exceptions e1", "AS507"),
    "a person keeps it, and it is not held": (CHARGED + "decide e1 kept\nend closed_with_exceptions", "AS502 AS507"),
    "a person says that an unknown call never landed": (
        LOST + "pause e1\ndecide e1 absent\nend aborted_clean",
        "AS507",
    ),
    "a person says that an unknown call landed, and it is undone": (
        LOST + "decide e1 landed\nundo u1 e1" + BACK,
        "AS507",
    ),
    "a kept unknown does not make a success": (
        "step s1 mail.send\ngo e1 mail.send\nlose e1\ndecide e1 kept\ncheck goal\nend succeeded_verified e1",
        "AS202 AS507",
    ),
    "a kept effect does not stand in the way of others": (
        "do e1 stock.reserve\ndo e2 shipping.book\nrollback\ndecide e2 kept\nundo u1 e1\nend closed_with_exceptions e2",
        "AS507",
    ),
    "an undo after a person said undone": (CHARGED + "decide e1 undone\nundo u1 e1" + BACK, "AS213 AS507"),
}
EFFECTS = {
    "a failure speaks of its own attempt": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1\nfound e1 absent\nagain e1\nok e1\n"
        "fail e1 attempt=1\nsuccess e1",
        "",
    ),
    "absent, and then it landed after all": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1\nfound e1 absent\nfound e1 landed\nsuccess e1",
        "",
    ),
    "failed in every attempt, and then found": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nfail e1\nfound e1 landed\nsuccess e1",
        "AS102",
    ),
    "found, and then told as failed": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1\nfound e1 landed\nfail e1\nsuccess e1",
        "AS102",
    ),
    "unknown once more after it was found absent": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1\nfound e1 absent\nlose e1\nend aborted_clean",
        "AS202",
    ),
    "a late reply to what was found": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nlose e1\nfound e1 landed\nok e1\nsuccess e1",
        "",
    ),
    "a read that timed out is read again": (
        "step s1 catalog.quote\ngo e1 catalog.quote\nlose e1\nagain e1\nok e1\ngo e2 catalog.quote step=s1\n"
        "ok e2\nsuccess",
        "",
    ),
    "a read between two effects of one step hides nothing": (
        "do e1 payments.charge\ndo e2 catalog.quote step=s1 tool=catalog.quote\ndo e3 payments.charge step=s1\n"
        "success e1 e3",
        "AS205 AS505",
    ),
    "a fallback after a proven failure": (
        "step s1 shipping.book\ngo e1 shipping.book\nfail e1\ndo e2 shipping.book step=s1 fallback_of=e1\nsuccess e2",
        "",
    ),
    "parallel effects may be undone in either order": (
        "do e1 stock.reserve after=[]\ndo e2 shipping.book after=[]\nrollback\nundo u1 e1\nundo u2 e2" + BACK,
        "",
    ),
    "after nothing, and then after everything": (
        "do e1 stock.reserve after=[]\ndo e2 shipping.book after=[]\ndo e3 mail.send\nrollback\nundo u1 e1\n"
        "decide e3 undone\nundo u2 e2" + BACK,
        "AS210 AS507",
    ),
    "halted, a person decides, and it goes on": (
        "do e1 stock.reserve\nhalt\ndecide e1 kept\ndo e2 shipping.book\nsuccess e1 e2",
        "AS507",
    ),
    "halted and rolled back without a decision": ("do e1 stock.reserve\nhalt\nrollback\nundo u1 e1" + BACK, ""),
    "a retry after the rollback began is a forward call": (
        "step s1 stock.reserve\ngo e1 stock.reserve\nfail e1\nrollback\nagain e1\nfail e1\nend aborted_clean",
        "AS214",
    ),
    "a read after the rollback began": ("do e1 stock.reserve\nrollback\ndo e2 catalog.quote\nundo u1 e1" + BACK, ""),
    "only refused steps": ("step s1 stock.reserve\nrefuse s1\nstep s2 mail.send\nrefuse s2\nend aborted_clean", ""),
    "only refused steps, claimed as a success": ("step s1 stock.reserve\nrefuse s1\nend succeeded_verified", "AS501"),
    "denied, and proposed again under a new step": (
        "step s1 stock.reserve\nask s1\nanswer s1 deny\nstep s2 stock.reserve\ngo e2 stock.reserve step=s2\n"
        "ok e2\nsuccess e2",
        "",
    ),
    "denied once stays denied": (
        "step s1 stock.reserve\nask s1\nanswer s1 deny\nanswer s1 approve\ngo e1 stock.reserve\nok e1\nsuccess e1",
        "AS506",
    ),
    "a denial is no approval": (
        "step s1 bank.wire\nask s1\nanswer s1 deny\ndo e1 bank.wire step=s1 approvals=last\nsuccess e1",
        "AS301 AS506",
    ),
    "a wire in a rollback stays": (
        "step s1 bank.wire\nask s1\nanswer s1 approve\ndo e1 bank.wire step=s1 approvals=last\nrollback" + BACK,
        "AS201 AS312",
    ),
    "the pivot itself may be irreversible": (
        "start pivot=s1\nstep s1 bank.wire\nask s1\nanswer s1 approve\ndo e1 bank.wire step=s1 approvals=last\n"
        "success e1",
        "AS312",
    ),
    "the pivot proposed again is still the pivot": (
        "start pivot=s1\nstep s1 bank.wire\nask s1\nanswer s1 deny\nstep s1.2 bank.wire\nask s1.2\n"
        "answer s1.2 approve\ndo e1 bank.wire step=s1.2 approvals=last\nstep s2 bank.wire\nask s2\nanswer s2 approve\n"
        "do e2 bank.wire step=s2 approvals=last\nsuccess e1 e2",
        "AS312",
    ),
    "a step whose name only begins like the pivot's is another": (
        "start pivot=s1\nstep s1.a bank.wire\nask s1.a\nanswer s1.a approve\n"
        "do e1 bank.wire step=s1.a approvals=last\nsuccess e1",
        "AS215 AS312",
    ),
    "a loser with an unknown outcome": (
        "step s1 shipping.book\ngo e1 shipping.book branch=carrier.fast\nlose e1\nchoose carrier cheap\nsuccess",
        "AS202",
    ),
    "a loser of a nested group": (
        "do e1 shipping.book branch=carrier.fast.box.big after=[]\n"
        "do e2 shipping.book branch=carrier.fast.box.small after=[]\n"
        "choose carrier fast\nchoose carrier.fast.box small\nsuccess e2",
        "AS218",
    ),
    "equal times are fine": (
        "do e1 stock.reserve\ncheck first at=9\ncheck goal at=9\nend succeeded_verified e1 at=9",
        "",
    ),
    "a check that fails after one that passed": (
        "do e1 stock.reserve\ncheck goal\ncheck late failed\nend succeeded_verified e1",
        "AS501",
    ),
    "one name for an effect and an undo": ("do e1 stock.reserve\nrollback\nundo e1 e1" + BACK, "AS102"),
    "a branch that ends in a group": ("do e1 stock.reserve branch=carrier.fast.box\nsuccess e1", "AS102"),
    "names that mean something to Python": (
        "step __init__ stock.reserve\ngo __class__ stock.reserve step=__init__\nok __class__\nsuccess __class__",
        "",
    ),
    "held twice": ("do e1 stock.reserve\ncheck goal\nend succeeded_verified e1 e1", ""),
}
SEVERAL = {
    "a parent in another trace": ("start parent=elsewhere.e9\ndo e1 stock.reserve\nsuccess e1", ""),
    "a read of what was undone before": (
        "start saga=a\ndo e1 stock.reserve saga=a\nrollback saga=a\nundo u1 e1 saga=a\n"
        "end compensated_verified saga=a\n"
        "start saga=b\ndo e1 shipping.book saga=b reads=a.e1\nsuccess e1 saga=b",
        "AS216",
    ),
    "a reader that undid its own effect": (
        "start saga=a\ndo e1 stock.reserve saga=a\nstart saga=b\ndo e1 shipping.book saga=b reads=a.e1\n"
        "rollback saga=b\n"
        "undo u1 e1 saga=b\nend compensated_verified saga=b\nrollback saga=a\nundo u1 e1 saga=a\n"
        "end compensated_verified saga=a",
        "",
    ),
    "a read of a trace that is not here": ("do e1 shipping.book reads=elsewhere.e1\nsuccess e1", ""),
    "a child of a call that never took place": (
        "start saga=a\nstep s1 shipping.book saga=a\ngo e1 shipping.book saga=a\nstart saga=b parent=a.e1\n"
        "do e1 stock.reserve saga=b\nsuccess e1 saga=b\nfail e1 saga=a\nend aborted_clean saga=a",
        "AS217",
    ),
}


@pytest.mark.parametrize(
    ("script", "want"), [*UNDOS.values(), *EFFECTS.values(), *SEVERAL.values()], ids=[*UNDOS, *EFFECTS, *SEVERAL]
)
def test_a_trace_gives_these_codes(script: str, want: str) -> None:
    assert codes(script) == want


FOREIGN = {
    "a completion without checks": ("do e1 stock.reserve\nend succeeded_unverified", ""),
    "nothing is said about what is held": (
        "do e1 stock.reserve\nrollback\nundo u1 e1\nend compensated_verified e1",
        "",
    ),
    "no catalogue is read": ("do e1 stock.reserve semantics=compensable\nend succeeded_unverified", ""),
    "still uncompensated": ("do e1 stock.reserve\nrollback\nend compensated_verified", "AS201"),
    "an approval of the step": (
        "step s1 bank.wire\nask s1\nanswer s1 approve\ndo e1 bank.wire step=s1\nend succeeded_unverified",
        "AS312",
    ),
    "no approval of the step": ("do e1 bank.wire\nend succeeded_unverified", "AS301"),
    "a denial of the step": (
        "step s1 bank.wire\nask s1\nanswer s1 deny\ndo e1 bank.wire step=s1\nend succeeded_unverified",
        "AS301 AS506",
    ),
    "an effect and an undo of one name": ("do e1 stock.reserve\nrollback\nundo e1 e1\nend compensated_verified", ""),
}


@pytest.mark.parametrize(("script", "want"), FOREIGN.values(), ids=FOREIGN)
def test_an_imported_saga_gives_these_codes(script: str, want: str) -> None:
    assert foreign(script) == want


def test_a_mismatch_that_a_source_cannot_tell_still_leaves_the_effect_in_force() -> None:
    script = "do e1 stock.reserve\nrollback\nundo u1 e1 arg.ref=other\nend compensated_verified"
    assert foreign(script) == "AS208"
    assert foreign(script, leave_out=["AS208"]) == "AS207"
