"""The judge: the lines of one saga in, the rules that it breaks out. A saga that breaks none is certified.

Source: docs/rules.md, tables AS2 and AS5, and "An effect, formally".
"""

from __future__ import annotations

from collections.abc import Iterator

from .facts import (
    Line,
    Lines,
    confirmed,
    depends,
    effects,
    in_force,
    intent,
    of,
    outcome,
    recorded_undo,
    same_call,
    target,
    told,
    undone,
)


def broken(lines: Lines) -> set[str]:
    """Every rule that the saga breaks, line by line and at its end."""
    found = set()
    for i, line in enumerate(lines):
        found |= set(wrong_line(lines[:i], line))
    if not of(lines, "saga.ended"):
        return found | {"AS503"}
    return found | set(wrong_end(lines))


def wrong_line(past: Lines, line: Line) -> Iterator[str]:
    """What is wrong with one line, given all lines before it."""
    if past and past[-1]["type"] == "saga.ended":
        yield "AS107"
    kind = line["type"].split(".")[0]
    if line["type"] == "effect.intended":
        yield from wrong_intent(past, line)
        yield from wrong_attempt(past, line, "effect")
    elif line["type"] == "undo.intended":
        yield from wrong_undo(past, line)
        yield from wrong_attempt(past, line, "undo")
    elif kind in ("effect", "undo"):
        yield from wrong_outcome(past, line, kind)


def wrong_intent(past: Lines, line: Line) -> Iterator[str]:
    """Rules about effect.intended."""
    if set(line.get("after", ())) - set(effects(past)):
        yield "AS102"
    if of(past, "rollback.started") and line["semantics"] != "preview":
        yield "AS214"
    if line["semantics"] == "preview":
        return
    for other in effects(past):
        same = intent(past, other)["step"] == line["step"] or line.get("fallback_of") == other
        if same and other != line["effect"] and in_force(past, other):
            yield "AS205"


def wrong_attempt(past: Lines, line: Line, kind: str) -> Iterator[str]:
    """Rules about attempts: they count, they repeat the call, and only what failed is tried again."""
    before = of(past, kind + ".intended", **{kind: line[kind]})
    if line["attempt"] != len(before) + 1:
        yield "AS102"
    if any(other[name] != line[name] for other in before for name in ("tool", "args", "key")):
        yield "AS204"
    if before and line.get("semantics") != "preview" and outcome(past, kind, line[kind]) != "absent":
        yield "AS205"


def wrong_undo(past: Lines, line: Line) -> Iterator[str]:
    """Rules about undo.intended."""
    name = line["effect"]
    if name not in effects(past) or intent(past, name)["semantics"] == "preview":
        yield "AS211"
        return
    if not told(past, "effect", name):
        yield "AS212"
    elif outcome(past, "effect", name) == "absent":
        yield "AS211"
    elif not same_call(past, line):
        yield "AS208"
    others = {undo["undo"] for undo in of(past, "undo.intended", effect=name)} - {line["undo"]}
    if others and undone(past, name):
        yield "AS213"
    if others and not fits(past, line):
        yield "AS205"
    for later in effects(past)[effects(past).index(name) + 1 :]:
        if in_force(past, later) and depends(past, later, name):
            yield "AS210"


def fits(past: Lines, line: Line) -> bool:
    """Whether one more undo can do no harm beside those that may have happened: as parts of one amount."""
    mine = of(past, "undo.intended", effect=line["effect"], attempt=1)
    others = [undo for undo in mine if undo["undo"] != line["undo"]]
    if not any(outcome(past, "undo", undo["undo"]) == "unknown" for undo in others):
        return True
    parts = [undo for undo in others if outcome(past, "undo", undo["undo"]) != "absent"] + [line]
    amount = target(past, line["effect"])
    if amount is None or any("amount" not in part for part in parts):
        return False
    return bool(sum(part["amount"]["minor"] for part in parts) <= amount["minor"])


def wrong_outcome(past: Lines, line: Line, kind: str) -> Iterator[str]:
    """Rules about outcome lines: they follow an intent, and they do not contradict what was told before."""
    name, what = line[kind], line["type"].split(".")[1]
    begun = of(past, kind + ".intended", **{kind: name})
    if not begun or (what != "reconciled" and line["attempt"] not in [other["attempt"] for other in begun]):
        yield "AS203"
        return
    if what == "reconciled":
        if line["found"] == "absent" and outcome(past, kind, name) == "applied":
            yield "AS102"
    else:
        yield from contradiction(past, line, kind)
    if kind == "effect":
        yield from wrong_undo_record(past, line)


def contradiction(past: Lines, line: Line, kind: str) -> Iterator[str]:
    """A second success of one attempt, or an outcome that a final one excludes."""
    own = of(past, kind + ".", **{kind: line[kind], "attempt": line["attempt"]})
    last = own[-1]["type"].split(".")[1]
    what = line["type"].split(".")[1]
    landed = of(past, kind + ".reconciled", **{kind: line[kind]}, found="landed")
    if last == what == "succeeded":
        yield "AS205"
    elif (last in ("succeeded", "failed") and what != last) or (what == "failed" and landed):
        yield "AS102"


def wrong_undo_record(past: Lines, line: Line) -> Iterator[str]:
    """What an outcome says about how its effect can be undone."""
    call, lines = intent(past, line["effect"]), [*past, line]
    landed = line["type"] == "effect.succeeded" or line.get("found") == "landed"
    if landed and call["semantics"] != "preview" and recorded_undo(lines, line["effect"]) is None:
        yield "AS206"
    planned = line.get("undo", {}).get("amount")
    if planned and "amount" in call and planned["minor"] < call["amount"]["minor"]:
        yield "AS209"


def wrong_end(lines: Lines) -> Iterator[str]:
    """Rules about the end: the summary, the proof, and what is left in force."""
    ended = of(lines, "saga.ended")[0]
    success = ended["status"] == "succeeded_verified"
    standing = {name for name in effects(lines) if in_force(lines, name)}
    if set(ended["held"]) - standing or (success and standing - set(ended["held"])):
        yield "AS502"
    if success and of(lines, "rollback.started"):
        yield "AS502"
    if success and not proven(lines):
        yield "AS501"
    for name in standing:
        yield from left_over(lines, name, success)
    for name in effects(lines):
        if over(lines, name):
            yield "AS209"


def proven(lines: Lines) -> bool:
    """Whether a check passed after the last outcome of any effect, and the last check passed."""
    outcomes = [
        i
        for i, line in enumerate(lines)
        if "effect" in line and line["type"].split(".")[0] == "effect" and line["type"] != "effect.intended"
        if intent(lines, line["effect"])["semantics"] != "preview"
    ]
    rest = of(lines[outcomes[-1] :] if outcomes else lines, "check.evaluated")
    return bool(rest) and rest[-1]["passed"] is True


def left_over(lines: Lines, effect: str, success: bool) -> Iterator[str]:
    """What it is that an effect is in force at the end; nothing when it may be."""
    tried = of(lines, "undo.intended", effect=effect)
    if tried:
        yield "AS209" if confirmed(lines, effect) else "AS207"
    elif outcome(lines, "effect", effect) == "unknown":
        yield "AS202"
    elif not success:
        yield "AS201"


def over(lines: Lines, effect: str) -> bool:
    """Whether more was given back than there was to give."""
    amount = target(lines, effect)
    parts = [undo["amount"] for undo in confirmed(lines, effect) if "amount" in undo]
    if amount is None or not parts:
        return False
    return sum(part["minor"] for part in parts) > amount["minor"]
