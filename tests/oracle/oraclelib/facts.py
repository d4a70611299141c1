"""Questions about one saga, given as a list of lines (plain dicts): each reads all of them again.

``outcome``, ``undone`` and ``in_force`` answer for the end of the lines given, so the state at any moment
is that of a prefix. Source: docs/rules.md, "An effect, formally".
"""

from __future__ import annotations

from typing import Any

Line = dict[str, Any]
Lines = list[Line]


def of(lines: Lines, type_: str, **members: Any) -> Lines:
    """Lines whose type begins so and whose members are these."""
    for name, value in members.items():
        lines = [line for line in lines if line.get(name) == value]
    return [line for line in lines if line["type"].startswith(type_)]


def told(lines: Lines, kind: str, name: str) -> Lines:
    """Outcome lines of an effect or undo."""
    return [line for line in of(lines, kind + ".", **{kind: name}) if line["type"] != kind + ".intended"]


def attempt_failed(lines: Lines, kind: str, name: str, attempt: int) -> bool:
    """Whether it is proven that this attempt did not happen."""
    own = of(lines, kind + ".", **{kind: name, "attempt": attempt})[-1]
    if own["type"] == kind + ".failed":
        return True
    return bool(of(lines[lines.index(own) :], kind + ".reconciled", **{kind: name}, found="absent"))


def outcome(lines: Lines, kind: str, name: str) -> str:
    """applied, unknown or absent, over all attempts of one key."""
    landed = of(lines, kind + ".succeeded", **{kind: name})
    if landed or of(lines, kind + ".reconciled", **{kind: name}, found="landed"):
        return "applied"
    attempts = [line["attempt"] for line in of(lines, kind + ".intended", **{kind: name})]
    return "absent" if all(attempt_failed(lines, kind, name, n) for n in attempts) else "unknown"


def intent(lines: Lines, effect: str) -> Line:
    """The first effect.intended of an effect."""
    return of(lines, "effect.intended", effect=effect)[0]


def recorded_undo(lines: Lines, effect: str) -> Line | None:
    """The undo that the outcome named, the latest when several did."""
    named = [line["undo"] for line in told(lines, "effect", effect) if "undo" in line]
    return named[-1] if named else None


def target(lines: Lines, effect: str) -> Line | None:
    """The amount that must be given back: the recorded undo's, else the intent's; None for an effect
    without."""
    undo = recorded_undo(lines, effect) or {}
    return undo.get("amount") or intent(lines, effect).get("amount")


def args_of(lines: Lines, tool: str, args: Line) -> Line:
    """Arguments without the value at the undo tool's amount_from."""
    amount = lines[0]["tools"][tool].get("amount_from", "/")
    return {name: value for name, value in args.items() if "/" + name != amount}


def same_call(lines: Lines, undo: Line) -> bool:
    """Whether an undo.intended calls the recorded undo."""
    recorded = recorded_undo(lines, undo["effect"])
    if recorded is None:
        return False
    catalogue = lines[0]["tools"][intent(lines, undo["effect"])["tool"]].get("undo")
    tools = undo["tool"] == recorded["tool"] == catalogue
    return tools and args_of(lines, undo["tool"], undo["args"]) == args_of(lines, recorded["tool"], recorded["args"])


def confirmed(lines: Lines, effect: str) -> Lines:
    """undo.intended (first attempt) of each undo of the effect that is known to have happened."""
    mine = of(lines, "undo.intended", effect=effect, attempt=1)
    return [undo for undo in mine if outcome(lines, "undo", undo["undo"]) == "applied"]


def undone(lines: Lines, effect: str) -> bool:
    """Whether the confirmed undos of an effect add up to exactly the undo that was recorded."""
    done = confirmed(lines, effect)
    if not done or not all(same_call(lines, undo) for undo in done):
        return False
    amount = target(lines, effect)
    if amount is None:
        return len(done) == 1
    parts = [undo.get("amount") or {"minor": 0, "currency": ""} for undo in done]
    money = {part["currency"] for part in parts} == {amount["currency"]}
    return money and sum(part["minor"] for part in parts) == amount["minor"]


def in_force(lines: Lines, effect: str) -> bool:
    """Whether something of the effect stays: neither absent nor undone, and no preview."""
    if intent(lines, effect)["semantics"] == "preview":
        return False
    return outcome(lines, "effect", effect) != "absent" and not undone(lines, effect)


def effects(lines: Lines) -> list[str]:
    """Every effect that was intended, in order."""
    return list(dict.fromkeys(line["effect"] for line in of(lines, "effect.intended")))


def depends(lines: Lines, later: str, earlier: str) -> bool:
    """Whether `later` comes after `earlier`, by the transitive closure of `after`."""
    named = intent(lines, later).get("after")
    before = effects(lines)[: effects(lines).index(later)]
    direct = before if named is None else named
    return earlier in direct or any(depends(lines, middle, earlier) for middle in direct if middle in before)
