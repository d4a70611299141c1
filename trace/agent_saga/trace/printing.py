"""Text of somebody else's, made fit to be shown: it must not steer a terminal, nor look like other text."""


def visible(text: str) -> str:
    """One line without control, format and bidirectional characters: they are spelled as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
