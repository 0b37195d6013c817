"""The stored values of cells in plain words that do not depend on a country or a format."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

# A spreadsheet keeps 15 digits of a number; more are noise of its sums.
_DIGITS = 15
_SMALLEST, _LARGEST = 1e-9, 1e21


def in_words(value: object) -> str:
    """A cell's value as it is read: "1234.5", "2026-11-26", "2026-11-26 14:30", "8:30" hours as "08:30", "TRUE"."""
    match value:
        case str():
            return value
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return _number(value)
        case datetime():
            day, hours = value.date().isoformat(), _hours(value.time())
            return f"{day} {hours}" if hours != "00:00" else day
        case date():
            return value.isoformat()
        case time():
            return _hours(value)
        case timedelta():
            return _length(value)
        case None:
            return ""
    return str(value)


def _number(value: float) -> str:
    if not _SMALLEST <= abs(value) < _LARGEST:
        return "0" if not value else f"{value:.{_DIGITS}g}"
    return f"{Decimal(f'{value:.{_DIGITS}g}'):f}"


def _hours(value: time) -> str:
    return value.isoformat("seconds" if value.second else "minutes")


def _length(value: timedelta) -> str:
    """Hours beyond a day are counted on: "36:15"."""
    minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
    words = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    return f"-{words}" if value < timedelta() else words
