"""The page of a flowing document: laid out as its blocks say, and with exactly the answer's words highlighted."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from textwrap import fill

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PySide6.QtCore import QPoint, QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Block, BlockKind, Kind, Opened, Style, Styled, Table
from app.core.report import Silent
from app.core.text import Document, Span
from app.documents.orders import Read
from app.documents.reader import read
from app.ui.document.flowing import rich_pane
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.kit.theme import Theme
from tests.helpers.widgets import coloured, read_units

WORDS = (
    "word", "the", "of", "👩\u200d👩\u200d👧\u200d👦", "🏳️\u200d🌈", "👍🏽", "e\u0301", "a\u0308\u0323",
    "שָׁלוֹם", "לכולם", "مرحبا", "بالعالم", "𝔘𝔫𝔦", "漢字かな", "ไทย", "12", "(x)", "\ufeffa", "\u00ad", "ﬁ",
)  # fmt: skip
RIGHT, LEFT = Qt.MouseButton.RightButton, Qt.MouseButton.LeftButton


class Writer:
    """Generate a text with its blocks, as a reader of documents gives them."""

    def __init__(self) -> None:
        self.text = ""
        self.blocks: list[Block] = []
        self.tables: list[Table] = []

    def block(self, kind: BlockKind, words: str, after: str = "\n\n", **more: object) -> Span:
        span = Span(len(self.text), len(self.text) + len(words))
        self.blocks.append(Block(kind, span, **more))  # type: ignore[arg-type]
        self.text += words + after
        return span

    def paragraph(self, words: str, *styles: tuple[str, Style]) -> Span:
        start = len(self.text)
        styled = tuple(
            Styled(Span(start + words.index(part), start + words.index(part) + len(part)), style)
            for part, style in styles
        )
        return self.block(BlockKind.PARAGRAPH, words, styles=styled)

    def table(
        self, rows: list[list[str]], header: int = 1, merged: dict | None = None
    ) -> dict[tuple[int, int], Span]:
        spans = {}
        for row, cells in enumerate(rows):
            for column, words in enumerate(cells):
                if words:
                    spans[row, column] = self.block(
                        BlockKind.CELL, words, "", table=len(self.tables), row=row, column=column
                    )
                self.text += "\t" if column < len(cells) - 1 else "\n"
        self.text += "\n"
        self.tables.append(Table(len(rows), max(map(len, rows)), header, merged or {}))
        return spans

    def opened(self) -> Opened:
        return Opened(
            Document(self.text, "a.docx"), Kind.DOCX, blocks=tuple(self.blocks), tables=tuple(self.tables)
        )


@pytest.fixture
def pane(theme: Theme, qtbot: QtBot) -> RichPane:
    pane = RichPane(theme)
    qtbot.addWidget(pane)
    pane.resize(860, 600)
    pane.show()
    return pane


def is_finished(pane: RichPane) -> bool:
    """Whether the whole page is built and all heights are known."""
    return pane._built and not pane._timer.isActive()


def finish(pane: RichPane, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: is_finished(pane), timeout=20_000)


def random_document(chance: random.Random, blocks: int) -> Writer:
    writer = Writer()

    def words(most: int = 14) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    for _ in range(blocks):
        match chance.randrange(7):
            case 0:
                writer.block(BlockKind.HEADING, words(5), level=chance.randint(1, 6))
            case 1:
                for number in range(chance.randint(1, 3)):
                    writer.block(
                        BlockKind.ITEM, words(), "\n", level=chance.randint(1, 3), marker=f"{number}."
                    )
                writer.text += "\n"
            case 2:
                writer.block(BlockKind.CODE, "\n".join(words(6) for _ in range(chance.randint(1, 90))))
            case 3:
                writer.block(BlockKind.QUOTE, words(), level=chance.randint(1, 2))
            case 4:
                rows, columns = chance.randint(1, 4), chance.randint(1, 4)
                merged = {(0, 0): (min(2, rows), min(2, columns))} if chance.random() < 0.3 else {}
                covered = {(r, c) for r in range(2) for c in range(2)} - {(0, 0)} if merged else set()
                cells = [["" if (r, c) in covered else words(4) for c in range(columns)] for r in range(rows)]
                writer.table(cells, merged=merged)
            case _:
                writer.block(BlockKind.PARAGRAPH, words(60).replace(" of ", "\n"))
    return writer


def random_places(chance: random.Random, text: str, count: int, longest: int) -> list[tuple[Span, str]]:
    """Generate spans of a text that are not blank, with their words."""
    places: list[tuple[Span, str]] = []
    while len(places) < count:
        start = chance.randrange(len(text))
        span = Span(start, min(len(text), start + chance.randint(1, longest)))
        if span.of(text).strip():
            places.append((span, span.of(text)))
    return places


def lit_boxes(pane: RichPane, spans: Iterable[Span]) -> list[list[QRectF]]:
    """Highlight spans, and return the boxes of each."""
    places = [(span, span.of(pane.text())) for span in spans]
    assert all(pane.light(places))
    return [pane.light_boxes(index) for index in range(len(places))]


def squeezed(words: str) -> str:
    """Words without blanks: those between two blocks are told in other ways on the page than in the text."""
    return "".join(words.replace("\u2060", "\ufeff").split())


@given(some.integers(0, 1 << 30))
def test_what_is_lit_is_what_the_answer_says(pane: RichPane, seed: int) -> None:
    chance = random.Random(seed)
    opened = random_document(chance, chance.randint(1, 12)).opened()
    pane.show_document(opened)
    text = pane.text()
    assert text == opened.document.text
    places = random_places(chance, text, 8, 80)
    assert all(pane.light(places))
    for light, (_, words) in zip(pane.lights.places, places, strict=True):
        assert squeezed(read_units(pane.document(), light.start, light.end)) == squeezed(words)
        back = Span(pane._places.to_point(light.start), pane._places.to_point(light.end))
        assert back.of(text).strip() == words.strip()
    while not pane.is_whole():  # on a busy machine its end is not there yet
        pass
    for point in range(len(text)):
        at = pane._places.to_point(pane._places.to_qt(point))
        assert at == point or text[at:point].isspace()
    pane.grab()


def test_only_words_that_blocks_show_are_lit_also_over_several(pane: RichPane) -> None:
    writer = Writer()
    first = writer.paragraph("One two three.")
    second = writer.paragraph("Four five six.")
    writer.text += "Words of no block.\n\n"
    last = writer.paragraph("Seven.")
    pane.show_document(writer.opened())
    both, hidden = Span(first.start, second.end), Span(second.start, last.end)
    assert pane.light([(span, span.of(writer.text)) for span in (both, hidden)]) == [True, False]
    assert len(pane.light_boxes(0)) == 2
    assert pane.lit() == ["One two three.\nFour five six."]


def test_the_light_lies_under_the_words_of_a_cell(pane: RichPane) -> None:
    writer = Writer()
    writer.paragraph("A table follows.")
    spans = writer.table(
        [["Name", "Meaning"], ["GET", "Transfer a representation"], ["HEAD", "The same without"]]
    )
    pane.show_document(writer.opened())
    cell = spans[1, 1]
    words = Span(cell.start + 9, cell.end)
    pane.light([(words, "a representation"), (spans[2, 0], "HEAD")])
    (box,), (other,) = pane.light_boxes(0), pane.light_boxes(1)
    found = coloured(pane, pane._theme, "answer_ground")
    assert found
    assert (
        abs(min(x for x, _ in found) - box.left()) <= 2 and abs(max(x for x, _ in found) - box.right()) <= 2
    )
    assert min(y for _, y in found) >= box.top() - 2 and max(y for _, y in found) <= box.bottom() + 3
    assert other.right() < box.left() and other.top() > box.bottom()
    cursor = pane.cursorForPosition(box.center().toPoint())
    cursor.select(QTextCursor.SelectionType.WordUnderCursor)
    assert cursor.selectedText() == "representation"


def test_cells_stand_in_columns_and_merged_ones_over_them(pane: RichPane) -> None:
    writer = Writer()
    rows = [["Both columns", "", "C"], ["a", "b", "down"], ["long words " * 12, "d", ""]]
    spans = writer.table(rows, merged={(0, 0): (1, 2), (1, 2): (2, 1)})
    pane.show_document(writer.opened())
    boxes = dict(zip(spans, lit_boxes(pane, spans.values()), strict=True))
    assert boxes[0, 0][0].left() == pytest.approx(boxes[1, 0][0].left(), abs=2)
    assert boxes[1, 1][0].left() == pytest.approx(boxes[2, 1][0].left(), abs=2)
    assert boxes[0, 2][0].left() == pytest.approx(boxes[1, 2][0].left(), abs=2)
    assert boxes[1, 0][0].right() < boxes[1, 1][0].left() < boxes[1, 2][0].left()
    assert boxes[2, 1][0].top() == pytest.approx(boxes[2, 0][0].top(), abs=2)
    assert len(boxes[2, 0]) > 1, "long words are broken in their column"
    assert boxes[2, 0][0].top() > boxes[1, 0][0].bottom()
    assert len(boxes[0, 0]) == 1, "a cell over two columns gives them room"
    line = pane._theme.colour("line")
    image = pane.viewport().grab().toImage()
    y = round(boxes[0, 0][0].center().y())
    vertical = [x for x in range(2, image.width() - 2) if QColor(image.pixel(x, y)) == line]
    assert len(vertical) == 3, "no border runs through a cell that reaches over two columns"


@pytest.mark.parametrize("style", [None, Style.STRONG, Style.CODE])
def test_words_of_narrow_columns_are_not_broken_where_the_page_has_room(
    pane: RichPane, style: Style | None
) -> None:
    writer = Writer()
    longest = "Attachments_and_the_name"
    rows = [["From", "Ann Smith", "1"], [longest, "notes " * 60, "Section"]]
    spans = writer.table([*rows, *([["1.2.3.4", "note", f"15.5.{row}"] for row in range(30)])], header=0)
    for index, block in enumerate(writer.blocks[:6]) if style is not None else ():
        writer.blocks[index] = replace(block, styles=(Styled(block.span, style),))
    pane.show_document(writer.opened())
    short = [spans[0, 0], spans[1, 2]]
    assert [len(boxes) for boxes in lit_boxes(pane, [*short, spans[1, 0]])] == [1, 1, 1]
    pane.resize(330, 600)  # no room for all: the short words stay whole
    assert [len(boxes) for boxes in lit_boxes(pane, short)] == [1, 1]


def test_a_cell_is_not_broken_where_the_table_has_room(pane: RichPane) -> None:
    writer = Writer()
    widest = {(1, 0): "Dmitri Orlov", (2, 1): "MWMWMW WMWMWM"}
    spans = writer.table([["Name", "Code"], [widest[1, 0], "a b"], ["Ann", widest[2, 1]]])
    pane.show_document(writer.opened())
    pane.light([(spans[at], words) for at, words in widest.items()])
    assert [len(pane.light_boxes(number)) for number in range(2)] == [1, 1]


def test_a_large_sheet_never_stalls_and_a_far_cell_is_lit_once_it_is_there(
    pane: RichPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rich_pane, "_PATIENCE", 0.0)  # as if it were many times larger
    writer = Writer()
    writer.table([[f"cell {row} {column}" for column in range(10)] for row in range(600)])
    opened, last = writer.opened(), writer.blocks[-1].span
    pane.show_document(opened)
    assert pane.light([(last, last.of(writer.text)), (last, "something else")]) == [True, False]
    pane.reveal(0)
    assert pane.light_boxes(0) == [] and pane.map.value() == 0, "it is not built so far yet"
    qtbot.waitUntil(lambda: bool(pane.light_boxes(0)))
    assert pane.lit() == [last.of(writer.text)] and not pane.moved_by_user()
    pane.show_document(opened)
    pane.go_to(last.start)
    qtbot.waitUntil(lambda: pane.map.maximum() > 1000)
    pane.map.setValue(40)
    finish(pane, qtbot)
    assert pane.map.value() < 1000, "who scrolls meanwhile stays where he is"


def test_right_to_left_words_stand_at_the_right_and_their_table_is_mirrored(pane: RichPane) -> None:
    writer = Writer()
    hebrew = writer.paragraph("שלום לכולם, זה טקסט קצר")
    english = writer.paragraph("Hello to all")
    item = writer.block(BlockKind.ITEM, "فقرة قصيرة", level=1, marker="1.")
    spans = writer.table([["الاسم", "المعنى"], ["1.0", "كلمة"]])
    pane.show_document(writer.opened())
    order = [hebrew, english, item, spans[0, 0], spans[0, 1], spans[1, 0]]
    boxes = [box for box, *_ in lit_boxes(pane, order)]
    middle = pane.viewport().width() / 2
    right = pane._page.setting.left + pane._page.setting.width
    assert boxes[0].right() == pytest.approx(right, abs=2) and boxes[1].left() < middle
    assert boxes[2].right() < right - 10, "there is room for the marker at the right"
    assert boxes[3].left() > boxes[4].right(), "the first column stands at the right"
    assert boxes[5].right() == pytest.approx(boxes[3].right(), abs=2), "figures stand where the words do"
    at = pane.cursorForPosition(QPoint(round(boxes[0].right()) - 3, round(boxes[0].center().y()))).position()
    assert at <= 1


def test_blocks_are_told_apart(pane: RichPane) -> None:
    writer = Writer()
    kinds = [
        writer.block(BlockKind.HEADING, "Heading one", level=1),
        writer.block(BlockKind.HEADING, "Heading three", level=3),
        writer.paragraph("Plain, strong words here", ("strong", Style.STRONG)),
        writer.block(BlockKind.ITEM, "Outer", "\n", level=1, marker="•"),
        writer.block(BlockKind.ITEM, "Inner", "\n", level=2, marker="◦"),
        writer.block(BlockKind.QUOTE, "Quoted", level=1),
        writer.block(BlockKind.CODE, "iiii\nmmmm"),
    ]
    pane.show_document(writer.opened())
    boxes = lit_boxes(pane, kinds)
    high = [box[0].height() for box in boxes]
    assert high[0] > high[1] > high[2]
    lefts = [box[0].left() for box in boxes]
    assert (
        lefts[0] == pytest.approx(lefts[2], abs=2) and lefts[2] < lefts[3] < lefts[4] and lefts[5] > lefts[2]
    )
    narrow, wide = boxes[6]
    assert narrow.width() == pytest.approx(wide.width(), abs=0.5), "letters of code are equally wide"
    gaps = [below[0].top() - above[-1].bottom() for above, below in pairwise(boxes)]
    assert gaps[3] < gaps[2], "items stand closer together than paragraphs"
    assert len(coloured(pane, pane._theme, "desk")) > 2000, "code stands on a ground of its own"


def test_nothing_is_loaded_and_a_click_on_a_link_leads_nowhere(
    pane: RichPane, qtbot: QtBot, tmp_path: Path
) -> None:
    writer = Writer()
    span = writer.paragraph("See the page <img src='file:///etc/passwd'> for more", ("page", Style.LINK))
    pane.show_document(writer.opened())
    assert (
        pane.document().resource(QTextDocument.ResourceType.ImageResource, QUrl("file:///etc/passwd")) is None
    )
    assert pane.loadResource(2, QUrl("http://example.org/a.png")) is None
    assert pane.document().toPlainText() == span.of(writer.text)
    pane.light([(Span(8, 12), "page")])
    place = pane.light_boxes(0)[0].center().toPoint()
    assert pane.anchorAt(place) == ""
    pane.clear_highlights()
    qtbot.mouseClick(pane.viewport(), LEFT, pos=place)
    assert pane.text() == writer.text


def long_document(paragraphs: int = 600) -> Writer:
    writer = Writer()
    for number in range(paragraphs):
        if number % 50 == 0:
            writer.block(BlockKind.HEADING, f"Chapter {number // 50}", level=1)
        writer.paragraph(f"Paragraph {number} has 👍 some words in it. " * (1 + number % 9))
    return writer


def test_a_far_light_is_scrolled_into_view_before_and_after_all_is_measured(
    pane: RichPane, qtbot: QtBot
) -> None:
    writer = long_document()
    opened = writer.opened()
    for finished in (False, True):
        pane.show_document(opened)
        if finished:
            finish(pane, qtbot)
        for number in (599, 3, 300):
            words = f"Paragraph {number} has"
            at = writer.text.index(words)
            assert pane.light([(Span(at, at + len(words)), words)]) == [True]
            pane.reveal(0)
            assert not pane.moved_by_user()
            qtbot.waitUntil(lambda: bool(pane.light_boxes(0)))
            (box,) = pane.light_boxes(0)
            assert box.top() >= 0 and box.bottom() <= pane.viewport().height()
            if number == 300:
                assert box.top() == pytest.approx(pane.viewport().height() * 0.3, abs=8)
            before = box.top()
            finish(pane, qtbot)
            assert pane.light_boxes(0)[0].top() == pytest.approx(before, abs=2), (
                "it stays while heights are found"
            )
            pane.reveal(0)
            assert pane.light_boxes(0)[0].top() == pytest.approx(before, abs=2)
            share = pane.map.marks[0]
            middle = (pane.map.value() + pane.light_boxes(0)[0].center().y()) / pane._page.height()
            assert share == pytest.approx(middle, abs=1e-3)


@pytest.mark.parametrize("first", [0, 700])
def test_a_document_read_behind_another_tab_is_shown_from_its_top(
    theme: Theme, qtbot: QtBot, first: int
) -> None:
    pane = RichPane(theme)
    qtbot.addWidget(pane)
    pane.show_document(long_document(200).opened())
    if first:
        pane.go_to(first)
        first = pane.top()
    finish(pane, qtbot)
    pane.resize(860, 600)
    pane.show()
    qtbot.waitExposed(pane)
    finish(pane, qtbot)
    # The page is wider now, so the line of that place may begin elsewhere: it is the line that stands at the top.
    top = pane.top()
    pane.go_to(first)
    assert pane.top() == top


def test_the_reading_place_stays_when_the_page_is_resized_or_restyled(pane: RichPane, qtbot: QtBot) -> None:
    pane.show_document(long_document(200).opened())
    finish(pane, qtbot)
    for point in (20_000, 12_345):
        pane.go_to(point)
        top = pane.top()
        pane.note_position()
        assert 0 <= point - top < 120
        pane.resize(640, 500)
        finish(pane, qtbot)
        assert abs(pane.top() - top) < 120
        pane.resize(860, 600)
        finish(pane, qtbot)
        assert abs(pane.top() - top) < 120
        words = pane.text()[top : top + 20]
        pane.light([(Span(top, top + 20), words)])
        pane._theme.choose("dark", 1.5)
        finish(pane, qtbot)
        assert abs(pane.top() - top) < 120
        assert pane.light_boxes(0), "what was lit is lit in the new letters too"
        assert not pane.moved_by_user()
        pane._theme.choose("light", 1.0)
        finish(pane, qtbot)
        assert abs(pane.top() - top) < 120


def test_a_selection_is_copied_as_the_text_says_it(pane: RichPane, qtbot: QtBot) -> None:
    writer = Writer()
    writer.block(BlockKind.ITEM, "👍 First", "\n", level=1, marker="1.")
    writer.block(BlockKind.ITEM, "Second\nline", level=1, marker="2.")
    writer.table([["a", "b"], ["c", "d"]])
    pane.show_document(writer.opened())
    pane.setFocus()
    qtbot.keyClick(pane, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert pane.selected_words() == writer.text.rstrip()
    qtbot.keyClick(pane, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == writer.text.rstrip()
    assert len(coloured(pane, pane._theme, "selection")) > 500, "what is selected is seen"
    pane.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert pane.selected_words() == "👍 "


def test_lines_stand_for_blocks_where_there_are_none(pane: RichPane, qtbot: QtBot) -> None:
    pane.show_document(Opened(Document("First line.\n\nSecond line.")))
    finish(pane, qtbot)
    assert pane.light([(Span(13, 19), "Second")]) == [True] and pane.light_boxes(0)


@pytest.mark.parametrize(
    "shape", ["one long paragraph", "one long cell", "long code", "wide table", "long table", "tall cell"]
)
def test_odd_shapes_are_built_and_lit_in_short_turns(pane: RichPane, qtbot: QtBot, shape: str) -> None:
    writer = Writer()
    match shape:
        case "one long paragraph":
            writer.paragraph("Many words and 👍 more of them. " * 6_000)
        case "one long cell":
            writer.table([["Words in a cell. " * 6_000]])
        case "long code":
            writer.block(BlockKind.CODE, "a line of code\n" * 6_000)
        case "wide table":
            writer.table([[f"cell {row} {column}" for column in range(120)] for row in range(20)])
        case "long table":
            writer.table([[f"cell {row} {column}" for column in range(4)] for row in range(600)])
        case "tall cell":
            rows = [["over all rows" if row == 0 else "", f"row {row}"] for row in range(500)]
            writer.table(rows, merged={(0, 0): (500, 1)})
    opened = writer.opened()
    pane.show_document(opened)
    longest = 0.0
    # The objects of all the tests before are not to be looked through meanwhile.
    gc.collect()
    while not is_finished(pane):
        start = time.thread_time()
        QApplication.processEvents()
        longest = max(longest, time.thread_time() - start)
    assert longest < 0.25, "a turn is a few milliseconds long, with room for a busy machine"
    text = pane.text()
    last = writer.blocks[-1].span
    for span in (
        Span(last.end - 5, last.end),
        Span(writer.blocks[0].span.start, writer.blocks[0].span.start + 4),
    ):
        assert pane.light([(span, span.of(text))]) == [True]
        pane.reveal(0)
        boxes = pane.light_boxes(0)
        assert boxes and all(0 <= box.top() and box.bottom() <= pane.viewport().height() for box in boxes)
        assert boxes[0].left() >= 0 and boxes[0].right() <= pane.viewport().width()
        pane.grab()


FLOWING = (
    "alice.htm", "asvs-3.0.1-arabic.docx", "asvs-5.0.0-en.docx", "asvs-v2-authentication.md", "contributing-fa.md",
    "gitmoji-guide.md", "rfc9110-http-semantics.html",
)  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name.endswith(("docx", "tm", "html")) else ())
        for name in FLOWING
    ],
)
def test_every_random_span_of_a_real_document_is_lit(
    pane: RichPane, shared_data: Path, name: str, qtbot: QtBot
) -> None:
    opened = read(Read(str(shared_data / "documents" / name)), Silent())
    pane.show_document(opened)
    chance = random.Random(name)
    text = pane.text()
    places = random_places(chance, text, 300, 120)
    assert all(pane.light(places))
    qtbot.waitUntil(lambda: all(light.shown for light in pane.lights.places), timeout=20_000)
    for light, (_, words) in zip(pane.lights.places, places, strict=True):
        assert squeezed(read_units(pane.document(), light.start, light.end)) == squeezed(words)
    for index in (0, 100, 299):
        pane.reveal(index)
        assert pane.light_boxes(index)


PROSE = (
    "The harbour wall was inspected on Tuesday, and the engineers say that two of the cracks have grown since the"
    " spring of this year. They want to close the quay for the whole winter, which the fishermen would hardly accept."
)


@pytest.mark.parametrize("kind", [Kind.EML, Kind.DOCX])
def test_the_prose_of_a_mail_runs_on(pane: RichPane, qtbot: QtBot, kind: Kind) -> None:
    writer = Writer()
    writer.paragraph("Dear Bob,")
    prose = writer.paragraph(fill(PROSE, 72))
    quote = writer.block(BlockKind.QUOTE, fill(PROSE, 68), level=1)
    writer.paragraph("Best wishes\nAnn")
    opened = replace(writer.opened(), kind=kind)
    pane.show_document(opened)
    finish(pane, qtbot)
    end = writer.text.index("\n", prose.start)
    answer = Span(end - 12, end + 12)
    assert pane.light([(answer, answer.of(writer.text)), (answer, "other words")]) == [True, False]
    pane.select(Span(prose.start, quote.end))
    if kind is Kind.EML:
        assert [pane._places.words(index) for index in (1, 2)] == [PROSE, PROSE]
        assert pane.createMimeDataFromSelection().text() == f"{PROSE}\n\n{PROSE}"
    else:
        assert pane._places.words(1).count("\u2028") == prose.of(writer.text).count("\n"), "lines by intent"
    assert pane._places.words(3) == "Best wishes\u2028Ann"
    assert pane.text() == writer.text
    assert pane.selected_words() == writer.text[prose.start : quote.end]
