"""HTML that cannot hold a value unescaped: every text is escaped where it is put in, only elements are not."""

from html import escape
from typing import Final

_VOID: Final = frozenset({"input", "link", "meta", "br", "hr", "img"})


class Html(str):
    """Text that is HTML already; only :func:`tag` makes it."""

    __slots__ = ()


def tag(element: str, *children: str, **attributes: str | bool) -> Html:
    """One element. children: texts, escaped here, or elements. attributes: escaped; True: without a value; False: none.

    A name of an attribute that is a word of Python ends with ``_``; other ``_`` stand for ``-``.
    """
    said = "".join(_attribute(name, value) for name, value in attributes.items())
    if element in _VOID:
        return Html(f"<{element}{said}>")
    return Html(f"<{element}{said}>{joined(*children)}</{element}>")


def joined(*children: str) -> Html:
    """Elements and texts in a row, the texts escaped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children))


def document(root: Html) -> str:
    """A whole page."""
    return f"<!doctype html>\n{root}\n"


def _attribute(name: str, value: str | bool) -> str:
    if value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{escape(str(value))}"'
