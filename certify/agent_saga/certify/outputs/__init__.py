"""The formats that a report can be written in. Each is one module, imported when it is asked for.

Every format is made from a :class:`~agent_saga.certify.report.Report` and nothing else: no clock, no environment but
``NO_COLOR``, no path that the user did not type. The same report gives the same text, and any text can be encoded as
UTF-8.

Source: docs/outputs.md.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Final, cast

from agent_saga.certify.outputs.base import Options, Renderer, RuleInfo, Rules
from agent_saga.certify.report import Report

__all__ = ["ANSWERS", "FORMATS", "Options", "Renderer", "RuleInfo", "job_summary", "render"]


def _lazy(module: str) -> Renderer:
    def call(report: Report, options: Options) -> str:
        found = import_module(f"agent_saga.certify.outputs.{module}")
        return cast(Renderer, found.render)(report, options)

    return call


FORMATS: Final[Mapping[str, Renderer]] = {
    "text": _lazy("text"),
    "json": _lazy("json_report"),
    "sarif": _lazy("sarif"),
    "junit": _lazy("junit"),
    "github": _lazy("github"),
    "gitlab": _lazy("gitlab"),
    "tap": _lazy("tap"),
    "markdown": _lazy("markdown"),
    "html": _lazy("html_report"),
}
"""Every format by the name that ``--format`` and ``--output`` take."""

ANSWERS: Final[Mapping[str, Renderer]] = {"oscal": _lazy("oscal")}
"""Formats of the answers for controls alone: they need ``--controls`` and ``--now``."""

_NEED_RULES: Final = frozenset({"sarif", "html"})


def render(
    report: Report,
    fmt: str,
    *,
    color: bool = False,
    width: int = 100,
    verbose: int = 0,
    show_suppressed: bool = False,
    rules: Rules | None = None,
) -> str:
    """Write the report in one format.

    Args:
        report: what the run found.
        fmt: a name in :data:`FORMATS` or :data:`ANSWERS`.
        color: whether ``text`` may use colours; ``NO_COLOR`` in the environment forbids them.
        width: columns of ``text``.
        verbose: 1 or more lists what is usually left out, such as rules that met no case.
        show_suppressed: whether formats that only count suppressed findings show them.
        rules: the catalogue of rules; by default the shipped one.

    Raises:
        ValueError: there is no such format.
        OscalError: ``oscal`` of a report that answers no controls, or that bears no time.
    """
    known = {**FORMATS, **ANSWERS}
    if fmt not in known:
        raise ValueError(f"no output format {fmt!r}; choose one of {', '.join(known)}")
    color = color and not os.environ.get("NO_COLOR")
    catalogue = _rules(rules) if fmt in _NEED_RULES else {}
    return known[fmt](report, Options(color, width, verbose, show_suppressed, catalogue))


def job_summary(report: Report) -> str:
    """The Markdown page for ``$GITHUB_STEP_SUMMARY``: the verdict and all findings that fit (1 MiB)."""
    from agent_saga.certify.outputs.github import job_summary as written

    return written(report)


def _rules(given: Rules | None) -> Rules:
    if given is not None:
        return given
    from agent_saga.certify.rules import all_rules

    return all_rules()
