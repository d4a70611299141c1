"""Making signatures: what a person signs is built, shown, signed by one of the five schemes, and verified at once.

- :mod:`~agent_saga.approvals.signing.making`: requests, and proofs out of signatures
- :mod:`~agent_saga.approvals.signing.software`: key files; :mod:`~.openssh`: ``ssh-keygen -Y sign``
- :mod:`~agent_saga.approvals.signing.pkcs11_token`, :mod:`~.fido_key`: hardware, with the extra ``hardware``

Verifying needs nothing of this, and nothing but the base install.
"""

from agent_saga.approvals.signing.making import Signer, answer, sign

__all__ = ["Signer", "answer", "sign"]
