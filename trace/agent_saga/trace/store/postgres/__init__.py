"""The store in PostgreSQL: many writers of one log, on many machines.

    agent-saga store migrate postgresql://owner@db/acme
    store = open_store("postgresql://worker@db/acme")

Lines are keyed (saga, seq) and written in batches with COPY, by many at once. Their global order is a table of its own,
which one sequencer at a time writes: the function ``agent_saga.sequence()``, under an advisory lock. An append returns
when its lines are durable and stand in that table.

- :mod:`~agent_saga.trace.store.postgres.addresses`: telling an address, hiding its password
- ``schema_1.sql``: tables, triggers, functions, roles; :mod:`~agent_saga.trace.store.postgres.schema` runs it
- :mod:`~agent_saga.trace.store.postgres.connecting`: connections and their errors
- :mod:`~agent_saga.trace.store.postgres.engine`: what callers of a store use, over one writing connection
- :mod:`~agent_saga.trace.store.postgres.rows`: drafted lines as one buffer of COPY
- :mod:`~agent_saga.trace.store.postgres.vault`: what opens concealed values
- :mod:`~agent_saga.trace.store.postgres.reading`: the lines as a trace, at one moment; following them

Source: docs/spec/store-v1.md, "The PostgreSQL store"; docs/guide/postgres.md. psycopg 3 is the extra ``postgres``.
"""
