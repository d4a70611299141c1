"""Files that commands write: whole or not at all."""

import os
import tempfile

import typer

from agent_saga.cli.terminal import say


def written(output: str, text: str) -> None:
    """Write a text to a file as :func:`replace_file` does, or to standard output for ``-``. Raises BadParameter."""
    if output == "-":
        say(text)
    else:
        replace_file(output, text.encode())


def replace_file(path: str, data: bytes) -> None:
    """Write a file, in place of what stands there, so that no reader ever sees half of it. Raises BadParameter."""
    folder = os.path.dirname(path) or "."
    try:
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(out.name, mode)
        os.replace(out.name, path)
    except (OSError, ValueError) as fault:
        raise typer.BadParameter(f"{path}: cannot be written: {getattr(fault, 'strerror', None) or fault}") from fault
