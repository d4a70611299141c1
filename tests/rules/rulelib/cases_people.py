"""AS3 to AS5: approvals, the catalogue, the end, choices and decisions."""

from __future__ import annotations

from hashlib import sha256

from .case import ABSENT, case

OTHER = sha256(b"another action").hexdigest()

case(
    "AS301",
    "no_approval",
    "A wire that nobody approved.",
    """
    step s1 bank.wire
    + ask s1
    + answer s1 approve
    - do e1 bank.wire step=s1
    + do e1 bank.wire step=s1 approvals=last
    success e1
""",
    good_also="AS312",
)
case(
    "AS301",
    "approval_that_is_not_there",
    "A wire names an approval that no line records.",
    f"""
    step s1 bank.wire
    ask s1
    answer s1 approve
    - do e1 bank.wire step=s1 action={OTHER} approvals=["{OTHER}"]
    + do e1 bank.wire step=s1 approvals=last
    success e1
""",
    good_also="AS312",
)
case(
    "AS303",
    "another_action",
    "The approval was given for another action.",
    f"""
    step s1 bank.wire
    ask s1
    answer s1 approve
    - do e1 bank.wire step=s1 approvals=last action={OTHER}
    + do e1 bank.wire step=s1 approvals=last
    success e1
""",
    also="AS312",
)
case(
    "AS303",
    "another_step",
    "The approval was given for another step.",
    """
    step s1 bank.wire
    step s2 bank.wire
    ask s2
    - answer s2 approve
    + answer s1 approve
    do e1 bank.wire step=s1 approvals=last
    success e1
""",
    also="AS312",
)
case(
    "AS312",
    "claimed",
    "The log says that a person approved the wire, and no signature shows it.",
    """
    - step s1 bank.wire
    - ask s1
    - answer s1 approve
    - do e1 bank.wire step=s1 approvals=last
    + do e1 shipping.book
    success e1
""",
)
case(
    "AS404",
    "shell",
    "A tool that the catalogue does not declare.",
    """
    - step s1 shell.run allowed=["shell.run"]
    - go e1 shell.run
    - ok e1 undo.tool=shell.revert undo={"tool":"shell.revert","args":{}}
    + do e1 stock.reserve
    success e1
""",
)
case(
    "AS404",
    "undo_tool",
    "An undo calls a tool that the catalogue neither declares nor names.",
    """
    - do e1 mail.send
    + do e1 shipping.book
    rollback
    undo u1 e1
    end compensated_verified
""",
)
case(
    "AS405",
    "another_class",
    "The intent claims another class than the catalogue gives the tool.",
    """
    - do e1 stock.reserve semantics=compensable
    + do e1 stock.reserve
    success e1
""",
)
case(
    "AS501",
    "no_check",
    "Success is claimed, and nothing was checked.",
    """
    do e1 stock.reserve
    + check goal
    end succeeded_verified e1
""",
    kind=ABSENT,
)
case(
    "AS501",
    "check_before_the_last_effect",
    "The check passed before the last effect.",
    """
    do e1 stock.reserve
    check early
    do e2 shipping.book
    + check goal
    end succeeded_verified e1 e2
""",
    kind=ABSENT,
)
case(
    "AS501",
    "check_failed",
    "The check says that the goal was not reached.",
    """
    do e1 stock.reserve
    check early failed
    + check goal
    end succeeded_verified e1
""",
    kind=ABSENT,
)
case(
    "AS501",
    "undone_after_the_check",
    "The check passed, and then what it proved was undone.",
    """
    do e1 stock.reserve
    check early
    undo u1 e1
    + check goal
    end succeeded_verified
""",
    kind=ABSENT,
)
case(
    "AS502",
    "held_too_much",
    "An effect that was undone is listed as in force.",
    """
    do e1 stock.reserve
    rollback
    undo u1 e1
    - end compensated_verified e1
    + end compensated_verified
""",
)
case(
    "AS502",
    "held_too_little",
    "An effect in force is left out.",
    """
    do e1 stock.reserve
    do e2 shipping.book
    - success e1
    + success e1 e2
""",
)
case(
    "AS502",
    "rolled_back_and_succeeded",
    "The saga began to roll back and claims success.",
    """
    do e1 stock.reserve
    - rollback
    success e1
""",
)
case(
    "AS503",
    "cut_after_an_effect",
    "The trace stops after a charge.",
    """
    do e1 payments.charge
    check goal
    + end succeeded_verified e1
""",
    kind=ABSENT,
)
case(
    "AS503",
    "only_the_first_line",
    "The trace stops after its first line.",
    """
    start
    + end aborted_clean
""",
    kind=ABSENT,
)
case(
    "AS504",
    "paused",
    "The saga waits for a person because nobody knows whether the refund arrived.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    loseundo u1
    pause u1
    + foundundo u1 landed
    + end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS504",
    "halted",
    "The kill switch was pressed, and nobody decided.",
    """
    do e1 stock.reserve
    halt
    + rollback
    + undo u1 e1
    + end compensated_verified
""",
    kind=ABSENT,
)
case(
    "AS504",
    "approval_pending",
    "A person was asked and has not answered.",
    """
    step s1 payments.charge
    ask s1
    + answer s1 deny
    + end aborted_clean
""",
    kind=ABSENT,
)
case(
    "AS505",
    "never_proposed",
    "An effect of a step that the agent never proposed.",
    """
    + step s1 stock.reserve
    go e1 stock.reserve
    ok e1
    success e1
""",
    kind=ABSENT,
)
case(
    "AS505",
    "not_allowed",
    "The agent was not allowed to choose this tool.",
    """
    - step s1 shipping.book allowed=["stock.reserve"]
    + step s1 shipping.book allowed=["shipping.book"]
    go e1 shipping.book
    ok e1
    success e1
""",
)
case(
    "AS505",
    "another_tool",
    "The step that ran is not the one that was proposed.",
    """
    - step s1 stock.reserve
    + step s1 shipping.book
    go e1 shipping.book
    ok e1
    success e1
""",
)
case(
    "AS505",
    "other_arguments",
    "Three lamps are reserved where one was proposed.",
    """
    step s1 stock.reserve
    - go e1 stock.reserve arg.count=3
    + go e1 stock.reserve
    ok e1
    success e1
""",
)
OFFER = '[{"id":"a","tool":"stock.reserve","args":{"sku":"lamp-7","count":1},"p":"0.9"}]'
case(
    "AS505",
    "another_option",
    "The proposal is not the option that the agent chose.",
    f"""
    - step s1 stock.reserve arg.count=2 options={OFFER} choice=a
    + step s1 stock.reserve options={OFFER} choice=a
    success
""",
)
case(
    "AS505",
    "no_such_option",
    "The agent chose an option that was not offered.",
    f"""
    - step s1 stock.reserve options={OFFER} choice=b
    + step s1 stock.reserve options={OFFER} choice=a
    success
""",
)
case(
    "AS506",
    "refused",
    "A gate refused the step, and it ran.",
    """
    step s1 stock.reserve
    - refuse s1
    go e1 stock.reserve
    ok e1
    success e1
""",
)
case(
    "AS506",
    "denied",
    "A person said no, and the step ran.",
    """
    step s1 stock.reserve
    ask s1
    - answer s1 deny
    - go e1 stock.reserve
    + answer s1 approve
    + go e1 stock.reserve approvals=last
    ok e1
    success e1
""",
    good_also="AS312",
)
case(
    "AS506",
    "tried_again_after_refusal",
    "The first attempt failed, the step was refused, and it was tried again.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    fail e1
    - refuse s1
    again e1
    ok e1
    success e1
""",
)
case(
    "AS507",
    "decided",
    "A person is said to have seen the refund arrive.",
    """
    do e1 payments.charge
    rollback
    goundo u1 e1
    loseundo u1
    pause u1
    - decide u1 landed
    + foundundo u1 landed
    end compensated_verified
""",
)
