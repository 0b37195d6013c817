"""The view of a table of many rows: only those in view are measured, and scrolling stays where it was."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.core.text import Span
from app.ui.kit.theme import Theme
from app.ui.table.answer_model import AnswerModel
from app.ui.table.answer_view import AnswerView
from tests.conftest import ROOT

COLUMNS = (Column(1, "Who?"), Column(2, "When?"))
ROWS = 400
LONG = "may be ended by either party at the end of any month with ninety days of notice " * 2


class CountingModel(AnswerModel):
    """Counts the cells whose words the view has asked for."""

    asked = 0

    def words(self, row: int, column: int):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().words(row, column)


def cell(sha256: str, column: int, words: str) -> Cell:
    answer = KeptAnswer(Span(0, len(words)), words, 0.8, words)
    return Cell(column, sha256, CellState.ANSWER, answer, 0.2)


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot) -> AnswerView:
    """A table whose second and third rows of every three need two lines."""
    theme, model = Theme(ROOT / "resources"), CountingModel()
    theme.choose("light")
    view = AnswerView(theme, model)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    files = [LibraryFile(at, f"/a/{at}.txt", FileState.READ, sha256=f"{at:064x}") for at in range(ROWS)]
    cells = [cell(file.sha256, 1, LONG if file.number % 3 else "Anna") for file in files]
    model.show_table(AnswerTable(1, "A table", 1, COLUMNS), files, {(one.sha256, 1): one for one in cells})
    qapp.processEvents()
    return view


def places(view: AnswerView) -> dict[int, tuple[int, int]]:
    """The top and the height of each visible row."""
    return {row: (view.rowViewportPosition(row), view.rowHeight(row)) for row in view.shown_rows()}


def has_room(view: AnswerView) -> bool:
    """Whether each visible row is as high as its words need, and no higher."""
    one, two = (view._delegate.height_for(lines) for lines in (1, 2))
    return all(high == (two if row % 3 else one) for row, (_, high) in places(view).items())


def test_only_visible_rows_are_measured_when_widths_change(view: AnswerView, qapp: QApplication) -> None:
    model = view.answers
    assert isinstance(model, CountingModel) and has_room(view)
    for change in (lambda: view.resize(560, 500), lambda: view.questions.resizeSection(0, 230)):
        model.asked = 0
        change()
        qapp.processEvents()
        assert 0 < model.asked < 10 * len(view.shown_rows()) and has_room(view)


def test_scrolling_shows_rows_at_their_heights_and_keeps_them_in_place(
    view: AnswerView, qapp: QApplication
) -> None:
    bar = view.verticalScrollBar()
    view.go_to(ROWS // 2, 0)
    for step in (60, -60, -60, -60, 300, -150, -150):
        qapp.processEvents()
        before = places(view)
        bar.setValue(bar.value() + step)
        assert has_room(view)
        stayed = before.keys() & places(view).keys()
        assert {places(view)[row][0] for row in stayed} == {before[row][0] - step for row in stayed}
    bar.setValue(bar.maximum())
    qapp.processEvents()
    bar.setValue(bar.maximum())
    assert view.shown_rows()[-1] == ROWS - 1 and has_room(view)
    bar.setValue(0)
    assert places(view)[0][0] == 0 and has_room(view)


@pytest.mark.parametrize("rows", [(200, 201, 202, 206, 214), (214, 213, 200, 3, 0), (ROWS - 1, 1)])
def test_a_cell_that_is_gone_to_is_in_view_as_a_whole(
    view: AnswerView, qapp: QApplication, rows: tuple[int, ...]
) -> None:
    for row in rows:
        view.go_to(row, 0)
        for _ in range(2):
            top, high = places(view)[row]
            assert top >= 0 and top + high <= view.viewport().height() and has_room(view)
            qapp.processEvents()


def test_a_cell_that_is_read_gets_the_room_that_it_needs(view: AnswerView, qapp: QApplication) -> None:
    view.answers.take_cells([cell(view.answers.rows[0].file.sha256, 2, LONG)])
    assert view.rowHeight(0) == view._delegate.height_for(2)
