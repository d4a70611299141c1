"""Money in words: how many digits a currency has behind its point.

Source: ISO 4217, list one.
"""

from typing import Final

_WITHOUT_MINOR_UNIT: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_EXPONENTS: Final = {
    **dict.fromkeys(_WITHOUT_MINOR_UNIT.split(), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
"""Digits of the currencies that have not two."""


def exponent(currency: str) -> int:
    """Digits behind the point of a currency, by its ISO 4217 code; 2 for one that is not listed."""
    return _EXPONENTS.get(currency, 2)


def in_units(minor: int, currency: str, thousands: str = "") -> str:
    """Minor units as the currency writes them: 420000 of EUR is ``4200.00``; thousands: what stands between groups."""
    digits = exponent(currency)
    sign, units = "-" if minor < 0 else "", str(abs(minor)).rjust(digits + 1, "0")
    whole, part = (units[:-digits], "." + units[-digits:]) if digits else (units, "")
    grouped = f"{int(whole):,}".replace(",", thousands) if thousands else whole
    return f"{sign}{grouped}{part}"
