"""What the database of disclosures holds, as it is read.

Source: docs/spec/store-v1.md, "Disclosures".
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

Values = Sequence[Any]
"""What stands for the question marks of a WHERE clause."""


class Database(Protocol):
    """A connection to the database that holds them, as sqlite3 has it: question marks, and no transaction by itself."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was begun."""
        ...

    def execute(self, statement: str, values: Any = ..., /) -> Any:
        """Run a statement; what comes of it has fetchone, fetchall and rowcount."""
        ...

    def executemany(self, statement: str, rows: Any, /) -> Any:
        """Run a statement for each row."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Row(NamedTuple):
    """A sealed disclosure as it is kept. key: the id of its key."""

    digest: str
    saga: str
    subject: str
    key: str
    sealed: bytes


class Erased(NamedTuple):
    """What is known of a value that was erased. at: POSIX seconds."""

    digest: str
    saga: str
    subject: str
    at: float


class Hold(NamedTuple):
    """A legal hold: nothing of the saga may be erased. since: POSIX seconds."""

    saga: str
    reason: str
    since: float


class Kept(NamedTuple):
    """What is kept of a store's disclosures.

    lost: digests whose key is not here, though nothing says that they were erased.
    """

    texts: list[str]
    erased: list[Erased]
    lost: list[str]


def select(connection: Database, which: str, values: Values) -> list[Row]:
    """Sealed rows, in the order in which they came. which: a WHERE clause, or nothing."""
    query = f"SELECT digest, saga, subject, key, sealed FROM disclosures {which} ORDER BY n"
    return [Row(*row) for row in connection.execute(query, values).fetchall()]
