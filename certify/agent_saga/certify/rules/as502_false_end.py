"""AS502 false-end."""

from collections.abc import Iterator

from agent_saga.certify.findings import Witness
from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.words import end_of, named, outcome_of


def _check(saga: Saga) -> Iterator[Draft]:
    if saga.ended is None:
        return
    if saga.succeeded and saga.rollback:
        yield Draft(
            "saga",
            f"saga {saga.id} ended as {saga.ended.status} at line {saga.ended_line}, although it began to roll back at line "
            f"{saga.rollback}",
            "a status that says what happened: compensated_verified or closed_with_exceptions",
            (at(saga.rollback, "rollback.started"), end_of(saga)),
        )
    if not saga.foreign:
        yield from _held(saga, saga.ended.held)


def _held(saga: Saga, held: tuple[str, ...]) -> Iterator[Draft]:
    for name in held:
        effect = saga.effects.get(name)
        if effect is None or not effect.in_force:
            state = "which no line intended" if effect is None else "which is not in force"
            witness = (outcome_of(effect),) if effect else ()
            yield _draft(saga, name, f"lists {name} as still in force, {state}", (*witness, end_of(saga)))
    for effect in saga.effects.values() if saga.succeeded else ():
        if effect.in_force and effect.applied and effect.id not in held and not (effect.undos or saga.lost(effect)):
            found = f"leaves out {named(effect)}, which is in force"
            yield _draft(saga, effect.id, found, (outcome_of(effect), end_of(saga)))


def _draft(saga: Saga, subject: str, found: str, witness: tuple[Witness, ...]) -> Draft:
    in_force = ", ".join(effect.id for effect in saga.effects.values() if effect.in_force) or "none"
    because = f"saga.ended of saga {saga.id} at line {saga.ended_line} {found}"
    return Draft(f"held {subject}", because, f"held as the events show it: {in_force}", witness)


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
