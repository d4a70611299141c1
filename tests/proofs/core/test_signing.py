"""Notes, checkpoints and witnesses: what we sign verifies, and what others signed is read as they meant it."""

from __future__ import annotations

import pytest
from answering import note_bytes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from vector_kit import cosigned_line, note, public, signed_line, vkey
from vectors_notes import GOOD, WEAK

from agent_saga.proofs import names
from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint, parse_checkpoint, sign_checkpoint
from agent_saga.proofs.continuing import parse_continuation
from agent_saga.proofs.cosigning import check_cosignature, cosign
from agent_saga.proofs.errors import KeyFault, Refuted, Unprovable
from agent_saga.proofs.keys import SigningKey, key_from_seed
from agent_saga.proofs.notes import Note, check_signature, parse_note, sign
from agent_saga.proofs.tlog_proof import TlogProof, format_tlog_proof, parse_tlog_proof
from agent_saga.proofs.vkeys import COSIGNATURE, VerifierKey, parse_vkey

ORIGIN = "log.example/acme"
LOG = key_from_seed(ORIGIN, "log", b"\1" * 32)
WITNESS = key_from_seed("witness.example/one", "witness", b"\2" * 32)
CHECKPOINT = Checkpoint(ORIGIN, 11, b"\7" * 32)

# Published with the C2SP text's reference tools, and with the documentation of golang.org/x/mod/sumdb/note.
EXAMPLES = [
    (
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZX"
        "sYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n",
    ),
    (
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
    ),
]


@pytest.mark.parametrize("key, text", EXAMPLES, ids=["c2sp", "x-mod"])
def test_notes_that_others_published_verify(key: str, text: str) -> None:
    check_signature(parse_note(text.encode()), parse_vkey(key))
    assert str(parse_note(text.encode())) == text
    with pytest.raises(Refuted) as refusal:
        check_signature(parse_note(text.replace("is", "was", 1).encode()), parse_vkey(key))
    assert refusal.value.reason == "bad-signature"


def test_a_checkpoint_that_we_sign_is_what_the_signature_by_hand_gives() -> None:
    made = sign_checkpoint(CHECKPOINT, LOG.vkey, LOG)
    text = CHECKPOINT.text()
    assert str(made) == note(text, signed_line(text, ORIGIN, b"\1" * 32))
    opened, _ = open_checkpoint(str(made).encode(), Pin(ORIGIN, LOG.vkey))
    assert opened == CHECKPOINT
    assert str(LOG.vkey) == vkey(ORIGIN, b"\1" * 32)
    assert parse_vkey(str(LOG.vkey)) == LOG.vkey


def test_a_cosignature_that_we_make_is_what_the_signature_by_hand_gives() -> None:
    text = CHECKPOINT.text()
    made = cosign(sign_checkpoint(CHECKPOINT, LOG.vkey, LOG), WITNESS.vkey, WITNESS, 1_800_000_000)
    assert str(made) == note(text, signed_line(text), cosigned_line(text, 1_800_000_000))
    assert check_cosignature(made, WITNESS.vkey).at == 1_800_000_000
    again = cosign(made, WITNESS.vkey, WITNESS, 1_800_000_009)
    assert len(again.signatures) == 2
    assert check_cosignature(again, WITNESS.vkey).at == 1_800_000_009


def test_the_latest_time_there_is_is_read() -> None:
    # Not a vector: no number of JSON says it exactly everywhere.
    made = cosign(sign_checkpoint(CHECKPOINT, LOG.vkey, LOG), WITNESS.vkey, WITNESS, 2**63 - 1)
    assert check_cosignature(made, WITNESS.vkey).at == 2**63 - 1


def test_keys_sign_only_what_they_are_for() -> None:
    made = sign_checkpoint(CHECKPOINT, LOG.vkey, LOG)
    with pytest.raises(Refuted, match="not a witness's"):
        cosign(made, LOG.vkey, LOG, 5)
    with pytest.raises(KeyFault, match="cannot sign as a log"):
        sign("text\n", WITNESS.vkey, WITNESS)
    for at in (-1, 2**63):
        with pytest.raises(Unprovable, match="POSIX seconds"):
            cosign(made, WITNESS.vkey, WITNESS, at)


@pytest.mark.parametrize(
    "wrong", [Checkpoint("", 1, b"\7" * 32), Checkpoint("a\nb", 1, b"\7" * 32), Checkpoint(ORIGIN, -1, b"\7" * 32),
              Checkpoint(ORIGIN, 2**53, b"\7" * 32), Checkpoint(ORIGIN, 1, b"\7" * 31)],
)  # fmt: skip
def test_nothing_is_signed_that_no_verifier_reads(wrong: Checkpoint) -> None:
    with pytest.raises(Refuted) as refusal:
        sign_checkpoint(wrong, LOG.vkey, LOG)
    assert refusal.value.reason == "bad-checkpoint"


def test_no_byte_of_a_signed_checkpoint_can_be_altered() -> None:
    data = str(sign_checkpoint(CHECKPOINT, LOG.vkey, LOG)).encode()
    pin = Pin(ORIGIN, LOG.vkey)
    tried = 0
    for at in range(len(data)):
        for other in (data[at] ^ 1, data[at] ^ 0x20, 0x0A, 0x3D, 0xFF):
            if other != data[at]:
                with pytest.raises(Refuted):
                    open_checkpoint(data[:at] + bytes([other]) + data[at + 1 :], pin)
                tried += 1
        with pytest.raises(Refuted):
            open_checkpoint(data[:at] + data[at + 1 :], pin)
        with pytest.raises(Refuted):
            open_checkpoint(data[:at], pin)
    assert tried > 4 * len(data)


@given(st.binary(max_size=300))
def test_no_bytes_do_anything_but_be_refused(data: bytes) -> None:
    for made in (data, GOOD.encode()[:60] + data, data + GOOD.encode()):
        with pytest.raises(Refuted):
            open_checkpoint(made, Pin(ORIGIN, LOG.vkey))
    with pytest.raises(Refuted):
        parse_tlog_proof(data)


@given(st.text(max_size=3), st.integers(0, 70))
def test_a_text_is_one_checkpoint_or_none(text: str, at: int) -> None:
    own = CHECKPOINT.text()
    for tried in (text, own[:at] + text + own[at:], own[:at] + text + own[at + 1 :], own[:-1]):
        try:
            found = parse_checkpoint(tried)
        except Refuted:
            continue
        assert found.text() == tried


@given(st.text())
def test_a_verifier_key_has_one_spelling(text: str) -> None:
    for made in (text, f"{text}+00000000+AQ==", f"{LOG.vkey}{text}", f"{text}{LOG.vkey}"):
        try:
            found = parse_vkey(made)
        except KeyFault:
            continue
        assert str(found) == made


@given(st.binary(max_size=100), st.data())
def test_base64_has_one_spelling(data: bytes, drawn: st.DataObject) -> None:
    text = names.to_base64(data)
    assert names.from_base64(text, "it") == data
    at = drawn.draw(st.integers(0, len(text)))
    letter = drawn.draw(st.sampled_from("Aa0+/=-_ \n\t\u0660"))
    for other in (text[:at] + letter + text[at:], text[:at] + letter + text[at + 1 :]):
        try:
            read = names.from_base64(other, "it")
        except Refuted:
            continue
        assert names.to_base64(read) == other


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=53), st.integers(0, 2**53 - 2))
def test_a_proof_file_is_read_as_it_was_written(path: list[bytes], index: int) -> None:
    written = format_tlog_proof(TlogProof(index, path, GOOD.encode()))
    read = parse_tlog_proof(written)
    assert (read.index, list(read.path), read.note) == (index, path, GOOD.encode())


def test_files_over_their_caps_are_refused_before_they_are_read() -> None:
    with pytest.raises(Refuted, match="expected at most 68928"):
        parse_tlog_proof(b"x" * 68_929)
    with pytest.raises(Refuted, match="expected at most 6912"):
        parse_continuation(b"x" * 6_913)


def test_an_id_commits_to_name_type_and_key() -> None:
    keys = [VerifierKey(name, kind, raw) for name in ("a", "b") for kind in (1, 4) for raw in (b"\1" * 32, b"\2" * 32)]
    assert len({key.id for key in keys}) == len(keys)


# RFC 8032, section 5.1: the curve -x^2 + y^2 = 1 + d x^2 y^2, worked out here apart from the code under test.
PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME


def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + t, -1, PRIME) % PRIME
    return x, (y1 * y2 + x1 * x2) * pow(1 - t, -1, PRIME) % PRIME


def point(y: int) -> tuple[int, int]:
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    x = x if (x * x - square) % PRIME == 0 else x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    assert (x * x - square) % PRIME == 0
    return x, y


def order(y: int) -> int:
    start = now = point(y)
    count = 1
    while now != (0, 1):
        now, count = add(now, start), count + 1
        assert count <= 8
    return count


def test_the_weak_keys_are_all_points_of_small_order() -> None:
    found = {int.from_bytes(raw, "little") & (1 << 255) - 1 for raw in WEAK.values()}
    reduced = {y for y in found if y < PRIME}
    assert sorted(map(order, reduced)) == [1, 2, 4, 8, 8]  # with both signs of x that is 8 points: all there are


def test_under_a_weak_key_a_signature_fits_texts_that_nobody_signed() -> None:
    raw = WEAK["order_1"]
    anybody = raw + bytes(32)  # R the neutral point, S zero
    assert VerifierKey("weak", 1, raw).signed(b"one text", anybody)
    assert VerifierKey("weak", 1, raw).signed(b"another", anybody)


def test_a_strong_key_is_none_of_them() -> None:
    for seed in range(64):
        raw = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32).public_key().public_bytes_raw()
        assert parse_vkey(str(VerifierKey("k", COSIGNATURE, raw))).raw == raw


def test_a_note_of_the_largest_size_is_read() -> None:
    fill = 65_536 - len(note("\n", signed_line("\n")).encode())
    data = note_bytes({"note_parts": [["x", fill], [note("\n", signed_line("\n")), 1]]})
    assert isinstance(parse_note(data), Note)
    with pytest.raises(Refuted, match="at most 65536"):
        parse_note(b"x" + data)


def test_the_seeds_make_the_keys_that_the_vectors_name() -> None:
    assert isinstance(LOG, SigningKey)
    assert LOG.vkey.raw == public(b"\1" * 32)
