"""A shop's four providers, in a folder beside the store."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_saga.testing.providers import Bank, Delivery, Effect, Payments, Simulator, Stock
from agent_saga.trace.errors import AgentSagaError

FOLDER: Final = ".providers"
"""Behind the store's path: the folder of the providers' own files."""


class NoShop(AgentSagaError):
    """The providers' files cannot be made."""


@dataclass(frozen=True)
class Shop:
    """The four providers."""

    stock: Stock
    payments: Payments
    delivery: Delivery
    bank: Bank

    @classmethod
    def beside(cls, store: Path, *, idempotent: bool = True) -> "Shop":
        """The shop that belongs to a store; made when there is none. Raises NoShop."""
        folder = cls.folder(store)
        try:
            return cls(
                Stock(folder / "stock.db", idempotent=idempotent),
                Payments(folder / "payments.db", idempotent=idempotent),
                Delivery(folder / "delivery.db", idempotent=idempotent),
                Bank(folder / "bank.db", idempotent=idempotent),
            )
        except (OSError, sqlite3.Error) as fault:
            raise NoShop(f"{folder}: the providers' files cannot be made here: {fault}") from fault

    @classmethod
    def forgetful(cls, store: Path) -> "Shop":
        """The same shop, whose providers book every call, so that one repeated blindly shows. Raises NoShop."""
        return cls.beside(store, idempotent=False)

    @staticmethod
    def folder(store: Path) -> Path:
        """Where the files of the shop beside a store are."""
        return store.with_name(store.name + FOLDER)

    @property
    def providers(self) -> Mapping[str, Simulator]:
        """By name, as an engine takes them."""
        return {one.name: one for one in (self.stock, self.payments, self.delivery, self.bank)}

    def ledger(self) -> list[Effect]:
        """What really exists, of all four."""
        return [effect for provider in self.providers.values() for effect in provider.ledger()]
