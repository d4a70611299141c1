"""Approvals that do not fit, decisions that are missing, and disclosures that are gone, forged or used
twice."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from .lines import Line, changed, dumps, inserted, leaf, removed, replaced, unpadded, without
from .mutants import Change, codes, operator
from .ops_undo import fresh
from .ops_values import edit
from .shapes import Base
from .view import View

OTHER = sha256(b"the action of another step").hexdigest()


def _wires(base: Base) -> list[int]:
    """The irreversible effects of the trace with an approved wire."""
    return View(base.lines).where("effect.intended", tool="bank.wire") if base.name == "approved_wire" else []


@operator
def strip_approval(base: Base) -> Iterator[Change]:
    """An irreversible effect names no approval."""
    for i in _wires(base):
        yield edit(base, i, "no approval named", without(base.lines[i], "approvals"), "301")


@operator
def name_an_approval_that_is_not_there(base: Base) -> Iterator[Change]:
    """An irreversible effect names a leaf that no approval.recorded has."""
    for i in _wires(base):
        request = leaf(dumps(base.lines[View(base.lines).where("approval.requested")[0]]))
        for what, name in (("no line", OTHER), ("the request", request)):
            twin = changed(base.lines[i], "approvals", to=[name])
            yield edit(base, i, f"the approval named is {what}", twin, "301", "303")
        k = View(base.lines).where("approval.recorded")[0]
        yield Change("the approval is gone", removed(base.lines, k), codes("301", "303"))


def _approved_anew(base: Base, k: int, line: Line, i: int) -> list[Line]:
    """The lines with another approval on line k, whose leaf the effect on line i names."""
    lines = replaced(base.lines, k, line)
    return replaced(lines, i, changed(lines[i], "approvals", to=[leaf(dumps(line))]))


@operator
def approval_for_another_action(base: Base) -> Iterator[Change]:
    """The approval was given for another action, or for another step."""
    for i in _wires(base):
        yield edit(base, i, "the effect's action is another", changed(base.lines[i], "action", to=OTHER), "303")
        k = View(base.lines).where("approval.recorded")[0]
        for name, to in (("action", OTHER), ("step", "s3")):
            twin = changed(base.lines[k], name, to=to)
            yield Change(f"approved for another {name}", _approved_anew(base, k, twin, i), codes("303"))


@operator
def deny_what_ran(base: Base) -> Iterator[Change]:
    """The person said no, and the effect ran."""
    for i in _wires(base):
        k = View(base.lines).where("approval.recorded")[0]
        twin = changed(base.lines[k], "decision", to="deny")
        yield Change("a denial used as an approval", _approved_anew(base, k, twin, i), codes("506"))


@operator
def replay_approval(base: Base) -> Iterator[Change]:
    """One approval serves for two wires."""
    view = View(base.lines)
    for i in _wires(base):
        step = base.lines[i]["step"]
        proposed, done = (
            view.where("step.proposed", step=step)[0],
            view.where("effect.succeeded", effect="e2")[0],
        )
        names = {"effect": "e9", "step": "s9"}
        new = (
            fresh(base.lines[proposed], "replay", step="s9"),
            fresh(base.lines[i], "replay", **names, key="key-of-the-replay"),
            fresh(base.lines[done], "replay", effect="e9"),
        )
        yield Change(
            "a second wire on the first one's approval",
            inserted(base.lines, done + 1, *new),
            codes("303", "304"),
        )


@operator
def undo_what_cannot_be_undone(base: Base) -> Iterator[Change]:
    """An undo of an irreversible effect."""
    view = View(base.lines)
    for i in _wires(base):
        end = view.where("saga.ended")[0]
        head = {name: base.lines[end][name] for name in ("v", "saga", "seq", "prev", "at")}
        call: dict[str, Any] = {"undo": "u9", "effect": base.lines[i]["effect"], "tool": "shipping.cancel"}
        call |= {"args": {"ref": "wire"}, "key": "key-of-the-recall", "attempt": 1}
        new = {**head, "type": "undo.intended", "by": "runtime", **call, "salt": "recallrecallrecallrecA"}
        yield Change("the wire is recalled", inserted(base.lines, end, new), codes("219"))


@operator
def irreversible_before_pivot(base: Base) -> Iterator[Change]:
    """The pivot is declared to be a later step than the irreversible one."""
    if base.name == "approved_wire":
        yield edit(base, 0, "the pivot is s3", changed(base.lines[0], "pivot", to="s3"), "215")


@operator
def run_what_was_denied(base: Base) -> Iterator[Change]:
    """A person denied the step; its effect is carried out and undone."""
    if base.name == "denied_then_aborted":
        view = View(base.lines)
        proposed, end = base.lines[view.where("step.proposed")[0]], view.where("saga.ended")[0]
        head = {name: base.lines[end][name] for name in ("v", "saga", "seq", "prev", "at")}
        call: dict[str, Any] = {
            "effect": "e1",
            "step": "s1",
            "tool": proposed["tool"],
            "semantics": "compensable",
        }
        call |= {"args": proposed["args"], "key": "k1", "attempt": 1, "amount": proposed["args"]["amount"]}
        intent = {
            **head,
            "type": "effect.intended",
            "by": "runtime",
            **call,
            "salt": "denieddenieddenieddenA",
        }
        told = {"effect": "e1", "attempt": 1, "error": {"code": "declined"}}
        failed = {**head, "type": "effect.failed", "by": "runtime", **told, "salt": "failedfailedfailedfaiA"}
        yield Change("the denied charge is tried", inserted(base.lines, end, intent, failed), codes("506"))
        asked = view.where("approval.requested")[0]
        yield Change("still waiting for the answer", base.lines[: asked + 1], codes("504"), chained=False)


@operator
def drop_decision(base: Base) -> Iterator[Change]:
    """Nobody decided to keep what the failed undo left in force."""
    for i in View(base.lines).where("person.decided"):
        yield Change("no decision", removed(base.lines, i), codes("207"))


def _opened(disclosure: str) -> list[Any]:
    pair: list[Any] = json.loads(urlsafe_b64decode(disclosure + "=" * (-len(disclosure) % 4)))
    return pair


def _sealed(pair: list[Any]) -> str:
    return unpadded(dumps(pair))


def _digest(disclosure: str) -> str:
    return unpadded(sha256(disclosure.encode()).digest())


def _without(base: Base, n: int, *instead: str) -> list[str]:
    return [*base.disclosures[:n], *instead, *base.disclosures[n + 1 :]]


def _needed(base: Base) -> range:
    """Disclosures that a comparison needs: all but the last, a check's evidence, which no rule looks into."""
    return range(len(base.disclosures) - 1)


@operator
def drop_disclosure(base: Base) -> Iterator[Change]:
    """A value that a rule must compare cannot be opened: the answer is open, not yes."""
    for n in _needed(base):
        some, exits = _without(base, n), frozenset({3})
        yield Change(f"disclosure {n + 1} is gone", list(base.lines), codes("602"), exits=exits, disclosures=some)


@operator
def forge_disclosure(base: Base) -> Iterator[Change]:
    """A disclosure tells another value than the one that was concealed; one is no disclosure at all."""
    for n in range(len(base.disclosures)):
        salt, _ = _opened(base.disclosures[n])
        some = _without(base, n, _sealed([salt, "somebody else"]))
        yield Change(f"disclosure {n + 1} tells another value", list(base.lines), codes("601"), disclosures=some)
        some = _without(base, n, base.disclosures[n], "not-a-disclosure")
        yield Change("a disclosure that is none", list(base.lines), codes("601"), disclosures=some)


def _reconcealed(base: Base, n: int, disclosure: str) -> list[Line]:
    """The lines with the n-th concealed value concealed by another disclosure."""
    old, new = _digest(base.disclosures[n]), _digest(disclosure)
    return [json.loads(dumps(line).replace(old.encode(), new.encode())) for line in base.lines]


@operator
def reuse_disclosure_salt(base: Base) -> Iterator[Change]:
    """Two concealed values share a salt: whoever knows one can guess the other."""
    for n in range(1, len(base.disclosures)):
        salt, value = _opened(base.disclosures[0])[0], _opened(base.disclosures[n])[1]
        twin = _sealed([salt, value])
        if twin not in base.disclosures:
            some = _without(base, n, twin)
            yield Change(
                f"disclosure {n + 1} has the first one's salt",
                _reconcealed(base, n, twin),
                codes("603"),
                disclosures=some,
            )


@operator
def reuse_digest(base: Base) -> Iterator[Change]:
    """One concealed value stands twice under one digest, which says that the two are equal."""
    for n in (1, 3) if base.disclosures else ():
        lines, some = _reconcealed(base, n, base.disclosures[n - 1]), _without(base, n)
        yield Change(f"digests {n} and {n + 1} are one", lines, codes("603"), disclosures=some)


@operator
def conceal_another_undo(base: Base) -> Iterator[Change]:
    """The undo's concealed argument is another charge than the recorded one."""
    if base.disclosures:
        twin = _sealed([_opened(base.disclosures[3])[0], "ch_somebody_else"])
        yield Change(
            "a concealed other charge",
            _reconcealed(base, 3, twin),
            codes("208"),
            disclosures=_without(base, 3, twin),
        )
