"""Runs the command and turns whatever happens into an exit code and at most one line: no traceback ever meets a user.

Source: docs/exit-codes.md.
"""

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final, cast

import typer

from agent_saga.cli import terminal
from agent_saga.cli.log import LOG

# The numbers of agent_saga.certify.report.Exit, which would load more than a mere --help needs.
USAGE, BUG, INTERRUPTED = 2, 70, 130

# Typer hands this class out only as the base of another; it is click's own in older releases.
UsageError: Final = cast(type[Exception], typer.BadParameter.__mro__[1])
REPORT_IT: Final = "this is a bug of agent-saga: please report this line, the version and the command (not your logs)"


def run(arguments: Sequence[str]) -> int:
    """Run one command line. Returns its exit code; raises nothing."""
    terminal.prepare()
    _configure_log(arguments)
    try:
        code = _flushed(_invoke(arguments))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        LOG.error("interrupted", "interrupted; there is no verdict")
    return code


def _invoke(arguments: Sequence[str]) -> int:
    try:
        return _called(arguments)
    except UsageError as fault:
        LOG.error("usage", _usage(fault))
        return USAGE
    except OSError as fault:
        return _os_error(fault)
    except Exception as fault:
        return _told(fault)


def _told(fault: Exception) -> int:
    """What the project raises on purpose explains itself. The class is loaded late: --help needs none of it."""
    from agent_saga.trace.errors import AgentSagaError

    if not isinstance(fault, AgentSagaError):
        return _noted(fault) if getattr(fault, "__notes__", None) else _bug(fault)
    LOG.error("usage", str(fault))
    return USAGE


def _called(arguments: Sequence[str]) -> int:
    from agent_saga.cli.assembling import assembled_for
    from agent_saga.cli.completion import COMPLETE_VARIABLE, enable

    if COMPLETE_VARIABLE in os.environ:
        enable()
    try:
        command = typer.main.get_command(assembled_for(arguments))
        result = command.main(_without_passwords(arguments), prog_name="agent-saga", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return result if isinstance(result, int) else 0


def _without_passwords(arguments: Sequence[str]) -> list[str]:
    """Addresses of PostgreSQL lose their passwords here, so that nothing that is said, kept or signed shows one."""
    if not any(word.startswith("postgres") for word in arguments):
        return list(arguments)
    from agent_saga.trace.store.postgres.addresses import concealed

    return [concealed(word) for word in arguments]


def _usage(fault: BaseException) -> str:
    """Typer's own message, in one line, and where help is."""
    message = str(getattr(fault, "format_message", lambda: fault)())
    context = getattr(fault, "ctx", None)
    path = context.command_path if context else "agent-saga"
    if type(fault).__name__ == "NoArgsIsHelpError":
        message = "Missing command."
    return f"{' '.join(message.split())} (try `{path} --help`)"


def _os_error(fault: OSError) -> int:
    """A full disk behind standard output is the surroundings' fault; any other surprise is ours."""
    if fault.filename is None and fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF):
        LOG.error("output", f"standard output: {fault.strerror}; the report was not delivered")
        terminal.drop_output()
        return USAGE
    return _bug(fault)


def _noted(fault: Exception) -> int:
    """What code of others raised, where the runtime noted whose it is; its text may quote a payload."""
    LOG.error("usage", f"{type(fault).__name__}{_place(fault)}: {'; '.join(fault.__notes__)}")
    return USAGE


def _place(fault: BaseException) -> str:
    frames = traceback.extract_tb(fault.__traceback__)
    return f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""


def _bug(fault: BaseException) -> int:
    """One line that names the place but no value: an exception's text may quote a payload."""
    frames = traceback.extract_tb(fault.__traceback__)
    LOG.error("bug", f"{type(fault).__name__}{_place(fault)}: {REPORT_IT}; -vv shows the stack")
    LOG.debug("stack", " | ".join(f"{os.path.basename(f.filename)}:{f.lineno} {f.name}" for f in frames))
    return BUG


def _flushed(code: int) -> int:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        terminal.drop_output()
    except OSError as fault:
        return _os_error(fault)
    return code


def _configure_log(arguments: Sequence[str]) -> None:
    """What the log must know before the options are parsed, since parsing may fail."""
    words = [a for a in arguments if a.startswith("-")]
    short = [w for w in words if not w.startswith("--") and set(w[1:]) <= {"v", "q"}]
    verbose = sum(w.count("v") for w in short) + words.count("--verbose")
    quiet = sum(w.count("q") for w in short) + words.count("--quiet")
    joined = " ".join(arguments)
    json = "--log-format json" in joined or "--log-format=json" in joined
    form = "json" if json or os.environ.get("AGENT_SAGA_LOG_FORMAT") == "json" else "text"
    LOG.configure(verbose, quiet, form)


__all__ = ["BUG", "INTERRUPTED", "USAGE", "run"]
