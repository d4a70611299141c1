"""The sentence about lines that were certified before and not read again.

Source: docs/spec/certificate-v1.md, "Going on from an earlier one"; docs/guide/nightly.md.
"""

from typing import Final

_BEGIN: Final = "lines before "


def resumed(since: int, now: str, again: int) -> str:
    """now: when they were certified. again: lines of sagas that had not ended then."""
    return (
        f"{_BEGIN}line {since + 1} were certified at {now} by the same rules and files; {again} of them, of sagas that "
        "had not ended then, were judged again, and the others were not"
    )


def is_resumed(sentence: str) -> bool:
    """Whether this is that sentence."""
    return sentence.startswith(_BEGIN)
