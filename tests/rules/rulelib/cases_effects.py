"""AS201 to AS206: effects and their outcomes."""

from __future__ import annotations

from .case import ABSENT, case

case(
    "AS201",
    "charge_never_refunded",
    "The saga gave up, and the charge was forgotten.",
    """
    do e1 payments.charge
    rollback
    + undo u1 e1
    end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS201",
    "success_not_claimed",
    "An effect is in force, and the saga is said to have been aborted.",
    """
    do e1 stock.reserve
    + undo u1 e1
    end aborted_clean
""",
    kind=ABSENT,
)
case(
    "AS202",
    "never_asked",
    "The reply was lost, and nobody asked the provider.",
    """
    step s1 payments.charge
    go e1 payments.charge
    lose e1
    + found e1 absent
    end aborted_clean
""",
    kind=ABSENT,
)
case(
    "AS202",
    "no_outcome_in_a_success",
    "A call without any outcome in a saga that claims success.",
    """
    do e1 stock.reserve
    step s2 shipping.book
    go e2 shipping.book
    + found e2 absent
    success e1
""",
    kind=ABSENT,
)
case(
    "AS203",
    "effect_never_intended",
    "A success of a call that was not announced.",
    """
    step s1 stock.reserve
    + go e1 stock.reserve
    ok e1
    - success
    + success e1
""",
    kind=ABSENT,
)
case(
    "AS203",
    "undo_never_intended",
    "An undo is confirmed that was not announced.",
    """
    do e1 stock.reserve
    - okundo u9
    success e1
""",
)
case(
    "AS203",
    "attempt_never_intended",
    "The outcome of a second attempt, and only one was announced.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    fail e1
    - fail e1 attempt=2
    end aborted_clean
""",
)
case(
    "AS204",
    "other_key",
    "A retry under another idempotency key.",
    """
    step s1 payments.charge
    go e1 payments.charge
    fail e1
    - again e1 key=another-key
    + again e1
    ok e1
    success e1
""",
)
case(
    "AS204",
    "other_arguments",
    "A retry with other arguments.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    fail e1
    - again e1 args={"sku":"lamp-7","count":2}
    + again e1
    ok e1
    success e1
""",
)
case(
    "AS204",
    "other_amount_of_an_undo",
    "A refund that failed is tried again with less.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    failundo u1
    - again u1 args={"ref":"ref-e1","amount":{"minor":4100,"currency":"EUR"}} amount={"minor":4100,"currency":"EUR"}
    + again u1
    okundo u1
    end compensated_verified
""",
)
case(
    "AS205",
    "rerun_after_unknown",
    "The reply was lost, and the call is made again.",
    """
    step s1 payments.charge
    go e1 payments.charge
    lose e1
    + found e1 absent
    again e1
    ok e1
    success e1
""",
    kind=ABSENT,
)
case(
    "AS205",
    "rerun_after_success",
    "The call took effect and is made again.",
    """
    do e1 stock.reserve
    - again e1
    success e1
""",
)
case(
    "AS205",
    "two_effects_of_one_step",
    "One step is carried out twice, under two keys.",
    """
    do e1 payments.charge
    - do e2 payments.charge step=s1
    - success e1 e2
    + success e1
""",
)
case(
    "AS205",
    "fallback_of_an_unknown_call",
    "Another tool takes over from a call that may have landed.",
    """
    do e0 stock.reserve
    step s1 shipping.book
    go e1 shipping.book
    lose e1
    - do e2 shipping.book step=s1 fallback_of=e1
    - found e1 absent
    + found e1 absent
    + do e2 shipping.book step=s1 fallback_of=e1
    success e0 e2
""",
)
case(
    "AS205",
    "success_twice",
    "Two attempts of one call took effect.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    lose e1
    found e1 absent
    again e1
    ok e1 attempt=2
    - ok e1 attempt=1
    success e1
""",
)
case(
    "AS205",
    "second_undo_while_the_first_is_unknown",
    "The reply to a refund was lost, and another refund is made.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    loseundo u1
    - undo u2 e1
    foundundo u1 absent
    + undo u2 e1
    end compensated_verified
""",
)
case(
    "AS205",
    "fallback_and_then_the_call_itself",
    "A call that was found absent lands after its fallback was made, and both stand.",
    """
    step s1 payments.charge
    go e1 payments.charge
    lose e1
    found e1 absent
    do e2 payments.charge fallback_of=e1
    ok e1
    + undo u2 e2
    - success e1 e2
    + success e1
""",
    kind=ABSENT,
)
case(
    "AS205",
    "two_fallbacks_of_one_call",
    "Two others stand in for a call that failed, each as its fallback.",
    """
    step s1 payments.charge
    go e1 payments.charge
    fail e1
    do e2 payments.charge fallback_of=e1
    - do e3 payments.charge fallback_of=e1
    - success e2 e3
    + success e2
""",
)
case(
    "AS205",
    "retried_after_its_undo",
    "A reservation is released in case it was made, is found absent, and is made again.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    lose e1 undo=1
    undo u1 e1
    found e1 absent
    - again e1
    - ok e1
    end aborted_clean
""",
)
case(
    "AS206",
    "not_on_the_outcome",
    "A booking took place, and nothing says how to cancel it.",
    """
    step s1 shipping.book
    go e1 shipping.book
    - ok e1 undo=
    + ok e1
    success e1
""",
)
case(
    "AS206",
    "not_on_the_reconciliation",
    "The provider confirms a lost call, and nothing says how to undo it.",
    """
    step s1 shipping.book
    go e1 shipping.book
    lose e1
    - found e1 landed undo=
    + found e1 landed
    success e1
""",
)
case(
    "AS206",
    "undo_of_an_unknown_call",
    "A call that may have landed is undone by a call that is recorded nowhere.",
    """
    step s1 shipping.book
    go e1 shipping.book
    - lose e1
    + lose e1 undo=1
    rollback
    undo u1 e1
    end compensated_verified
""",
)
