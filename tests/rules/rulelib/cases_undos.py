"""AS207 to AS219: undos, their order, and what is left behind."""

from __future__ import annotations

from .case import ABSENT, case

case(
    "AS207",
    "failed",
    "The refund failed, and the saga ended.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    failundo u1
    + again u1
    + okundo u1
    end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS207",
    "unknown",
    "Nobody knows whether the refund arrived, and the saga ended.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    loseundo u1
    + foundundo u1 landed
    end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS207",
    "no_outcome",
    "The refund has no outcome at all.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    + okundo u1
    end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS208",
    "another_charge",
    "The refund is of another charge.",
    """
    do e1 payments.charge
    rollback
    - undo u1 e1 arg.ref=somebody-else
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS208",
    "another_tool",
    "The undo calls a tool that undoes something else.",
    """
    do e1 shipping.book
    rollback
    - undo u1 e1 tool=stock.release
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS208",
    "recorded_against_the_catalogue",
    "The outcome records another undo than the catalogue names.",
    """
    - do e1 shipping.book undo.tool=stock.release
    + do e1 shipping.book
    success e1
""",
)
case(
    "AS208",
    "no_record_and_not_the_catalogue",
    "Nothing was recorded, and the undo is not that of the catalogue.",
    """
    step s1 shipping.book
    go e1 shipping.book
    lose e1
    rollback
    - undo u1 e1 tool=stock.release
    + undo u1 e1
    end compensated_verified
""",
    also="AS206",
)
case(
    "AS209",
    "partial_at_the_end",
    "A tenth of the charge was given back.",
    """
    do e1 payments.charge
    rollback
    undo u1 e1 minor=420
    + undo u2 e1 minor=3780
    end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS209",
    "excess",
    "Two refunds give back more than was taken.",
    """
    do e1 payments.charge
    rollback
    undo u1 e1 minor=4000
    - undo u2 e1 minor=300
    + undo u2 e1 minor=200
    end compensated_verified
""",
)
case(
    "AS209",
    "another_currency",
    "The right number of another currency.",
    """
    do e1 payments.charge
    rollback
    - undo u1 e1 arg.amount={"minor":4200,"currency":"JPY"} amount={"minor":4200,"currency":"JPY"}
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS209",
    "nothing_given_back",
    "A refund of nothing.",
    """
    do e1 payments.charge
    rollback
    - undo u1 e1 minor=0
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS209",
    "recorded_below_the_charge",
    "The recorded undo keeps a fee that no policy allows.",
    """
    - do e1 payments.charge undo.minor=4000
    + do e1 payments.charge
    success e1
""",
)
case(
    "AS210",
    "first_undone_first",
    "The reservation is released while the booking that was built on it stands.",
    """
    do e1 stock.reserve
    do e2 shipping.book
    rollback
    - undo u1 e1
    undo u2 e2
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS210",
    "through_after",
    "e3 comes after e2, e2 after e1; e2 failed, and e1 is undone before e3.",
    """
    do e1 stock.reserve after=[]
    step s2 mail.send
    go e2 mail.send after=["e1"]
    fail e2
    do e3 shipping.book after=["e2"]
    rollback
    - undo u1 e1
    undo u3 e3
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS211",
    "effect_that_failed",
    "A refund of a charge that was declined.",
    """
    step s1 payments.charge
    go e1 payments.charge
    fail e1
    - undo u1 e1
    end aborted_clean
""",
)
case(
    "AS211",
    "effect_that_nobody_intended",
    "A refund of a charge that stands nowhere.",
    """
    do e1 stock.reserve
    - undo u9 e9
    success e1
""",
)
case(
    "AS211",
    "effect_that_only_read",
    "An undo of a quote.",
    """
    do e1 catalog.quote
    - undo u1 e1
    success
""",
)
case(
    "AS211",
    "offset_of_what_never_was",
    "A lost charge is refunded, and then proven never to have landed.",
    """
    step s1 payments.charge
    go e1 payments.charge
    lose e1 undo=1
    rollback
    undo u1 e1
    - found e1 absent
    end compensated_verified
""",
)
case(
    "AS212",
    "refund_overtakes_charge",
    "The refund begins before anything is known of the charge.",
    """
    step s1 payments.charge
    go e1 payments.charge
    + lose e1 undo=1
    rollback
    undo u1 e1
    - ok e1
    end compensated_verified
""",
)
case(
    "AS213",
    "refunded_twice",
    "The whole charge is given back twice.",
    """
    do e1 payments.charge
    rollback
    undo u1 e1
    - undo u2 e1
    end compensated_verified
""",
)
case(
    "AS213",
    "failed_undo_tried_again",
    "An undo that failed is tried again after another one worked.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    failundo u1
    undo u2 e1
    - again u1
    - failundo u1
    end compensated_verified
""",
)
case(
    "AS214",
    "after_rollback",
    "A new booking is made while the saga rolls back.",
    """
    do e1 stock.reserve
    - rollback
    do e2 shipping.book
    + rollback
    undo u2 e2
    undo u1 e1
    end compensated_verified
""",
)
case(
    "AS214",
    "after_halt",
    "The kill switch was pressed, and the saga went on.",
    """
    do e1 stock.reserve
    - halt
    do e2 shipping.book
    success e1 e2
""",
)
case(
    "AS215",
    "wire_before_the_pivot",
    "The wire is made before the step that is declared the point of no return.",
    """
    start pivot=s2
    - step s1 bank.wire
    - ask s1
    - answer s1 approve
    - do e1 bank.wire step=s1 approvals=last
    do e2 shipping.book
    + step s1 bank.wire
    + ask s1
    + answer s1 approve
    + do e1 bank.wire step=s1 approvals=last
    success e1 e2
""",
    also="AS312",
)
case(
    "AS215",
    "pivot_was_undone",
    "The point of no return was passed and taken back before the wire.",
    """
    start pivot=s2
    do e2 shipping.book
    - undo u2 e2
    step s1 bank.wire
    ask s1
    answer s1 approve
    do e1 bank.wire step=s1 approvals=last
    - success e1
    + success e1 e2
""",
    also="AS312",
)
case(
    "AS216",
    "reservation_taken_back",
    "A shipment relies on a reservation of another saga that was undone.",
    """
    start saga=stock
    do e1 stock.reserve saga=stock
    start saga=order
    do e1 shipping.book saga=order reads=stock.e1
    - rollback saga=stock
    - undo u1 e1 saga=stock
    - end compensated_verified saga=stock
    + success e1 saga=stock
    success e1 saga=order
""",
    args=("--fail-on", "warning"),
)
case(
    "AS217",
    "parent_undone",
    "The order is cancelled, and the shipment that it started travels on.",
    """
    start saga=order
    do e1 shipping.book saga=order
    start saga=child parent=order.e1
    do e1 stock.reserve saga=child
    - success e1 saga=child
    + rollback saga=child
    + undo u1 e1 saga=child
    + end compensated_verified saga=child
    rollback saga=order
    undo u1 e1 saga=order
    end compensated_verified saga=order
""",
)
case(
    "AS218",
    "loser_still_booked",
    "Two carriers were booked, one won, and the other was not cancelled.",
    """
    do e1 shipping.book branch=carrier.fast after=[]
    do e2 shipping.book branch=carrier.cheap after=[]
    choose carrier cheap
    + undo u1 e1
    success e2
""",
    kind=ABSENT,
)
case(
    "AS218",
    "nobody_chose",
    "Two carriers were booked as alternatives, and no line says which won.",
    """
    do e1 shipping.book branch=carrier.fast after=[]
    do e2 shipping.book branch=carrier.cheap after=[]
    + choose carrier fast
    + undo u2 e2
    - success e1 e2
    + success e1
""",
    kind=ABSENT,
)
case(
    "AS219",
    "wire_recalled",
    "An undo is claimed of a wire that cannot be undone.",
    """
    step s1 bank.wire
    ask s1
    answer s1 approve
    do e1 bank.wire step=s1 approvals=last
    - undo u1 e1
    success e1
""",
    also="AS312",
)
