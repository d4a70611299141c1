"""A comparison for people and for programs: text, JSON, and Markdown for a comment on a pull request.

Each is a function from the comparison to text, and says of every direction whether it is proven or only sampled.
"""

from collections.abc import Callable, Mapping
from typing import Final

from agent_saga.policies.diffing.reports import jsonic, markdown, text
from agent_saga.policies.diffing.result import Comparison

FORMATS: Final[Mapping[str, Callable[[Comparison], str]]] = {
    "text": text.report,
    "json": jsonic.report,
    "markdown": markdown.report,
}
