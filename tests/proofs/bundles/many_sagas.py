"""A log file of very many sagas, written as quickly as a file is written, and one saga among them."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from bundle_samples import LOG, ORIGIN, MemoryLog, stream, wire

from agent_saga.proofs.log import open_log, write_checkpoint

LINES = 3


def salt(text: str) -> str:
    """22 characters that are the salt of one line only."""
    return urlsafe_b64encode(sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()


def saga_id(number: int) -> str:
    """The id of one of the many."""
    return salt(f"saga {number}").replace("-", "a").replace("_", "b")


def lines_of(number: int) -> Iterator[bytes]:
    """The three lines of one of the many sagas, chained; they share no words with the log's own but the format's."""
    saga, prev = saga_id(number), "0" * 64
    for seq, members in enumerate(
        (
            f'"type":"saga.started","by":"agent:{number}","log":"a","name":"n{number}","format":"1.0","tools":{{}}',
            f'"type":"rollback.started","by":"agent:{number}","cause":"customer {salt(f"customer {number}")}"',
            f'"type":"saga.ended","by":"agent:{number}","status":"aborted_clean","held":[]',
        )
    ):
        head = f'{{"v":1,"saga":"{saga}","seq":{seq},"prev":"{prev}","at":"2025-03-07T07:00:00.000000Z",'
        line = f'{head}{members},"salt":"{salt(f"{number} {seq}")}"}}'.encode()
        prev = sha256(b"\0" + line).hexdigest()
        yield line


def write_log(store: Path, sagas: int) -> tuple[list[bytes], list[str]]:
    """A store of so many sagas and one more, its log, its checkpoint. Returns the one's lines and disclosures."""
    open_log(str(store), LOG, origin=ORIGIN, now=0x67C00000, random=stream("opened"))
    one = MemoryLog()
    turns = wire(one)
    every = max(1, sagas // 6)
    with open(store, "ab") as out:
        for number in range(sagas):
            if number % every == 0:
                before = len(one.lines)
                next(turns, None)
                out.writelines(line + b"\n" for line in one.lines[before:])
            out.writelines(line + b"\n" for line in lines_of(number))
        before = len(one.lines)
        for _ in turns:
            pass
        out.writelines(line + b"\n" for line in one.lines[before:])
    write_checkpoint(str(store), LOG, now=0x6A100000 + 0x1000000, random=stream("checkpoint"))
    return one.lines, one.disclosures
