"""What a stay costs."""

from datetime import timedelta

FREE = timedelta(minutes=10)
HOURLY_CENTS = 250
DAILY_CENTS = 1800


def fee(stay: timedelta) -> int:
    """Return the price of a stay in cents; the first ten minutes cost nothing."""
    if stay <= FREE:
        return 0
    days, rest = divmod(stay, timedelta(days=1))
    return days * DAILY_CENTS + min(_begun_hours(rest) * HOURLY_CENTS, DAILY_CENTS)


def _begun_hours(rest: timedelta) -> int:
    return -(-rest // timedelta(hours=1))
