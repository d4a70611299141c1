"""AS1: bytes, schema, versions, the chain and the places in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .case import ABSENT, BYTES, INPUT, Bend, Spoil, case
from .lines import salt

ROOT = Path(__file__).resolve().parents[3]

SHORT = """
    do e1 stock.reserve
    check first
    success e1
"""
CHECK = 4
"""The place of the first check in SHORT: a line that nothing else depends on."""


def bend(pattern: bytes, by: bytes, at: int = CHECK) -> Bend:
    """Replace in one line, before the next is chained to it."""
    return lambda n, line: re.sub(pattern, lambda _: by, line, count=1) if n == at else line


def without(at: int) -> Spoil:
    """Leave a line out of the finished file."""
    return lambda lines: lines[:at] + lines[at + 1 :]


def twice(at: int) -> Spoil:
    """Repeat a line of the finished file."""
    return lambda lines: lines[: at + 1] + lines[at:]


def edited(pattern: bytes, by: bytes, at: int = CHECK) -> Spoil:
    """Replace in one line of the finished file."""
    return lambda lines: [
        re.sub(pattern, lambda _: by, line, count=1) if n == at else line for n, line in enumerate(lines)
    ]


def raw(code: str, name: str, what: str, pattern: bytes, by: bytes, at: int = CHECK) -> None:
    """A case of one line whose bytes are not a line of the format."""
    case(code, name, what, SHORT, kind=BYTES, bend=bend(pattern, by, at))


raw("AS101", "white_space", "A space after a comma.", rb'"evidence":', b'"evidence": ')
raw(
    "AS101",
    "name_twice",
    "A name stands twice in one object.",
    rb'"asked":"provider"',
    b'"asked":"provider","asked":"nobody"',
)
raw("AS101", "float", "A number with a decimal point.", rb'"asked":"provider"', b'"asked":1.5')
raw("AS102", "unknown_member", "A member that the type does not have.", rb',"salt"', b',"note":"hello","salt"')
raw("AS102", "missing_member", "check.evaluated without passed.", rb'"passed":true,', b"")
raw("AS103", "unknown_type", "A type that no version of the format has.", rb"check\.evaluated", b"check.wished")
raw("AS103", "later_version", "A line of version 2.", rb'"v":1', b'"v":2')
raw("AS103", "later_format", "A saga in a later minor of the format.", rb'"format":"1.0"', b'"format":"1.7"', 0)

case(
    "AS102",
    "step_twice",
    "One step id is proposed twice.",
    """
    do e1 stock.reserve
    - step s1 stock.reserve
    success e1
""",
)
case(
    "AS102",
    "effect_id_twice",
    "A second call takes the id and attempt of one that failed.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    fail e1
    - go e1 stock.reserve
    end aborted_clean
""",
)
case(
    "AS102",
    "one_key_for_two_refunds",
    "A second refund bears the key of the first: the provider makes one of them.",
    """
    do e1 payments.charge
    do e2 payments.charge
    rollback
    undo u2 e2 key=refund-of-A-1001
    - undo u1 e1 key=refund-of-A-1001
    + undo u1 e1
    end compensated_verified
""",
)
case(
    "AS102",
    "attempt_left_out",
    "Attempt 3 follows attempt 1.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    fail e1
    - again e1 attempt=3
    + again e1
    ok e1
    success e1
""",
)
case(
    "AS102",
    "retry_in_another_step",
    "A retry claims to belong to another step than its first attempt.",
    """
    step s1 stock.reserve
    step s2 stock.reserve
    go e1 stock.reserve
    fail e1
    - again e1 step=s2
    + again e1
    ok e1
    success e1
""",
)
case(
    "AS102",
    "amount_not_the_argument",
    "The amount is not where the catalogue takes it from.",
    """
    step s1 payments.charge
    - go e1 payments.charge amount={"minor":420000,"currency":"EUR"}
    + go e1 payments.charge
    ok e1
    success e1
""",
)
case(
    "AS102",
    "amount_missing",
    "The catalogue says where the amount stands, and the line has none.",
    """
    step s1 payments.charge
    - go e1 payments.charge amount=
    + go e1 payments.charge
    ok e1 undo.minor=4200
    success e1
""",
)
case(
    "AS102",
    "recorded_amount_not_the_argument",
    "The recorded undo asks for less than its amount says.",
    """
    step s1 payments.charge
    go e1 payments.charge
    - ok e1 undo.args={"ref":"ref-e1","amount":{"minor":1,"currency":"EUR"}}
    + ok e1
    success e1
""",
)
case(
    "AS102",
    "negative_amount",
    "A charge of less than nothing.",
    """
    - do e1 shipping.book amount={"minor":-4200,"currency":"EUR"} undo.amount=
    + do e1 shipping.book amount={"minor":4200,"currency":"EUR"} undo.amount=
    success e1
""",
)
case(
    "AS102",
    "after_a_later_effect",
    "An effect comes after one that was not intended before it.",
    """
    - do e1 stock.reserve after=["e2"]
    + do e1 stock.reserve after=[]
    do e2 shipping.book
    success e1 e2
""",
)
case(
    "AS102",
    "two_outcomes_of_one_attempt",
    "An attempt failed, and then it succeeded.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    - fail e1
    ok e1
    success e1
""",
)
case(
    "AS102",
    "absent_after_landed",
    "The provider confirmed the call, and later knows nothing of it.",
    """
    do e1 stock.reserve
    - found e1 absent
    success e1
""",
)
case(
    "AS102",
    "inverse_recorded_anew",
    "The provider confirms the call again, and now another inverse is due.",
    """
    step s1 shipping.book
    go e1 shipping.book
    lose e1
    found e1 landed
    - found e1 landed undo.args={"ref":"somebody-else"}
    success e1
""",
)
case(
    "AS102",
    "undo_of_another_effect",
    "A retry of an undo names another effect.",
    """
    do e1 shipping.book
    do e2 stock.reserve after=[]
    rollback
    goundo u1 e1
    failundo u1
    - again u1 effect=e2
    + again u1
    okundo u1
    undo u2 e2
    end compensated_verified
""",
)
case(
    "AS102",
    "group_decided_twice",
    "A group of branches has two winners.",
    """
    do e1 shipping.book branch=carrier.fast
    choose carrier fast
    - choose carrier fast
    success e1
""",
)
case(
    "AS102",
    "pause_about_nothing",
    "A pause waits for an effect that nobody intended.",
    """
    do e1 stock.reserve
    - pause e7
    success e1
""",
)

case(
    "AS104",
    "line_changed",
    "A check was turned to passed after it was written.",
    SHORT,
    kind=BYTES,
    spoil=edited(rb'"asked":"provider"', b'"asked":"nobody"'),
)
case(
    "AS104",
    "cut_at_the_front",
    "The first line claims to follow another one.",
    SHORT,
    kind=BYTES,
    bend=bend(rb'"prev":"0{64}"', b'"prev":"' + b"a" * 64 + b'"', 0),
)
case("AS105", "line_missing", "A line was taken out.", SHORT, kind=BYTES, spoil=without(CHECK))
case("AS105", "line_twice", "A line stands twice.", SHORT, kind=BYTES, spoil=twice(CHECK))
case(
    "AS106",
    "no_first_line",
    "The saga begins with a proposal.",
    """
    - nostart
    + start
    do e1 stock.reserve
    success e1
""",
    kind=ABSENT,
)
case(
    "AS106",
    "log_opened_late",
    "The log's first line stands behind a saga, which so answers to no registry and no policy of the log.",
    """
    - start
    - do e1 stock.reserve
    - success e1
    opened
    + start
    + do e1 stock.reserve
    + success e1
""",
)
case("AS107", "check_after_the_end", "A check is added after the end.", SHORT + "    - check late", kind=BYTES)
case(
    "AS108",
    "earlier_than_the_line_before",
    "The clock goes back by a second.",
    """
    do e1 stock.reserve
    - check first at=9
    - check second at=8
    + check first at=8
    + check second at=9
    check goal at=10
    end succeeded_verified e1 at=11
""",
    args=("--fail-on", "warning"),
)
case(
    "AS108",
    "in_a_saga_with_approvals",
    "The clock goes back in a saga that asks a person: an error.",
    """
    step s1 payments.charge
    ask s1
    - check first at=9
    - check second at=8
    + check first at=8
    + check second at=9
    answer s1 deny at=10
    end aborted_clean at=11
""",
)
case(
    "AS109",
    "half_a_line",
    "The file ends in the middle of a line of the next saga.",
    SHORT,
    kind=BYTES,
    tail=b'{"v":1,"saga":"next"',
)
OTHER_SALT = b'"salt":"' + salt("AS113").encode() + b'"'
case(
    "AS113",
    "two_lines_at_one_place",
    "Another line with the number of the one before it.",
    SHORT,
    kind=BYTES,
    spoil=lambda lines: [
        *lines[: CHECK + 1],
        re.sub(rb'"salt":"[^"]*"', OTHER_SALT, lines[CHECK]),
        *lines[CHECK + 1 :],
    ],
)

FOREIGN = (ROOT / "fixtures" / "sources" / "agent-saga-log" / "good_happy.wal").read_bytes()
"""A log of another project; its records are chained by _ph and _h."""


def unchained(data: bytes) -> bytes:
    """The log without what chains its records."""
    records = [json.loads(line) for line in data.splitlines()]
    kept = ({k: v for k, v in record.items() if k not in ("_s", "_cd", "_ph", "_h")} for record in records)
    return b"".join(json.dumps(record).encode() + b"\n" for record in kept)


case(
    "AS114",
    "hashes_stripped",
    "The records of a format that chains them, without their hashes.",
    kind=INPUT,
    bad_bytes=unchained(FOREIGN),
    good_bytes=FOREIGN,
    suffix=".wal",
)
