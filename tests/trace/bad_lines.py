"""Every way a line can be bad that the format names, each with the code of its finding and nothing else wrong."""

from __future__ import annotations

import json
from typing import Any

from trace_samples import LOG, SAGA, A, write

LINES = dict(zip((type for type, _ in SAGA), write("k3JxQ0m7y2aTt5v9WcZ1eA", SAGA), strict=True))
CHECK = LINES["check.evaluated"]
DONE = LINES["effect.succeeded"]
INTENT = LINES["effect.intended"]
OPENED = write("log", LOG, 3)[0]

PREV = json.loads(CHECK)["prev"]

Bad = tuple[str, bytes | list[list[Any]]]


def _but(line: bytes, old: str, new: str | bytes) -> bytes:
    """The line with its first `old` written as `new`."""
    assert line.count(old.encode()) >= 1, old
    return line.replace(old.encode(), new if isinstance(new, bytes) else new.encode(), 1)


def _around(line: bytes, old: str, parts: list[list[Any]]) -> list[list[Any]]:
    """The line with `old` written as these repeated parts: for lines too long to write down."""
    before, after = line.decode().split(old, 1)
    return [[before, 1], *parts, [after, 1]]


EVIDENCE = '{"balance":0}'
MONEY = '{"minor":4200,"currency":"EUR"}'
AMOUNT = f'"amount":{MONEY},"resource"'

AS101: dict[str, bytes | list[list[Any]]] = {
    "empty line": b"",
    "white space only": b"   ",
    "byte order mark": b"\xef\xbb\xbf" + CHECK,
    "carriage return before the line feed": CHECK + b"\r",
    "invalid UTF-8": _but(CHECK, "c1", b"c\xff"),
    "overlong UTF-8": _but(CHECK, EVIDENCE, b'"\xc0\xaf"'),
    "surrogate in UTF-8": _but(CHECK, EVIDENCE, b'"\xed\xa0\x80"'),
    "binary": bytes(range(256)),
    "gzip inside a line": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "UTF-16": CHECK.decode().encode("utf-16-le"),
    "not JSON": b"hello",
    "two objects": CHECK + CHECK,
    "cut in the middle": CHECK[: len(CHECK) // 2],
    "cut by one byte": CHECK[:-1],
    "array": b"[1]",
    "string": b'"v"',
    "null": b"null",
    "zero byte in a string": _but(CHECK, EVIDENCE, b'"\x00"'),
    "NaN": _but(CHECK, EVIDENCE, "NaN"),
    "Infinity": _but(CHECK, EVIDENCE, "-Infinity"),
    "float": _but(CHECK, EVIDENCE, "1.5"),
    "float that is whole": _but(CHECK, EVIDENCE, "1.0"),
    "exponent": _but(CHECK, EVIDENCE, "1e3"),
    "exponent beyond a double": _but(CHECK, EVIDENCE, "1e999"),
    "whole float in seq": _but(CHECK, '"seq":15', '"seq":15.0'),
    "minus zero": _but(CHECK, EVIDENCE, "-0"),
    "leading zero": _but(CHECK, EVIDENCE, "01"),
    "plus sign": _but(CHECK, EVIDENCE, "+1"),
    "integer beyond 2^53-1": _but(CHECK, EVIDENCE, "9007199254740992"),
    "integer below -(2^53-1)": _but(CHECK, EVIDENCE, "[-9007199254740992]"),
    "integer beyond 64 bits": _but(CHECK, EVIDENCE, "18446744073709551616"),
    "number of 10,000 digits": _around(CHECK, EVIDENCE, [["9", 10_000]]),
    "seq beyond 2^53-1": _but(CHECK, '"seq":15', '"seq":9007199254740993'),
    "100,000 nested arrays": _around(CHECK, EVIDENCE, [["[", 100_000], ["]", 100_000]]),
    "100,000 arrays never closed": [["[", 100_000]],
    "nested to 65": _around(CHECK, EVIDENCE, [["[", 64], ["]", 64]]),
    "nested to 65 inside undo.args": _around(DONE, '"ch_1","amount"', [["[", 62], ["]", 62], [',"amount"', 1]]),
    "one byte too long": _around(CHECK, EVIDENCE, [['"', 1], ["x", 262_144 - len(CHECK) + 12], ['"', 1]]),
    "escaped quotes without end": [['{"', 1], ['\\"', 100_000]],
    "duplicate member": _but(CHECK, '"passed":true', '"passed":true,"passed":true'),
    "duplicate name in a payload": _but(CHECK, EVIDENCE, '{"a":1,"a":1}'),
    "duplicate name escaped differently": _but(CHECK, EVIDENCE, '{"a":1,"\\u0061":2}'),
    "lone high surrogate": _but(CHECK, EVIDENCE, '"\\ud800"'),
    "lone low surrogate": _but(CHECK, EVIDENCE, '"\\udc00x"'),
    "surrogates the wrong way round": _but(CHECK, EVIDENCE, '"\\udc00\\ud800"'),
    "lone surrogate in a name": _but(CHECK, EVIDENCE, '{"\\ud83d":1}'),
    "escaped character that stands raw": _but(CHECK, EVIDENCE, '"\\u00e9"'),
    "escaped pair that stands raw": _but(CHECK, EVIDENCE, '"\\ud83d\\ude00"'),
    "escaped slash": _but(CHECK, EVIDENCE, '"a\\/b"'),
    "long escape for a short one": _but(CHECK, EVIDENCE, '"\\u000a"'),
    "upper-case escape": _but(CHECK, EVIDENCE, '"\\u001F"'),
    "escaped delete character": _but(CHECK, EVIDENCE, '"\\u007f"'),
    "white space after a colon": _but(CHECK, '"v":1', '"v": 1'),
    "white space at the end": CHECK + b" ",
    "members in another order": _but(CHECK, '"check":"c1","passed":true', '"passed":true,"check":"c1"'),
    "salt not last": _but(CHECK, '"check":"c1",', "")[:-1] + b',"check":"c1"}',
    "optional member null": _but(LINES["saga.started"], '"agent":"planner"', '"agent":null'),
    "default spelled out": _but(INTENT, '"reads":[{"saga":"other:1","effect":"e2"}]', '"reads":[]'),
    "trailing comma": CHECK[:-1] + b",}",
    "comment": CHECK + b"//",
}

AS102: dict[str, bytes | list[list[Any]]] = {
    "unknown member": _but(CHECK, '"passed":true', '"passed":true,"pased":true'),
    "unknown member in a nested object": _but(DONE, '"tool":"payments.refund",', '"tool":"payments.refund","fee":1,'),
    "missing member": _but(CHECK, '"passed":true,', ""),
    "missing salt": CHECK[: CHECK.index(b',"salt"')] + b"}",
    "missing saga": _but(CHECK, '"saga":"k3JxQ0m7y2aTt5v9WcZ1eA",', ""),
    "saga null": _but(CHECK, '"saga":"k3JxQ0m7y2aTt5v9WcZ1eA"', '"saga":null'),
    "saga a list": _but(CHECK, '"saga":"k3JxQ0m7y2aTt5v9WcZ1eA"', '"saga":["a"]'),
    "saga a number": _but(CHECK, '"saga":"k3JxQ0m7y2aTt5v9WcZ1eA"', '"saga":7'),
    "saga empty": _but(CHECK, '"saga":"k3JxQ0m7y2aTt5v9WcZ1eA"', '"saga":""'),
    "saga of 129 characters": _but(CHECK, "k3JxQ0m7y2aTt5v9WcZ1eA", "a" * 129),
    "saga with a slash": _but(CHECK, "k3JxQ0m7y2aTt5v9WcZ1eA", "a/b"),
    "seq null": _but(CHECK, '"seq":15', '"seq":null'),
    "seq negative": _but(CHECK, '"seq":15', '"seq":-1'),
    "seq a string": _but(CHECK, '"seq":15', '"seq":"15"'),
    "seq a list": _but(CHECK, '"seq":15', '"seq":[15]'),
    "prev in upper case": _but(CHECK, PREV, PREV.upper()),
    "prev too short": _but(CHECK, PREV, PREV[:63]),
    "effect null": _but(DONE, '"effect":"e1"', '"effect":null'),
    "effect a list": _but(DONE, '"effect":"e1"', '"effect":["e1"]'),
    "effect with a space": _but(DONE, '"effect":"e1"', '"effect":"e 1"'),
    "effect ending in a line feed": _but(DONE, '"effect":"e1"', '"effect":"e1\\n"'),
    "attempt zero": _but(DONE, '"attempt":1', '"attempt":0'),
    "attempt a boolean": _but(DONE, '"attempt":1', '"attempt":true'),
    "passed a number": _but(CHECK, '"passed":true', '"passed":1'),
    "args an array": _but(LINES["undo.intended"], '"args":{"charge":"ch_1","amount":' + MONEY + "}", '"args":[]'),
    "day that no month has": _but(CHECK, "2026-11-30", "2026-11-31"),
    "31 February": _but(CHECK, "2026-11-30", "2026-02-31"),
    "29 February of a common year": _but(CHECK, "2026-11-30", "2026-02-29"),
    "29 February of 2100": _but(CHECK, "2026-11-30", "2100-02-29"),
    "month 13": _but(CHECK, "2026-11-30", "2026-13-01"),
    "year 0999": _but(CHECK, "2026-11-30", "0999-11-30"),
    "hour 24": _but(CHECK, "T07:", "T24:"),
    "leap second": _but(CHECK, ":15.000000Z", ":60.000000Z"),
    "milliseconds": _but(CHECK, ".000000Z", ".000Z"),
    "time zone": _but(CHECK, ".000000Z", ".000000+00:00"),
    "time in lower case": _but(CHECK, ".000000Z", ".000000z"),
    "digits of another script": _but(CHECK, "2026-11-30", "2026-11-3\u0660"),
    "digits of another script in not_after": _but(LINES["approval.requested"], "2028-02-29", "2028-02-2\u0669"),
    "speaker unknown": _but(CHECK, '"by":"runtime"', '"by":"robot:1"'),
    "speaker without a name": _but(CHECK, '"by":"runtime"', '"by":"agent:"'),
    "tool with a control character": _but(DONE, '"tool":"payments.refund"', '"tool":"payments\\u001b[2J"'),
    "tool with a C1 control character": _but(DONE, '"tool":"payments.refund"', '"tool":"pay\u009b2J"'),
    "tool empty": _but(DONE, '"tool":"payments.refund"', '"tool":""'),
    "semantics unknown": _but(INTENT, '"semantics":"compensable"', '"semantics":"harmless"'),
    "status of importers": _but(LINES["saga.ended"], "closed_with_exceptions", "succeeded_unverified"),
    "branch without an option": _but(INTENT, '"branch":"pay.card"', '"branch":"pay"'),
    "winner with a dot": _but(LINES["branch.chosen"], '"winner":"card"', '"winner":"card.eu"'),
    "key not ASCII": _but(INTENT, '"key":"5b0c9d0e7a"', '"key":"schl\u00fcssel"'),
    "key empty": _but(INTENT, '"key":"5b0c9d0e7a"', '"key":""'),
    "amount empty": _but(INTENT, AMOUNT, '"amount":{},"resource"'),
    "amount empty in an undo": _but(DONE, f',"amount":{MONEY}}},"salt"', ',"amount":{}},"salt"'),
    "name of a tool empty": _but(LINES["saga.started"], '"mail.send"', '""'),
    "approval no digest": _but(INTENT, f'["{A}",', '["",'),
    "empty id in a list": _but(LINES["saga.ended"], '["e1"]', '[""]'),
    "probability above one": _but(LINES["step.proposed"], '"p":"0.93"', '"p":"1.01"'),
    "pointer with a bare tilde": _but(LINES["saga.started"], '"/amount"', '"/a~2"'),
    "salt of 21 characters": CHECK[:-3] + b'"}',
    "salt with spare bits": CHECK[:-3] + b'B"}',
    "salt not base64url": CHECK[:-5] + b'+/A"}',
    "amount without currency": _but(INTENT, AMOUNT, '"amount":{"minor":4200},"resource"'),
    "amount in words": _but(INTENT, AMOUNT, '"amount":{"minor":"4200","currency":"EUR"},"resource"'),
    "currency in lower case": _but(INTENT, AMOUNT, '"amount":{"minor":4200,"currency":"eur"},"resource"'),
    "concealed value with company": _but(CHECK, EVIDENCE, '{"...":"' + "A" * 43 + '","a":1}'),
    "concealed value too short": _but(CHECK, EVIDENCE, '{"...":"' + "A" * 42 + '"}'),
    "concealed value with spare bits": _but(CHECK, EVIDENCE, '{"...":"' + "A" * 42 + 'B"}'),
    "concealed value no string": _but(CHECK, EVIDENCE, '{"...":null}'),
    "saga line in the saga log": _but(CHECK, "k3JxQ0m7y2aTt5v9WcZ1eA", "log"),
    "log line in a saga": _but(OPENED, '"saga":"log"', '"saga":"logs"'),
}

AS103: dict[str, bytes | list[list[Any]]] = {
    "no version": _but(CHECK, '"v":1,', ""),
    "version 2": _but(CHECK, '"v":1', '"v":2'),
    "version a string": _but(CHECK, '"v":1', '"v":"1"'),
    "version true": _but(CHECK, '"v":1', '"v":true'),
    "unknown type": _but(CHECK, "check.evaluated", "check.evaluted"),
    "type in upper case": _but(CHECK, "check.evaluated", "CHECK.EVALUATED"),
    "type null": _but(CHECK, '"type":"check.evaluated"', '"type":null'),
    "type a list": _but(CHECK, '"type":"check.evaluated"', '"type":["check.evaluated"]'),
    "no type": _but(CHECK, '"type":"check.evaluated",', ""),
    "empty object": b"{}",
    "JSON of another format": b'{"event":"SAGA_START","seq":1}',
}

BAD: dict[str, Bad] = {
    name: (code, found)
    for code, group in (("AS101", AS101), ("AS102", AS102), ("AS103", AS103))
    for name, found in group.items()
}


def bytes_of(found: bytes | list[list[Any]]) -> bytes:
    """The bytes of a line that may be given as repeated parts."""
    if isinstance(found, bytes):
        return found
    return "".join(text * count for text, count in found).encode()
