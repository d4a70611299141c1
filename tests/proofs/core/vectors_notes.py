"""Vectors of signed notes and of verifier keys."""

from __future__ import annotations

from collections.abc import Iterator

from vector_kit import (
    LOG_SEED,
    OK,
    ORIGIN,
    SEEDS,
    STRANGER_SEED,
    Named,
    Vector,
    b64,
    cosigned_line,
    key_id,
    labelled,
    line,
    note,
    public,
    reason,
    signature,
    signed_line,
    vkey,
    vkey_of,
)

TEXT = "A text of a log.\nIt has two lines.\n"
GOOD = note(TEXT)
ID = key_id(ORIGIN, 1, public(LOG_SEED))
BLOB = signature(TEXT, LOG_SEED)
STRANGER = signed_line(TEXT, "stranger.example/one", STRANGER_SEED)
_ORDER = 2**252 + 27742317777372353535851937790883648493
_PRIME = 2**255 - 19
# The curve points of small order and y that are not reduced, RFC 8032 encoding.
WEAK = {
    "order_1": (1).to_bytes(32, "little"),
    "order_1_with_the_sign_bit": (1 | 1 << 255).to_bytes(32, "little"),
    "order_2": (_PRIME - 1).to_bytes(32, "little"),
    "order_4": bytes(32),
    "order_8": bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    "order_8_the_other": bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    "y_is_the_prime": _PRIME.to_bytes(32, "little"),
    "y_not_reduced": (_PRIME + 1).to_bytes(32, "little"),
    "y_largest": (2**255 - 1).to_bytes(32, "little"),
}


def named() -> Iterator[Named]:
    """Every vector of this topic."""
    pin = {"vkey": vkey(ORIGIN, LOG_SEED)}
    for made in (_good(), _unsigned(), _bad_signatures(), _bad_forms(), _bad_bytes()):
        yield from labelled(made, kind="note", seeds=SEEDS, pin=pin)
    yield from labelled(_keys(), kind="note", seeds=SEEDS)


Made = Iterator[tuple[str, str, Vector]]


def _note(text: str, word: str = "") -> Vector:
    return {"note": text, "expect": reason(word) if word else OK}


def _good() -> Made:
    yield "good", "one signature, by the pinned key", _note(GOOD)
    yield "good_with_a_stranger", "a signature of an unknown key is passed over", _note(note(TEXT, STRANGER, _own()))
    unknown = line("new.example/k", b"\1\2\3\4", bytes(100))
    yield "good_with_an_unknown_type", "a signature of a type nobody knows yet", _note(note(TEXT, _own(), unknown))
    yield "good_twice", "the same signature twice", _note(note(TEXT, _own(), _own()))
    blank = "First.\n\nAfter a blank line.\n"
    yield "good_with_a_blank_line", "the text ends at the last blank line", _note(note(blank))
    yield "good_not_ascii", "text is UTF-8", _note(note("Überweisung 電信 ✓\n"))
    many = [line(f"w{at}.example", b"\0\0\0\1", bytes([at]) * 64) for at in range(63)]
    yield "good_with_64_signatures", "as many signature lines as are read", _note(note(TEXT, *many, _own()))


def _own() -> str:
    return signed_line(TEXT)


def _unsigned() -> Made:
    yield "attack_other_name", "signed by another name alone", _note(note(TEXT, STRANGER), "unsigned")
    same_name = signed_line(TEXT, ORIGIN, STRANGER_SEED)
    text = "the pinned name under another key: it is not the pinned key"
    yield "attack_same_name_other_key", text, _note(note(TEXT, same_name), "unsigned")
    same_id = line("log.example/acne", ID, BLOB)
    text = "the pinned key's id under another name"
    yield "attack_same_id_other_name", text, _note(note(TEXT, same_id), "unsigned")
    cosigned = cosigned_line(TEXT, 1_800_000_000, ORIGIN, LOG_SEED)
    text = "algorithm downgrade: the key reused as a witness's gives a cosignature, which is no signature of a log"
    yield "attack_cosignature_of_the_same_key", text, _note(note(TEXT, cosigned), "unsigned")


def _bad_signatures() -> Made:
    forged = signature(TEXT, STRANGER_SEED)
    s = int.from_bytes(BLOB[32:], "little") + _ORDER
    large = BLOB[:32] + s.to_bytes(32, "little")
    relabelled = (1_800_000_000).to_bytes(8, "big") + signature(f"cosignature/v1\ntime 1800000000\n{TEXT}", LOG_SEED)
    for name, description, blob in [
        ("attack_same_name_and_id_other_key", "name and id are copied, the key is another", forged),
        ("bad_bit", "one bit of the signature is flipped", bytes([BLOB[0] ^ 1]) + BLOB[1:]),
        ("bad_cut", "63 bytes", BLOB[:-1]),
        ("bad_long", "65 bytes", BLOB + b"\0"),
        ("attack_s_not_reduced", "S plus the order of the group: RFC 8032 refuses it", large),
        ("attack_cosignature_relabelled", "algorithm downgrade: a cosignature under the id of a signature", relabelled),
    ]:  # fmt: skip
        yield name, description, _note(note(TEXT, line(ORIGIN, ID, blob)), "bad-signature")
    altered = GOOD.replace("two lines", "too lines")
    yield "bad_text_altered", "one letter of the text was altered", _note(altered, "bad-signature")
    mixed = note(TEXT, signed_line(TEXT), line(ORIGIN, ID, forged))
    text = "a good and a bad signature of the pinned key: the note is refused"
    yield "bad_second_signature_of_the_key", text, _note(mixed, "bad-signature")
    yield (
        "attack_moved_signature",
        "a good signature moved under another text",
        _note(note("Another text.\n", _own()), "bad-signature"),
    )


def _bad_forms() -> Made:
    encoded = b64(ID + BLOB)
    spare = encoded[:-3] + chr(ord(encoded[-3]) + 1) + "=="
    for name, description, text in [
        ("bad_base64_spare_bits", "the bits that padding leaves over are not zero", GOOD.replace(encoded, spare)),
        ("bad_base64_without_padding", "no padding", GOOD.replace("=\n", "\n", 1)),
        ("bad_base64_url_alphabet", "the alphabet of URLs", note(TEXT, f"— {ORIGIN} {'-_' * 46}\n")),
        ("bad_base64_with_a_space", "a space within", GOOD.replace(encoded, encoded[:8] + " " + encoded[8:])),
        ("bad_base64_of_a_stranger", "a stranger's line counts for the form", note(TEXT, _own(), "— a.example AB=\n")),
    ]:
        yield name, description, _note(text, "bad-base64")
    for name, description, text in [
        ("bad_no_blank_line", "no blank line before the signature", TEXT + _own()),
        ("bad_signature_alone", "a signature line without a text", signed_line("\n")),
        ("bad_no_signature", "nothing after the blank line", TEXT + "\n"),
        ("bad_no_final_newline", "the last line is cut", GOOD[:-1]),
        ("bad_text_after_signatures", "text after the signatures", GOOD + "P.S.\n"),
        ("bad_hyphen", "a hyphen in place of the em dash", GOOD.replace("—", "-")),
        ("bad_carriage_return", "lines that end with CR LF", GOOD.replace("\n", "\r\n")),
        ("bad_tab", "a control character in the text", note("A\ttab.\n")),
        ("bad_name_with_plus", "a plus in the name", note(TEXT, line("a+b", ID, BLOB))),
        ("bad_name_with_a_space", "a space of Unicode in the name", note(TEXT, line("a\u00a0b", ID, BLOB))),
        ("bad_name_empty", "no name", note(TEXT, line("", ID, BLOB))),
        ("bad_signature_of_4_bytes", "an id without a signature", note(TEXT, line(ORIGIN, ID, b""))),
    ]:  # fmt: skip
        yield name, description, _note(text, "bad-note")


def _bad_bytes() -> Made:
    refused = {"expect": reason("bad-note")}
    latin = GOOD.encode().replace(b"lines", b"l\xefnes")
    yield "bad_not_utf8", "a byte that is not UTF-8", {"note_hex": latin.hex(), **refused}
    own = signed_line(TEXT)
    many = [line(f"w{at}.example", b"\0\0\0\1", bytes([at]) * 64) for at in range(64)]
    yield "bad_65_signatures", "one signature line too many", {"note": note(TEXT, *many, own), **refused}
    text = "one byte over 65,536; `note_parts` are texts with how often each stands there"
    fill = 65_537 - len(note("\n", own).encode())
    yield "bad_over_the_cap", text, {"note_parts": [["x", fill], [note("\n", own), 1]], **refused}


def _keys() -> Made:
    good = vkey(ORIGIN, LOG_SEED)
    name, ident, key = good.split("+", 2)
    other = "attack_witness_key_as_a_log_key", "algorithm downgrade: a witness's key pinned where a log's belongs"
    yield *other, {"pin": {"vkey": vkey(ORIGIN, LOG_SEED, 4)}, "note": GOOD, "expect": reason("wrong-key")}
    for case, description, text in [
        ("type_unknown", "ECDSA, which is not spoken here", vkey_of(ORIGIN, 2, public(LOG_SEED))),
        ("id_altered", "the id is not of this key", f"{name}+00000000+{key}"),
        ("id_in_capitals", "the id has one spelling", f"{name}+{ident.upper()}+{key}"),
        ("name_altered", "the id commits to the name", f"log.example/acne+{ident}+{key}"),
        ("cut", "31 bytes of key", vkey_of(ORIGIN, 1, public(LOG_SEED)[:31])),
        ("base64_spare_bits", "the last letter has another spelling", _respelled(good)),
        ("without_id", "two parts in place of three", f"{name}+{key}"),
        ("empty", "nothing", ""),
        *((f"weak_{which}", "a key under which a signature proves nothing", vkey_of(ORIGIN, 1, raw))
          for which, raw in WEAK.items()),
    ]:  # fmt: skip
        yield f"key_bad_{case}", description, {"pin": {"vkey": text}, "note": GOOD, "expect": reason("bad-key")}


def _respelled(text: str) -> str:
    """33 bytes leave no spare bits, so one byte is cut and the bits that padding leaves over are set."""
    name, ident, _ = text.split("+", 2)
    encoded = b64(b"\1" + public(LOG_SEED)[:31] + b"\0\0")
    return f"{name}+{ident}+{encoded[:-3] + 'B=='}"
