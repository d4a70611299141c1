"""From behaviours to lines: what a runtime would have written about them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from .acts import ALL_OUTCOMES, ALL_UNDOS, TOOL_OF, TOOLS, Act
from .facts import effects, in_force

Line = dict[str, Any]
AT = "2026-01-05T09:00:00.000000Z"
PRICE = 900
MINOR = {"undo a part": 300, "undo the rest": 600, "undo too much": 901}
CHEAP = 899

ENDS = (
    "success",
    "no check",
    "failed check",
    "compensated",
    "aborted",
    "closed",
    "never",
    "nothing held",
    "all held",
)
"""How a saga ends. The last two are false summaries of a success."""


class Plan(NamedTuple):
    """One saga to write. order: the order of the undos, by effect. after: of each effect, None for all
    earlier ones."""

    acts: tuple[Act, ...]
    order: tuple[int, ...]
    end: str
    after: tuple[list[str] | None, ...] = ()
    steps: tuple[int, ...] = ()
    fallback: bool = False


def money(minor: int, currency: str = "EUR") -> Line:
    """An amount."""
    return {"minor": minor, "currency": currency}


def undo_of(act: Act, n: int, minor: int = PRICE) -> Line:
    """The undo that the outcome of effect n names."""
    if act.semantics == "compensable":
        return {"tool": "refund", "args": {"charge": f"c{n}", "amount": money(minor)}, "amount": money(minor)}
    return {"tool": "free", "args": {"hold": f"h{n}"}}


def forward(act: Act, n: int, plan: Plan | None = None) -> Iterator[Line]:
    """Lines about the effect itself."""
    name, tool, attempt = f"e{n}", TOOL_OF[act.semantics], 0
    step = plan.steps[n] if plan and plan.steps else n
    args = {"amount": money(PRICE)} if tool == "charge" else {"what": "x"}
    call: Line = {"effect": name, "step": f"s{step}", "tool": tool, "semantics": act.semantics, "args": args}
    for word in ALL_OUTCOMES[act.outcome]:
        if word.startswith("try"):
            attempt += 1
            key = f"key{n}" if word == "try" else "another"
            line = {"type": "effect.intended", **call, "key": key, "attempt": attempt}
            yield line | _where(act, n, plan)
        else:
            yield _told(act, n, word, attempt)


def _where(act: Act, n: int, plan: Plan | None) -> Line:
    members: Line = {"amount": money(PRICE)} if act.semantics == "compensable" else {}
    if plan and plan.after and plan.after[n] is not None:
        members["after"] = plan.after[n]
    if plan and plan.fallback and plan.steps and plan.steps[n] != n:
        members["fallback_of"] = f"e{plan.steps[n]}"
    return members


def _told(act: Act, n: int, word: str, attempt: int) -> Line:
    word, _, how = word.partition(" ")
    known = act.semantics != "preview" and how != "bare"
    undo = {"undo": undo_of(act, n, CHEAP if how == "cheap" else PRICE)} if known else {}
    if word in ("landed", "absent", "unresolved"):
        line = {"type": "effect.reconciled", "effect": f"e{n}", "found": word}
        return line | ({"result": {}} | undo if word == "landed" else {})
    line = {"type": f"effect.{word}", "effect": f"e{n}", "attempt": attempt}
    line["result" if word == "succeeded" else "error"] = {}
    return line if word == "failed" else line | undo


def backward(act: Act, n: int) -> Iterator[Line]:
    """Lines about the undos of the effect."""
    count = attempt = 0
    call: Line = {}
    for word in ALL_UNDOS[act.undo]:
        if word.startswith("undo"):
            count, attempt = count + 1, 1
            call = _undo_call(act, n, word, count)
        elif word == "again":
            attempt += 1
        if word == "again" or word.startswith("undo"):
            amount = {"amount": call["args"]["amount"]} if "amount" in call["args"] else {}
            yield {"type": "undo.intended", **call, "attempt": attempt} | amount
        elif word.startswith("first"):
            yield _undo_told(f"u{n}.1", word.split()[1], 1)
        else:
            yield _undo_told(call["undo"], word, attempt)


def _undo_told(undo: str, word: str, attempt: int) -> Line:
    if word in ("landed", "absent"):
        return {"type": "undo.reconciled", "undo": undo, "found": word}
    told = "result" if word == "succeeded" else "error"
    return {"type": f"undo.{word}", "undo": undo, "attempt": attempt, told: {}}


def _undo_call(act: Act, n: int, word: str, count: int) -> Line:
    right = undo_of(act, n, CHEAP if act.outcome == "cheap undo" else PRICE)
    tool, args = right["tool"], dict(right["args"])
    if word == "undo of another":
        args["charge" if "charge" in args else "hold"] = "another"
    elif word == "undo by another":
        tool = "free" if tool == "refund" else "look"
    elif word == "undo in yen":
        args["amount"] = money(PRICE, "JPY")
    elif word in MINOR:
        args["amount"] = money(MINOR[word])
    return {"undo": f"u{n}.{count}", "effect": f"e{n}", "tool": tool, "args": args, "key": f"undo{n}.{count}"}


def begin(plan: Plan) -> list[Line]:
    """The start of the saga."""
    opened = {"log": "test", "name": "small", "format": "1.0", "tools": TOOLS}
    return [{"type": "saga.started", **opened}]


def proposed(act: Act, n: int) -> Line:
    """step.proposed of effect n."""
    tool = TOOL_OF[act.semantics]
    args = {"amount": money(PRICE)} if tool == "charge" else {"what": "x"}
    choice = {"step": f"s{n}", "tool": tool, "args": args, "allowed": list(TOOLS), "driver": "none"}
    return {"type": "step.proposed", **choice}


def end(lines: list[Line], how: str) -> Iterator[Line]:
    """The end of the saga, with a summary that is honest unless `how` says otherwise."""
    standing = [name for name in effects(lines) if in_force(lines, name)]
    success = how in ("success", "no check", "failed check", "nothing held", "all held")
    if how not in ("no check", "never"):
        yield {"type": "check.evaluated", "check": "c", "passed": how != "failed check", "evidence": {}}
    if how == "never":
        return
    status = {
        "compensated": "compensated_verified",
        "aborted": "aborted_clean",
        "closed": "closed_with_exceptions",
    }
    held = {"nothing held": [], "all held": effects(lines), "compensated": [], "aborted": []}.get(how, standing)
    yield {"type": "saga.ended", "status": "succeeded_verified" if success else status[how], "held": held}


def sequential(plan: Plan) -> list[Line]:
    """One effect after another, then the undos in the plan's order."""
    lines = begin(plan)
    for n, act in enumerate(plan.acts):
        if not plan.steps or plan.steps[n] == n:
            lines.append(proposed(act, n))
        lines += forward(act, n, plan)
    if plan.end in ("compensated", "aborted", "closed"):
        lines.append({"type": "rollback.started", "cause": {}})
    for n in plan.order:
        lines += backward(plan.acts[n], n)
    return [*lines, *end(lines, plan.end)]


def interleaved(plan: Plan, pattern: Sequence[int], rollback: bool) -> list[Line]:
    """The lines of several effects, each with its undos, merged as the pattern says."""
    lines = [*begin(plan), *(proposed(act, n) for n, act in enumerate(plan.acts))]
    streams = [iter([*forward(act, n, plan), *backward(act, n)]) for n, act in enumerate(plan.acts)]
    for n in pattern:
        line = next(streams[n])
        if rollback and line["type"] == "undo.intended":
            rollback = False
            lines.append({"type": "rollback.started", "cause": {}})
        lines.append(line)
    return [*lines, *end(lines, plan.end)]


def written(saga: str, lines: Iterable[Line]) -> bytes:
    """The lines as bytes, chained."""
    prev, out = "0" * 64, []
    for seq, line in enumerate(lines):
        salt = urlsafe_b64encode(sha256(f"{saga}:{seq}".encode()).digest()[:16]).rstrip(b"=").decode()
        head = {
            "v": 1,
            "saga": saga,
            "seq": seq,
            "prev": prev,
            "at": AT,
            "type": line["type"],
            "by": "runtime",
        }
        text = json.dumps(head | line | {"salt": salt}, separators=(",", ":")).encode()
        prev = sha256(b"\0" + text).hexdigest()
        out.append(text + b"\n")
    return b"".join(out)
