"""Makes values of somebody else harmless on paper, on a terminal and on a web page.

A name in a trace or a policy may hold an escape sequence, a right-to-left override or half a surrogate pair. No such
character gets through: it is written as ``\\x1b`` or ``\\u202e``, so that a reader sees that it is there.

Sources: UAX 9 (bidirectional controls), XML 1.0 section 2.2, GFM.
"""

import re
import unicodedata
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MARKDOWN: Final = re.compile(r"([\\`*{}\[\]<>|~^$&]|(?<![^\W_])_|_(?![^\W_]))")
_LINKED: Final = re.compile(r"(@|^#|#(?=\w)|:(?=//)|\bwww(?=\.)|^[-+=]|^\d+[.)](?=\s|$))", re.I)
_NONCHARACTERS: Final = frozenset({0xFFFE, 0xFFFF})


def shown(text: str) -> str:
    """One line of visible characters: every control, format, private or unpaired character is written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(char: str) -> str:
    point = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) not in _HIDDEN and point & 0xFFFF not in _NONCHARACTERS:
        return char
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def xml(text: str) -> str:
    """Text for an XML or HTML text node or a quoted attribute."""
    safe = shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return safe.replace('"', "&quot;").replace("'", "&#39;")


def markdown(text: str) -> str:
    """Text for GitHub-flavoured Markdown, in a table cell too: no markup, no mention, no link, no issue reference."""
    safe = _MARKDOWN.sub(lambda found: _ENTITIES.get(found[1], f"\\{found[1]}"), shown(text))
    return _LINKED.sub(_unlinked, safe)


_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def _unlinked(found: re.Match[str]) -> str:
    # An empty comment ends the name before it begins: no mention is sent, nothing is linked.
    mark = found[1]
    if mark[-1] in "#-+=.)" and found.start() == 0:
        return f"{mark[:-1]}\\{mark[-1]}<!-- -->" if mark == "#" else f"{mark[:-1]}\\{mark[-1]}"
    return f"{mark}<!-- -->"


def code(text: str) -> str:
    """An inline code span of Markdown that its content cannot end, fit for a table cell."""
    safe = shown(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", safe)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest or safe.startswith(" ") or not safe else ""
    return f"{fence}{pad}{safe}{pad}{fence}"
