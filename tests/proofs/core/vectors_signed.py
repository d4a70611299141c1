"""Vectors of checkpoints, cosignatures, proof files and pins."""

from __future__ import annotations

from collections.abc import Iterator

import naive_tree as naive
from vector_kit import (
    LOG_SEED,
    OK,
    ORIGIN,
    OTHER,
    SECOND_SEED,
    SEEDS,
    STRANGER_SEED,
    WITNESS,
    WITNESS_SEED,
    Named,
    Vector,
    b64,
    checkpoint,
    cosigned_line,
    entries,
    hashes,
    key_id,
    labelled,
    line,
    note,
    public,
    reason,
    signature,
    signed_line,
    vkey,
)

LOG = entries(11)
ROOT = naive.mth(LOG)
TEXT = checkpoint(11, ROOT)
PIN = {"origin": ORIGIN, "vkey": vkey(ORIGIN, LOG_SEED)}
AT = 1_800_000_000
Made = Iterator[tuple[str, str, Vector]]


def checkpoints() -> Iterator[Named]:
    """Vectors of the topic checkpoints."""
    yield from labelled(_checkpoints(), kind="checkpoint", seeds=SEEDS, pin=PIN)


def _checkpoints() -> Made:
    good = {"ok": True, "size": 11, "root": b64(ROOT)}
    yield "good", "eleven lines, signed by the log", {"note": note(TEXT), "expect": good}
    both = note(TEXT, signed_line(TEXT), cosigned_line(TEXT, AT))
    yield "good_cosigned", "a witness's signature is passed over here", {"note": both, "expect": good}
    nothing = {"ok": True, "size": 0, "root": b64(naive.mth([]))}
    yield "good_empty", "a log of nothing", {"note": note(checkpoint(0, naive.mth([]))), "expect": nothing}
    largest = {"ok": True, "size": 2**53 - 1, "root": b64(ROOT)}
    yield "good_largest", "the largest log", {"note": note(checkpoint(2**53 - 1, ROOT)), "expect": largest}
    second = signed_line(TEXT, ORIGIN, SECOND_SEED)
    for name, description, text, word in [
        ("attack_other_log", "another log's checkpoint, signed by the pinned key", note(checkpoint(11, ROOT, OTHER)),
         "wrong-origin"),
        ("attack_same_origin_other_key", "the pinned origin under another key", note(TEXT, second), "unsigned"),
        ("attack_size_altered", "a signed checkpoint whose size was altered",
         note(checkpoint(12, ROOT), signed_line(TEXT)), "bad-signature"),
        ("bad_extension", "a fourth line: we sign none", note(TEXT + "extension\n"), "bad-checkpoint"),
        ("bad_without_root", "two lines", note(f"{ORIGIN}\n11\n"), "bad-checkpoint"),
        ("bad_origin_empty", "no origin", note(checkpoint(11, ROOT, "")), "bad-checkpoint"),
        ("bad_origin_too_long", "an origin of 257 characters", note(checkpoint(11, ROOT, "o" * 257)), "bad-checkpoint"),
        ("bad_origin_invisible", "an origin with a character that does not print",
         note(checkpoint(11, ROOT, ORIGIN + "\u200b")), "bad-checkpoint"),
        *((f"bad_size_{case}", f"the size is written {size!r}", note(checkpoint(size, ROOT)), "bad-checkpoint")
          for case, size in [("leading_zero", "011"), ("signed", "+11"), ("negative", "-1"), ("empty", ""),
                             ("hexadecimal", "0xb"), ("other_digits", "١١"), ("over_the_cap", str(2**53)),
                             ("of_20_digits", "1" * 20), ("decimal", "11.0")]),
        ("bad_root_cut", "a root of 31 bytes", note(checkpoint(11, ROOT[:31])), "bad-checkpoint"),
        ("bad_root_base64", "a root with spare bits", note(f"{ORIGIN}\n11\n{_spare(ROOT)}\n"), "bad-base64"),
        ("bad_root_hex", "a root in hex", note(f"{ORIGIN}\n11\n{ROOT.hex()}\n"), "bad-checkpoint"),
    ]:  # fmt: skip
        yield name, description, {"note": text, "expect": reason(word)}


def _spare(data: bytes) -> str:
    """Base64 of 32 bytes with a bit set that padding leaves over."""
    encoded = b64(data)
    return encoded[:-2] + chr(ord(encoded[-2]) + 1) + "="


def cosignatures() -> Iterator[Named]:
    """Vectors of the topic cosignatures."""
    pin = {**PIN, "witness": vkey(WITNESS, WITNESS_SEED, 4)}
    yield from labelled(_cosignatures(), kind="cosignature", seeds=SEEDS, pin=pin)
    as_log = {**PIN, "witness": vkey(WITNESS, WITNESS_SEED)}
    wrong = {
        "pin": as_log,
        "note": note(TEXT, signed_line(TEXT), cosigned_line(TEXT, AT)),
        "expect": reason("wrong-key"),
    }
    text = "algorithm downgrade: a log's key pinned where a witness's belongs"
    yield from labelled(iter([("attack_log_key_as_a_witness_key", text, wrong)]), kind="cosignature", seeds=SEEDS)
    yield from labelled(_witnessing(), kind="witness", seeds=SEEDS, pin=PIN)


def _cosignatures() -> Made:
    own = signed_line(TEXT)

    def with_(*lines: str) -> str:
        return note(TEXT, own, *lines)

    def blob(found: bytes) -> str:
        return line(WITNESS, key_id(WITNESS, 4, public(WITNESS_SEED)), found)

    for name, description, text, time in [
        ("good", "a witness saw this checkpoint", with_(cosigned_line(TEXT, AT)), AT),
        ("good_at_zero", "the earliest time", with_(cosigned_line(TEXT, 0)), 0),
        ("good_among_others", "beside another witness", with_(cosigned_line(TEXT, 5, "w.example", STRANGER_SEED),
                                                            cosigned_line(TEXT, AT)), AT),
        ("good_twice", "the later of two counts", with_(cosigned_line(TEXT, AT), cosigned_line(TEXT, AT - 9)), AT),
    ]:  # fmt: skip
        yield name, description, {"note": text, "expect": {"ok": True, "time": time}}
    signed = signature(f"cosignature/v1\ntime {AT}\n{TEXT}", WITNESS_SEED)
    other = checkpoint(11, naive.mth(LOG[:10]))
    plain = AT.to_bytes(8, "big") + signature(TEXT, WITNESS_SEED)
    last = 2**63
    late = last.to_bytes(8, "big") + signature(f"cosignature/v1\ntime {last}\n{TEXT}", WITNESS_SEED)
    for name, description, found, word in [
        ("bad_unsigned", "no cosignature", [], "unsigned"),
        ("attack_same_name_other_key", "the witness's name under another key",
         [cosigned_line(TEXT, AT, WITNESS, STRANGER_SEED)], "unsigned"),
        ("attack_log_signature_of_the_witness", "the witness's key signed like a log",
         [signed_line(TEXT, WITNESS, WITNESS_SEED)], "unsigned"),
        ("attack_time_altered", "a later time", [blob((AT + 1).to_bytes(8, "big") + signed)], "bad-signature"),
        ("attack_other_checkpoint", "a cosignature of another root", [cosigned_line(other, AT)], "bad-signature"),
        ("attack_plain_signature", "over the text alone: no header, no time", [blob(plain)], "bad-signature"),
        ("bad_cut", "a byte is missing", [blob(AT.to_bytes(8, "big") + signed[:-1])], "bad-signature"),
        ("bad_time_alone", "a time without a signature", [blob(AT.to_bytes(8, "big"))], "bad-signature"),
        ("bad_time_over_the_cap", "2^63 seconds", [blob(late)], "bad-signature"),
        ("bad_second_cosignature", "a good one and a bad one", [cosigned_line(TEXT, AT), blob(plain)], "bad-signature"),
    ]:  # fmt: skip
        yield name, description, {"note": with_(*found), "expect": reason(word)}
    unsigned = {"note": note(TEXT, cosigned_line(TEXT, AT)), "expect": reason("unsigned")}
    yield "attack_witness_without_the_log", "a witness's signature does not replace the log's", unsigned


def _witnessing() -> Made:
    """What a witness must refuse to sign."""

    def seen(size: int, log: list[bytes] = LOG) -> Vector:
        return {"size": size, "root": b64(naive.mth(log[:size]))}

    forked = [*LOG[:6], b"rewritten", *LOG[7:]]
    for name, description, before, proof, expect in [
        ("witness_good_first", "nothing was seen before", None, [], OK),
        ("witness_good_next", "seven lines were seen", seen(7), naive.proof(7, LOG), OK),
        ("witness_good_again", "the same checkpoint again", seen(11), [], OK),
        ("attack_rollback", "twelve lines were seen: the log was rolled back", {**seen(11), "size": 12}, [],
         reason("rolled-back")),
        ("attack_split_view", "another root of eleven lines was seen", seen(11, forked), [], reason("inconsistent")),
        ("attack_fork", "seven lines were seen, of which one was rewritten", seen(7, forked), naive.proof(7, LOG),
         reason("inconsistent")),
        ("witness_bad_without_proof", "seven lines were seen, and no proof is given", seen(7), [], reason("bad-path")),
    ]:  # fmt: skip
        yield name, description, {"note": note(TEXT), "seen": before, "proof": hashes(proof), "expect": expect}


def proof_files() -> Iterator[Named]:
    """Vectors of the topic tlog-proof."""
    yield from labelled(_proof_files(), kind="tlog-proof", seeds=SEEDS, pin=PIN)
    yield from labelled(_continuations(), kind="consistency-file")


def proof_file(index: int | str, path: list[str], signed: str) -> str:
    """The text of a proof file."""
    return "".join([f"c2sp.org/tlog-proof@v1\nindex {index}\n", *(one + "\n" for one in path), "\n", signed])


def _proof_files() -> Made:
    path = hashes(naive.path(4, LOG))
    good = proof_file(4, path, note(TEXT))
    entry = {"entry": LOG[4].hex()}
    yield "good", "entry 4 of 11", {"proof": good, **entry, "expect": {"ok": True, "index": 4, "size": 11}}
    one = checkpoint(1, naive.mth(LOG[:1]))
    lone = {"proof": proof_file(0, [], note(one)), "entry": LOG[0].hex()}
    yield "good_lone_entry", "a path of no hashes", {**lone, "expect": {"ok": True, "index": 0, "size": 1}}
    other = note(TEXT, signed_line(TEXT, ORIGIN, STRANGER_SEED))
    for name, description, text, word in [
        ("attack_other_index", "the path of entry 4 for index 5", good.replace("index 4", "index 5"), "not-included"),
        ("attack_other_key", "the right path under a stranger's checkpoint", proof_file(4, path, other), "unsigned"),
        ("attack_other_log", "under another log's checkpoint",
         proof_file(4, path, note(checkpoint(11, ROOT, OTHER))), "wrong-origin"),
        ("bad_header", "another version", good.replace("@v1", "@v2"), "bad-proof"),
        ("bad_extra", "extra data, to which we give no meaning",
         good.replace("\nindex", "\nextra QQ==\nindex"), "bad-proof"),
        ("bad_index_leading_zero", "an index of 04", good.replace("index 4", "index 04"), "bad-proof"),
        ("bad_index_missing", "no index", good.replace("index 4\n", ""), "bad-proof"),
        ("bad_carriage_return", "a header that ends with CR", good.replace("@v1\n", "@v1\r\n"), "bad-proof"),
        ("bad_no_note", "cut before the checkpoint", good.partition("\n\n")[0] + "\n", "bad-proof"),
        ("bad_index_over_the_size", "index 11 of 11", good.replace("index 4", "index 11"), "bad-index"),
        ("bad_path_short", "a hash is left out", proof_file(4, path[:-1], note(TEXT)), "bad-path"),
        ("bad_path_long", "a hash too many", proof_file(4, [*path, path[0]], note(TEXT)), "bad-path"),
        ("bad_path_over_the_cap", "54 hashes", proof_file(4, path[:1] * 54, note(TEXT)), "bad-proof"),
        ("bad_path_base64", "a hash with spare bits",
         proof_file(4, [_spare(naive.path(4, LOG)[0]), *path[1:]], note(TEXT)), "bad-base64"),
        ("bad_path_hash_cut", "a hash of 31 bytes", proof_file(4, [b64(bytes(31)), *path[1:]], note(TEXT)), "bad-path"),
    ]:  # fmt: skip
        yield name, description, {"proof": text, **entry, "expect": reason(word)}
    text = "the right proof, for another entry"
    yield "attack_other_entry", text, {"proof": good, "entry": LOG[5].hex(), "expect": reason("not-included")}


def _continuations() -> Made:
    proof = "".join(one + "\n" for one in hashes(naive.proof(7, LOG)))
    good = f"agent-saga-consistency-v1\n7 11\n{proof}"
    states = {"earlier": _state(7), "later": _state(11)}
    shorter = {"earlier": _state(11), "later": _state(7)}
    forked = {"earlier": {"size": 7, "root": b64(naive.mth([*LOG[:6], b"rewritten"]))}, "later": _state(11)}
    for name, description, text, between, word in [
        ("consistency_good", "from 7 to 11 lines", good, states, ""),
        ("consistency_attack_rollback", "the later checkpoint is the smaller", good, shorter, "rolled-back"),
        ("consistency_attack_fork", "the past was rewritten", good, forked, "inconsistent"),
        ("consistency_bad_other_sizes", "a proof between 6 and 11",
         good.replace("7 11", "6 11"), states, "wrong-sizes"),
        ("consistency_bad_header", "another version", good.replace("-v1", "-v2"), states, "bad-proof"),
        ("consistency_bad_sizes", "a leading zero", good.replace("7 11", "07 11"), states, "bad-proof"),
        ("consistency_bad_cut", "the last newline is missing", good[:-1], states, "bad-proof"),
        ("consistency_bad_short", "a hash is left out", good[:-45], states, "bad-path"),
    ]:  # fmt: skip
        yield name, description, {"proof": text, **between, "expect": reason(word) if word else OK}


def _state(size: int) -> Vector:
    return {"size": size, "root": b64(naive.mth(LOG[:size]))}
