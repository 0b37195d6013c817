"""Days and times in words, in this computer's time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def local(seconds: float) -> datetime:
    """The moment, in seconds since 1970, in local time; limited to the calendar's range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC) if seconds < 0 else datetime(9999, 12, 30, tzinfo=UTC)


def day(moment: date, today: date, *, within: bool = False) -> str:
    """A day: "Today", "Yesterday", "Friday, 20 November"; with the year if it is not this year.

    `within` is for a day within a sentence: "today", "yesterday".
    """
    days = (today - moment).days
    if days in (0, 1):
        words = "Yesterday" if days else "Today"
        return words.lower() if within else words
    year = "" if moment.year == today.year else f" {moment.year}"
    return f"{_DAYS[moment.weekday()]}, {moment.day} {_MONTHS[moment.month - 1]}{year}"


def plain_date(moment: date) -> str:
    """A day with its year: "20 November 2026"."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def date_and_time(moment: datetime) -> str:
    """A moment: "20 November 2026, 14:05"."""
    return f"{plain_date(moment)}, {moment:%H:%M}"


def iso(seconds: float) -> str:
    """The moment in UTC in ISO 8601: "2026-11-20T13:05:09Z"."""
    return local(seconds).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
