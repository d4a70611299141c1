"""What is untrue or was not allowed in a saga, by the world's answer: whoever certifies it with one of these is wrong.

Not all that may be wrong: the world knows what exists, in which order it came and went, and what the last line claims.
It does not know the rules about form, or about a double that was undone in time; so a saga without a lie may well be
refused, but never for that alone which the world judges as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from walking_people import signed_by_its_person
from walking_world import END, Call, World

Lies = Iterator[str]


def lies(world: World) -> list[str]:
    """Every lie of a saga, empty for a true one."""
    ends = [at for at, line in enumerate(world.lines) if line["type"] == "saga.ended"]
    if ends != [len(world.lines) - 1]:
        return ["the end is not the end"]
    judges = [summary, conduct, keys, inverses, undoing, people]
    if world.lines[-1]["status"] == "succeeded_verified":
        judges += [doubt, doubles, branches, checked]
    return [lie for judge in judges for lie in judge(world)]


def summary(world: World) -> Lies:
    """What the last line claims is left is what is left: nothing, when all was undone."""
    end, standing = world.lines[-1], world.standing()
    left = [effect for effect in standing if not world.kept(effect)]
    if end["status"] != "succeeded_verified" and left:
        yield f"stands after the rollback: {left}"
    if end["held"] != standing:
        yield f"says that {end['held']} stands, but {standing} does"


def conduct(world: World) -> Lies:
    """Nothing was made after the rollback began, repeated while it might exist, or told without being announced."""
    yield from (f"outcome of nothing: {line}" for line in world.strays)
    back = next((at for at, line in enumerate(world.lines) if line["type"] == "rollback.started"), END)
    if back < END and world.lines[-1]["status"] == "succeeded_verified":
        yield "success after a rollback"
    for name, call in world.effects.items():
        if world.changes(name) and any(at > back for at, _ in call.tries):
            yield f"{name} made after the rollback began"
    for name, call in [*world.effects.items(), *world.undos.items()]:
        if call.first["tool"] != "look" and not all(call.absent(at) for at, _ in call.tries[1:]):
            yield f"{name} tried again while it might exist"


def keys(world: World) -> Lies:
    """Each call has one key and keeps it, and its arguments."""
    owner: dict[str, str] = {}
    for name, call in [*world.effects.items(), *world.undos.items()]:
        if owner.setdefault(call.first["key"], name) != name:
            yield f"{name} has the key of {owner[call.first['key']]}"
        if any((line["key"], line["args"]) != (call.first["key"], call.first["args"]) for _, line in call.tries):
            yield f"{name} was tried again as something else"


def inverses(world: World) -> Lies:
    """An outcome names an undo that gives all of it back."""
    for name, call in world.effects.items():
        for _, line in call.told:
            amount = line.get("undo", {}).get("amount")
            if amount and amount["minor"] != call.minor:
                yield f"{name} costs {call.minor}, but its undo gives back {amount['minor']}"


def undoing(world: World) -> Lies:
    """What was undone existed, and nothing stood on it."""
    for name, undo in world.undos.items():
        effect = undo.first["effect"]
        call = world.effects.get(effect)
        if call is None or call.at > undo.at:
            yield f"{name} undoes what was not made"
            continue
        if call.absent(undo.at):
            yield f"{name} undoes {effect}, which was absent"
        for other in world.effects:
            if effect in needs(world, other) and world.stands(other, undo.at) and not world.kept(other, undo.at):
                yield f"{name} undoes {effect} before {other}"


def people(world: World) -> Lies:
    """Who decided signed it, was asked, and did not talk away what is known."""
    waiting: list[str] = []
    for line in world.lines:
        if line["type"] == "saga.paused":
            waiting = list(line["waiting"])
        elif line["type"] == "person.decided":
            if not signed_by_its_person(line):
                yield f"forged decision about {line['target']}"
            if line["target"] not in waiting:
                yield f"nobody was asked about {line['target']}"
    yield from (f"{line['target']} is known not to be {line['verdict']}" for line in world.denied)


def needs(world: World, effect: str) -> set[str]:
    """All effects that an effect depends on, directly or through others, but itself."""
    found, rest = set[str](), [effect]
    while rest:
        new = set(_directly(world, rest.pop())) - found
        found |= new
        rest += new
    return found - {effect}


def _directly(world: World, effect: str) -> list[str]:
    names = list(world.effects)
    after: list[str] | None = world.effects[effect].first.get("after")
    return names[: names.index(effect)] if after is None else after


def doubt(world: World) -> Lies:
    """A success is no success while an effect may or may not exist, or is half undone."""
    for name, call in world.effects.items():
        if world.changes(name) and not (call.happened() or call.absent() or world.undone(name)):
            yield f"nobody knows of {name}"
        if world.undos_of(name) and world.stands(name) and not world.kept(name):
            yield f"{name} is half undone"


def doubles(world: World) -> Lies:
    """One effect for one step, and for what stands in its place."""
    places: dict[str, str] = {}
    standing: dict[str, list[str]] = {}
    for name, call in world.effects.items():
        places[name] = _place(world, call, places)
        if world.stands(name) and not world.kept(name):
            standing.setdefault(places[name], []).append(name)
    yield from (f"made twice: {names}" for names in standing.values() if len(names) > 1)


def _place(world: World, call: Call, places: dict[str, str]) -> str:
    """What an effect is for: that of the effect it replaces, else that of the first effect of its step."""
    instead_of, step = call.first.get("fallback_of"), call.first["step"]
    if instead_of in places:
        return places[instead_of]
    return next((place for other, place in places.items() if world.effects[other].first["step"] == step), step)


def branches(world: World) -> Lies:
    """Of the options of a group, what stands is the winner's, and one option's alone when none was chosen."""
    winners = {line["branch"]: line["winner"] for line in reversed(world.lines) if line["type"] == "branch.chosen"}
    options: dict[str, set[str]] = {}
    for name in world.standing():
        parts = world.effects[name].first.get("branch", "").split(".")
        for depth in range(1, len(parts), 2):
            options.setdefault(".".join(parts[:depth]), set()).add(parts[depth])
    for group, left in options.items():
        if group in winners and left != {winners[group]}:
            yield f"of {group}, {left} stands, but {winners[group]} was chosen"
        if group not in winners and len(left) > 1:
            yield f"of {group}, {left} stands and none was chosen"


def checked(world: World) -> Lies:
    """The last check passed, and came after the last change."""
    checks = [(at, line["passed"]) for at, line in enumerate(world.lines) if line["type"] == "check.evaluated"]
    told = [at for name, call in world.effects.items() if world.changes(name) for at, _ in call.told]
    undone = [at for undo in world.undos.values() if (at := undo.landing()) is not None]
    undone += [at for (_, verdict), at in world.said.items() if verdict == "undone"]
    last, passed = max(checks, default=(-1, False))
    if not passed or last < max([*told, *undone], default=-1):
        yield "no check of what there is"


def stranded(child: World, parent: World) -> Lies:
    """What a child saga made stands no longer than the parent's effect that it carries out."""
    effect = child.lines[0]["parent"]["effect"]
    left = [name for name in child.standing() if not child.kept(name)]
    if left and (parent.undone(effect) or parent.effects[effect].absent()):
        yield f"{left} stand, but {effect} of the parent is gone"
