"""Proofs: a Merkle tree over the lines of a log, signed checkpoints, and what an auditor can check alone.

The log is the sequence of lines of all sagas, in append order; its tree is that of RFC 9162. A checkpoint is three
lines of text under a signature, such as any C2SP tool reads::

    log.example/acme
    700
    Oc3YzY/VBQuv2qO2fjmk0udxH5Cphg7IbaCFbY1DIRA=

    — log.example/acme ADu3gEucF2q+...

What proves, from below: docs/spec/log-v1.md is the full text.

- :mod:`~agent_saga.proofs.hashing`: leaf, node, root
- :mod:`~agent_saga.proofs.checking`: inclusion, consistency and many leaves at once, verified with hashlib alone
- :mod:`~agent_saga.proofs.tree`: making proofs from stored hashes; :mod:`~agent_saga.proofs.planning`: by pymerkle
- :mod:`~agent_saga.proofs.tiles`: the stored hashes, 256 a file
- :mod:`~agent_saga.proofs.vkeys`, :mod:`~agent_saga.proofs.notes`: who signed what
- :mod:`~agent_saga.proofs.checkpoints`, :mod:`~agent_saga.proofs.cosigning`: what a log says of itself, and who saw it
- :mod:`~agent_saga.proofs.entries`, :mod:`~agent_saga.proofs.index`: how many lines each saga has
- :mod:`~agent_saga.proofs.keys`, :mod:`~agent_saga.proofs.pins`: signing keys in files, and whom to trust
"""
