"""Spans and metrics handed to OpenTelemetry, by its own settings: OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, ...

``console`` is there; ``otlp`` comes with the package opentelemetry-exporter-otlp. Default: ``otlp`` where it is
installed, else an error that says so.

Source: OpenTelemetry specification, "Environment variable specification".
"""

import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Final

from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.telemetry import names as n
from agent_saga.fleet.telemetry.projecting import Span, Value, measured

try:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
except ImportError as fault:
    raise FleetFault(
        f"spans for OpenTelemetry need the extra otel: pip install 'agent-saga-toolkit[otel]' ({fault.name} is missing)"
    ) from fault

_AT_ONCE: Final = 512
"""Spans handed over together, as the SDK's own batches are."""
_SCOPE: Final = InstrumentationScope(n.SCOPE, schema_url=n.SCHEMA_URL)


class Exporter:
    """Takes spans and hands them over in batches; the metrics that they give go along."""

    def __init__(self, spans: SpanExporter | None, meter: MeterProvider | None, resource: Resource) -> None:
        self._spans, self._meter, self._resource = spans, meter, resource
        self._waiting: list[ReadableSpan] = []
        self.sent = 0
        """Spans that were taken."""
        meters = meter.get_meter(n.SCOPE, schema_url=n.SCHEMA_URL) if meter else None
        self._instruments: Mapping[str, Any] = (
            {}
            if meters is None
            else {
                n.SAGAS: meters.create_counter(n.SAGAS, "{saga}", "Sagas that ended"),
                n.CALLS: meters.create_counter(n.CALLS, "{call}", "Attempts of calls and undos"),
                n.DURATION: meters.create_histogram(n.DURATION, "s", "What attempts took"),
                n.WAITS: meters.create_histogram(n.WAITS, "s", "What people were waited for"),
            }
        )

    def take(self, span: Span) -> None:
        """One more span. Raises FleetFault when the receiver does not take a batch."""
        measured(span, self._observe)
        if self._spans is not None:
            self._waiting.append(_readable(span, self._resource))
            if len(self._waiting) >= _AT_ONCE:
                self.flush()

    def flush(self) -> None:
        """Hand over what waits. Raises FleetFault."""
        if self._waiting and self._spans is not None:
            if self._spans.export(self._waiting) is not SpanExportResult.SUCCESS:
                raise FleetFault(
                    f"{len(self._waiting)} spans were not taken by the receiver: see its settings, OTEL_..."
                )
            self.sent += len(self._waiting)
            self._waiting = []

    def close(self) -> None:
        """Hand over the rest, and let go. Raises FleetFault."""
        self.flush()
        if self._spans is not None:
            self._spans.shutdown()
        if self._meter is not None:
            self._meter.shutdown()

    def _observe(self, metric: str, value: float, about: Mapping[str, Value]) -> None:
        instrument = self._instruments.get(metric)
        if instrument is None:
            return
        if hasattr(instrument, "add"):
            instrument.add(value, dict(about))
        else:
            instrument.record(value, dict(about))


def exporter() -> Exporter:
    """What the environment asks for. Raises FleetFault for an exporter that is not installed."""
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "agent-saga")})
    spans = _made("OTEL_TRACES_EXPORTER", "opentelemetry_traces_exporter")
    metrics = _made("OTEL_METRICS_EXPORTER", "opentelemetry_metrics_exporter")
    meter = None
    if metrics is not None:
        meter = MeterProvider(metric_readers=[PeriodicExportingMetricReader(metrics)], resource=resource)
    return Exporter(spans, meter, resource)


def _made(variable: str, group: str) -> Any:
    """An exporter by its name. Raises FleetFault."""
    name = os.environ.get(variable, "otlp").strip()
    if name == "none":
        return None
    found = {point.name: point for point in entry_points(group=group)}
    wanted = "otlp_proto_grpc" if name == "otlp" and "otlp_proto_grpc" in found else name
    wanted = "otlp_proto_http" if wanted == "otlp" and "otlp_proto_http" in found else wanted
    if wanted not in found:
        raise FleetFault(
            f"{variable}={name}: no such exporter is installed; there are: {', '.join(sorted(found)) or 'none'}; "
            "set it to console or none, or pip install opentelemetry-exporter-otlp"
        )
    return found[wanted].load()()


def _readable(span: Span, resource: Resource) -> ReadableSpan:
    error = Status(StatusCode.ERROR, span.error) if span.error else Status(StatusCode.UNSET)
    return ReadableSpan(
        name=span.name,
        context=_context(span.trace, span.span),
        parent=_context(span.trace, span.parent) if span.parent else None,
        resource=resource,
        attributes=dict(span.attributes),
        links=[Link(_context(trace, other)) for trace, other in span.links],
        kind=SpanKind.INTERNAL,
        status=error,
        start_time=span.start,
        end_time=span.end,
        instrumentation_scope=_SCOPE,
    )


def _context(trace: str, span: str) -> SpanContext:
    return SpanContext(int(trace, 16), int(span, 16), is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
