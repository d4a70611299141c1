"""Makes values of the judged party harmless in the formats of certify; what all formats share stands in the trace.

``json`` alone keeps the exact value, escaped by JSON itself.

Sources: SARIF 2.1.0 section 3.11, RFC 3986.
"""

import json
import re
from typing import Any, Final
from urllib.parse import quote

from agent_saga.trace.escaping import code as code
from agent_saga.trace.escaping import markdown as markdown
from agent_saga.trace.escaping import shown as shown
from agent_saga.trace.escaping import xml as xml

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def paired(text: str) -> str:
    """The text with unpaired surrogates written as escapes, so that it can be encoded; all else is kept."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def dumps(value: Any) -> str:
    """JSON in ASCII with indent 2 and a final newline; names stay in the order given."""
    return json.dumps(_paired(value), indent=2, ensure_ascii=True) + "\n"


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return paired(value)
    if isinstance(value, dict):
        return {paired(str(key)): _paired(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_paired(item) for item in value]
    return value


def uri(path: str) -> str:
    """A URI reference for a path as the user typed it: relative stays relative, an absolute one becomes ``file://``."""
    try:
        raw = path.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode(errors="surrogatepass")
    text = quote(raw, safe="/._-~")
    return f"file://{text}" if path.startswith("/") else text


def sarif(text: str) -> str:
    """Text for a SARIF message: no embedded link and no placeholder (sections 3.11.5 and 3.11.6)."""
    return re.sub(r"\{(\d+)\}", r"{{\1}}", shown(text)).replace("](", "] (")
