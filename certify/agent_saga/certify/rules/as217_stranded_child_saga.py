"""AS217 stranded-child-saga."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS217",
    name="stranded-child-saga",
    what=(
        "A child saga's effects stand although the effect of the parent that started it was "
        "undone, or proven never to have taken place."
    ),
    why=("The parent was rolled back and forgot its child: the parcel travels although the order is cancelled."),
    bad="""\
parent: undo.succeeded of e2 (start shipment saga)
child: saga.ended succeeded_verified
""",
    good="""\
child: saga.ended compensated_verified
parent: undo.succeeded of e2
""",
    fix=("Undo the child saga, and let the parent's undo of the starting effect do so from now on."),
    needs=("parent",),
)
