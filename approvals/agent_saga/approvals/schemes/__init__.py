"""The five schemes: how a signature over a digest is made, and what of it a verifier checks.

Each module has one function, ``check(proof, key, message...) -> Evidence``, over :mod:`cryptography` alone. What a
signature shows about the person (a touch, a PIN) is read from the signature, never from what a line claims.

- :mod:`~agent_saga.approvals.schemes.raw`: ``ed25519`` and ``pkcs11``
- :mod:`~agent_saga.approvals.schemes.sshsig`: ``sshsig`` and ``sshsig-sk``
- :mod:`~agent_saga.approvals.schemes.webauthn`: ``webauthn``
"""
