"""The values near a constant, by type: where a comparison that was moved by the least step answers otherwise."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any, Final

from agent_saga.policies.cel import types
from agent_saga.policies.cel.faults import Undefined
from agent_saga.policies.cel.limits import MAX_INT, MIN_INT
from agent_saga.policies.cel.times import offset, read_duration

MOST: Final = 48
"""Values of one kind that are kept: a table of constants longer than this is tried at its begin."""
LONGEST: Final = 300
"""Characters of a string that is made for its length alone, and entries of a list."""
NOON: Final = datetime(2026, 6, 17, 12, 0, tzinfo=UTC)
"""The usual time of a call: a Wednesday, no edge of anything."""


def near(kind: Any, beside: Sequence[Any]) -> list[Any]:
    """Values of a type near these constants, as JSON, each once; [] for a type that has none."""
    if isinstance(kind, types.ListType):
        return _lists(kind, beside)
    if isinstance(kind, types.MapType):
        return _maps(kind, beside)
    if isinstance(kind, types.ObjectType):
        return []  # what is in it is tried by its own paths
    make = _MAKERS.get(kind)
    return _once(make(beside), 3 * MOST if kind == types.TIMESTAMP else MOST) if make is not None else []


def _once(values: Iterable[Any], most: int) -> list[Any]:
    found: dict[tuple[type, Any], Any] = {}
    for value in values:
        found.setdefault((type(value), value), value)
        if len(found) >= most:
            break
    return list(found.values())


def numbers(beside: Sequence[Any]) -> list[int | float]:
    """The numbers that a constant stands for: itself, a number in a text, the seconds of a length of time."""
    found: list[int | float] = []
    for one in beside:
        if isinstance(one, int | float) and not isinstance(one, bool):
            found.append(one)
        elif isinstance(one, str):
            try:
                found.append(int(one))
            except ValueError:
                span = _span(one)
                found += [span // timedelta(seconds=1)] if span else []
    return found


def _ints(beside: Sequence[Any]) -> Iterator[int]:
    whole = [round(one) for one in numbers(beside) if math.isfinite(one)]
    for one in whole:
        yield from _within(one, one + 1, one - 1)
    yield from (0, 1, -1)
    for one in whole:
        yield from _within(-one, -one + 1, -one - 1)
    for one, two in product(whole, whole):
        yield from _within(one + two, one - two, one * two, *_quotients(one, two))
    for one, two in product(whole, whole):
        yield from _within(*(value + step for value in (one + two, one - two, one * two) for step in (1, -1)))
        yield from _within(*(value + step for value in _quotients(one, two) for step in (1, -1)))
    yield from (MAX_INT, MIN_INT)


def _quotients(one: int, two: int) -> tuple[int, ...]:
    return (one // two, -(-one // two)) if two else ()


def _within(*values: int) -> Iterator[int]:
    yield from (value for value in values if MIN_INT <= value <= MAX_INT)


def _doubles(beside: Sequence[Any]) -> Iterator[float]:
    real = [float(one) for one in numbers(beside) if abs(one) < 1e300]
    for one in real:
        yield from (one, math.nextafter(one, math.inf), math.nextafter(one, -math.inf), one + 1, one - 1)
    yield from (0.0, 0.5, -0.5)
    for one in real:
        yield from (-one, -one + 1, -one - 1)
    for one, two in product(real, real):
        yield from (value for value in (one + two, one - two, one * two, one / two if two else 0.0))


def _strings(beside: Sequence[Any]) -> Iterator[str]:
    texts = [one for one in beside if isinstance(one, str)]
    texts += [one.decode(errors="replace") for one in beside if isinstance(one, bytes)]
    yield from texts
    for one in texts:
        yield from (f"{one}a", f"a{one}", f"a{one}a", one[:-1], one[1:])
        if one:
            yield one[:-1] + chr(max(33, ord(one[-1]) - 1))
            yield one.swapcase()
    yield "other"
    yield ""
    for one, two in product(texts, texts):
        yield one + two
    for number in numbers(beside):
        yield from (str(round(number) + step) for step in (0, 1, -1))
        yield from ("a" * size for size in _sizes(number))
        yield repr(float(number))


def _sizes(number: int | float) -> Iterator[int]:
    yield from (round(number) + step for step in (0, 1, -1) if 0 <= round(number) + step <= LONGEST)


def _bools(_beside: Sequence[Any]) -> Iterator[bool]:
    yield from (True, False)


def _times(beside: Sequence[Any]) -> Iterator[str]:
    texts = [one for one in beside if isinstance(one, str)]
    moments = [at for text in texts if (at := _moment(text)) is not None]
    spans = [span for text in texts if (span := _span(text))]
    whole = [round(number) for number in numbers(beside)]
    spans += [unit * number for number in whole if abs(number) < 10_000 for unit in _UNITS]
    moments += [_EPOCH + timedelta(seconds=number) for number in whole if 10_000 < number < _LAST]
    bases = [NOON, *moments, *(at + step for at in moments for span in spans for step in (span, -span))]
    for at in bases:
        yield from _written(at)
    for number, zone in product(whole, [timedelta(0), *(zone for text in texts if (zone := _zone(text)))]):
        yield from _parts(number, zone)
    for at, step in product(bases, _STEPS):
        yield from _written(at + step)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = 200_000_000_000
_UNITS: Final = (timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
_STEPS: Final = tuple(timedelta(microseconds=number) for number in (1, -1, 1_000_000, 3_600_000_000))
_DATED: Final[tuple[tuple[Callable[[int], datetime], int, int], ...]] = (
    (lambda value: NOON.replace(hour=value), 0, 24),
    (lambda value: NOON.replace(minute=value), 0, 60),
    (lambda value: NOON.replace(second=value), 0, 60),
    (lambda value: NOON.replace(month=value), 1, 13),
    (lambda value: NOON.replace(month=value + 1), 0, 12),
    (lambda value: NOON.replace(day=value), 1, 31),
    (lambda value: NOON.replace(day=value + 1), 0, 30),
    (lambda value: NOON + timedelta(days=(value - 3) % 7), 0, 7),
    (lambda value: NOON.replace(month=1, day=1) + timedelta(days=value), 0, 366),
    (lambda value: NOON.replace(microsecond=value * 1000), 0, 1000),
    (lambda value: NOON.replace(year=value), 1000, 9999),
)
"""Times of which a part of the date is a number, and the numbers that it can be."""


def _parts(number: int, zone: timedelta) -> Iterator[str]:
    """Times at which a part of the date in a zone is this number, or the one beside it."""
    for value in (number, number + 1, number - 1):
        for made, low, high in _DATED:
            if low <= value < high:
                yield from _written(made(value) - zone)


def _zone(text: str) -> timedelta | None:
    try:
        return timedelta(seconds=offset(text))
    except Undefined:
        return None


def _span(text: str) -> timedelta | None:
    try:
        return timedelta(microseconds=read_duration(text).ns // 1000)
    except (Undefined, OverflowError):
        return None


def _moment(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _written(at: datetime) -> Iterator[str]:
    if 1000 <= at.year <= 9999:
        yield f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}Z"


def _lists(kind: Any, beside: Sequence[Any]) -> list[Any]:
    items = near(kind.item, beside)[:8] or [_least(kind.item)]
    found: list[Any] = [
        [],
        *([one] for one in items),
        *([one, two] for one, two in pairwise(items)),
    ]
    for number in numbers(beside):
        found += [[items[n % len(items)] for n in range(size)] for size in _sizes(number) if items]
    return found[:MOST]


def _least(kind: Any) -> Any:
    """An object with what it must have, each of the first value that its type has."""
    if isinstance(kind, types.ObjectType):
        return {name: _least(field.type) for name, field in kind.fields.items() if field.required}
    return next(iter(near(kind, ())), None)


def _maps(kind: Any, beside: Sequence[Any]) -> list[Any]:
    names = [one for one in beside if isinstance(one, str)][:4] or ["name"]
    values = near(kind.value, beside)[:6]
    found: list[Any] = [{}, *({name: value} for name in names for value in values)]
    for number in numbers(beside):
        found += [{f"k{n}": values[0] for n in range(size)} for size in _sizes(number) if values]
    return found[:MOST]


_MAKERS: Final[dict[Any, Callable[[Sequence[Any]], Iterator[Any]]]] = {
    types.INT: _ints,
    types.DOUBLE: _doubles,
    types.STRING: _strings,
    types.BOOL: _bools,
    types.TIMESTAMP: _times,
}
