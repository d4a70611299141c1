"""AS4: calls that a policy denies, limits over several sagas, waivers, and policies that are not the given one."""

from __future__ import annotations

from hashlib import sha256

from .case import INPUT, PRESENT, case
from .policies import DIGEST, SHOP_NAME, waiver, waivers
from .signing import REGISTRY_DIGEST, REGISTRY_NAME

GIVEN = ("--policy", SHOP_NAME)
SIGNED = (*GIVEN, "--registry", REGISTRY_NAME)
OTHER = sha256(b"another policy").hexdigest()
BEGIN = f"begin policy={DIGEST}"
START = f"start policy={DIGEST}"

case(
    "AS401",
    "denied",
    "More lamps are reserved than the policy allows in one call.",
    f"""
    {START}
    - do e1 stock.reserve arg.count=11
    + do e1 stock.reserve arg.count=10
    success e1
""",
    args=GIVEN,
)
case(
    "AS401",
    "nobody_approved",
    "A large charge needs two of treasury, and none was asked.",
    f"""
    {START}
    - do e1 payments.charge minor=60000
    + do e1 payments.charge minor=50000
    success e1
""",
    args=GIVEN,
)
case(
    "AS401",
    "one_of_two",
    "A large charge needs two of treasury; the trace asked for one, and one signed.",
    f"""
    {BEGIN}
    - propose s1 payments.charge minor=60000
    + propose s1 payments.charge minor=40000
    request s1
    sign s1 ana-1
    - use e1 payments.charge minor=60000
    + use e1 payments.charge minor=40000
    success e1
""",
    args=SIGNED,
)
case(
    "AS401",
    "software_key",
    "A wire needs a key that is no software; the trace asked for any.",
    f"""
    {BEGIN}
    - propose s1 bank.wire minor=60000
    + propose s1 bank.wire minor=40000
    request s1
    sign s1 ana-1
    - use e1 bank.wire minor=60000
    + use e1 bank.wire minor=40000
    success e1
""",
    args=SIGNED,
)
case(
    "AS401",
    "open_too_long",
    "A charge whose approval could be given for longer than the policy says.",
    f"""
    {BEGIN}
    propose s1 payments.charge minor=60000
    - request s1 quorum=2 not_after=2026-01-05T09:16:00.000000Z
    + request s1 quorum=2 not_after=2026-01-05T09:14:00.000000Z
    sign s1 ana-1
    sign s1 ben-1
    use e1 payments.charge minor=60000
    success e1
""",
    kind=INPUT,
    args=SIGNED,
)
case(
    "AS402",
    "another_policy",
    "The saga ran under another policy.",
    f"""
    - start policy={OTHER}
    + start policy={DIGEST}
    do e1 stock.reserve
    success e1
""",
    kind=INPUT,
    args=GIVEN,
)
case(
    "AS402",
    "no_policy",
    "The saga names no policy.",
    f"""
    - start
    + start policy={DIGEST}
    do e1 stock.reserve
    success e1
""",
    kind=INPUT,
    args=GIVEN,
)
case(
    "AS402",
    "none_given",
    "The saga names a policy, and none was given to judge its calls by.",
    f"""
    - start policy={DIGEST}
    + start
    do e1 stock.reserve
    success e1
""",
    kind=INPUT,
    exit=3,
)
case(
    "AS403",
    "two_sagas",
    "Three bookings in an hour, where two are allowed, by two sagas.",
    f"""
    {START} saga=a
    {START} saga=b
    do e1 shipping.book saga=a
    do e1 shipping.book saga=b
    - do e2 shipping.book saga=b
    success e1 saga=a
    - success e1 e2 saga=b
    + success e1 saga=b
""",
    args=GIVEN,
)
case(
    "AS403",
    "without_approval",
    "The third charge of the day goes beyond the budget, which needs one of treasury.",
    f"""
    {START} saga=a
    {START} saga=b
    do e1 payments.charge saga=a minor=50000
    do e1 payments.charge saga=b minor=50000
    - do e2 payments.charge saga=b minor=1
    success e1 saga=a
    - success e1 e2 saga=b
    + success e1 saga=b
""",
    args=GIVEN,
)
case(
    "AS404",
    "not_in_the_policy",
    "A tool that the catalogue declares, and the given policy does not.",
    f"""
    {START}
    - do e1 mail.send undo={{"tool":"mail.recall","args":{{}}}}
    + do e1 shipping.book
    success e1
""",
    args=GIVEN,
)
case(
    "AS405",
    "milder_than_the_policy",
    "The catalogue has a wire that can be undone; the policy says that nothing undoes it.",
    f"""
    - {START} tools={{"bank.wire":{{"version":"1","semantics":"compensable","undo":"bank.recall"}}}}
    - step s1 bank.wire
    - go e1 bank.wire semantics=compensable amount=
    - ok e1 undo={{"tool":"bank.recall","args":{{}}}}
    + {START}
    + do e1 shipping.book
    success e1
""",
    args=GIVEN,
)
case(
    "AS208",
    "not_the_policys_undo",
    "The catalogue names another undo than the given policy.",
    f"""
    - {START} tools={{"shipping.book":{{"version":"1","semantics":"compensable","undo":"shipping.forget"}}}}
    - step s1 shipping.book
    - go e1 shipping.book
    - ok e1 undo.tool=shipping.forget
    + {START}
    + do e1 shipping.book
    success e1
""",
    args=GIVEN,
)
LAMPS = f"""
    {START} keys={REGISTRY_DIGEST}
    do e1 stock.reserve arg.count=11
    success e1
"""
FEW = f"""
    {START} keys={REGISTRY_DIGEST}
    do e1 stock.reserve arg.count=9
    success e1
"""
case(
    "AS406",
    "ended_the_day_before",
    "A waiver whose last day was the day before the call.",
    LAMPS,
    kind=INPUT,
    bad_also="AS401",
    args=SIGNED,
    waivers={
        "bad": waivers(waiver("few-lamps", expires="2026-01-04")),
        "good": waivers(waiver("few-lamps", expires="2026-01-05")),
    },
)
case(
    "AS406",
    "not_begun",
    "A waiver whose first day is the day after the call.",
    LAMPS,
    kind=INPUT,
    bad_also="AS401",
    args=SIGNED,
    waivers={
        "bad": waivers(waiver("few-lamps", created="2026-01-06", expires="2026-01-07")),
        "good": waivers(waiver("few-lamps", created="2026-01-05", expires="2026-01-07")),
    },
)
for name, what, bad in (
    ("unsigned", "A waiver that nobody signed.", waiver("few-lamps", sign=False)),
    ("another_signer", "A waiver signed by another person than its approver.", waiver("few-lamps", "ben-1")),
    ("no_such_rule", "A waiver of a rule that the policy has not.", waiver("few-lamp")),
    ("by_its_owner", "A waiver approved by who asked for it.", waiver("few-lamps", owner="p-ana")),
):
    case("AS406", name, what, FEW, kind=INPUT, args=SIGNED, waivers={"bad": waivers(bad), "good": waivers()})
case(
    "AS407",
    "unused",
    "A waiver that no call needed.",
    f"""
    {START} keys={REGISTRY_DIGEST}
    - do e1 stock.reserve arg.count=10
    + do e1 stock.reserve arg.count=11
    success e1
""",
    kind=INPUT,
    exit=0,
    args=SIGNED,
    waivers={side: waivers(waiver("few-lamps")) for side in ("bad", "good")},
)
case(
    "AS408",
    "no_amount",
    "A reservation without a count, which the policy bounds.",
    f"""
    {START}
    - do e1 stock.reserve arg.count=
    + do e1 stock.reserve
    success e1
""",
    kind=PRESENT,
    args=GIVEN,
)
