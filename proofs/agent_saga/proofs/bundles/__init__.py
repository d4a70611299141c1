"""Bundles: one saga cut out of a log, with what proves that it is whole, or that it is a part, or that there is none.

A bundle is one JSON document in one spelling; an auditor needs it, a pin, and nothing else::

    {"bundle":"agent-saga-bundle-v1","claim":"whole","saga":"k3JxQ0m7y2aTt5v9WcZ1eA",
     "checkpoint":"log.example/acme\\n700\\nOc3Y...=\\n\\n— log.example/acme ADu3...\\n",
     "lines":[[0,"{\\"v\\":1,...}"],[1,"{...}"]],"anchors":[[1,431]],"log":[[699,"{...}"]],
     "proof":["gSKy...="],"entries":[[17,"agent-saga-index-v1 ...",["..."]]],"disclosures":["WyJa..."]}

(one line in a file; broken here for reading). The full text is docs/spec/bundle-v1.md.

What was read is a :class:`~.reading.Bundle`, unverified; what was proven is a :class:`~.model.Proven`. They share no
type, and only :func:`~.verifying.verify_bundle` leads from one to the other.

- :mod:`~.reading`: bytes to a bundle and back, in one spelling
- :mod:`~.chaining`, :mod:`~.claiming`, :mod:`~.disclosing`: what is checked of lines, of the claim, of opened values
- :mod:`~.verifying`: all of it in order; :mod:`~.words`: what was proven, and what was not
- :mod:`~.choosing`, :mod:`~.making`: a bundle out of a log; only these need the log

Nothing that verifies knows what makes: neither pymerkle nor a store is loaded.
"""
