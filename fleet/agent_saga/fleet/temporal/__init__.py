"""Certifying one log by many workers: a workflow of Temporal hands each part of the sagas to whoever is free.

    agent-saga certify postgresql://... --engine temporal --parts 16 --work /shared/certify      asks
    agent-saga certify-worker --work /shared/certify                                             judges, on any machine

A part is judged by the very function that one process uses for its part, and put together by the same one: the report
and the certificate are the same bytes. What a worker found lies in the folder that all of them share; the server of
Temporal sees names, sizes and digests only. A worker that dies loses its part alone, and whoever asks again goes on
with what is there.

Needs the extra ``temporal``. The guide is docs/guide/operations.md.
"""
