"""What a page is made of, before it is Markdown or HTML: few kinds of blocks, all text as prose."""

from dataclasses import dataclass, field
from typing import Literal

from agent_saga.policies.rendering.prose import Prose

Tone = Literal["deny", "approve", "allow", "note", "looser", "stricter", "equivalent", "incomparable"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. quiet: less important than the others."""

    words: Prose
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """heads: of the columns. rows: of cells; the first cell names its row. right: columns of numbers, from 0."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Prose, ...], ...]
    right: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A call in words, and the answer to it as the engine gave it."""

    call: Prose
    answer: Prose
    tone: Tone


@dataclass(frozen=True, slots=True)
class Card:
    """A rule, a limit or a change. label: what it does in a word. words: its sentence. lines: what else there is."""

    id: str
    label: str
    tone: Tone
    words: Prose
    lines: tuple[Prose, ...] = ()
    samples: tuple[Sample, ...] = ()


Block = Paragraph | Table | Card


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a title. id: for links."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page. facts: what stands at its head, name and value. signers: who signs below it."""

    title: str
    lead: Prose
    facts: tuple[tuple[str, Prose], ...]
    sections: tuple[Section, ...]
    signers: tuple[str, ...] = field(default=("Prepared by", "Reviewed by", "Approved by"))
