"""The machine: Python, the system's locks and syncs, and which extras are installed."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from typing import Final

from agent_saga.runtime.doctor.trial import Outcome, Trial, judged
from agent_saga.trace.store.errors import StoreError
from agent_saga.trace.store.opening import require_locks

DISTRIBUTION: Final = "agent-saga-toolkit"
DEVELOPMENT: Final = frozenset({"dev", "docs"})
"""Extras for those who work on the project; a machine that runs sagas needs none of them."""

_REQUIREMENT: Final = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?([^;]*?)\s*(?:;\s*extra\s*==\s*['\"]([\w-]+)['\"])?$")


def examine_machine() -> list[Trial]:
    """Look at the machine. Raises nothing."""
    try:
        installed = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        todo = f"install it: pip install {DISTRIBUTION}"
        return [_system(), Trial("install", "The distribution is installed.", Outcome.UNPROBED, "no metadata", todo)]
    return [_python(installed), _system(), *_extras(installed)]


def _python(installed: Distribution) -> Trial:
    needed = str(installed.metadata["Requires-Python"])
    good = sys.version_info >= _numbers(needed)
    todo = f"run it with Python {needed}"
    return judged("python", f"Python is {needed}.", good, platform.python_version(), todo)


def _system() -> Trial:
    says = "The system has the file locks and syncs that stores need."
    try:
        require_locks(sys.platform)
    except StoreError as fault:
        return judged("system", says, False, sys.platform, str(fault))
    return judged("system", says, True, sys.platform, "")


def _extras(installed: Distribution) -> Iterator[Trial]:
    names = sorted(set(installed.metadata.get_all("Provides-Extra") or ()) - DEVELOPMENT)
    wanted = [match.groups() for text in installed.requires or () if (match := _REQUIREMENT.match(text))]
    for extra in names:
        lacking = [_lacks(package, bounds) for package, bounds, whose in wanted if whose == extra]
        missing = ", ".join(filter(None, lacking))
        how = f"pip install '{DISTRIBUTION}[{extra}]', where it is needed" if missing else ""
        outcome = Outcome.ABSENT if missing else Outcome.HELD
        yield Trial(f"extra {extra}", f"The extra {extra} is installed.", outcome, missing, how)


def _lacks(package: str, bounds: str) -> str:
    """Why the package does not do, "" when it does. bounds: such as ``>=0.23``."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return f"no {package}"
    return "" if _numbers(found) >= _numbers(bounds) else f"{package} {found}, needed {bounds}"


def _numbers(text: str) -> tuple[int, ...]:
    """The release segment of the first version in a text: ``>=3.11`` is (3, 11)."""
    match = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, match[0].split("."))) if match else ()
