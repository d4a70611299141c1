"""The four providers of the demo. Every method raises Declined (nothing happened) or TimeoutError (it may have)."""

from typing import Any

from agent_saga.testing.providers.book import Booking
from agent_saga.testing.providers.simulator import Simulator


class Stock(Simulator):
    """A warehouse."""

    name = "stock"

    def reserve(self, item: str, quantity: int, key: str) -> Booking:
        """Set goods aside."""
        return self._book("reserve", key, {"item": item, "quantity": quantity})

    def release(self, reservation: str, key: str) -> Booking:
        """Put them back."""
        return self._book("release", key, {"reservation": reservation}, reverses=reservation)


class Payments(Simulator):
    """A payment provider; amounts are {"minor": 4200, "currency": "EUR"}."""

    name = "payments"

    def charge(self, card: str, amount: dict[str, Any], key: str) -> Booking:
        """Take money from a card."""
        return self._book("charge", key, {"card": card, "amount": amount}, amount=amount)

    def refund(self, charge: str, amount: dict[str, Any], key: str) -> Booking:
        """Give all or part of it back."""
        return self._book("refund", key, {"charge": charge, "amount": amount}, amount=amount, reverses=charge)


class Delivery(Simulator):
    """A carrier."""

    name = "delivery"

    def schedule(self, order: str, address: str, key: str) -> Booking:
        """Order a shipment."""
        return self._book("schedule", key, {"order": order, "address": address})

    def cancel(self, shipment: str, key: str) -> Booking:
        """Call it off."""
        return self._book("cancel", key, {"shipment": shipment}, reverses=shipment)


class Bank(Simulator):
    """A bank. Nothing takes a wire back."""

    name = "bank"

    def wire(self, account: str, amount: dict[str, Any], key: str) -> Booking:
        """Send money."""
        return self._book("wire", key, {"account": account, "amount": amount}, amount=amount)
