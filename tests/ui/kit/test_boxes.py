"""Layouts: rows, columns, flow rows, scroll areas and panes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.boxes import column, flow, row
from app.ui.kit.parts import Scrolling, Sideways
from app.ui.kit.theme import Theme
from app.ui.kit.two_panes import Panes


def test_parts_keep_their_order_stretch_and_alignment(theme: Theme) -> None:
    first, second, third, whole = QLabel("1"), QLabel("2"), QLabel("3"), QWidget()
    inner = row(theme, (first, 2), 1, second, gap=2)
    outer = column(
        theme, inner, (third, 0, Qt.AlignmentFlag.AlignLeft), gap=1, margins=(1, 2, 3, 4), parent=whole
    )
    assert [inner.itemAt(number).widget() for number in range(inner.count())] == [first, None, second]
    assert [inner.stretch(number) for number in range(inner.count())] == [2, 1, 0]
    assert outer.itemAt(0).layout() is inner
    assert outer.itemAt(1).alignment() == Qt.AlignmentFlag.AlignLeft
    assert whole.layout() is outer and third.parentWidget() is whole


def test_lengths_follow_the_text_size(theme: Theme) -> None:
    whole = QWidget()
    box = column(theme, QLabel("1"), gap=2, margins=(1, 2, 3, 4), parent=whole)
    step = theme.step(4)
    assert (box.spacing(), box.contentsMargins().bottom()) == (theme.step(2), step)
    theme.choose("light", 2.0)
    assert (box.spacing(), box.contentsMargins().bottom()) == (theme.step(2), theme.step(4))
    assert theme.step(4) > step


def test_a_flow_row_wraps_widgets_that_do_not_fit(theme: Theme, qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    buttons = [QPushButton(f"Button {number}") for number in range(4)]
    row = flow(theme, *buttons)
    whole.setLayout(row)
    whole.resize(1000, 200)
    whole.show()
    assert len({button.y() for button in buttons}) == 1
    high = row.heightForWidth(1000)
    buttons[1].hide()
    wide = buttons[0].width()
    whole.resize(2 * wide + row.spacing(), 200)
    qtbot.waitUntil(lambda: buttons[3].y() > buttons[2].y() or buttons[2].y() > buttons[0].y())
    shown = [buttons[0], buttons[2], buttons[3]]
    assert all(button.geometry().right() < whole.width() for button in shown)
    assert row.heightForWidth(whole.width()) == 2 * high + row.spacing()
    assert row.minimumSize().width() <= wide


class Picture(QWidget):
    """A widget that needs 300 × 50 pixels, or another size."""

    least = QSize(300, 50)

    def minimumSizeHint(self) -> QSize:
        return self.least

    def sizeHint(self) -> QSize:
        return self.least


def test_a_vertical_scroll_area_is_never_narrower_than_its_widget(theme: Theme, qtbot: QtBot) -> None:
    whole, picture = QWidget(), Picture()
    row(theme, area := Scrolling(picture), QWidget(), parent=whole)
    qtbot.addWidget(whole)
    whole.show()
    whole.resize(whole.minimumSizeHint())
    assert area.viewport().width() >= 300
    picture.least = QSize(400, 50)
    picture.updateGeometry()
    qtbot.waitUntil(lambda: area.viewport().width() >= 400)


def test_a_horizontal_scroll_area_is_as_high_as_its_widget_and_its_scroll_bar(
    theme: Theme, qtbot: QtBot
) -> None:
    whole, picture = QWidget(), Picture()
    column(theme, area := Sideways(picture), 1, parent=whole)
    qtbot.addWidget(whole)
    whole.show()
    whole.resize(500, 300)
    qtbot.waitUntil(lambda: area.height() == 50)
    whole.resize(200, 300)
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() > 0 and area.viewport().height() == 50)
    picture.least = QSize(300, 90)
    picture.updateGeometry()
    qtbot.waitUntil(lambda: area.viewport().height() == 90)


def test_panes_that_do_not_fit_side_by_side_are_stacked(theme: Theme, qtbot: QtBot) -> None:
    page, panes = QWidget(), Panes()  # as a window Qt would not let the panes be narrower
    qtbot.addWidget(page)
    panes.setParent(page)
    for _ in range(2):
        pane = QWidget()
        pane.setMinimumWidth(200)
        panes.addWidget(pane)
    panes.resize(800, 400)
    panes.set_widths([500, 300])
    page.show()
    beside = panes.widths()
    assert not panes.are_stacked() and panes.minimumSizeHint().width() == 200
    panes.resize(300, 400)
    qtbot.waitUntil(panes.are_stacked)
    qtbot.waitUntil(lambda: panes.widget(0).width() == 300)
    assert panes.widths() == beside, "the widths of the panes side by side are saved"
    panes.resize(800, 400)
    qtbot.waitUntil(lambda: not panes.are_stacked() and panes.sizes() == beside)
    panes.widget(1).setMinimumWidth(700)
    qtbot.waitUntil(panes.are_stacked)
