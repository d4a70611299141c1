"""AS6: concealed values, disclosures, salts and credentials."""

from __future__ import annotations

import re

from .case import BYTES, INPUT, case
from .cases_integrity import SHORT
from .lines import conceal, dumps, salt

NOTE, OPENED = conceal("a note about the order", "AS601")
_, STRAY = conceal("another note", "AS601", "stray")
NOTED = f"""
    do e1 stock.reserve
    check first evidence={dumps(NOTE).decode()}
    success e1
"""
case(
    "AS601",
    "opens_nothing",
    "A disclosure whose digest stands nowhere in the trace.",
    NOTED,
    kind=INPUT,
    disclosures={"bad": (OPENED, STRAY), "good": (OPENED,)},
)
case(
    "AS601",
    "is_none",
    "A text that is no disclosure.",
    NOTED,
    kind=INPUT,
    disclosures={"bad": (OPENED, "not-a-disclosure"), "good": (OPENED,)},
)

RECORDED, OPENED_RECORDED = conceal("ref-e1", "AS602", "recorded")
UNDONE, OPENED_UNDONE = conceal("ref-e1", "AS602", "undone")
case(
    "AS602",
    "arguments_of_an_undo",
    "Whether the undo is the recorded one cannot be told.",
    f"""
    do e1 shipping.book undo.args={{"ref":{dumps(RECORDED).decode()}}}
    rollback
    undo u1 e1 arg.ref={dumps(UNDONE).decode()}
    end compensated_verified
""",
    exit=3,
    disclosures={"bad": (OPENED_RECORDED,), "good": (OPENED_RECORDED, OPENED_UNDONE)},
)

AMOUNT = '{"minor":4200,"currency":"EUR"}'
GIVEN, OPEN_GIVEN = conceal({"minor": 4200, "currency": "EUR"}, "AS602", "given")
case(
    "AS602",
    "amount_of_an_undo",
    "Whether all was given back cannot be told.",
    f"""
    do e1 shipping.book amount={AMOUNT} undo.amount={AMOUNT}
    rollback
    undo u1 e1 amount={dumps(GIVEN).decode()}
    end compensated_verified
""",
    exit=3,
    disclosures={"bad": (), "good": (OPEN_GIVEN,)},
)

PROPOSED, OPEN_PROPOSED = conceal("lamp-7", "AS602", "proposed")
case(
    "AS602",
    "arguments_of_a_proposal",
    "Whether the effect is what was proposed cannot be told.",
    f"""
    step s1 stock.reserve arg.sku={dumps(PROPOSED).decode()}
    go e1 stock.reserve
    ok e1
    success e1
""",
    exit=3,
    disclosures={"bad": (), "good": (OPEN_PROPOSED,)},
)

FIRST, OPEN_FIRST = conceal("A-1001", "AS602", "first")
case(
    "AS602",
    "arguments_of_a_retry",
    "Whether a retry repeats the first attempt cannot be told.",
    f"""
    step s1 shipping.book
    go e1 shipping.book
    fail e1
    again e1 args={{"order":{dumps(FIRST).decode()}}}
    ok e1
    success e1
""",
    exit=3,
    disclosures={"bad": (), "good": (OPEN_FIRST,)},
)

SALT = b'"salt":"' + salt("AS603").encode() + b'"'
case(
    "AS603",
    "two_lines_one_salt",
    "Two lines carry one salt.",
    SHORT,
    kind=BYTES,
    bend=lambda n, line: re.sub(rb'"salt":"[^"]*"', SALT, line) if n in (4, 5) else line,
)
COPY, OPEN_COPY = conceal("seen", "AS603")
case(
    "AS603",
    "one_digest_twice",
    "One concealed value stands on two lines under one digest.",
    f"""
    do e1 stock.reserve
    check first evidence={dumps(COPY).decode()}
    - check second evidence={dumps(COPY).decode()}
    success e1
""",
)
ONE, OPEN_ONE = conceal("one", "AS603", "shared")
TWO, OPEN_TWO = conceal("two", "AS603", "shared")
THREE, OPEN_THREE = conceal("two", "AS603", "own")
case(
    "AS603",
    "two_disclosures_one_salt",
    "Two disclosures share a salt.",
    f"""
    do e1 stock.reserve
    check first evidence={dumps(ONE).decode()}
    - check second evidence={dumps(TWO).decode()}
    + check second evidence={dumps(THREE).decode()}
    success e1
""",
    kind=INPUT,
    disclosures={"bad": (OPEN_ONE, OPEN_TWO), "good": (OPEN_ONE, OPEN_THREE)},
)

case(
    "AS604",
    "password_in_a_url",
    "The result of a call holds the address of a database with its password.",
    """
    step s1 stock.reserve
    go e1 stock.reserve
    - ok e1 result={"store":"postgres://app:not-a-real-password@db.example/stock"}
    + ok e1 result={"store":"vault:stock/database"}
    success e1
""",
)
