"""The release that speaks, for reports and certificates."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "agent-saga-toolkit"


@cache
def tool_version() -> str:
    """The installed release, such as ``0.1.0``; ``0+unknown`` when the code runs without being installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+unknown"
