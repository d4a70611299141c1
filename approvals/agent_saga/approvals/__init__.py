"""Approvals: a named person's key over one exact action, verifiable offline years later.

What is signed is a request that holds the whole action; every scheme signs its digest::

    action  = SHA-256("agent-saga/action/v1\\0"   || JCS(content))
    digest  = SHA-256("agent-saga/approval/v1\\0" || JCS(request))

docs/spec/approval-v1.md is the full text.

- :mod:`~agent_saga.approvals.digests`, :mod:`~agent_saga.approvals.requests`: what is hashed, and what a person signs
- :mod:`~agent_saga.approvals.schemes`: passkeys, security keys over ssh, PKCS#11, software keys
- :mod:`~agent_saga.approvals.registry`: who may approve, with which keys, in which roles; its changes and its history
- :mod:`~agent_saga.approvals.proofs`: one proof, verified; :mod:`~agent_saga.approvals.quorum`: whether answers suffice
- :mod:`~agent_saga.approvals.calls`, :mod:`~agent_saga.approvals.burning`, :mod:`~agent_saga.approvals.counters`,
  :mod:`~agent_saga.approvals.windows`: for this call, once, by no copied key, in time
- :mod:`~agent_saga.approvals.display`, :mod:`~agent_saga.approvals.signing`: what a person sees, and how they sign it

Verifying needs the base install; signing with hardware needs the extra ``hardware``.
"""
