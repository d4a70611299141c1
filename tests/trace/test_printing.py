"""What is shown of somebody else's text: nothing steers the terminal, and nothing stands there unseen."""

from __future__ import annotations

import unicodedata

import pytest

from agent_saga.trace.printing import visible

UNSEEN = [
    0x00AD,
    0x034F,
    0x115F,
    0x1160,
    0x17B4,
    0x180E,
    0x200B,
    0x2060,
    0x3164,
    0xFE0F,
    0xFEFF,
    0xFFA0,
    0xE0041,
    0xE0100,
]
STEERING = [0x00, 0x07, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E, 0x2066, 0x2069]


@pytest.mark.parametrize("point", [*UNSEEN, *STEERING, 0x2800], ids="U+{:04X}".format)
def test_what_nobody_sees_or_what_steers_a_terminal_is_spelled_out(point: int) -> None:
    shown = visible(f"EUR 42{chr(point)}00")
    assert shown != "EUR 4200"
    assert shown.isascii()
    assert shown.isprintable()


def test_text_that_people_read_stays_as_it_is() -> None:
    for text in ("", "payments.wire at 12:00", "Žofie Ünsal, 東京, Αθήνα, \U0001f600", "e\u0301"):
        assert visible(text) == text


def test_no_format_or_control_character_of_unicode_comes_through() -> None:
    hidden = [
        c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    ]
    assert all(visible(c).isascii() for c in hidden)
