"""Spans and metrics as a projection of the trace: what a dashboard shows is what the evidence says, and no more.

    agent-saga trace spans orders.db --json          spans as JSON, one a line; needs nothing else
    agent-saga trace spans orders.db --follow        handed to OpenTelemetry (extra ``otel``), as they become known

Nothing is recorded beside the trace, so nothing can differ from it. The same trace gives the same spans, ids included.

Source: docs/guide/telemetry.md.
"""
