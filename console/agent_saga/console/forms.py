"""A form as its fields, each once.

Source: URL standard, "application/x-www-form-urlencoded parsing".
"""

from urllib.parse import parse_qsl

from starlette.requests import Request

from agent_saga.console.errors import Refused
from agent_saga.console.limits import MAX_FIELDS


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form whose length was checked before. Raises Refused (``bad-form``)."""
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as fault:
        raise Refused(400, "bad-form", "the form cannot be read") from fault
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Refused(400, "bad-form", "a field stands twice in the form")
    return fields
