"""Conditions: a strict subset of the Common Expression Language that always ends.

A condition is text. :func:`parse` makes a tree of it, :func:`check` finds every mistake before it runs,
:func:`specialise` folds what is known of a call, and :func:`compile_` makes a function that answers it:

    tree = parse('tool == "payments.wire" && args.amount.minor > 500000')
    type_, faults = check(tree, {"tool": STRING, "args": ObjectType({"amount": ...})})
    asks = compile_(tree, ("tool", "args"))
    asks({"tool": "payments.wire", "args": {"amount": {"minor": 600000, "currency": "EUR"}}})    # True

Every condition of the subset is a CEL expression of the same meaning.

Source: docs/spec/policy-cel-v1.md; CEL language definition (cel-spec).
"""

from agent_saga.policies.cel.checking import check as check
from agent_saga.policies.cel.compiler import compile_ as compile_
from agent_saga.policies.cel.faults import CelError as CelError
from agent_saga.policies.cel.faults import CelFault as CelFault
from agent_saga.policies.cel.faults import Undecided as Undecided
from agent_saga.policies.cel.folding import specialise as specialise
from agent_saga.policies.cel.parser import parse as parse
from agent_saga.policies.cel.syntax import Expression as Expression
from agent_saga.policies.cel.text import text_of as text_of
from agent_saga.policies.cel.times import read_timestamp as read_timestamp
from agent_saga.policies.cel.tracing import trace_values as trace_values
from agent_saga.policies.cel.values import Duration as Duration
from agent_saga.policies.cel.values import Timestamp as Timestamp
from agent_saga.policies.cel.walking import atoms as atoms
from agent_saga.policies.cel.walking import names_in as names_in
