"""AS106 bad-first-line."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event, LogOpened
from agent_saga.trace.limits import LOG_SAGA


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    opening = "log.opened" if saga.id == LOG_SAGA else "saga.started"
    if saga.lines == 0 and (event.type != opening or event.seq != 0):
        found = f"saga {saga.id} begins at line {line} with {event.type}, seq {event.seq}"
    elif saga.lines and event.type == opening:
        found = f"line {line} starts saga {saga.id} again, at seq {event.seq}"
    else:
        return None
    return Draft("first line", found, f"{opening} with seq 0 as the first line, once", (at(line, event.type),))


def _late(saga: Saga, event: LogOpened, line: int) -> Draft | None:
    """What is in force in a log is told from its first line on: lines before it would answer to nobody."""
    if line == 1 or saga.lines:
        return None
    found = f"log.opened stands at line {line}, and other lines before it"
    return Draft("first line", found, "log.opened as the first line of the log", (at(line, event.type),))


RULE = Rule(
    code="AS106",
    name="bad-first-line",
    what="A saga does not begin with saga.started at seq 0, or begins twice; or a log does not begin with log.opened.",
    why=(
        "The first line holds the catalogue that all later lines are checked against. Without it "
        "nothing can be checked, and whatever came before was cut off."
    ),
    bad="effect.intended e1     seq 4 is the first line of the saga",
    good="""\
saga.started           seq 0
effect.intended e1
""",
    fix="Give certify the whole saga, from its first line.",
    on={"log.opened": _late},
    on_chain=_check,
    needs=("saga.started", "log.opened"),
)
