"""Which rule says what is wrong with one signature: the reasons of NotApproved, by code.

Source: docs/spec/approval-v1.md, "Reasons"; docs/rules.md, "Approvals".
"""

from typing import Final

_CODES: Final = {
    "AS303": ("wrong-action", "wrong-request", "wrong-step", "wrong-proposer"),
    "AS306": ("unknown-key", "unknown-agent", "wrong-role", "no-reason", "outside-window", "revoked", "compromised"),
    "AS307": ("late", "window-too-long"),
    "AS308": ("self-approval",),
    "AS310": ("weak-key", "no-verification"),
    "AS305": ("too-few", "no-rule"),
}
_BY_REASON: Final = {reason: code for code, reasons in _CODES.items() for reason in reasons}


def code_of(reason: str, *, counting: bool = False) -> str:
    """The rule for a reason; whatever is wrong with the signature itself is AS302.

    counting: it was verified, and now it is asked whether it counts. Before, a missing PIN spoils the signature.
    """
    if reason == "no-verification" and not counting:
        return "AS302"
    return _BY_REASON.get(reason, "AS302")
