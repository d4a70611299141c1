"""A case: one trace with one fault and the nearest trace without it, written as one script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .lines import Line, chain, written
from .signed_script import SignedScript

PRESENT = "present"
"""Something is there that must not be: without any one line of the witness the finding vanishes."""
ABSENT = "absent"
"""Something is missing: the good trace is the bad one with the expected events added."""
BYTES = "bytes"
"""The bytes or the chain are wrong: the good trace is the bad one as it was before it was spoiled."""
INPUT = "input"
"""The fault is in what is given beside or instead of a trace."""

Spoil = Callable[[list[bytes]], list[bytes]]
Bend = Callable[[int, bytes], bytes]


@dataclass(frozen=True)
class Case:
    """A fault of one rule.

    script: lines that begin with ``-`` stand only in the bad trace, with ``+`` only in the good one.
    also: other codes of both, bad_also and good_also: of one, such as AS312 of approvals without a signature.
    bend: spoils a line before the chain is counted; spoil: spoils the file after that.
    tail: bytes behind the last line. args: what the command is given beside the file.
    """

    code: str
    name: str
    what: str
    script: str = ""
    kind: str = PRESENT
    also: str = ""
    bad_also: str = ""
    good_also: str = ""
    exit: int = 1
    tail: bytes = b""
    bend: Bend | None = None
    spoil: Spoil | None = None
    args: tuple[str, ...] = ()
    bad_bytes: bytes = b""
    good_bytes: bytes = b""
    suffix: str = ".jsonl"
    disclosures: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """bad and good to the disclosures handed over with the trace."""
    waivers: dict[str, bytes] = field(default_factory=dict)
    """bad and good to the file of waivers handed over with the trace."""
    checkpoint: dict[str, Callable[[list[bytes]], bytes]] = field(default_factory=dict)
    """bad and good to what makes the checkpoint that the lines are held against."""

    @property
    def id(self) -> str:
        """AS201 never_undone."""
        return f"{self.code} {self.name}"

    def file(self, side: str) -> str:
        """The name of a fixture below fixtures/rules."""
        return f"{self.code}/{side}_{self.name}{self.suffix}"

    def lines(self, side: str) -> list[Line]:
        """The lines of the bad or the good trace, unchained."""
        other = {"bad": "+", "good": "-"}[side]
        own = (line for line in self.script.splitlines() if not line.strip().startswith(other))
        text = "\n".join(re.sub(r"^\s*[+-] ", "", line) for line in own)
        first = text.strip().split()[0]
        return SignedScript(self.id).run(text if first in ("start", "nostart", "begin", "opened") else f"start\n{text}")

    def data(self, side: str) -> bytes:
        """The bytes of the bad or the good file."""
        if not self.script:
            return self.bad_bytes if side == "bad" else self.good_bytes
        spoiled = side == "bad"
        lines = chain(self.lines(side), self.bend) if spoiled and self.bend else chain(self.lines(side))
        data = written(self.spoil(lines)) if spoiled and self.spoil else written(lines)
        return data + self.tail if spoiled else data

    def others(self, side: str) -> set[str]:
        """Codes that the file gives besides."""
        return {*self.also.split(), *(self.bad_also if side == "bad" else self.good_also).split()}


CASES: list[Case] = []


def case(code: str, name: str, what: str, script: str = "", **more: object) -> None:
    """Register a case."""
    CASES.append(Case(code, name, what, script, **more))  # type: ignore[arg-type]
