"""Spans are what the trace says: every attempt of a call, every wait, and nothing that it does not say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent_saga.fleet.errors import FleetFault
from agent_saga.fleet.telemetry import names as n
from agent_saga.fleet.telemetry.exporting import Exporter
from agent_saga.fleet.telemetry.projecting import Projector, Span, span_id, trace_id
from agent_saga.trace.codec import decode
from agent_saga.trace.errors import LineError

ROOT = Path(__file__).resolve().parents[3]
GOOD = sorted((ROOT / "fixtures/good").glob("*.jsonl"))
HOSTILE = [*sorted((ROOT / "fixtures/faults").glob("*.jsonl")), *sorted((ROOT / "fixtures/rules").rglob("*.jsonl"))]
CALLS = next(path for path in GOOD if b"undo.succeeded" in path.read_bytes())
Run = Callable[..., Any]


def events(path: Path) -> list[Any]:
    found = []
    for line in path.read_bytes().split(b"\n"):
        try:
            found.append(decode(line)[0])
        except LineError:
            continue
    return found


def spans(path: Path, **how: bool) -> list[Span]:
    projector = Projector(**how)
    return [span for event in events(path) for span in projector.take(event)]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_attempt_of_a_call_is_one_span_under_the_root_of_its_saga(path: Path) -> None:
    found, told = spans(path), events(path)
    for saga in {event.saga for event in told} - {"log"}:
        mine = [span for span in found if span.trace == trace_id(saga)]
        attempts = [e for e in told if e.saga == saga and e.type in ("effect.intended", "undo.intended")]
        calls = [span for span in mine if span.attributes.get(n.OPERATION) == n.EXECUTE_TOOL]
        assert sorted(span.name for span in calls) == sorted(f"execute_tool {event.tool}" for event in attempts)
        roots = [span for span in mine if not span.parent]
        assert [span.span for span in roots] == [span_id(saga, "", 0)]
        assert {span.parent for span in mine if span.parent} <= {roots[0].span}
        assert all(roots[0].start <= span.start <= span.end <= roots[0].end for span in mine)
        assert len({span.span for span in mine}) == len(mine)


@pytest.mark.parametrize("path", HOSTILE[::3], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_broken_trace_gives_spans_and_no_exception(path: Path) -> None:
    for span in spans(path, arguments=True):
        assert span.end >= span.start or span.name.startswith(("invoke", "wait", "reconcile"))
        json.dumps(span.attributes)


def test_the_same_trace_gives_the_same_spans() -> None:
    assert spans(CALLS) == spans(CALLS)


def test_arguments_are_shown_when_asked_for_and_never_a_concealed_value_or_a_credential() -> None:
    def shown(path: Path, **how: bool) -> str:
        return json.dumps([dict(span.attributes) for span in spans(path, **how)])

    for path in GOOD:
        args = [json.dumps(e.args) for e in events(path) if e.type == "effect.intended" and e.args]
        plain = [text for text in args if '"..."' not in text]
        assert n.ARGUMENTS not in shown(path)
        assert (n.ARGUMENTS in shown(path, arguments=True)) is bool(plain)
        assert '\\"...\\"' not in shown(path, arguments=True)
    secret = next((ROOT / "fixtures/rules/AS604").glob("bad*.jsonl"))
    words = json.dumps([json.dumps(e.args) for e in events(secret) if e.type == "effect.intended"])
    assert "AKIA" in words or "sk" in words or "ghp" in words or "BEGIN" in words
    for span in spans(secret, arguments=True):
        if n.ARGUMENTS in span.attributes:
            assert not any(mark in str(span.attributes[n.ARGUMENTS]) for mark in ("AKIA", "ghp_", "PRIVATE KEY"))


def test_the_sdk_gets_spans_and_metrics() -> None:
    to, reader = InMemorySpanExporter(), InMemoryMetricReader()
    exporter = Exporter(to, MeterProvider(metric_readers=[reader]), Resource.create({"service.name": "test"}))
    told = spans(CALLS)
    for span in told:
        exporter.take(span)
    exporter.flush()
    found = to.get_finished_spans()
    assert [format(one.context.span_id, "016x") for one in found] == [span.span for span in told]
    assert [(one.start_time, one.end_time) for one in found] == [(span.start, span.end) for span in told]
    data = reader.get_metrics_data()
    assert data is not None
    metrics = {m.name: m for scope in data.resource_metrics[0].scope_metrics for m in scope.metrics}
    calls = sum(point.value for point in metrics[n.CALLS].data.data_points)  # type: ignore[union-attr]
    assert calls == sum(span.attributes.get(n.OPERATION) == n.EXECUTE_TOOL for span in told)
    assert n.SAGAS in metrics


def test_a_receiver_that_refuses_is_told() -> None:
    class Refusing(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.FAILURE

    exporter = Exporter(Refusing(), None, Resource.create({}))
    exporter.take(spans(CALLS)[0])
    with pytest.raises(FleetFault, match="1 spans were not taken"):
        exporter.close()


def test_the_command_shows_a_scenario_as_json(run_cli: Run, tmp_path: Path) -> None:
    run_cli("demo", "--scenario", "business-failure", "--store", tmp_path / "s.db")
    done = run_cli("trace", "spans", tmp_path / "s.db", "--json")
    assert done.returncode == 0, done.output
    found = [json.loads(line) for line in done.stdout.splitlines()]
    undone = [span["name"].split()[1] for span in found if n.UNDOES in span["attributes"]]
    assert undone == ["cancel_fulfillment", "refund_payment", "release_inventory"]
    assert found[-1]["parent"] == ""
    assert found[-1]["error"] == "compensated_verified"


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin-of-old", "OTEL_METRICS_EXPORTER": "none"}, "no such exporter is installed"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "carrier-pigeon"}, "no such exporter is installed"),
    ],
)
def test_an_exporter_that_is_not_there_is_told(run_cli: Run, settings: dict[str, str], words: str) -> None:
    done = run_cli("trace", "spans", ROOT / "fixtures/demo/good.jsonl", env=settings)
    assert done.returncode == 2
    assert words in done.stderr


def test_the_console_exporter_of_the_sdk_prints_them(run_cli: Run) -> None:
    settings = {"OTEL_TRACES_EXPORTER": "console", "OTEL_METRICS_EXPORTER": "none", "OTEL_SERVICE_NAME": "shop"}
    done = run_cli("trace", "spans", ROOT / "fixtures/demo/good.jsonl", env=settings)
    assert done.returncode == 0, done.output
    assert '"service.name": "shop"' in done.stdout
