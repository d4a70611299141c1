"""A shop's four providers, in a folder beside the store."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_saga.testing.providers import Bank, Delivery, Effect, Payments, Simulator, Stock

FOLDER: Final = ".providers"
"""Behind the store's path: the folder of the providers' own files."""


@dataclass(frozen=True)
class Shop:
    """The four providers."""

    stock: Stock
    payments: Payments
    delivery: Delivery
    bank: Bank

    @classmethod
    def beside(cls, store: Path, *, idempotent: bool = True) -> "Shop":
        """The shop that belongs to a store; made when there is none."""
        folder = cls.folder(store)
        files = (folder / f"{kind.name}.db" for kind in (Stock, Payments, Delivery, Bank))
        stock, payments, delivery, bank = files
        return cls(
            Stock(stock, idempotent=idempotent),
            Payments(payments, idempotent=idempotent),
            Delivery(delivery, idempotent=idempotent),
            Bank(bank, idempotent=idempotent),
        )

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
