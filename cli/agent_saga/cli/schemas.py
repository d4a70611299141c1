"""``agent-saga schema``: the published JSON Schemas, as this release has them."""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import say

SCHEMAS: Final[Mapping[str, tuple[str, str]]] = {
    "trace": ("agent_saga.trace.models", "json_schema"),
    "report": ("agent_saga.certify.outputs.json_report", "schema"),
    "config": ("agent_saga.certify.settings.keys", "json_schema"),
    "mapping": ("agent_saga.certify.settings.mapping_schema", "json_schema"),
    "baseline": ("agent_saga.certify.baseline", "json_schema"),
    "certificate": ("agent_saga.certify.certificate", "schema"),
    "job": ("agent_saga.runtime.jobs", "json_schema"),
    "policy": ("agent_saga.policies.schema", "json_schema"),
    "waivers": ("agent_saga.policies.schema", "waivers_schema"),
}
"""What has a schema, and the module and function that give it, as an object or as text."""


def schema(
    name: Annotated[str, typer.Argument(metavar="|".join(SCHEMAS), autocompletion=lambda: list(SCHEMAS))],
) -> None:
    """Print a JSON Schema: of a trace's line, the JSON report, the configuration, and what else has one."""
    require_known("schema", name, SCHEMAS)
    module, function = SCHEMAS[name]
    made = getattr(import_module(module), function)()
    say(made if isinstance(made, str) else json.dumps(made, indent=2) + "\n")
