"""Policies that ship as examples: domain knowledge lives in these files, none of it in code.

A pack is a folder beside this module: ``policy.yaml`` with its tests, the schemas of its tools, and a README. Every
number in it says where it comes from, or that it is an example. Copy one and make it yours; nothing reads it from here.

Source: docs/guide/packs.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from agent_saga.policies.document.telling import did_you_mean
from agent_saga.trace.errors import AgentSagaError

__all__ = ["Pack", "PackError", "pack", "pack_names"]

POLICY: Final = "policy.yaml"
README: Final = "README.md"


class PackError(AgentSagaError):
    """There is no such pack."""


@dataclass(frozen=True, slots=True)
class Pack:
    """One pack. title: what it is for, in a line. files: by path below the pack's folder, ``policy.yaml`` first."""

    name: str
    title: str
    files: Mapping[str, bytes]


def pack_names() -> tuple[str, ...]:
    """The packs of this release."""
    return tuple(sorted(item.name for item in files(__name__).iterdir() if (item / POLICY).is_file()))


def pack(name: str) -> Pack:
    """One pack. Raises PackError, with the nearest name when there is none of that name."""
    known = pack_names()
    if name not in known:
        raise PackError(f"unknown pack {name!r}; expected one of {', '.join(known)}{did_you_mean(name, known)}")
    found = dict(sorted(_files(files(__name__) / name), key=lambda item: (item[0] != POLICY, item[0])))
    title = found[README].decode().partition("\n")[0].removeprefix("# ").strip()
    return Pack(name, title, found)


def _files(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_file():
            yield path + item.name, item.read_bytes()
        elif item.name != "__pycache__":
            yield from _files(item, f"{path}{item.name}/")
