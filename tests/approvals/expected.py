"""What every vector that must be refused is refused for, kept apart from the maker, which writes what our code says."""

from __future__ import annotations

from typing import Final

REASONS: Final = {
    "bad-flags": (
        "webauthn-backup-without-eligibility webauthn-attested-data webauthn-attested-data-flag-alone "
        "webauthn-attested-data-and-extension webauthn-extension-flag-alone webauthn-extension-unflagged "
        "ssh-flags ssh-backup-flags"
    ),
    "bad-proof": (
        "webauthn-extension-tail webauthn-extension-cut webauthn-extension-no-map "
        "webauthn-extension-indefinite webauthn-extension-deep webauthn-short-data webauthn-duplicate-origin "
        "webauthn-duplicate-origin-before webauthn-duplicate-escaped webauthn-byte-order-mark "
        "webauthn-no-json webauthn-no-object webauthn-too-long webauthn-unknown-member "
        "webauthn-missing-member webauthn-padded ssh-version ssh-trailing-bytes ssh-inner-trailing-bytes "
        "ssh-plain-trailing-bytes ssh-cut ssh-no-magic raw-short raw-spelling"
    ),
    "bad-registry": (
        "registry-unknown-member registry-version registry-version-0 registry-key-twice "
        "registry-raw-key-of-two registry-raw-key-two-schemes registry-credential-twice registry-person-twice "
        "registry-key-of-nobody registry-agent-of-nobody registry-weak-key registry-unreduced-key "
        "registry-short-key registry-point-off-curve registry-es256-not-allowed registry-es256-for-software "
        "registry-window registry-application registry-application-of-plain registry-no-application "
        "registry-passkey-without-id registry-no-relying-party registry-no-origin registry-origin-of-another "
        "registry-origin-without-tls registry-origin-with-path registry-attested-nothing "
        "registry-attested-software registry-pin-of-software registry-unreachable-quorum registry-empty"
    ),
    "bad-request": (
        "request-unknown-member request-missing-member request-version request-decision request-nonce "
        "request-nonce-spelling request-instant request-day request-digest request-empty-reason "
        "request-reason-number request-reason-long request-null-reason request-float request-large-number "
        "request-depth request-concealed-form request-unknown-content request-null-target request-too-long "
        "request-none decision-verdict"
    ),
    "bad-signature": (
        "webauthn-bad-signature webauthn-by-another-key webauthn-trailing-bytes es256-trailing-bytes "
        "es256-by-another-key es256-other-algorithm ssh-bad-signature raw-signature raw-by-another-key "
        "raw-other-domain request-altered decision-domain"
    ),
    "compromised": "compromised compromised-undecided compromised-backdated",
    "counter-back": "counter-back counter-same counter-lost counter-enrolled",
    "cross-origin": "webauthn-cross-origin webauthn-cross-origin-word webauthn-top-origin",
    "late": "expired not-yet request-closed decision-late",
    "no-reason": "break-glass-reason",
    "no-touch": "webauthn-no-touch ssh-no-touch ssh-no-touch-with-pin",
    "no-verification": "ssh-no-pin no-pin no-pin-passkey",
    "other-key": "webauthn-other-passkey ssh-by-another-key",
    "outside-window": "key-ended key-not-begun",
    "revoked": "revoked",
    "self-approval": "self-approval decision-own",
    "unknown-agent": "unknown-agent decision-agent",
    "unknown-key": "unknown-key",
    "used-twice": "used-twice used-with-new-key named-twice",
    "weak-key": "weak copied decision-strength",
    "window-too-long": "window-too-long",
    "wrong-action": "other-type request-action",
    "wrong-algorithm": "ssh-plain-for-sk ssh-sk-for-plain ssh-inner-algorithm ssh-plain-inner-algorithm",
    "wrong-application": "ssh-other-application",
    "wrong-args": "other-amount",
    "wrong-challenge": "webauthn-other-challenge",
    "wrong-hash": "ssh-other-hash ssh-reserved",
    "wrong-key": "other-key",
    "wrong-keys": "other-registry",
    "wrong-log": "other-log",
    "wrong-namespace": "ssh-other-namespace ssh-namespace-prefix",
    "wrong-origin": ("webauthn-other-origin webauthn-origin-with-slash webauthn-http-origin webauthn-no-origin"),
    "wrong-person": "person key-id",
    "wrong-policy": "other-policy",
    "wrong-proposer": "proposer",
    "wrong-request": "other-action-asked other-request-line decision-pause",
    "wrong-role": "role break-glass-role decision-role",
    "wrong-rp": "webauthn-other-rp",
    "wrong-saga": "other-saga decision-saga",
    "wrong-scheme": "webauthn-other-scheme",
    "wrong-semantics": "other-semantics",
    "wrong-start": "other-first-line",
    "wrong-step": "other-step other-step-asked",
    "wrong-target": "other-target decision-target",
    "wrong-tool": "other-tool other-tool-version other-tool-schema",
    "wrong-type": "webauthn-registration webauthn-payment",
}
"""The names of the vectors by their reason, without ``bad-``."""

WITHOUT_EFFECT: Final[dict[str, list[list[int | str]]]] = {
    "good-log-empty-registry": [[0, "bad-registry"], [10, "wrong-version"]],
    "good-log-refused-one-of-two": [[10, "too-few"]],
    "good-log-refused-one-person-twice": [[10, "too-few"]],
    "good-log-refused-role": [[10, "wrong-role"]],
    "good-log-refused-new-key": [[10, "unknown-key"]],
    "good-log-refused-nobody": [[10, "bad-proof"]],
    "good-log-refused-late": [[10, "late"]],
    "good-log-refused-other-subject": [[10, "wrong-change"]],
    "good-log-refused-other-registry": [[10, "wrong-change"]],
    "good-log-refused-other-log": [[10, "wrong-change"]],
    "good-log-refused-other-change": [[10, "wrong-change"]],
    "good-log-refused-other-prev": [[10, "wrong-change"]],
    "good-log-refused-unknown-member": [[10, "bad-request"]],
    "good-log-refused-version": [[10, "wrong-version"]],
    "good-log-refused-bad-registry": [[10, "bad-registry"]],
    "good-log-refused-key-to-another": [[10, "key-id-reused"]],
    "good-log-refused-key-id-new": [[10, "key-reused"]],
    "good-log-refused-key-id-reused": [[10, "key-id-reused"]],
    "good-log-refused-own-since": [[10, "wrong-role"]],
    "good-log-refused-other-key": [[10, "wrong-role"]],
    "good-log-refused-revoked": [[20, "revoked"], [30, "revoked"]],
    "good-log-refused-no-rule": [[10, "no-rule"]],
    "good-log-refused-weak": [[10, "weak-key"]],
    "good-log-refused-replayed": [[30, "wrong-change"]],
    "good-log-refused-key-ended": [[10, "outside-window"]],
    "good-log-refused-unknown-key": [[10, "unknown-key"]],
    "good-log-refused-form": [[10, "bad-proof"]],
}
"""The lines of a log that change nothing: index and reason."""


def reason_of(name: str) -> str | None:
    """Why the vector of this name is refused; None for one that holds."""
    found = [reason for reason, names in REASONS.items() if name.removeprefix("bad-") in names.split()]
    return found[0] if name.startswith("bad-") else None
