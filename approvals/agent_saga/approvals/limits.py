"""Every bound and window of approvals, with its reason."""

from typing import Final

IRREVERSIBLE_SECONDS: Final = 900
"""From issued_at to not_after of a request about something irreversible: fifteen minutes, so a yes is about now."""

SKEW_SECONDS: Final = 120
"""How far two honest clocks may differ: the approver's, the runtime's, and that of an outside witness."""

REVIEW_SECONDS: Final = 7 * 86_400
"""Until when somebody has to look at what was done by breaking the glass: a week."""

MAX_REQUEST: Final = 131_072
"""Bytes of a request in canonical form, arguments and all: half of the longest line."""

MAX_REGISTRY: Final = 131_072
"""Bytes of a registry in canonical form: it stands on one line, with the signatures that allowed it."""

MAX_SSHSIG: Final = 4_096
"""Bytes of an SSHSIG blob: an Ed25519 one has under 300."""

MAX_ARMOR: Final = 8_192
"""Bytes of an armored SSHSIG file."""

MAX_CLIENT_DATA: Final = 4_096
MAX_AUTHENTICATOR_DATA: Final = 4_096
"""Bytes that a browser and an authenticator add around a challenge: a few hundred, more with extensions."""

MAX_CBOR_DEPTH: Final = 16
"""Nesting of an authenticator's extensions: real ones have 2."""

MAX_CREDENTIAL: Final = 1_023
"""Bytes of a credential id (Web Authentication, 4, "Credential ID")."""

MAX_SIGNATURES: Final = 32
"""Signatures under one change of the registry."""

NONCE_BYTES: Final = 16
"""128 bits, fresh for each approver."""

KNOWN_KEYS: Final = 1_024
"""Public keys that are kept parsed: more than the people of one registry."""
