"""``agent-saga policy packs``: the policies that ship as examples, to be copied and made one's own."""

import json
import os

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.policies.given import FORMATS, Form
from agent_saga.cli.terminal import note, say, visible


def packs(form: Form = "text") -> None:
    """List the packs: policies of a trade, with tests, that `agent-saga policy new --pack NAME` copies."""
    from agent_saga.policies.packs import pack, pack_names

    require_known("format", form, FORMATS)
    found = [pack(name) for name in pack_names()]
    if form == "json":
        rows = [{"name": one.name, "title": one.title, "files": list(one.files)} for one in found]
        say(json.dumps(rows, indent=2) + "\n")
        return
    wide = max(len(one.name) for one in found)
    say("".join(f"{one.name:<{wide}}  {one.title}\n" for one in found))


def copy_pack(name: str, folder: str) -> int:
    """Write the files of a pack into a new folder. Raises PackError, BadParameter when something stands there."""
    from agent_saga.policies.packs import POLICY, pack

    found = pack(name)
    try:
        os.mkdir(folder)
        for path, data in found.files.items():
            target = os.path.join(folder, *path.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as stream:
                stream.write(data)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or fault
        raise typer.BadParameter(f"{folder}: cannot be written: {why}; a pack goes into a new folder") from fault
    say(f"{visible(folder)}: {found.title}\n")
    policy = visible(os.path.join(folder, POLICY))
    note(f"next: make it yours, then agent-saga policy check {policy}; agent-saga policy test {policy}")
    return 0
