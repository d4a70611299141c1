"""Simulated providers: stock, payments, delivery and a bank, each with a ledger of its own in a real SQLite file.

A ledger survives the process that called, and counts what really happened: so a test can kill a saga anywhere and ask
afterwards whether anybody was charged twice. A provider can be told to misbehave (:class:`Fault`); what it was told
stands in its file as well.

- :mod:`~agent_saga.testing.providers.book`: the file, what stands in it, and the reader of it
- :mod:`~agent_saga.testing.providers.simulator`: what every provider does with a call
- :mod:`~agent_saga.testing.providers.shop`: the four providers
"""

from agent_saga.testing.providers.book import Booking, Effect, Reader
from agent_saga.testing.providers.shop import Bank, Delivery, Payments, Stock
from agent_saga.testing.providers.simulator import Declined, Fault, Simulator

__all__ = [
    "Bank",
    "Booking",
    "Declined",
    "Delivery",
    "Effect",
    "Fault",
    "Payments",
    "Reader",
    "Simulator",
    "Stock",
]
