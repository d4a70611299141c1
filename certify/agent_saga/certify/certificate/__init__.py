"""Certificates: a signed verdict that others can check, and reach again from the trace.

A certificate is an in-toto statement in a DSSE envelope. Its subject is a log at a size, or a file; its predicate says
what was judged, by which rules and choices, what came out, and what has to be believed. docs/spec/certificate-v1.md is
its definition.

- :mod:`~.predicate`: a report as a predicate; :mod:`~.making`: the signed envelope
- :mod:`~.reading`: the JSON Schema, and what a predicate may not say of itself
- :mod:`~.opening`: from bytes and a pin to what the signer says; :mod:`~.rederiving`: judging the trace again
"""

from importlib.resources import files


def schema() -> str:
    """The text of the published JSON Schema of the predicate."""
    return (files("agent_saga.certify.certificate") / "certificate.schema.json").read_text("utf-8")
