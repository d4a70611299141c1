"""Signatures over policies: who stands for which version, beside the file, in ``POLICY.sig.json``.

    {"v":1,"signatures":[{"scheme":"sshsig","key_id":"ana-ssh","request":{"v":1,"policy":"payments","version":7,
     "digest":"3f0c...","previous":"91ab...","registry":"77d0...","person":"p-ana","key_id":"ana-ssh",
     "signed_at":"2026-11-30T07:00:00.000000Z"},"signature":"..."}]}

    digest = SHA-256("agent-saga/policy-signature/v1\\0" || JCS(request))

- :mod:`~agent_saga.policies.signing.statements`: what is signed; :mod:`~.files`: the file beside the policy
- :mod:`~agent_saga.policies.signing.making`, :mod:`~.verifying`: sign, and check what was signed
- :mod:`~agent_saga.policies.signing.waivers`: the same for one waiver, whose signature stands in it

Source: docs/spec/policy-v1.md, "Signatures".
"""

from agent_saga.policies.signing.files import Signatures, read_signatures, signature_path
from agent_saga.policies.signing.making import statement_for
from agent_saga.policies.signing.statements import PolicyStatement
from agent_saga.policies.signing.verifying import Verified, check_successor, verify_policy

__all__ = [
    "PolicyStatement",
    "Signatures",
    "Verified",
    "check_successor",
    "read_signatures",
    "signature_path",
    "statement_for",
    "verify_policy",
]
