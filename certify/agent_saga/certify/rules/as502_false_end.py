"""AS502 false-end."""

from collections.abc import Iterable, Iterator

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.effects import Effect
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of, ended_as, named, outcome_of, some, told_to_roll_back


def _check(saga: Saga) -> Iterable[Draft]:
    due = [effect.id for rule, effect in saga.left if not rule and _certain(effect)]
    backwards = (saga.rollback or saga.back) and saga.succeeded
    as_told = saga.foreign or (saga.ended is not None and list(saga.ended.held) == due)
    return () if as_told and not backwards else _false(saga, due)


def _certain(effect: Effect) -> bool:
    """It is in force for all that is known; else another rule speaks of it."""
    return effect.landed > 0 and not effect.sealed and not effect.faulted


def _false(saga: Saga, due: list[str]) -> Iterator[Draft]:
    """due: what must be held, in the order of the effects."""
    since = saga.rollback or saga.back
    if saga.succeeded and since:
        began = "it began to roll back" if saga.rollback else "a person decided that it is rolled back"
        yield Draft(
            "saga",
            f"saga {saga.id} {ended_as(saga)}, although {began} at line {since}",
            "a status that says what happened: compensated_verified or closed_with_exceptions",
            (at(since, told_to_roll_back(saga)), end_of(saga)),
        )
    if saga.ended is not None and not saga.foreign:
        yield from _held(saga, frozenset(saga.ended.held), due)


def _held(saga: Saga, held: frozenset[str], due: list[str]) -> Iterator[Draft]:
    for name in sorted(held):
        effect = saga.effects.get(name)
        if effect is None:
            yield _draft(saga, name, f"lists {name} as still in force, which no line intended", ())
        elif not effect.in_force:
            state = "only reads" if effect.preview else "was undone" if effect.undone else "never took place"
            yield _draft(saga, name, f"lists {named(effect)} as still in force, which {state}", (_gone(effect),))
    for effect in (saga.effects[name] for name in due if name not in held):
        found = f"leaves out {named(effect)}, which is in force since line {effect.landed}"
        yield _draft(saga, effect.id, found, (outcome_of(effect),))


def _gone(effect: Effect) -> Witness:
    return at(effect.undone, f"effect {effect.id} undone") if effect.undone else outcome_of(effect)


def _draft(saga: Saga, subject: str, found: str, witness: tuple[Witness, ...]) -> Draft:
    in_force = some(effect.id for effect in saga.effects.values() if effect.in_force)
    because = f"saga.ended of saga {saga.id} at line {saga.ended_line} {found}"
    return Draft(f"held {subject}", because, f"held as the events show it: {in_force}", (*witness, end_of(saga)))


RULE = Rule(
    code="AS502",
    name="false-end",
    what="The saga's own summary says something else than its events.",
    why=(
        "A summary is written by the party that is judged. Where it differs from the events, "
        "somebody wrote what they wished."
    ),
    bad="""\
effect.succeeded e1
undo.succeeded u1 of e1
saga.ended held [e1]
""",
    good="""\
effect.succeeded e1
undo.succeeded u1 of e1
saga.ended held []
""",
    fix="Compute status and held from the events; look for whoever reads only the summary.",
    at_end=_check,
    needs=("saga.ended",),
)
