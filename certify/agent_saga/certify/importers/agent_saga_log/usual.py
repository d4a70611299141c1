"""The usual record: spelled as the log's writer spells it, and next in the chain. Read and verified in one step.

The writer puts the members of the chain last, always in the same spelling. So they need no parser: they are computed
from the rest of the line, and compared with its last bytes as a whole. What is not exactly so, also what is merely
spelled in another way, is left to :mod:`records` and :mod:`chain`, which can say what is wrong with it.

Source: docs/sources/agent-saga-log.md, "A record" and "The chain".
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from agent_saga.certify.importers.agent_saga_log.chain import Chain
from agent_saga.certify.importers.agent_saga_log.mapper import Mapper
from agent_saga.certify.importers.agent_saga_log.mapping import Handler, refused
from agent_saga.certify.importers.agent_saga_log.records import HEADER
from agent_saga.trace.errors import LineError
from agent_saga.trace.limits import MAX_DEPTH, MAX_LINE

Payload = dict[str, Any]

_SALT: Final = b', "_s": "'
_FROM_CONTENT: Final = len('", "_cd": "') + len('", "_ph": "') + len('", "_h": "') + 3 * 64 + len('"}')
_FROM_VALUE: Final = _FROM_CONTENT + 32
_FROM_SALT: Final = _FROM_VALUE + len(_SALT)
_EARLIEST: Final = float(1 << 20)
_LATEST: Final = float(1 << 38)
"""Times between these, in seconds since 1970, are spelled alike by both encoders: without an exponent."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder(order="sorted").encode
_encode_header = msgspec.json.Encoder().encode
_OF_CHAIN: Final = frozenset(HEADER)
_HEADER_COLONS: Final = 3
_SHALLOW: Final = MAX_DEPTH - 1
_HIDDEN_COLON = re.compile(rb"\\u003[aA]").search


class _Header(msgspec.Struct, gc=False):
    """What ``_h`` is the hash of, in the order of its canonical form."""

    cd: str
    event: str
    prev: str
    seq: int
    ts: float


def take_usual(
    mapper: Mapper, chain: Chain, handlers: Mapping[str, Handler], line: bytes, number: int
) -> Payload | None:
    """Read a line, advance the chain over it and hand it to its mapping; its payload, without header and chain.

    None, and nothing done, unless it is the usual record that follows, and one of those in ``handlers``.
    line: without its LF; number: of the line, from 1. Raises nothing.
    """
    salt = line[-_FROM_VALUE:-_FROM_CONTENT]
    if line[-_FROM_SALT:-_FROM_VALUE] != _SALT or not salt.isalnum() or len(line) > MAX_LINE:
        return None
    try:
        rest = line[:-_FROM_SALT] + b"}"
        payload: Payload = _decode(rest)
        pop = payload.pop
        seq, event, ts = pop("seq"), pop("event"), pop("ts")
        handler = handlers[event]
        body = _encode(payload)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, LookupError, AttributeError, TypeError):
        return None
    head, colons = chain.head, body.count(b":")
    if (
        seq != chain.seq + 1
        or type(seq) is not int
        or type(ts) is not float
        or not _EARLIEST <= ts <= _LATEST
        # a decoder drops the first of two equal names, and its colon: see records
        or rest.count(b":") != colons + _HEADER_COLONS
        or not _OF_CHAIN.isdisjoint(payload)
        # an object that holds another has a colon, so no value is deeper than these together
        or colons + body.count(b"[") >= _SHALLOW
        or (b"\\" in rest and _HIDDEN_COLON(rest))
    ):
        return None
    content = sha256(salt + body).hexdigest()
    own = sha256(_encode_header(_Header(content, event, head, seq, ts))).hexdigest()
    if not line.endswith(f'", "_cd": "{content}", "_ph": "{head}", "_h": "{own}"}}'.encode()):
        return None
    chain.advance(own, seq, number)
    try:
        handler(mapper, number, mapper.clock.at(ts), payload)
    except LineError as fault:
        mapper.out.append(refused(number, event, fault))
    return payload
