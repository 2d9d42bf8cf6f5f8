"""The barrier and the tickets that open it."""

from datetime import datetime

from meter.fees import fee


class Refused(Exception):
    """The barrier stays down."""


class Gate:
    """One barrier, and the cars behind it."""

    def __init__(self) -> None:
        self._arrived: dict[str, datetime] = {}
        self._paid: set[str] = set()

    def enter(self, plate: str, now: datetime) -> None:
        """Let a car in and note when."""
        self._arrived[plate] = now

    def pay(self, plate: str, cents: int, now: datetime) -> int:
        """Take money for a stay and return the change.

        Raises:
            Refused: it is not enough.
        """
        due = fee(now - self._arrived[plate])
        if cents < due:
            raise Refused(f"{due - cents} cents are missing")
        self._paid.add(plate)
        return cents - due

    def leave(self, plate: str) -> None:
        if plate not in self._paid:
            raise Refused("not paid")
        self._paid.discard(plate)
        del self._arrived[plate]
