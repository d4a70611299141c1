"""AS302 to AS311 and what is signed in AS303, AS304, AS312 and AS507."""

from __future__ import annotations

from typing import Any

from .case import case
from .signing import REGISTRY_NAME

GIVEN = ("--registry", REGISTRY_NAME)

START = """
    begin
    propose s1 bank.wire
"""
END = """
    success e1
"""


def signed(code: str, name: str, what: str, script: str, **more: Any) -> None:
    """A case that is judged under the registry of the fixtures."""
    case(code, name, what, script, **{"args": GIVEN} | more)


def wire(bad: str, good: str, asked: str = "", used: str = "") -> str:
    """One wire: what differs between bad and good are lines between the request and the intent."""
    between = "\n".join([f"- {line}" for line in bad.splitlines()] + [f"+ {line}" for line in good.splitlines()])
    return f"{START}request s1 {asked}\n{between}\nuse e1 bank.wire {used}\n{END}"


signed(
    "AS302",
    "signed_by_another_key",
    "The signature is by a key that is not the one named.",
    wire("sign s1 ana-1 with=stranger", "sign s1 ana-1"),
)
signed(
    "AS302",
    "ssh_key_of_another",
    "The ssh signature is by a key that is not the one named.",
    wire("sign s1 ana-ssh with=stranger", "sign s1 ana-ssh"),
)
signed(
    "AS302",
    "line_names_another_person",
    "The line says that Ben approved; Ana signed.",
    wire("sign s1 ana-1 person=p-ben", "sign s1 ana-1"),
)
signed(
    "AS303",
    "ten_approved_9999999_wired",
    "A person approved a wire of 10, and the agent then wired 9,999,999.",
    f"""
    begin
    propose s1 bank.wire minor=999999900
    - request s1 act.minor=1000
    - sign s1 ana-1 act.minor=1000
    - use e1 bank.wire minor=999999900 act.minor=1000
    + request s1
    + sign s1 ana-1
    + use e1 bank.wire minor=999999900
    {END}
""",
)
signed(
    "AS303",
    "another_key",
    "The approval is for a call under another idempotency key.",
    f"""{START}
    request s1
    sign s1 ana-1
    - use e1 bank.wire key=another-key
    + use e1 bank.wire
    {END}
""",
)
signed(
    "AS303",
    "another_request",
    "The signature answers another approval.requested line.",
    wire(f"sign s1 ana-1 req.prev={'0' * 64}", "sign s1 ana-1"),
)
signed(
    "AS304",
    "second_wire_on_one_approval",
    "Two wires rely on one approval.",
    f"""{START}
    request s1
    sign s1 ana-1
    use e1 bank.wire
    propose s2 bank.wire arg.to=supplier-4
    request s2
    + sign s2 ana-1
    - use e2 bank.wire arg.to=supplier-4 of=s1
    + use e2 bank.wire arg.to=supplier-4
    success e1 e2
""",
    bad_also="AS303",
)
signed(
    "AS304",
    "one_approval_recorded_twice",
    "The same signature stands on two lines, and serves a second wire.",
    f"""{START}
    request s1
    sign s1 ana-1
    use e1 bank.wire
    propose s2 bank.wire arg.to=supplier-4
    request s2
    - replay step=s2
    + sign s2 ana-1
    use e2 bank.wire arg.to=supplier-4
    success e1 e2
""",
    bad_also="AS303",
)
signed(
    "AS305",
    "one_of_two",
    "Two persons were asked for, and one approved.",
    wire("sign s1 ana-1", "sign s1 ana-1\nsign s1 ben-1", "quorum=2"),
)
signed(
    "AS305",
    "one_person_twice",
    "Two persons were asked for, and one approved with two keys.",
    wire("sign s1 ana-1\nsign s1 ana-ssh", "sign s1 ana-1\nsign s1 ben-1", "quorum=2"),
)
signed(
    "AS305",
    "did_not_wait",
    "A person was asked about a charge, and it was made without an answer.",
    """
    begin
    propose s1 payments.charge
    request s1
    + sign s1 ana-1
    use e1 payments.charge
    success e1
""",
)
signed("AS306", "not_in_role", "Fay signed, who has none of the roles.", wire("sign s1 fay-1", "sign s1 ana-1"))
signed(
    "AS306",
    "unknown_key",
    "The registry holds no such key.",
    wire("sign s1 ana-1 req.key_id=ana-9 with=ana-1", "sign s1 ana-1"),
)
signed("AS306", "key_expired", "The key's window ended an hour before.", wire("sign s1 ana-old", "sign s1 ana-1"))
signed(
    "AS306",
    "revoked_before",
    "The key was revoked in the log before the wire.",
    f"""
    opened
    {START}
    request s1
    sign s1 ana-1
    - revoke ana-1 ana-1 ben-1
    use e1 bank.wire
    + revoke ana-1 ana-1 ben-1
    {END}
""",
)
signed(
    "AS306",
    "lost_before",
    "The key is said, later, to have been in other hands when it signed.",
    f"""
    opened
    {START}
    request s1
    sign s1 ana-1
    use e1 bank.wire
    - revoke ana-1 ana-1 ben-1 compromised_since=2026-01-05T08:00:00.000000Z
    + revoke ana-1 ana-1 ben-1 compromised_since=2026-01-05T09:30:00.000000Z
    {END}
""",
)
signed(
    "AS307",
    "expired",
    "The approval had ended a second before the wire.",
    wire("sign s1 ana-1 req.not_after=2026-01-05T09:00:03.000000Z", "sign s1 ana-1"),
)
signed(
    "AS307",
    "asked_until",
    "The wait had ended before the wire.",
    f"""{START}
    - request s1 not_after=2026-01-05T09:00:03.000000Z
    + request s1
    sign s1 ana-1
    use e1 bank.wire
    {END}
""",
)
signed(
    "AS307",
    "open_too_long",
    "An approval of something irreversible that is open for a day.",
    wire("sign s1 ana-1 req.not_after=2026-01-06T09:00:00.000000Z", "sign s1 ana-1"),
)
signed(
    "AS308", "owner_of_the_agent", "Dan owns the agent that proposed the wire.", wire("sign s1 dan-1", "sign s1 ana-1")
)
signed(
    "AS309",
    "glass_broken",
    "Eve broke the glass, and nobody looked at it since.",
    wire("sign s1 eve-1 break_glass req.reason=fire", "sign s1 ana-1"),
)
signed(
    "AS310",
    "software_key",
    "A hardware key was asked for, and a third approval is by a software key.",
    wire("sign s1 ben-hsm\nsign s1 ana-1", "sign s1 ben-hsm", "strength=C"),
    args=(*GIVEN, "--fail-on", "warning"),
)
signed(
    "AS310",
    "quorum_by_software_keys",
    "A hardware key was asked for: a software key does not count.",
    wire("sign s1 ana-1", "sign s1 ben-hsm", "strength=C"),
    bad_also="AS305",
)
signed(
    "AS311",
    "counter_back",
    "The security key had counted to 12, and then says 5.",
    f"""{START}
    request s1
    sign s1 ben-sk counter=12
    use e1 bank.wire
    propose s2 bank.wire arg.to=supplier-4
    request s2
    - sign s2 ben-sk counter=5
    + sign s2 ben-sk counter=13
    use e2 bank.wire arg.to=supplier-4
    success e1 e2
""",
)
signed(
    "AS312",
    "unsigned_revocation",
    "A line revokes a key, and one person of two signed that.",
    f"""
    opened
    - revoke ben-1 ana-1
    + revoke ben-1 ana-1 ben-1
    {START}
    request s1
    sign s1 ana-1
    use e1 bank.wire
    {END}
""",
)
signed(
    "AS312",
    "no_registry_pinned",
    "The wire is signed for, and nobody said whose keys count.",
    f"""
    - begin
    - propose s1 bank.wire
    - request s1
    - sign s1 ana-1
    - use e1 bank.wire
    + begin
    + do e1 shipping.book
    {END}
""",
    args=(),
    exit=3,
)
PAUSED = """
    begin
    propose s1 payments.charge
    go e1 payments.charge
    ok e1
    rollback
    goundo u1 e1
    loseundo u1
    pause u1
"""
signed(
    "AS507",
    "signed_by_another_key",
    "The decision is signed by a key that is not the one named.",
    f"""{PAUSED}
    - settle u1 landed ana-1 with=stranger
    + settle u1 landed ana-1
    end compensated_verified
""",
)
signed(
    "AS507",
    "by_the_owner",
    "Dan owns the agent whose refund it is.",
    f"""{PAUSED}
    - settle u1 landed dan-1
    + settle u1 landed ana-1
    end compensated_verified
""",
)
signed(
    "AS507",
    "another_verdict",
    "Ana signed that the refund is absent; the line says that it landed.",
    f"""{PAUSED}
    - settle u1 landed ana-1 req.verdict=absent
    + settle u1 landed ana-1
    end compensated_verified
""",
)
