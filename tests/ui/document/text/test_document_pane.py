"""The page of a plain text: highlights only where the page has the words, and what an edit does to them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from textwrap import fill

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.core.layout import Heading, Opened
from app.core.report import Silent
from app.core.text import Document, Span, utf16_units
from app.documents.plain_text import read_plain_text
from app.ui.document.marks.searchable import document_text, insertable
from app.ui.document.text import document_pane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.document.text.long_lines import added, as_shown, broken
from app.ui.kit.theme import Theme
from tests.helpers.widgets import coloured, read_units, select_words

PIECES = (
    "word", " ", ". ", "\n", "\r\n", "\r", "\n\n", "\t", "\0", "\u00ad", "\u2028", "\u2029", "\ufffc", "\ufdd0",
    "\ufeff", "\u00a0", "👩\u200d👩\u200d👧\u200d👦", "🏳️\u200d🌈", "👍🏽", "🇩🇪", "e\u0301", "a\u0308\u0323",
    "שָׁלוֹם", "مرحبا بالعالم", "\u202eabc\u202c",
    "𝔘𝔫𝔦", "漢字かな", "ไทย", "क्षि", "\ud83d", "\ude00", "ﬁ", "İ", "\x0b", "\x0c", "\x85", "﷽",
)  # fmt: skip


@pytest.fixture
def pane(theme: Theme, qtbot: QtBot) -> DocumentPane:
    pane = DocumentPane(theme)
    qtbot.addWidget(pane)
    pane.resize(760, 600)
    pane.show()
    return pane


def test_what_is_lit_is_what_the_answer_says_in_random_passages(pane: DocumentPane) -> None:
    chance = random.Random(20)
    for _ in range(80):
        pane.set_text("".join(chance.choices(PIECES, k=chance.randint(1, 60))))
        text = pane.text()
        places = []
        for _ in range(3):
            start = chance.randint(0, len(text))
            end = min(len(text), start + chance.randint(1, 12))
            if start < end:
                places.append((Span(start, end), text[start:end]))
        assert all(pane.light(places))
        assert pane.lit() == [words for _, words in places]
        for light, (_, words) in zip(pane.lights.places, places, strict=True):
            assert read_units(pane.document(), light.start, light.end) == words
        pane.grab()  # drawn without a complaint


def test_a_number_among_right_to_left_words_is_lit_whole(pane: DocumentPane) -> None:
    text = "עד המאה ה-19 הייתה כל העיר בתוך החומות"
    pane.set_text(text)
    words = "המאה ה-19"
    at = text.index(words)
    number = at + len(words) - 2
    spans = Span(at, at + len(words)), Span(number, number + 2), Span(number, number + 1)
    assert all(pane.light([(span, span.of(text)) for span in spans]))
    (box,), (digits,), (one,) = (pane.light_boxes(index) for index in range(3))
    assert box.right() > pane.viewport().width() / 2, "they stand at the right"
    assert box.left() <= digits.left() and digits.right() <= box.right()
    assert abs(one.left() - digits.left()) < 0.5 and one.right() < digits.right()
    assert min(coloured(pane, pane._theme, "answer_ground"))[0] <= digits.left() + 1


def test_a_far_light_is_scrolled_into_view_with_lines_above(pane: DocumentPane, qtbot: QtBot) -> None:
    text = "\n\n".join(f"Paragraph {number} has some words in it. " * 6 for number in range(400))
    pane.set_text(text)
    for number in (399, 3, 200):
        words = f"Paragraph {number} "
        at = text.index(words)
        pane.light([(Span(at, at + len(words)), words)])
        pane.reveal(0)
        qtbot.wait(10)
        (box,) = pane.light_boxes(0)
        assert box.top() >= 0 and box.bottom() <= pane.viewport().height()
        if number == 200:
            assert box.top() > pane.viewport().height() * 0.15
        before = pane.verticalScrollBar().value()
        pane.reveal(0)
        assert pane.verticalScrollBar().value() == before and not pane.moved_by_user()


def test_paragraphs_that_are_laid_out_later_are_no_scrolling_by_hand(
    pane: DocumentPane, qtbot: QtBot
) -> None:
    pane.resize(300, 400)
    lines = [
        f"Line {number} is long enough to be wrapped on a page as narrow as this one."
        for number in range(900)
    ]
    pane.set_text("\n".join(lines))
    at = pane.text().index("Line 600 ")
    pane.light([(Span(at, at + 9), "Line 600 ")])
    pane.reveal(0)
    qtbot.wait(50)
    before = pane.map.value()
    for further_up in range(500, 590):
        pane.blockBoundingRect(pane.document().findBlockByNumber(further_up))
    pane.viewport().update()
    qtbot.waitUntil(lambda: pane.map.value() > before)
    assert not pane.moved_by_user()
    pane.map.setValue(pane.map.value() - 1)
    assert pane.moved_by_user()


def test_an_edit_puts_the_lights_out_and_a_restyle_does_not(pane: DocumentPane) -> None:
    edits: list[bool] = []
    pane.edited.connect(lambda: edits.append(True))
    pane.set_text("One two three.")
    pane.light([(Span(4, 7), "two")])
    edits.clear()
    pane.set_heat([0.5] * 256)
    pane._theme.choose("dark", 1.5)
    assert pane.lit() == ["two"] and not edits
    cursor = pane.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText("T")
    assert pane.lit() == [] and edits == [True] and pane.map.heat == ()
    assert pane.text() == "One Two three."


def test_a_paste_is_made_clean(pane: DocumentPane) -> None:
    data = QMimeData()
    data.setText("a\r\nb\u2028c\u2029d")
    pane.insertFromMimeData(data)
    assert pane.text() == "a\nb\nc\nd"


@pytest.mark.parametrize(
    "unit",
    ["The quick brown fox jumps over it. ", "👩\u200d👩\u200d👧"],
)
def test_three_megabytes_in_one_line_are_broken_and_shown(
    pane: DocumentPane, qtbot: QtBot, unit: str
) -> None:
    told: list[bool] = []
    pane.lines_broken.connect(lambda: told.append(True))
    text = unit * (3_000_000 // len(unit) // (10 if unit[0] == "👩" else 1))
    pane.set_text(text)
    qtbot.wait(1)
    pane.grab()
    assert told == [True]
    block, longest = pane.document().firstBlock(), 0
    while block.isValid():
        longest = max(longest, block.length())
        block = block.next()
    assert longest <= 20_001
    shown = pane.text()
    assert shown.replace("\n", "").replace(" ", "") == text.replace(" ", "")
    at = len(shown) * 2 // 3
    pane.light([(Span(at, at + 5), shown[at : at + 5])])
    pane.reveal(0)
    qtbot.wait(1)
    assert pane.light_boxes(0)


def test_a_click_between_two_lines_goes_to_the_nearer_one(pane: DocumentPane, qtbot: QtBot) -> None:
    text = "word " * 60
    pane.set_text(text)
    pane.light([(Span(5, 250), text[5:250])])
    boxes = pane.light_boxes(0)
    assert len(boxes) > 2, "one in each line"
    assert all(above.bottom() < below.top() for above, below in pairwise(boxes))
    first, second = boxes[:2]
    x = first.left() + 100
    below_first = QPointF(x, first.bottom() + 1.5).toPoint()
    on_first = QPointF(x, first.center().y()).toPoint()
    qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=on_first)
    wanted = pane.textCursor().position()
    qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=below_first)
    assert pane.textCursor().position() == wanted
    assert second.top() - first.bottom() > 3, "there is air between the lines"


def test_the_page_has_a_comfortable_line_in_the_middle(pane: DocumentPane) -> None:
    pane.resize(1500, 600)
    pane.set_text(
        "Passwords are called secrets, and they must be at least twelve characters in length. " * 20
    )
    pane.grab()
    layout = pane.document().firstBlock().layout()
    lengths = [layout.lineAt(number).textLength() for number in range(layout.lineCount() - 1)]
    assert 60 < sum(lengths) / len(lengths) < 80
    right = pane.width() - pane.viewport().geometry().right()
    assert abs(pane.viewport().x() - right) < 40
    pane.resize(420, 600)
    assert pane.viewport().width() > 360


def test_a_text_that_was_broken_into_lines_by_hand_keeps_them(pane: DocumentPane) -> None:
    pane.resize(1500, 600)
    paragraph = "\n".join(["M" + "wide words in a row " * 3 + "mm and mom"] * 4)
    pane.set_text("\n\n".join([paragraph] * 12))
    pane.grab()
    block = pane.document().firstBlock()
    assert 65 < block.length() < 80 and block.layout().lineCount() == 1
    usual = pane.viewport().width()
    pane.set_text("Words that run on over many lines, as people write them now. " * 60)
    assert pane.viewport().width() <= usual


def below_the_last_line(pane: DocumentPane) -> float:
    """Return the pixels of the view below the last line of the text; negative where the line is cut off."""
    block, offset = list(pane.visible_blocks())[-1]
    assert not block.next().isValid(), "the last paragraph is seen"
    line = block.layout().lineAt(block.layout().lineCount() - 1)
    return pane.viewport().height() - (offset.y() + line.y() + line.height())


@pytest.mark.parametrize(
    "text", ["A line of some words.\n" * 200 + "The end", "one long paragraph of words " * 900]
)
def test_the_last_line_is_never_cut_off_at_the_end(pane: DocumentPane, qtbot: QtBot, text: str) -> None:
    pane.set_text(text)
    control = Qt.KeyboardModifier.ControlModifier
    for high in range(300, 340, 9):
        pane.resize(760, high)
        qtbot.keyClick(pane, Qt.Key.Key_Home, control)
        qtbot.keyClick(pane, Qt.Key.Key_End, control)
        assert below_the_last_line(pane) > pane.document().documentMargin() / 2, "the page's margin is seen"
        qtbot.keyClick(pane, Qt.Key.Key_Home, control)
        pane.moveCursor(QTextCursor.MoveOperation.End)
        qtbot.keyClicks(pane, "x")
        assert below_the_last_line(pane) >= 0, "while one types, too"


WORDS = "The tide is high at noon. "
LONG = "\n".join(WORDS * 8 for _ in range(3))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_pane, "PIECE", 7)


def filled(pane: DocumentPane) -> bool:
    return document_text(pane.document()) == pane.text()


def test_the_text_is_known_at_once_and_comes_on_the_page_later(
    small_pieces: None, pane: DocumentPane, qtbot: QtBot
) -> None:
    edits: list[str] = []
    pane.edited.connect(lambda: edits.append(pane.text()))
    pane.set_text(LONG)
    assert pane.text() == LONG
    assert pane.units() == utf16_units(LONG)
    assert len(document_text(pane.document())) < len(LONG)
    assert not pane.document().isUndoRedoEnabled()
    qtbot.waitUntil(lambda: filled(pane))
    assert pane.text() == LONG
    assert edits == [LONG]
    assert pane.document().isUndoRedoEnabled()
    assert not pane.document().isUndoAvailable()


def test_what_is_asked_of_the_page_meanwhile_finds_all_of_it(small_pieces: None, pane: DocumentPane) -> None:
    pane.set_text(LONG)
    at = LONG.rindex("noon")
    assert pane.light([(Span(at, at + 4), "noon")]) == [True]
    assert pane.lit() == ["noon"]
    pane.set_text(LONG + "\nthe end")
    assert select_words(pane, "the end")
    pane.set_text(LONG + "\nthe end")
    pane.go_to(len(LONG))
    assert filled(pane)


def test_a_letter_typed_meanwhile_changes_the_whole_text(
    small_pieces: None, pane: DocumentPane, qtbot: QtBot
) -> None:
    pane.set_text(LONG)
    qtbot.keyClick(pane, Qt.Key.Key_X)
    assert pane.text() == "x" + LONG
    assert filled(pane)
    pane.undo()
    assert pane.text() == LONG
    pane.set_text(LONG)
    pane.set_text("short")
    qtbot.wait(20)
    assert document_text(pane.document()) == pane.text() == "short", "nothing of the first is left"
    assert pane.document().isUndoRedoEnabled()


@given(
    st.text(st.characters(codec=None) | st.sampled_from("\ufeff\U0001f600\u0301\n\r\x00\ud800"), max_size=60)
)
def test_pieces_hold_what_the_whole_does(small_pieces: None, pane: DocumentPane, text: str) -> None:
    pane.set_text(text)
    pane._appender.at_once()
    assert document_text(pane.document()) == pane.text() == broken(insertable(text))[0]


def read(text: str) -> Opened:
    parts = read_plain_text(text.encode(), "a.txt", Silent())
    return Opened(
        Document(parts.text, view=parts.view), headings=parts.headings, lines=parts.lines, sha256="ab" * 32
    )


def test_behind_a_line_without_blanks_lines_are_those_of_the_file() -> None:
    text = "x" * 300_000 + "\n" + "a\n" * 50 + "The tide is high at noon.\n"
    tide = text.index("The tide")
    headed = replace(read(text), headings=(Heading(Span(tide, tide + 8), 1),))
    opened = as_shown(headed, broken(text)[0])
    shown = opened.document.text
    assert len(shown) > len(text)
    assert [opened.line_at(shown.index(words)) for words in ("x", "a", "tide")] == [1, 2, 52]
    assert opened.line_at(299_999) == 1
    assert opened.document.view is None, "its places are others than in the file"
    assert opened.headings == () and opened.sha256 == ""


def test_no_lines_are_told_of_a_page_that_shows_something_else() -> None:
    opened = as_shown(read("One\ntwo\n"), "One\ntwo and more\n")
    assert not opened.lines and opened.document.text == "One\ntwo and more\n"


@given(st.lists(st.text("ab .\u0301", max_size=40)), st.integers(4, 12))
def test_every_line_that_was_broken_is_known(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    shown, _ = broken(text, limit)
    breaks = added(text, limit)
    assert len(shown) == len(text) + len(breaks)
    # Without those line ends the page says what the file says, blanks and line ends aside.
    places = {at + before for before, at in enumerate(breaks)}
    assert all(shown[at] == "\n" for at in places)
    left = "".join(each for at, each in enumerate(shown) if at not in places)
    assert left.replace("\n", " ") == text.replace("\n", " ")


PROSE = fill(
    "The harbour wall was inspected on Tuesday, and the engineers say that two of the cracks have grown since the"
    " spring of this year. They want to close the quay for the whole winter, which the fishermen would hardly accept"
    " without any compensation. The council will hear both of them in December.",
    72,
)
BOOK = "\n\n".join(f"{number}\n\n{PROSE}\n\nA short line.\nAnd one more." for number in range(40))


def test_prose_that_was_broken_into_lines_runs_on_and_its_text_stays(pane: DocumentPane) -> None:
    pane.resize(420, 600)
    pane.set_text(PROSE)
    layout = pane.document().firstBlock().layout()
    assert pane.text() == PROSE and pane.blockCount() == 1
    pane.blockBoundingRect(pane.document().firstBlock())
    lengths = [layout.lineAt(number).naturalTextWidth() for number in range(layout.lineCount() - 1)]
    assert min(lengths) > 0.7 * max(lengths), "no line is ragged"
    pane.set_text(PROSE, "notes.log")
    assert pane.blockCount() == PROSE.count("\n") + 1, "a file's lines that are no prose by its name"


def test_an_answer_over_a_line_end_is_lit_and_found(pane: DocumentPane) -> None:
    pane.set_text(BOOK)
    end = BOOK.index("\n", BOOK.index("inspected"))
    answer = Span(end - 20, end + 20)
    assert pane.light([(answer, answer.of(BOOK)), (answer, "something else")]) == [True, False]
    assert pane.lit() == [answer.of(BOOK).replace("\n", " ")]
    pane.select(answer)
    assert pane.selected_words() == answer.of(BOOK), "what is taken as the right words is the text's"
    assert pane.createMimeDataFromSelection().text() == answer.of(BOOK).replace("\n", " ")


@pytest.mark.parametrize("file_has_more", [False, True])
def test_lines_are_those_of_the_text(pane: DocumentPane, file_has_more: bool) -> None:
    pane.set_text(BOOK)
    if not file_has_more:
        pane.number_lines(read(BOOK).lines)
    lines = BOOK.split("\n")
    assert pane.numbers() == len(lines)
    wanted = next(number for number, line in enumerate(lines, 1) if line == "20")
    pane.go_to_number(wanted)
    assert pane.number() == wanted
    assert pane.text()[pane.top() :].startswith("20\n")
    pane.go_to_number(wanted + 3)
    assert pane.text()[: pane.textCursor().position()].count("\n") == wanted + 2


def test_an_edit_changes_only_its_own_place(pane: DocumentPane, qtbot: QtBot) -> None:
    edits: list[str] = []
    pane.set_text(PROSE)
    pane.edited.connect(lambda: edits.append(pane.text()))
    qtbot.keyClick(pane, Qt.Key.Key_X)
    assert edits == ["x" + PROSE]
    assert pane.numbers() == PROSE.count("\n") + 1
    pane.undo()
    assert pane.text() == PROSE
    pane.selectAll()
    qtbot.keyClick(pane, Qt.Key.Key_Delete)
    assert pane.text() == ""
    pane.undo()
    assert pane.text() == PROSE, "the line ends are back, too"
    cursor = pane.textCursor()
    cursor.setPosition(PROSE.index("\n"))
    cursor.deleteChar()
    assert pane.text() == PROSE.replace("\n", "", 1)


def test_what_is_pasted_runs_on(pane: DocumentPane) -> None:
    data = QMimeData()
    data.setText(f"{PROSE}\n")
    pane.set_text("Before. After.")
    cursor = pane.textCursor()
    cursor.setPosition(len("Before. "))
    pane.setTextCursor(cursor)
    pane.insertFromMimeData(data)
    assert pane.text() == f"Before. {PROSE}\nAfter."
    assert pane.blockCount() == 2
    pane.undo()
    assert pane.text() == "Before. After."
    pane.redo()
    assert pane.text() == f"Before. {PROSE}\nAfter."


def test_pieces_of_prose_run_on_as_the_whole_does(
    pane: DocumentPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane.set_text(BOOK)
    whole = document_text(pane.document())
    assert whole.count("\n") < BOOK.count("\n") / 1.5
    monkeypatch.setattr(document_pane, "PIECE", 900)
    pane.set_text(BOOK)
    assert pane.text() == BOOK
    pane._appender.at_once()
    assert document_text(pane.document()) == whole
    assert pane.text() == BOOK


def test_a_text_is_not_laid_out_anew_while_its_font_stays(pane: DocumentPane) -> None:
    pane.set_text(BOOK)
    pane.grab()
    layout = pane.document().firstBlock().layout()
    assert layout.lineCount()
    pane._theme.refresh()
    assert layout.lineCount()
    width = pane._measure
    pane._theme.choose("light", 1.5)
    assert not layout.lineCount() and pane._measure > width
