"""``agent-saga keys``: signing keys in encrypted files, and opening one for a command that signs."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.log import LOG
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from agent_saga.proofs.keys import KeyFile, SigningKey

app = typer.Typer(
    help="Make and show signing keys: Ed25519 in encrypted files, each for one purpose.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

VARIABLE: Final = "AGENT_SAGA_KEY_PASSPHRASE"
"""Holds the passphrase of key files where there is no terminal to ask at."""

_PURPOSES: Final = ("log", "witness", "monitor", "certificate", "policy", "approval")
_FORMATS: Final = ("text", "json")
_LONGEST: Final = 4096

Passphrase = Annotated[
    str,
    typer.Option(
        "--passphrase-file", metavar="FILE", help=f"Its passphrase. [{VARIABLE}, else asked]", show_default=False
    ),
]
Key = Annotated[str, typer.Option("--key", metavar="KEYFILE", help="The signing key: agent-saga keys new.")]
Form = Annotated[
    str, typer.Option("--format", "-f", metavar="text|json", autocompletion=lambda: list(_FORMATS), help="How.")
]


@app.callback()
def _group() -> None: ...


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who signs, such as log.example/acme.")],
    purpose: Annotated[
        str,
        typer.Option(
            "--purpose", metavar="|".join(_PURPOSES), autocompletion=lambda: list(_PURPOSES), help="What it is for."
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="A new file, readable by you alone.")],
    passphrase_file: Passphrase = "",
    form: Form = "text",
) -> None:
    """Make a key and print its verifier key, which others pin. The file is encrypted with a passphrase."""
    from agent_saga.proofs.keys import SEED, key_from_seed, save_key

    require_known("purpose", purpose, _PURPOSES)
    require_known("format", form, _FORMATS)
    key = key_from_seed(name, purpose, os.urandom(SEED))
    save_key(key, Path(output), _passphrase(passphrase_file, f"New passphrase for {output}", again=True))
    _tell(key, output, form)


@app.command("show")
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A key file.")],
    passphrase_file: Passphrase = "",
    form: Form = "text",
) -> None:
    """Print the verifier key of a key file, never the secret. It is opened, to see that the two belong together."""
    from agent_saga.proofs.keys import open_key, read_key

    require_known("format", form, _FORMATS)
    found = read_key(Path(file))
    _tell(open_key(found, _passphrase(passphrase_file, f"Passphrase of {file}"), found.purpose), file, form)


@app.command("list")
def list_(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder.")] = ".",
    form: Form = "text",
) -> int:
    """List the key files of a folder, as they say of themselves; no passphrase is needed."""
    require_known("format", form, _FORMATS)
    found = _found(folder)
    if form == "json":
        rows = [{"name": o.name, "purpose": o.purpose, "vkey": str(o.vkey), "file": str(o.path)} for o in found]
        say(json.dumps(rows, indent=2) + "\n")
    else:
        say("".join(visible(f"{one.purpose:<12} {one.vkey}  {one.path}") + "\n" for one in found))
    return 0 if found else 4


def _found(folder: str) -> list["KeyFile"]:
    """The key files; what looks like one and cannot be read is told on standard error."""
    from agent_saga.proofs.errors import KeyFault
    from agent_saga.proofs.keys import read_key

    found = []
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.is_file())
    except OSError as fault:
        raise typer.BadParameter(f"{folder}: cannot be listed: {fault.strerror}") from fault
    for path in paths:
        try:
            found.append(read_key(path))
        except KeyFault as fault:
            if "no key file" not in str(fault):
                LOG.warning("key", str(fault))
    return found


def opened_key(file: str, purpose: str, passphrase_file: str) -> "SigningKey":
    """Open a key file for one purpose, with the passphrase from file, variable or terminal. Raises KeyFault."""
    from agent_saga.proofs.errors import KeyFault
    from agent_saga.proofs.keys import open_key, read_key

    found = read_key(Path(file))
    if found.purpose != purpose:  # before anybody types a passphrase
        raise KeyFault(f"{file}: a key for {found.purpose}, not for {purpose}: one key serves one purpose")
    return open_key(found, _passphrase(passphrase_file, f"Passphrase of {file}"), purpose)


def _passphrase(file: str, prompt: str, *, again: bool = False) -> bytes:
    """From a file (its first line), the environment, or the terminal. Raises BadParameter."""
    if file:
        try:
            with open(file, "rb") as stream:
                found = stream.readline(_LONGEST).rstrip(b"\r\n")
        except (OSError, ValueError) as fault:
            raise typer.BadParameter(f"{file}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    elif VARIABLE in os.environ:
        found = os.environb[VARIABLE.encode()]
    elif sys.stdin is not None and sys.stdin.isatty():
        found = typer.prompt(prompt, hide_input=True, confirmation_prompt=again, err=True).encode()
    else:
        raise typer.BadParameter(f"no terminal to ask for a passphrase: set {VARIABLE}, or name --passphrase-file")
    if not found:
        raise typer.BadParameter("the passphrase is empty: a key file is encrypted with one")
    return bytes(found)


def _tell(key: "SigningKey", file: str, form: str) -> None:
    """Say the verifier key."""
    if form == "json":
        say(
            json.dumps({"name": key.name, "purpose": key.purpose, "vkey": str(key.vkey), "file": file}, indent=2) + "\n"
        )
    else:
        say(f"{key.vkey}\n")
