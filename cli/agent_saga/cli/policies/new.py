"""``agent-saga policy new``: a first policy to start from."""

import os
import re
from typing import Annotated

import typer

from agent_saga.cli.terminal import note, say, visible

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch


def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A new file, such as payments.yaml.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Name of the policy. [the file's]")] = "",
    owner: Annotated[str, typer.Option("--owner", metavar="TEXT", help="Who answers for it.")] = "risk@example.com",
    pack: Annotated[
        str,
        typer.Option("--pack", metavar="NAME", help="Copy a pack into the new folder FILE: `policy packs` has them."),
    ] = "",
) -> int:
    """Write a commented policy to start from, which checks and tests green. Nothing is written over."""
    if pack:
        from agent_saga.cli.policies.packs import copy_pack

        if name or file == "-":
            raise typer.BadParameter("--pack: copies files with names of their own: give a new folder, and no --name")
        return copy_pack(pack, file)
    from agent_saga.cli.approvals.given import put
    from agent_saga.policies.starter import starter

    named = name or os.path.splitext(os.path.basename(file))[0]
    if not _NAME(named):
        raise typer.BadParameter(f"--name {named[:80]!r}: expected 1-64 of A-Z a-z 0-9 . _ -")
    if not owner.isprintable() or not 1 <= len(owner) <= 500:
        raise typer.BadParameter("--owner: expected one line of 1 to 500 characters")
    put(file, starter(named, owner).encode())
    if file != "-":
        say(f"{visible(file)}: a policy to start from\n")
        note(f"next: agent-saga policy check {visible(file)}; agent-saga policy test {visible(file)}")
    return 0
