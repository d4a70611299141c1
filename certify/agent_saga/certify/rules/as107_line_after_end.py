"""AS107 line-after-end."""

from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(event: Event, ended: int, line: int) -> Draft:
    because = f"saga {event.saga} ended at line {ended}, and line {line} adds {event.type} to it"
    return Draft("after end", because, "no line after saga.ended", (at(ended, "saga.ended"), at(line, event.type)))


RULE = Rule(
    code="AS107",
    name="line-after-end",
    what="A line follows saga.ended in the same saga.",
    why="The end is judged as the end. What happens after it would escape every rule.",
    bad="""\
saga.ended succeeded_verified
effect.intended e9
""",
    good="""\
effect.intended e9
...
saga.ended succeeded_verified
""",
    fix="Start a new saga for new work; a runtime must never write to an ended one.",
    on_late=_check,
    needs=("saga.ended",),
)
