from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.answer_table import Cell, CellState, Column, ColumnType
from app.core.corrections import Verdict
from app.core.history import KeptAnswer
from app.core.text import Span
from app.flows.answer_table.values import value, value_of


def shown(type: ColumnType, words: str, question: str = "") -> str | None:
    found = value(type, words, question=question)
    return found.shown if found is not None else None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("30/06/2025", "2025-06-30"),
        ("06/30/2025", "2025-06-30"),
        ("03/03/2025", "2025-03-03"),
        ("30. Juni 2025", "2025-06-30"),
        ("le 1er août 2025", "2025-08-01"),
        ("30 de junio de 2025", "2025-06-30"),
        ("June 2025", "2025-06"),
        ("in 1937", "1937"),
        ("03/04/2025", None),  # the third of April, or the fourth of March
        ("31 June 2025", None),
        ("from 1 May 2024 to 30 June 2025", None),
        ("30 June 2025 (2025-06-30)", "2025-06-30"),
        ("within 30 days", None),
        ("the Term", None),
        ("1.2.2025.7", None),
        ("", None),
    ],
)
def test_dates(words: str, expected: str | None) -> None:
    assert shown(ColumnType.DATE, words) == expected


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_every_day_is_read_however_it_is_spelt_and_sorted_as_in_the_calendar(day: date) -> None:
    names = "January February March April May June July August September October November December".split()
    number, month, year = day.day, names[day.month - 1], day.year
    for words in (
        day.isoformat(), f"{year}/{day.month}/{number}", f"{number:02}.{day.month:02}.{year}",
        f"{number} {month} {year}", f"on the {number}th day of {month}, {year}", f"{number}-{month[:3]}-{year}",
        f"{month} {number}, {year}", f"{month[:3]}. {number}th {year}",
    ):  # fmt: skip
        found = value(ColumnType.DATE, words)
        assert found is not None and found.shown == day.isoformat(), words
        assert found.sort_key == ("", float(day.toordinal()))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("£48,000", "GBP 48,000"),
        ("£48,000 per annum", "GBP 48,000"),
        ("£48,000 (forty-eight thousand pounds)", "GBP 48,000"),
        ("EUR 1.2 million", "EUR 1,200,000"),
        ("€1.2m", "EUR 1,200,000"),
        ("12.400 euros", "EUR 12,400"),
        ("1.234,50 €", "EUR 1,234.50"),
        ("USD 1,234.5", "USD 1,234.50"),
        ("US$ 3bn", "USD 3,000,000,000"),
        ("$500", "$ 500"),
        ("500 dollars", "$ 500"),
        ("CHF 1'200.50", "CHF 1,200.50"),
        ("₹1,00,000", "INR 100,000"),
        ("-£5", "GBP -5"),
        ("£20k under clause 4.1", "GBP 20,000"),
        ("forty-eight thousand pounds (£48,000)", "GBP 48,000"),
        ("£500 a month", "GBP 500"),
        ("£48,000, 12 months' rent", "GBP 48,000"),
        ("$1,500 a quarter", "$ 1,500"),
        ("each quarter $1,500", "$ 1,500"),
        ("US$ 50,000 half-yearly", "USD 50,000"),
        ("$500 third party", "$ 500"),
        ("first $10,000", "$ 10,000"),
        ("$10,000 first year", "$ 10,000"),
        ("£5 or £6", None),
        ("EUR 12 million 500 thousand", None),
        ("5 million 500 thousand euros", None),
        ("EUR 5 Mrd", None),
        ("₹5 crore", None),
        ("$500-600", None),
        ("$5 to 10 million", None),
        ("£5 and 50 pence", None),
        ("($500)", None),
        ("loss (£500)", None),
        ("minus $5", None),
        ("£5 or €5", None),
        ("48,000", None),
        ("1.2.3.4 euros", None),
        ("chapter 12", None),
    ],
)
def test_amounts(words: str, expected: str | None) -> None:
    assert shown(ColumnType.AMOUNT, words) == expected


@given(st.integers(0, 10**12), st.sampled_from([("£", ""), ("", " EUR"), ("US$ ", ""), ("", " euros")]))
def test_an_amount_reads_the_same_with_and_without_separators(amount: int, around: tuple[str, str]) -> None:
    before, after = around
    plain, grouped = (value(ColumnType.AMOUNT, f"{before}{amount:{form}}{after}") for form in ("d", ",d"))
    assert plain is not None and plain == grouped
    assert Decimal(plain.sort_key[1]) == amount


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sixty (60) days", "60 days"),
        ("sixty days", "60 days"),
        ("at least 60 business days", "60 business days"),
        ("twenty-one days", "21 days"),
        ("two hundred", "200"),
        ("79.6 %", "79.6%"),
        ("79.6 per cent", "79.6%"),
        ("12,400", "12,400"),
        ("12 400", "12,400"),
        ("0.125", "0.125"),
        ("3.14159", "3.14159"),
        ("1.2 million people", "1,200,000"),
        ("-5", "-5"),
        ("first 30 days", "30 days"),
        ("the first 12 months", "12 months"),
        ("the first twelve months", "12 months"),
        ("5 years, first", "5 years"),
        ("5 third parties", "5"),
        ("10 third-party licences", "10"),
        ("12.400", None),  # twelve point four, or twelve thousand and four hundred
        ("two hundred fifty", None),
        ("one hundred twenty days", None),
        ("two million", None),
        ("five thousand two hundred", None),
        ("one hundredth", None),
        ("twenty-first", None),
        ("twenty second", None),
        ("two thirds", None),
        ("one third of the rent", None),
        ("one-half", None),
        ("one quarter", None),
        ("a third of 6", None),
        ("2 and a quarter", None),
        ("two and half years", None),
        ("three and a half years", None),
        ("three years and a half", None),
        ("2 years, six months", None),
        ("one and a half (1.5) years", "1.5 years"),
        ("2 dozen", None),
        ("half of 2", None),
        ("(12%)", None),
        ("minus five", None),
        ("negative 5%", None),
        ("between 5 and ten", None),
        ("between 5 and 10", None),
        ("one or two", None),
        ("many", None),
        ("A4", None),
        ("1" * 60, None),
    ],
)
def test_numbers(words: str, expected: str | None) -> None:
    assert shown(ColumnType.NUMBER, words) == expected


def test_lengths_of_time_are_sorted_by_their_length() -> None:
    lengths = ["2 years", "36 hours", "3 months", "60 days", "1 week"]
    keys = {words: value(ColumnType.NUMBER, words) for words in lengths}
    order = sorted(lengths, key=lambda words: keys[words].sort_key)  # type: ignore[union-attr]
    assert order == ["36 hours", "1 week", "60 days", "3 months", "2 years"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Yes", "Yes"),
        ("No.", "No"),
        ("Yes, with consent", "Yes"),
        ("The Tenant shall not assign this Lease", "No"),
        ("pets are prohibited", "No"),
        ("no pets", "No"),
        ("employees don’t receive a bonus", "No"),
        ("Subletting is permitted", "Yes"),
        ("shall not assign without the Landlord's consent", None),
        ("shall not be unreasonably withheld", None),
        ("not prohibited", None),
        ("may sublet", None),
        ("Nobel Prize", None),
        ("in writing", None),
    ],
)
def test_yes_and_no(words: str, expected: str | None) -> None:
    assert shown(ColumnType.YES_NO, words) == expected


def test_a_question_for_the_contrary_takes_only_a_plain_word() -> None:
    assert shown(ColumnType.YES_NO, "Pets are prohibited", "Are pets prohibited?") is None
    assert shown(ColumnType.YES_NO, "Yes, pets are prohibited", "Are pets prohibited?") == "Yes"


@pytest.mark.parametrize(
    ("words", "sentence", "expected"),
    [
        ("The Tenant shall not", "The Tenant shall not sublet.", "No"),
        ("sublet", "The Tenant shall not sublet.", "No"),
        ("The Tenant shall not", "The Tenant shall not sublet without consent.", None),
        ("Yes", "Pets: Yes, but not in the garden.", "Yes"),
    ],
)
def test_yes_and_no_are_looked_for_in_the_whole_sentence(
    words: str, sentence: str, expected: str | None
) -> None:
    column = Column(1, "May the tenant sublet?", ColumnType.YES_NO)
    answer = KeptAnswer(Span(0, len(words)), words, 0.9, sentence)
    cell = Cell(1, "", CellState.ANSWER, answer)
    found = value_of(cell, column)
    assert (found.shown if found is not None else None) == expected
    taken = replace(cell, verdict=Verdict.OTHER_WORDS, right_words="No", right_span=Span(50, 52))
    found = value_of(taken, column)
    assert found is not None and found.shown == "No"


def test_without_words_there_is_no_value() -> None:
    column = Column(1, "May the tenant sublet?", ColumnType.YES_NO)
    assert value_of(Cell(1, "", CellState.ABSENT), column) is None
    answer = KeptAnswer(Span(0, 2), "No", 0.9, "No.")
    cell = Cell(1, "", CellState.ANSWER, answer, verdict=Verdict.NOT_THERE)
    assert value_of(cell, column) is None


@given(st.text(), st.sampled_from(ColumnType))
def test_any_words_have_a_value_or_none(words: str, type: ColumnType) -> None:
    found = value(type, words)
    assert found is None or (found.shown and found.sort_key[1] == found.sort_key[1])
    assert type is not ColumnType.WORDS or found is None
