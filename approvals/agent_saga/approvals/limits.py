"""Every bound and window of approvals, with its reason."""

from typing import Final

IRREVERSIBLE_SECONDS: Final = 900
"""How long a request for something irreversible may stay open: fifteen minutes, so that a yes is about now."""

SKEW_SECONDS: Final = 120
"""How far two honest clocks may differ."""

MAX_PROOF: Final = 131_072
"""Bytes of a proof's own JSON: a request with its arguments, half of the longest line."""

MAX_SSHSIG: Final = 4_096
"""Bytes of an SSHSIG blob: an Ed25519 one has under 300."""

MAX_CLIENT_DATA: Final = 4_096
MAX_AUTHENTICATOR_DATA: Final = 4_096
"""Bytes that a browser and an authenticator add around a challenge: a few hundred, more with extensions."""

NONCE_BYTES: Final = 16
"""128 bits, fresh for each approver."""
