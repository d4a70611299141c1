"""Key files and pins: one key, one name, one purpose; what is unsound is refused before anything is signed or read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.proofs.checkpoints import Pin
from agent_saga.proofs.errors import KeyFault
from agent_saga.proofs.keys import PURPOSES, key_from_seed, open_key, read_key, save_key
from agent_saga.proofs.pins import Pins, format_pins, parse_pins
from agent_saga.proofs.vkeys import VerifierKey

ORIGIN = "log.example/acme"
LOG = key_from_seed(ORIGIN, "log", b"\1" * 32)
SECRET = b"correct horse"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "log.key"
    save_key(LOG, path, SECRET)
    return path


def test_a_key_comes_out_of_its_file_as_it_went_in(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    file = read_key(saved)
    assert (file.name, file.purpose) == (ORIGIN, "log")
    opened = open_key(file, SECRET, "log")
    assert opened.vkey == LOG.vkey
    assert opened.sign(b"text") == LOG.sign(b"text")


def test_the_file_is_pem_that_any_tool_reads_and_holds_no_plain_key(saved: Path) -> None:
    data = saved.read_bytes()
    assert isinstance(load_pem_private_key(data, SECRET), Ed25519PrivateKey)
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in data
    assert b"\1" * 32 not in data


def test_a_key_file_is_never_written_over(saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(KeyFault, match="never written over"):
        save_key(LOG, saved, SECRET)
    assert saved.read_bytes() == before


def test_a_key_file_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyFault, match="cannot be written"):
        save_key(LOG, tmp_path / "nowhere" / "log.key", SECRET)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFault, match="No space left"):
        save_key(LOG, tmp_path / "log.key", SECRET)
    assert list(tmp_path.iterdir()) == []


def test_a_passphrase_is_needed_and_must_be_the_right_one(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="needs a passphrase"):
        save_key(LOG, tmp_path / "other.key", b"")
    for wrong in (b"wrong", b"", b"correct horse "):
        with pytest.raises(KeyFault, match=r"passphrase"):
            open_key(read_key(saved), wrong, "log")


@pytest.mark.parametrize("purpose", sorted(set(PURPOSES) - {"log"}))
def test_a_key_opens_for_its_purpose_alone(saved: Path, purpose: str) -> None:
    with pytest.raises(KeyFault, match="one key serves one purpose"):
        open_key(read_key(saved), SECRET, purpose)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o777])
def test_a_key_that_others_may_read_or_write_is_refused(saved: Path, mode: int) -> None:
    saved.chmod(mode)
    with pytest.raises(KeyFault, match="chmod 600"):
        read_key(saved)


def pem(private: object, encryption: object = None) -> bytes:
    encryption = encryption or BestAvailableEncryption(SECRET)
    found: bytes = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)  # type: ignore[attr-defined]
    return found


HEAD = f"agent-saga key: {ORIGIN}\npurpose: log\nvkey: {LOG.vkey}\n".encode()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_a_key_of_another_kind_or_without_encryption_is_refused(tmp_path: Path) -> None:
    other = write(tmp_path / "rsa.key", HEAD + pem(rsa.generate_private_key(65537, 2048)))
    with pytest.raises(KeyFault, match="no Ed25519 key"):
        open_key(read_key(other), SECRET, "log")
    plain = write(tmp_path / "plain.key", HEAD + pem(Ed25519PrivateKey.from_private_bytes(b"\1" * 32), NoEncryption()))
    with pytest.raises(KeyFault, match="not encrypted"):
        open_key(read_key(plain), SECRET, "log")


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 100, HEAD, HEAD.replace(b"log\n", b"everything\n") + b"-----BEGIN", b"-----BEGIN",
     HEAD.replace(b"acme", b"ac me", 1) + b"-----BEGIN", HEAD + b"-----BEGIN" + b"x" * 20_000],
    ids=["empty", "zeros", "no pem", "unknown purpose", "no head", "unsound name", "over the cap"],
)  # fmt: skip
def test_what_is_no_key_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(KeyFault, match="no key file of agent-saga"):
        read_key(write(tmp_path / "k", data))


def test_a_key_file_that_was_altered_opens_as_no_other_key(saved: Path) -> None:
    # AES in CBC mode notices no flipped bit, so one in eight damaged files still has the form of a key.
    data = saved.read_bytes()
    start = data.index(b"-----\n") + 6
    refused = 0
    for at in range(start, len(data) - 30, 7):
        write(saved, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            opened = open_key(read_key(saved), SECRET, "log")
        except KeyFault:
            refused += 1
        else:
            assert opened.vkey == LOG.vkey  # a letter that base64 passes over
    assert refused > 20


@pytest.mark.parametrize(
    "old, new, said",
    [
        (b"key: log.example/acme", b"key: log.example/other", "was altered"),
        (b"purpose: log", b"purpose: witness", "was altered"),
        (b"vkey: log", b"vkey: lag", "was altered"),
        (b"vkey: ", b"key: ", "no verifier key"),
        (str(LOG.vkey).encode(), str(key_from_seed(ORIGIN, "log", b"\2" * 32).vkey).encode(), "not that of its vkey"),
    ],
)
def test_what_a_key_file_says_of_itself_must_fit_its_key(saved: Path, old: bytes, new: bytes, said: str) -> None:
    write(saved, saved.read_bytes().replace(old, new, 1))
    with pytest.raises(KeyFault, match=said):
        open_key(read_key(saved), SECRET, read_key(saved).purpose)


def test_a_path_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    for path, said in [(pipe, "no key file"), (tmp_path, "cannot be read"), (tmp_path / "none", "cannot be read")]:
        with pytest.raises(KeyFault, match=said):
            read_key(path)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u200b", "n" * 257])
def test_a_key_needs_a_sound_name(name: str) -> None:
    with pytest.raises(KeyFault, match="cannot name a key"):
        key_from_seed(name, "log", b"\1" * 32)


def test_a_key_needs_a_known_purpose() -> None:
    with pytest.raises(KeyFault, match="no purpose of a key"):
        key_from_seed("a", "everything", b"\1" * 32)


def made(name: str, purpose: str, seed: int) -> VerifierKey:
    return key_from_seed(name, purpose, bytes([seed]) * 32).vkey


PINS = Pins(
    Pin(ORIGIN, LOG.vkey),
    (made("w.example/1", "witness", 2), made("w.example/2", "witness", 3)),
    (made("audit.example", "monitor", 4),),
    (made("certify.example", "certificate", 5),),
)
TEXT = format_pins(PINS)


def test_a_pin_file_is_read_as_it_was_written() -> None:
    assert parse_pins(TEXT) == PINS
    assert parse_pins(TEXT.replace("\n", "\r\n")) == PINS
    assert parse_pins(TEXT.replace("\norigin", "\n\n# whom we trust\norigin")) == PINS
    assert parse_pins(format_pins(Pins(PINS.log))) == Pins(PINS.log)


REUSED = f"{TEXT}monitor {made('m.example', 'monitor', 2)}\n"
BAD_PINS = {
    "empty": ("", "first line"),
    "no header": (TEXT.partition("\n")[2], "first line"),
    "another version": (TEXT.replace("-v1", "-v2"), "first line"),
    "no origin": (TEXT.replace(f"origin {ORIGIN}\n", ""), "0 origins"),
    "two origins": (f"{TEXT}origin other.example\n", "2 origins"),
    "an empty origin": (TEXT.replace(f"origin {ORIGIN}", "origin"), "line 2"),
    "an origin that does not print": (TEXT.replace(f"origin {ORIGIN}", f"origin {ORIGIN}\u200b"), "line 2"),
    "no log key": ("\n".join(one for one in TEXT.split("\n") if not one.startswith("log ")), "0 log keys"),
    "two log keys": (f"{TEXT}log {made('log.example/b', 'log', 9)}\n", "2 log keys"),
    "an unknown word": (f"{TEXT}friend {LOG.vkey}\n", "'friend'"),
    "a log key as a witness": (f"{TEXT}witness {made('w.example/9', 'log', 9)}\n", "another type"),
    "a witness key as the log": (TEXT.replace(f"log {LOG.vkey}", f"log {made('x', 'witness', 9)}"), "another type"),
    "one key for two purposes": (REUSED, "one key"),
    "one key under two names": (f"{TEXT}witness {made('w.example/9', 'witness', 2)}\n", "one key"),
    "the log's key reused for certificates": (f"{TEXT}certificate {made('c', 'certificate', 1)}\n", "one key"),
    "a key that is none": (f"{TEXT}witness nonsense\n", "line 8"),
    "a key hidden in a comment": (f"{TEXT}# see\u2028witness {made('w.example/9', 'witness', 9)}\n", ""),
    "over the cap": (TEXT + "#" * 65_536, "first line"),
}


@pytest.mark.parametrize("case", sorted(BAD_PINS))
def test_an_unsound_pin_is_refused_or_trusts_nobody_more(case: str) -> None:
    text, said = BAD_PINS[case]
    if not said:
        assert parse_pins(text) == PINS
        return
    with pytest.raises(KeyFault, match=said):
        parse_pins(text)


@given(st.text())
def test_any_text_is_pins_or_refused(text: str) -> None:
    for tried in (text, TEXT + text, text + TEXT):
        try:
            found = parse_pins(tried)
        except KeyFault:
            continue
        assert found.log == PINS.log
