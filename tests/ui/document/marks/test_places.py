"""An answer's place in words: its sentence, and where it is."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Heading, Kind, Opened, PageText
from app.core.report import Silent
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span
from app.documents.orders import Read
from app.documents.reader import read
from app.flows.history.history import entry_of, kept_answer
from app.ui.document.marks.places import place_in_file, place_of, where
from tests.helpers.spreadsheets import xlsx_of

POEM = "He read:\n\n  “The Queen made tarts,\n     All on a day:\n   The Knave of\n Hearts stole them!”\n\nConsider."


def answer(text: str, start: int, end: int) -> Answer:
    return Answer(0, Span(start, end), text[start:end], 0.94, 5.0, 1.0)


def of(text: str, name: str = "") -> Opened:
    return Opened(Document(text, name))


def test_the_sentence_is_shown_without_runs_of_blanks() -> None:
    start = POEM.index("The Knave")
    place = place_of(of(POEM, "poem.txt"), answer(POEM, start, POEM.index(" stole")))
    assert place.sentence[place.start : place.end] == "The Knave of Hearts"
    assert "  " not in place.sentence and "\n" not in place.sentence
    assert place.where == "line 5, at 56% of the text"
    assert place.likely == "Very likely, 94%"
    assert place.copied().startswith("The Knave of\n Hearts\n\n“") and place.copied().endswith(
        "(poem.txt, line 5, at 56% of the text)"
    )


def test_the_start_of_the_text_is_called_so() -> None:
    assert where(of("abc"), 0) == "line 1, at the start"


@given(st.text(min_size=1, max_size=80), st.data())
def test_the_words_stand_in_their_sentence_also_of_a_file_that_is_not_open(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    opened, found = of(text), answer(text, start, end)
    in_file = place_in_file("/papers/a.txt", kept_answer(opened, found))
    for place in (place_of(opened, found), in_file):
        assert "".join(place.sentence[place.start : place.end].split()) == "".join(found.text.split())
    assert in_file.sentence[in_file.start : in_file.end] == in_file.text
    assert in_file.source == "a.txt" and in_file.document == "/papers/a.txt"


def test_of_equal_words_in_a_sentence_those_of_the_answer_are_meant() -> None:
    text = "The bell rings at ten, and the gate is shut at ten."
    start = text.rindex("ten")
    place = place_in_file("bells.txt", kept_answer(of(text), answer(text, start, start + 3)))
    assert (place.sentence, place.start) == (text, start) and place.where == "line 1"


def test_a_page_and_its_heading_say_where() -> None:
    text = "Rules\n\nPasswords are long.\n\nMore\n\nThey are secret."
    pages = (PageText(595, 842, Span(0, 30)), PageText(595, 842, Span(30, len(text))))
    headings = (Heading(Span(0, 5), 1), Heading(Span(28, 32), 2))
    opened = Opened(Document(text, "rules.pdf"), Kind.PDF, headings, pages=pages)
    assert where(opened, 7) == "page 1, Rules"
    assert where(opened, text.index("secret")) == "page 2, More"
    labelled = Opened(
        Document(text), Kind.PDF, pages=(replace(pages[0], label="i"), replace(pages[1], label="2"))
    )
    assert (where(labelled, 7), where(labelled, len(text))) == ("page i (1 in the file)", "page 2")
    page = Opened(Document(text, "rules.htm"), Kind.HTML, headings)
    assert where(page, text.index("secret")) == "More, at 86% of the text"
    start = text.index("secret")
    assert place_of(opened, answer(text, start, start + 6)).copied().endswith("(rules.pdf, page 2, More)")


@pytest.mark.parametrize(
    ("opened", "card", "kept"),
    [
        (Opened(Document("Short.\nIt is high at noon.")), "line 2, at 81% of the text", "line 2"),
        (Opened(Document("long words " * 99 + "\nnoon"), lines=array("i", [0, 1090])),
         "line 2, at 100% of the text", "line 2"),
        (Opened(Document("Head\nnoon"), Kind.MARKDOWN, (Heading(Span(0, 4), 1),), lines=array("i", [0, 5, 5])),
         "line 3, Head", "line 3"),
        (Opened(Document("Head\nnoon"), Kind.HTML, (Heading(Span(0, 4), 1),)), "Head, at 56% of the text", ""),
        (Opened(Document("Head\nnoon"), Kind.PDF, pages=(PageText(9, 9, Span(0, 9), label="iv"),)),
         "page iv (1 in the file)", "page iv (1 in the file)"),
    ],
)  # fmt: skip
def test_the_history_says_the_same_place_as_the_card(opened: Opened, card: str, kept: str) -> None:
    at = opened.document.text.index("noon")
    assert where(opened, at) == card
    question = Question("When?", (opened.document,))
    reading = Reading(
        (answer(opened.document.text, at, at + 4),), True, 0.1, 0.5, 1, 1, 0.1, True, "m", "CPU"
    )
    best = entry_of(opened, question, reading).best
    assert best is not None and best.where == kept


def test_a_long_heading_is_cut_between_two_words() -> None:
    heading = "Word " * 40
    opened = Opened(Document(f"{heading}\nnoon"), Kind.HTML, (Heading(Span(0, len(heading)), 1),))
    assert where(opened, len(heading) + 1).split(",")[0].endswith("Word…")


def test_an_answer_is_not_below_itself() -> None:
    text = "Letters\nTo Tom Thompson, Leeds\nHe is well."
    start = text.index("Tom")
    headings = (Heading(Span(0, 7), 1), Heading(Span(start, start + 12), 2))
    opened = Opened(Document(text), Kind.PDF, headings, pages=(PageText(9, 9, Span(0, len(text))),))
    assert where(opened, start) == where(opened, text.index("Leeds")) == "page 1"
    assert where(opened, text.index("well")) == "page 1, Tom Thompson"
    kept = kept_answer(opened, answer(text, start, start + 12))
    assert place_in_file("letter.pdf", kept).where == "page 1"


@pytest.mark.parametrize(
    ("name", "data", "where", "cell"),
    [
        ("a.xlsx", xlsx_of({"Budget": [["Item", "Price"], ["Tea", 4.5]]}),
         "sheet Budget, cell B2", "Row: Tea · Column: Price"),
        ("a.csv", b"Item,Price\nTea,4.5\n", "row 2, column Price", "Row: Tea"),
    ],
)  # fmt: skip
def test_a_cell_is_named_by_its_sheet_or_column_once(name: str, data: bytes, where: str, cell: str) -> None:
    opened = read(Read("", name, data=data), Silent())
    start = opened.document.text.index("4.5")
    found = answer(opened.document.text, start, start + 3)
    place = place_of(opened, found)
    assert (place.where, place.cell) == (where, cell)
    assert place_in_file(f"/{name}", kept_answer(opened, found)).where == where
