"""Text of somebody else's, made fit to be shown: it must not steer a terminal, nor look like other text."""

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What Python calls printable and nobody sees: fillers, variation selectors, the empty Braille pattern.

Source: Unicode's DerivedCoreProperties.txt, Default_Ignorable_Code_Point, without what ``str.isprintable`` refuses.
"""


def visible(text: str) -> str:
    """One line without control, format, bidirectional and unseen characters: they are spelled as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() and not _UNSEEN.match(c) else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()
