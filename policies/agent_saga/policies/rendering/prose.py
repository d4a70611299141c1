"""Sentences made of plain words and of names that stand in the policy, for text, Markdown and HTML alike.

Every format escapes the pieces by itself, so that a name of the policy can break none of them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from agent_saga.trace.escaping import code as markdown_code
from agent_saga.trace.escaping import markdown, shown, xml

HOUR: Final = 3600
_UNITS: Final = ((86_400, "day"), (HOUR, "hour"), (60, "minute"), (1, "second"))


class Code(str):
    """A piece that is a name or a value of the policy: shown as code, never as words."""


Prose = tuple[str, ...]
"""Pieces one behind the other; those of type :class:`Code` are code."""


def join(parts: Iterable[Prose], between: str, last: str = "") -> Prose:
    """The parts with ``between`` in between, and ``last`` before the last one where it is given."""
    found = list(parts)
    out: list[str] = []
    for number, part in enumerate(found):
        if number:
            out.append(last if last and number == len(found) - 1 else between)
        out += part
    return tuple(out)


def any_of(parts: Iterable[Prose], word: str = "or") -> Prose:
    """``a``, ``a or b``, ``a, b or c``."""
    return join(parts, ", ", f" {word} ")


def codes(names: Iterable[str], word: str = "or") -> Prose:
    """Names as code, listed with ``or``."""
    return any_of([(Code(name),) for name in names], word)


def as_text(prose: Prose) -> str:
    """For a terminal: code stands in backquotes, and nothing can steer the terminal."""
    return "".join(f"`{shown(p)}`" if isinstance(p, Code) else shown(p) for p in prose)


def as_markdown(prose: Prose) -> str:
    """For GitHub-flavoured Markdown, in a table cell too."""
    return "".join(markdown_code(p) if isinstance(p, Code) else _inner(p) for p in prose)


def _inner(text: str) -> str:
    # An escape at a line's begin is not due for words in the middle of a sentence, such as " + ".
    blank = len(text) - len(text.lstrip(" "))
    return text[:blank] + (markdown(text[blank:]) if not blank else markdown(f"x{text[blank:]}")[1:])


def as_html(prose: Prose) -> str:
    """For HTML text."""
    return "".join(f"<code>{xml(p)}</code>" if isinstance(p, Code) else xml(p) for p in prose)


def sentence(prose: Prose) -> Prose:
    """With a capital at its begin and a full stop at its end."""
    if not prose:
        return prose
    first = prose[0] if isinstance(prose[0], Code) else prose[0][:1].upper() + prose[0][1:]
    return (first, *prose[1:], ".")


def duration(seconds: int) -> str:
    """``15 minutes``, ``24 hours``, ``7 days``, ``1 hour 30 seconds``; days only from two on."""
    out: list[str] = []
    rest = seconds
    for size, name in _UNITS:
        if name == "day" and seconds < 2 * size:
            continue
        count, rest = divmod(rest, size)
        if count:
            out.append(f"{count:,} {name}{'' if count == 1 else 's'}")
    return " ".join(out) or "0 seconds"


def counted(number: int, one: str, many: str) -> str:
    """``1 person``, ``2 people``."""
    return f"{number:,} {one if number == 1 else many}"


def flat(parts: Sequence[Prose]) -> Prose:
    """One prose out of several."""
    return tuple(piece for part in parts for piece in part)
