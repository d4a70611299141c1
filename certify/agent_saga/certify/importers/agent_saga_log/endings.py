"""How a log can end before its time, in the words of findings."""

from typing import Final

from agent_saga.certify.source import Fault
from agent_saga.trace.reader import Opened

CUT_OFF: Final = (
    "the last line is cut off: the writer stopped in the middle of a record, or the end of the file was lost"
)
NO_LF: Final = "the last line does not end in LF: its record is whole, and what should follow it may be lost"


def unread(opened: Opened) -> Fault:
    """The log cannot be read to its end."""
    found = f"the log cannot be read to its end: {opened.truncated}"
    return Fault(0, "AS109", found, "", "input", "a whole and settled file", "the whole log")


def unfinished(number: int, found: str) -> Fault:
    """Something follows the last LF."""
    return Fault(number, "AS109", found, "", "line", "a line that ends in LF", "unfinished line")
