"""Days and times in words, in this computer's time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime

from app.core.message import Message

_DAYS = (
    Message("Monday"), Message("Tuesday"), Message("Wednesday"), Message("Thursday"), Message("Friday"),
    Message("Saturday"), Message("Sunday"),
)  # fmt: skip
_MONTHS = (
    Message("January"), Message("February"), Message("March"), Message("April"), Message("May"), Message("June"),
    Message("July"), Message("August"), Message("September"), Message("October"), Message("November"),
    Message("December"),
)  # fmt: skip


def local(seconds: float) -> datetime:
    """Return a time in seconds since 1970 as local time, clipped to the calendar's range."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC) if seconds < 0 else datetime(9999, 12, 30, tzinfo=UTC)


def day(moment: date, today: date, *, within: bool = False) -> str:
    """Return a day in words: "Today", "Yesterday", "Friday, 20 November"; with the year if it is not this year.

    With `within` the words fit inside a sentence: "today", "yesterday".
    """
    match (today - moment).days:
        case 0:
            return Message("today") if within else Message("Today")
        case 1:
            return Message("yesterday") if within else Message("Yesterday")
    names = {"weekday": _DAYS[moment.weekday()], "day": moment.day, "month": _MONTHS[moment.month - 1]}
    if moment.year == today.year:
        return Message("{weekday}, {day} {month}", **names)
    return Message("{weekday}, {day} {month} {year}", **names, year=moment.year)


def plain_date(moment: date) -> str:
    """A day with its year: "20 November 2026"."""
    return Message("{day} {month} {year}", day=moment.day, month=_MONTHS[moment.month - 1], year=moment.year)


def date_and_time(moment: datetime) -> str:
    """A moment: "20 November 2026, 14:05"."""
    return Message("{date}, {time}", date=plain_date(moment), time=f"{moment:%H:%M}")


def iso(seconds: float) -> str:
    """Return a time in seconds since 1970 in UTC and ISO 8601: "2026-11-20T13:05:09Z"."""
    return local(seconds).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
