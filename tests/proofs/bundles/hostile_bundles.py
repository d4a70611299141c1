"""Hostile bundles, first half: their spelling, signatures, lines, proofs and disclosures."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator

from attacking import Attack, change, forged, proven_again, read, unchecked, where
from bundle_samples import (
    FULL_PIN,
    LOG,
    MONITOR,
    OPEN,
    ORIGIN,
    OTHER,
    PIN,
    SIGNED,
    WIRE,
    WITNESS,
    MemoryLog,
    key,
    sealed,
    shop,
)

from agent_saga.proofs.bundles.reading import Bundle, format_bundle
from agent_saga.proofs.checkpoints import parse_checkpoint, sign_checkpoint
from agent_saga.proofs.continuing import Continuation, format_continuation
from agent_saga.proofs.cosigning import cosign
from agent_saga.proofs.notes import Note, Signature, parse_note
from agent_saga.proofs.tree import consistency
from agent_saga.trace.conceal import conceal, digest_of
from agent_saga.trace.writer import SagaWriter


def all_of_them() -> Iterator[Attack]:
    for group in (_spelling, _signatures, _earlier, _lines, _log_lines, _proofs, _disclosures):
        yield from group()


def _spelling() -> Iterator[Attack]:
    data = format_bundle(read(sealed()))
    body = data.removesuffix(b"\n")

    def bad(name: str, text: str, found: bytes, reason: str = "bad-spelling") -> Attack:
        return f"form-{name}", reason, text, found, {}

    yield bad("white-space", "a space behind a colon", data.replace(b'"claim":', b'"claim": ', 1))
    yield bad("no-lf", "no LF at the end", body)
    yield bad("cr-lf", "CR LF at the end", body + b"\r\n")
    yield bad("two-lf", "two LFs at the end", data + b"\n")
    yield bad("order", "members in another order", data.replace(b'"claim":"whole",', b"")[:-2] + b',"claim":"whole"}\n')
    yield bad("member-twice", "a member twice", data.replace(b'"claim":"whole"', b'"claim":"part","claim":"whole"'))
    yield bad("escape", "a letter written as an escape", data.replace(b'"whole"', b'"\\u0077hole"'))
    yield bad("minus-zero", "a seq of minus zero", data.replace(b'"lines":[[0,', b'"lines":[[-0,'))
    for name, text, found in _no_bundles(data):
        yield bad(name, text, found, "bad-bundle")


def _no_bundles(data: bytes) -> Iterator[tuple[str, str, bytes]]:
    yield "empty", "no bytes", b""
    yield "empty-object", "an empty object", b"{}\n"
    yield "cut", "cut in half", data[: len(data) // 2]
    yield "trailing", "more JSON behind it", data + b"{}"
    yield "bom", "a byte order mark", b"\xef\xbb\xbf" + data
    yield "not-utf8", "a byte that is not UTF-8", data.replace(b"sku", b"sk\xff", 1)
    yield "surrogate", "a lone surrogate", data.replace(b"log.example/shop\\n", b"log.example/\\ud800\\n", 1)
    yield "unknown-member", "a member that nobody knows", data[:-2] + b',"more":1}\n'
    yield "missing-member", "no disclosures member", data.replace(b',"disclosures":[]', b"")
    yield "version", "version 2", data.replace(b"bundle-v1", b"bundle-v2", 1)
    yield "claim", "a claim that nobody knows", data.replace(b'"whole"', b'"complete"', 1)
    yield (
        "saga-id",
        "a saga id with a line feed",
        data.replace(WIRE.encode() + b'","checkpoint', b'a\\nb","checkpoint', 1),
    )
    yield "float", "an index as a float", data.replace(b'"anchors":[[13,26]]', b'"anchors":[[13,26.0]]')
    yield "null", "null in place of lines", data.replace(b'"disclosures":[]', b'"disclosures":null')
    yield "big-number", "a seq beyond 2^53", data.replace(b'"lines":[[0,', b'"lines":[[9007199254740992,')
    yield "deep", "nested ten thousand deep", b'{"bundle":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n"


def _signed(log: MemoryLog, note: Note | str) -> bytes:
    return forged(read(log), checkpoint=str(note))


def _signatures() -> Iterator[Attack]:
    log = sealed()
    note = parse_note(log.checkpoint())
    point = parse_checkpoint(note.text)
    true = note.signatures[0]

    def bad(name: str, reason: str, text: str, found: bytes, pin: str = PIN) -> Attack:
        return f"key-{name}", reason, text, found, {"pin": pin}

    other = sign_checkpoint(point, OTHER.vkey, OTHER)
    yield bad("other", "unsigned", "signed by another key of the same name", _signed(log, other))
    stolen = Note(note.text, (Signature(ORIGIN, LOG.vkey.id, other.signatures[0].blob),))
    yield bad("stolen-id", "bad-signature", "another key's signature under the pinned key's id", _signed(log, stolen))
    both = Note(note.text, (*stolen.signatures, true))
    yield bad(
        "one-of-two", "bad-signature", "a wrong signature of the pinned key beside the right one", _signed(log, both)
    )
    moved = Note(note.text.replace(f"\n{point.size}\n", f"\n{point.size + 1}\n"), (true,))
    yield bad("moved", "bad-signature", "the log's signature under another size", _signed(log, moved))
    renamed = PIN.replace(f"origin {ORIGIN}", "origin log.example/elsewhere")
    yield bad("origin", "wrong-origin", "the pin is of another log", format_bundle(read(log)), renamed)
    extended = str(sign_checkpoint(point, LOG.vkey, LOG)).replace("\n\n", "\nextension\n\n", 1)
    yield bad("extension", "bad-checkpoint", "a checkpoint with a fourth line", _signed(log, extended))
    yield bad("no-note", "bad-note", "a checkpoint without signatures", _signed(log, note.text))
    last = str(note)[-3]
    odd = f"{str(note)[:-3]}{chr(ord(last) + 1)}=\n"
    yield bad("base64", "bad-base64", "the signature in another spelling of base64", _signed(log, odd))
    reused = key("monitor", "audit.example/m", 1)
    text = "the pin names one raw key for the log and for a monitor"
    yield bad("reused", "bad-key", text, format_bundle(read(log)), f"{PIN}monitor {reused.vkey}\n")
    wrong = cosign(note, WITNESS.vkey, OTHER, 1_796_000_000)
    yield bad("witness", "bad-signature", "a witness's signature made by another key", _signed(log, wrong), FULL_PIN)
    faked = cosign(note, MONITOR.vkey, WITNESS, 1_796_000_000)
    yield bad("monitor", "bad-signature", "a monitor's signature made by a witness", _signed(log, faked), FULL_PIN)
    opened = shop()
    opened.lines[0] = SagaWriter("log", lambda n: bytes(n)).line(
        "log.opened", "2026-11-30T07:00:01.000000Z", origin=ORIGIN, vkey=str(OTHER.vkey), keys={}
    )
    _go_on_behind(opened, opened.lines[0])
    opened.seal()
    text = "the log was opened under another key than the one pinned"
    yield bad("opened-under-other", "wrong-key", text, format_bundle(read(opened, SIGNED)))


def _go_on_behind(log: MemoryLog, line: bytes) -> None:
    """The log's own next line follows this one."""
    before = log.writers["log"]
    log.writers["log"] = SagaWriter("log", before._random, seq=before.seq, head=_leaf(line))


def _leaf(line: bytes) -> str:
    from agent_saga.trace.codec import leaf_hash

    return leaf_hash(line)


def _earlier() -> Iterator[Attack]:
    log = shop()
    old = log.seal()
    older, size = format_bundle(read(log)), log.size
    log.write("Later0aTt5v9WcZ1eAk3JxQ0m7y", "saga.started", log=ORIGIN, name="n", format="1.0", tools={})
    new = log.seal()
    proof = Continuation(size, log.size, consistency(log.tree, size, log.size))
    newer = format_bundle(read(log))

    def bad(name: str, reason: str, text: str, data: bytes, earlier: bytes, given: Continuation | None) -> Attack:
        more = {"earlier": earlier.decode()}
        if given is not None:
            more["consistency"] = format_continuation(given).decode()
        return f"earlier-{name}", reason, text, data, more

    text = "an older checkpoint than the one that the auditor kept"
    yield bad("rolled-back", "rolled-back", text, older, new, proof)
    fork = shop(seed="fork")
    fork.seal()
    text = "another log of the same length, signed by the same key: a split view"
    yield bad("split-view", "inconsistent", text, format_bundle(read(fork)), old, None)
    fork.write("Later0aTt5v9WcZ1eAk3JxQ0m7y", "saga.started", log=ORIGIN, name="n", format="1.0", tools={})
    fork.seal()
    forked = Continuation(size, fork.size, consistency(fork.tree, size, fork.size))
    text = "a log that does not begin with the one that the auditor saw"
    yield bad("forked", "inconsistent", text, format_bundle(read(fork)), old, forked)
    yield bad("no-proof", "wrong-sizes", "nothing shows that the log continues the kept one", newer, old, None)
    short = Continuation(size - 1, log.size, consistency(log.tree, size - 1, log.size))
    yield bad("other-sizes", "wrong-sizes", "a consistency proof from another size", newer, old, short)
    cut = Continuation(size, log.size, proof.proof[:-1])
    yield bad("cut-proof", "bad-path", "a consistency proof without its last hash", newer, old, cut)
    alien = parse_note(old)
    alien = sign_checkpoint(parse_checkpoint(alien.text), OTHER.vkey, OTHER)
    text = "the kept checkpoint is signed by another key"
    yield bad("unsigned", "unsigned", text, newer, str(alien).encode(), proof)


def _lines() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    lines = whole.lines
    other = read(log, OPEN).lines

    def bad(name: str, reason: str, text: str, found: tuple[tuple[int, str], ...], bundle: Bundle = whole) -> Attack:
        return f"lines-{name}", reason, text, forged(bundle, lines=found), {}

    yield bad("line-dropped", "gap", "line 7 left out", lines[:7] + lines[8:])
    yield bad("first-dropped", "no-beginning", "line 0 left out", lines[1:])
    yield bad("line-twice", "wrong-order", "line 7 twice", (*lines[:8], *lines[7:]))
    yield bad("swapped", "wrong-order", "lines 6 and 7 swapped", (*lines[:6], lines[7], lines[6], *lines[8:]))
    texts = [text for _, text in lines]
    swapped = [*texts[:6], texts[7], texts[6], *texts[8:]]
    text = "lines 6 and 7 swapped, and counted anew"
    yield bad("swapped-counted", "wrong-seq", text, tuple(enumerate(swapped)))
    renumbered = tuple((seq if seq < 7 else seq + 1, text) for seq, text in lines)
    yield bad("renumbered", "wrong-seq", "lines 7 and later counted one higher", renumbered)
    closed = [text.replace(f'"seq":{at + 1},', f'"seq":{at},') for at, text in enumerate(texts[:7] + texts[8:])]
    text = "line 7 left out, and all lines behind it renumbered in their own bytes"
    yield bad("closed-up", "broken-chain", text, tuple(enumerate(texts[:7] + closed[7:])))
    text = "another saga's line in the place of line 1"
    yield bad("other-saga", "wrong-saga", text, (lines[0], other[1], *lines[2:]))
    relabelled = other[1][1].replace(OPEN, WIRE)
    text = "another saga's line, relabelled, in the place of line 1"
    yield bad("other-saga-relabelled", "broken-chain", text, (lines[0], (1, relabelled), *lines[2:]))
    edited = lines[9][1].replace('"recalled":true', '"recalled":null')
    yield bad("edited", "broken-chain", "a result changed on line 9", (*lines[:9], (9, edited), *lines[10:]))
    last = lines[13][1].replace("compensated_verified", "succeeded_verified")
    yield bad("last-edited", "not-included", "the status on the last line changed", (*lines[:13], (13, last)))
    a, b = '"args":{"wire":"w-1"}', '"args":{"hold":"h-9"}'
    moved = [(s, t.replace(a, "X").replace(b, a).replace("X", b)) if s in (8, 10) else (s, t) for s, t in lines]
    yield bad("moved-value", "broken-chain", "the arguments of two undos exchanged", tuple(moved))
    digests = [t.split('{"...":"')[1][:43] for s, t in lines if s in (4, 5)]
    hidden = [(s, t.replace(digests[0], digests[1]) if s == 4 else t) for s, t in lines]
    yield bad("moved-digest", "broken-chain", "a concealed value moved to another line", tuple(hidden))
    prev = lines[0][1].replace('"prev":"0000', '"prev":"1000')
    yield bad("begins-later", "broken-chain", "line 0 names a line before it", ((0, prev), *lines[1:]))
    spaced = lines[3][1].replace(":", ": ", 1)
    yield bad("respelled", "bad-line", "a line with white space in it", (*lines[:3], (3, spaced), *lines[4:]))
    yield bad("no-line", "bad-line", "text that is no line", (*lines[:3], (3, "{}"), *lines[4:]))
    yield "lines-rechained", "not-included", "all lines written anew, and chained", _rechained(whole), {}


def _rechained(whole: Bundle) -> bytes:
    head, lines = "0" * 64, []
    for seq, text in whole.lines:
        text = text.replace("the customer withdrew", "the bank erred")
        at = text.index('"prev":"') + 8
        text = text[:at] + head + text[at + 64 :]
        head = _leaf(text.encode())
        lines.append((seq, text))
    return forged(whole, lines=tuple(lines))


def _log_lines() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    ours = log.lines[-1].decode()

    def bad(name: str, reason: str, text: str, found: bytes) -> Attack:
        return f"own-{name}", reason, text, found, {}

    inside = ours.replace('"saga":"log"', f'"saga":"{WIRE}"').replace(f'"seq":{_seq(ours)},', '"seq":13,')
    text = "a log.indexed line inside the saga"
    yield bad("log-type-in-saga", "log-type", text, forged(whole, lines=(*whole.lines[:13], (13, inside))))
    text = "one of the log's own lines among those of the saga"
    yield bad("log-line-in-saga", "wrong-saga", text, forged(whole, lines=(*whole.lines, (14, ours))))
    index = where(log, OPEN)[1]
    text = "another saga's line among the log's own"
    strange = (index, log.lines[index].decode())
    yield bad("saga-line-among-own", "not-log-line", text, proven_again(log, whole, log=(strange, *whole.log)))
    mixed = whole.lines[7][1].replace(f'"saga":"{WIRE}"', '"saga":"log"')
    text = "a saga's type in the log's own saga"
    yield bad("saga-type-in-log", "log-type", text, forged(whole, log=((7, mixed), *whole.log)))
    yield bad("log-as-saga", "log-saga", "the log's own lines claimed as a saga", _as_saga(log, whole))
    text = "the log's own lines in no order"
    opened = (0, log.lines[0].decode())
    yield bad("own-order", "wrong-order", text, forged(whole, log=(*whole.log, opened)))
    twice = (*whole.log, *whole.log)
    yield bad("own-twice", "wrong-order", "log.indexed twice", forged(whole, log=twice))
    forger = shop()
    forger.open()
    forger.seal()
    again = forger.size - 2
    text = "a second log.opened in the middle of a log"
    spliced = ((again, forger.lines[again].decode()), (forger.size - 1, forger.lines[-1].decode()))
    yield bad("opened-twice", "bad-log", text, proven_again(forger, read(forger), log=spliced))
    alien = shop()
    alien.lines[0] = SagaWriter("log", lambda n: bytes(n)).line(
        "log.opened", "2026-11-30T07:00:01.000000Z", origin="log.example/elsewhere", vkey=str(LOG.vkey), keys={}
    )
    _go_on_behind(alien, alien.lines[0])
    alien.seal()
    text = "log.opened names another origin than the checkpoint"
    yield bad("opened-elsewhere", "wrong-origin", text, format_bundle(unchecked(alien, SIGNED)))
    signed = read(log, SIGNED)
    text = "a saga with an approval, without the log's lines that say who may sign"
    yield bad("no-keys", "no-keys", text, proven_again(log, signed, log=signed.log[-1:]))


def _seq(line: str) -> str:
    return line.split('"seq":')[1].split(",")[0]


def _as_saga(log: MemoryLog, whole: Bundle) -> bytes:
    own = [(seq, line.decode()) for seq, (_, line) in enumerate(log.saga("log"))]
    return proven_again(log, whole, saga="log", lines=tuple(own), anchors=((1, log.size - 1),), log=())


def _proofs() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    proof = whole.proof
    part = read(log, lines=["4..6", "13"])

    def bad(name: str, reason: str, text: str, found: bytes) -> Attack:
        return f"proof-{name}", reason, text, found, {}

    yield bad("cut", "bad-path", "the last hash left out", forged(whole, proof=proof[:-1]))
    yield bad("long", "bad-path", "a hash too many", forged(whole, proof=(*proof, proof[0])))
    yield bad("none", "bad-path", "no hashes", forged(whole, proof=()))
    yield bad("swapped", "not-included", "two hashes swapped", forged(whole, proof=(proof[1], proof[0], *proof[2:])))
    yield bad("short-hash", "bad-path", "a hash of 31 bytes", forged(whole, proof=("A" * 40 + "AA==", *proof[1:])))
    odd = proof[0][:-2] + chr(ord(proof[0][-2]) + 1) + "="
    yield bad("base64", "bad-base64", "spare bits set in a hash's base64", forged(whole, proof=(odd, *proof[1:])))
    yield bad("url-base64", "bad-base64", "a hash in base64url", forged(whole, proof=("-_" * 21 + "A=", *proof[1:])))
    at = whole.anchors[0][1]
    text = "the last line placed where another saga's line stands"
    yield bad("moved", "not-included", text, proven_again(log, whole, anchors=((13, at + 1),)))
    yield bad("beyond", "bad-index", "the last line placed behind the checkpoint", forged(whole, anchors=((13, 99),)))
    text = "the last line placed before there is room for the saga"
    yield bad("no-room", "bad-anchors", text, proven_again(log, whole, anchors=((13, 5),)))
    yield bad("no-anchor", "bad-anchors", "no line placed", proven_again(log, whole, anchors=()))
    yield bad("other-anchor", "bad-anchors", "line 12 placed, the last one not", _anchored(log, whole, 12))
    text = "the last line and the index placed at one index"
    yield bad("one-place", "bad-anchors", text, forged(whole, anchors=((13, log.size - 1),)))
    at0, _, first, last, at13, _ = part.anchors
    text = "a stretch whose first line is not placed"
    yield bad("stretch-open", "bad-anchors", text, proven_again(log, part, anchors=(at0, at0, last, at13, at13)))
    crossed = (at0, at0, (4, last[1]), (6, first[1]), at13, at13)
    yield bad("crossed", "bad-anchors", "a later line placed earlier", proven_again(log, part, anchors=crossed))
    torn = (at0, (0, at0[1] + 1), first, last, at13, at13)
    yield bad("two-places", "bad-anchors", "one line placed twice", proven_again(log, part, anchors=torn))
    text = "the middle line of a stretch left out: its ends would be stretches of their own"
    yield bad("stretch-emptied", "bad-anchors", text, forged(part, lines=(*part.lines[:2], *part.lines[3:])))
    text = "the middle of a stretch replaced: its ends are placed, the chain between them is broken"
    swapped = [(s, t.replace('"key":"k2"', '"key":"kX"')) for s, t in part.lines]
    yield bad("stretch-middle", "broken-chain", text, forged(part, lines=tuple(swapped)))


def _anchored(log: MemoryLog, whole: Bundle, seq: int) -> bytes:
    return proven_again(log, whole, anchors=((seq, where(log)[seq]),))


def _disclosures() -> Iterator[Attack]:
    log = sealed()
    whole = read(log, reveal=["all"])
    given = whole.disclosures

    def bad(name: str, reason: str, text: str, found: tuple[str, ...], bundle: Bundle = whole) -> Attack:
        return f"disclosure-{name}", reason, text, format_bundle(change(bundle, disclosures=found)), {}

    _, invented = conceal({"minor": 1, "currency": "EUR"}, "Zk9mQ2hXb0pRc1R2VXd4eQ")
    ascending = tuple(sorted((*given, invented), key=digest_of))
    yield bad("unmatched", "unmatched-disclosure", "a disclosure of a value that no line holds", ascending)
    part = read(log, lines=["0..3"])
    text = "a disclosure of a value on a line that is not shown"
    yield bad("hidden-line", "unmatched-disclosure", text, given[:1], part)
    yield bad("twice", "wrong-order", "a disclosure twice", (given[0], *given))
    yield bad("order", "wrong-order", "disclosures in another order", given[::-1])
    yield bad("malformed", "bad-disclosure", "a disclosure that is not base64url", ("!",))
    yield bad("padded", "bad-disclosure", "a disclosure with padding", (given[0] + "=",))
    loose = urlsafe_b64encode(b'["Zk9mQ2hXb0pRc1R2VXd4eQ", 1]').rstrip(b"=").decode()
    yield bad("spelling", "bad-disclosure", "a disclosure with white space in its JSON", (loose,))
    yield bad("deep", "bad-disclosure", "a disclosure nested ten thousand deep", (_deep(),))


def _deep() -> str:
    text = b'["Zk9mQ2hXb0pRc1R2VXd4eQ",' + b"[" * 10_000 + b"]" * 10_000 + b"]"
    return urlsafe_b64encode(text).rstrip(b"=").decode()
