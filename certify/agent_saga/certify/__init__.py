"""The certifier: judges traces of agents' sagas by written rules, and explains itself.

    from agent_saga.certify.run import Options, certify

    report = certify(["trace.jsonl"])
    print(report.headline, report.exit_code)

An input flows one way: :mod:`~agent_saga.certify.judging` reads it, hands each event to the
:mod:`~agent_saga.certify.rules` and then to the fold of its saga's :mod:`~agent_saga.certify.history`, and gathers what
the rules say; :mod:`~agent_saga.certify.verdict` decides, and :mod:`~agent_saga.certify.outputs` prints.

The verdict is sound and fails closed: unknown, missing, unreadable, empty and unterminated are never green, and a
summary that the judged party wrote is compared with the events, never believed. docs/rules.md is the definition.
"""
