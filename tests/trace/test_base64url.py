"""Unpadded base64url is what the standard library writes, without its padding."""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode

import pytest

from agent_saga.trace.base64url import decoded, unpadded

SAMPLES = [random.Random(length).randbytes(length) for length in range(70)] + [bytes(range(256)), b"\xfb\xff\xfe" * 9]


@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_bytes_have_one_spelling(data: bytes) -> None:
    text = unpadded(data)
    assert text == urlsafe_b64encode(data).decode().rstrip("=")
    assert decoded(text) == data
