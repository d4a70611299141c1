"""``certify --state``: what came since the last certification is judged, and the state replaced."""

import os
from datetime import UTC, datetime
from pathlib import Path

from agent_saga.certify.report import Report
from agent_saga.certify.run import Options
from agent_saga.certify.settings.keys import SettingsError, spelled
from agent_saga.certify.settings.resolving import Settings
from agent_saga.trace.reader import STDIN


def certified_since(file: str, settings: Settings, options: Options) -> Report:
    """The report over the one log that the settings name. file: of the state.

    Raises SettingsError where the state is of no use, and as :func:`agent_saga.fleet.incremental.certify_since`.
    """
    if len(settings.paths) != 1 or settings.paths[0] == STDIN or os.path.isdir(settings.paths[0]):
        raise SettingsError("--state goes with exactly one PATH: a store, or a plain trace that grows")
    if os.path.realpath(file) == os.path.realpath(settings.paths[0]):
        raise SettingsError(f"{file} is the input: nothing writes over evidence; name another file for --state")
    from agent_saga.fleet.incremental import certify_since

    now = settings.now or spelled(datetime.now(UTC))
    return certify_since(settings.paths[0], options, Path(file), now)
