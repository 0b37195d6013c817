from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.view import view_of_text
from app.tasks.qa.row_order import Cell, Relation, order_in
from app.tasks.qa.rows import ORDER_GAIN, RowScores, table_rows
from app.tasks.text.sections import CachedText

HOTELS = """Hotel | Town | Price | Rooms | Opened
Anchor | Bath | $1,250 | 40 | 12 May 1999
Bell | York | $89.50 | 400 | 3 March 2008
Crown | Bath | $310 | 55 | 1 Jan 1987
Dove | Leeds | $99 | 70 | 30 June 2001
Total | | $1,748.50 | 565 |
"""
LATEST_FIRST = (
    "Year\tWinner\tTime\n2012\tAda Lund\t1:02.5\n2010\tBea Moss\t59.8\n"
    "2008\tCy Noll\t1:10.0\n2005\tDi Orr\t1:01.9\n"
)
STAGES = (
    "Name | Top speed\n--- | ---\nFirst stage | 900 km/h\nTransfer | 1,200 km/h\nFinal stage | 300 km/h\n"
)
EVENTS = (
    "Event | Action | Deadline\nBreach | Tell the owner | 72 hours\nTermination | Return all data | 30 days\n"
    "After arrival | Check the seals | 2 days\nAudit | Grant access | 10 days\n"
)
PLANS = (
    "Plan | Storage | Start | Seats\nSmall | 500 MB | 01/02/2025 | 20\nMedium | 5 GB | 15/06/2025 | 50\n"
    "Large | 1 TB | 03/01/2025 | 80\n"
)
PROSE = "\nThe first guest came after noon.\n\n"


def rows_meant(question: str, text: str) -> list[str]:
    """The first words of the rows of tables that are scored as meant; empty where no table tells them."""
    cached = CachedText(text, view_of_text(text))
    scores = RowScores(question, [cached])
    lines = [at for at, before in enumerate(f"\n{text}") if before == "\n" and at < len(text)]
    found = scores.at(0, np.array(lines))
    if found is None or found.max() < ORDER_GAIN:
        return []
    return [
        text[at:].split("|")[0].split("\t")[0].strip()
        for at, score in zip(lines, found, strict=True)
        if score == ORDER_GAIN
    ]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Which hotel has the highest price?", "Anchor"),
        ("which is the cheapest hotel?", "Bell"),
        ("what hotel has the most rooms?", "Bell"),
        ("Which has the second most rooms?", "Dove"),
        ("Which hotel in Bath has the lowest price?", "Crown"),
        ("what is the oldest hotel", "Crown"),
        ("which hotel is the most expensive", "Anchor"),
        ("the most recent hotel?", "Bell"),
        ("Which one has more rooms, Anchor or Crown?", "Crown"),
        ("What hotel was opened last?", "Bell"),
        ("which hotel is listed last", "Dove"),
        ("What is the first hotel of the list?", "Anchor"),
        ("What was the last year that a hotel was opened in?", "Bell"),
        ("did Anchor or Crown have more rooms?", "Crown"),
        ("Which hotel comes after Bell?", "Crown"),
        ("what hotel is above Bell", "Anchor"),
    ],
)
def test_the_row_that_the_question_tells_by_its_order(question: str, row: str) -> None:
    assert rows_meant(question, HOTELS) == [row]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Who was the first winner?", "2005"),
        ("who is the last winner listed in the table", "2005"),
        ("who won next after Bea Moss?", "2012"),
        ("who is listed after Bea Moss?", "2008"),
        ("who had the longest time", "2008"),
    ],
)
def test_rows_that_run_backwards_in_time(question: str, row: str) -> None:
    assert rows_meant(question, LATEST_FIRST) == [row]


@pytest.mark.parametrize(
    "question",
    [
        "How many rooms does the Bell have?",
        "Which has at least 50 rooms?",
        "What is the first name of the owner?",
        "What was the price of a hotel last year?",
        "How long does breakfast last in a hotel?",
        "Which hotel comes after the war?",
        "Which hotel comes after Dove?",  # there is none
        "who is the tallest guest?",
        "",
    ],
)
def test_no_row_where_the_question_or_the_table_tells_none(question: str) -> None:
    assert rows_meant(question, HOTELS) == []


@pytest.mark.parametrize(
    "question",
    [
        "What must be done after a breach?",
        "Who has to be told before termination?",
        "What happens after termination?",
        "What is the deadline after a breach?",
        "What is checked after arrival?",  # the row's own words
        "What is the shortest deadline?",
    ],
)
def test_what_is_done_after_an_event_stands_in_its_own_row(question: str) -> None:
    assert rows_meant(question, EVENTS) == []
    assert rows_meant("What comes after breach?", EVENTS) == ["Termination"]


@pytest.mark.parametrize(
    "question",
    [
        "Which plan has the most storage?",  # in several units
        "Which plan has the earliest start?",  # the day, or the month, comes first
        "Which plan has 30 or more seats?",
        "What plan is for below 50 seats?",
        "What is the final storage?",
    ],
)
def test_values_that_cannot_be_compared_and_bounds_tell_no_row(question: str) -> None:
    assert rows_meant(question, PLANS) == []
    assert rows_meant("Which plan has the most seats?", PLANS) == ["Large"]


def test_a_question_in_another_language_tells_no_row() -> None:
    cranes = "Kran | Höhe\nRot | 20 m\nBlau | 30 m\n"
    assert rows_meant("Welche Last hat der Kran?", cranes) == []
    assert rows_meant("Which is the last one?", cranes) == ["Blau"]


@pytest.mark.parametrize("most", ["1.250,50", "1250,5", "1 250,00", "1,250.5", "101,00", "101", "-1,00 to 9"])
def test_numbers_have_commas_or_points_for_decimals(most: str) -> None:
    table = f"Fee | Cost\nOne | 100,75\nTwo | {most}\nThree | 9,80\n"
    row = "One" if most.startswith("-") else "Two"
    assert rows_meant("Which fee has the highest cost?", table) == [row]


CAKES = """Cake | Price | Vegan | Nut free
Carrot cake | 3.80 | no | no
Lemon tart | 4.10 | No | yes
Banana bread | 3.20 | yes | yes
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which cake is vegan?", ["Banana bread"]),
        ("what vegan cakes are there", ["Banana bread"]),
        ("Which cakes are not vegan?", ["Carrot cake", "Lemon tart"]),
        ("Which cakes are free of nuts?", ["Lemon tart", "Banana bread"]),
        ("Is the banana bread vegan?", []),
        ("Which cake costs 4.10?", []),
    ],
)
def test_rows_with_a_yes_below_the_header_of_which_the_question_asks(question: str, rows: list[str]) -> None:
    assert rows_meant(question, CAKES) == rows


def test_a_row_may_be_named_by_a_word_of_order() -> None:
    for question in ("What is the speed of the final stage?", "top speed of the first stage"):
        assert rows_meant(question, STAGES) == []


def test_in_a_longer_text_only_tables_that_are_asked_about_have_a_first_row() -> None:
    text = PROSE + HOTELS + PROSE * 20 + LATEST_FIRST
    assert rows_meant("Who was the first winner?", text)[-1:] == ["2005"]
    assert rows_meant("who was the first to come?", text) == []
    assert rows_meant("What was the first choice of the winner?", text) == []
    assert rows_meant("who won after Bea Moss", text) == []
    assert rows_meant("who won next after Bea Moss", text)[-1:] == ["2012"]


def test_cells_have_their_headers() -> None:
    text = CachedText(HOTELS, view_of_text(HOTELS))
    assert table_rows(text).cells(HOTELS, 2, 3) == [
        (
            Cell("hotel", "Bell"),
            Cell("town", "York"),
            Cell("price", "$89.50"),
            Cell("rooms", "400"),
            Cell("opened", "3 March 2008"),
        )
    ]


def test_a_passage_does_not_show_which_row_of_its_table_is_first() -> None:
    cached = CachedText(HOTELS, view_of_text(HOTELS))
    found = RowScores("Which hotel has the most rooms?", [cached], are_whole=False).at(
        0, np.arange(len(HOTELS))
    )
    assert found is not None and found.max() == 0.0


def test_what_a_question_says_of_order() -> None:
    order = order_in("Which hotel has the second highest price?")
    assert order is not None
    assert (order.relation, order.direction, order.rank) == (Relation.EXTREME, 1, 1)
    order = order_in("Who came before Ada, if anyone?")
    assert order is not None
    assert (order.relation, order.direction, order.beside.strip()) == (Relation.BESIDE, -1, "ada")


def test_a_cell_of_very_many_digits_is_no_time_of_day() -> None:
    table = f"Run | Time\nOne | {'1' * 5000}:10:10\nTwo | 1:10:10\nThree | 2:10:10\n"
    assert rows_meant("Which run has the longest time?", table) == ["Three"]


@given(
    st.lists(
        st.sampled_from(
            ["most", "first", "last", "after", "rooms", "Bell", "1", "second", "or", "more", "?", "日本", "İ"]
        ),
        max_size=8,
    ).map(" ".join),
    st.lists(
        st.sampled_from(["Bell", "1:02", "May 2001", "-3", "first", "\t", "\t", "\n", "\n", "|", "²"])
    ).map("".join),
)
def test_any_question_and_text_score_finite_numbers(question: str, text: str) -> None:
    found = RowScores(question, [CachedText(text, view_of_text(text))]).at(0, np.arange(len(text)))
    assert found is None or (np.isfinite(found).all() and found.max(initial=0.0) <= ORDER_GAIN)
