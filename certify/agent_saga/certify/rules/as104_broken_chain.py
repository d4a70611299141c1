"""AS104 broken-chain."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    if event.prev == saga.head or event.seq != saga.next_seq:
        return None
    claim = f"line {line} says that the line before it in saga {saga.id} hashes to {event.prev[:16]}..."
    if not saga.lines:
        because, before = f"{claim}, but it is the saga's first line: what stood before it was cut off", []
    else:
        because = f"{claim}, but that line hashes to {saga.head[:16]}...: a line was changed, removed or inserted"
        before = [at(saga.last_line, saga.last_type)]
    return Draft("chain", because, f"prev = {saga.head}", (*before, at(line, event.type)))


RULE = Rule(
    code="AS104",
    name="broken-chain",
    what="A line does not name the hash of the line before it.",
    why=(
        "The chain is what makes an edited, inserted or deleted line visible. Where it breaks, "
        "the lines around the break prove nothing."
    ),
    bad="""\
effect.succeeded e1    bytes changed after they were written
effect.intended e2     prev is the hash of the old bytes
""",
    good="each line's prev is SHA-256(0x00 || the saga's previous line)",
    fix=("Get the log from where it was first written; treat this copy as tampered with until shown otherwise."),
    on_chain=_check,
)
