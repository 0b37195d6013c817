"""Cards of form rows: where their headings and hints are."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.ui.kit.form_card import CardColumn, FormCard, set_hint
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme


def test_headings_are_above_their_widgets_in_a_narrow_column(theme: Theme, qtbot: QtBot) -> None:
    card, line, button = FormCard(theme, "A card"), QLineEdit(), QPushButton("Do it")
    hint = card.add_row("A line", line, "What it is.")
    card.add_row("A button", button, wide=False)
    heading = next(label for label in card.findChildren(QLabel) if label.text() == "A line")
    column = CardColumn(theme)
    column.add(card)
    qtbot.addWidget(column)
    column.resize(theme.step(220), theme.step(120))
    column.show()
    qtbot.waitExposed(column)
    assert line.x() > heading.geometry().right()
    column.resize(theme.step(110), theme.step(120))
    qtbot.waitUntil(lambda: line.y() > heading.geometry().bottom())
    assert line.x() == heading.x() == hint.x() == button.x()
    assert line.width() > 3 * button.width()
    assert column.horizontalScrollBar().maximum() == 0
    column.resize(theme.step(220), theme.step(120))
    qtbot.waitUntil(lambda: line.x() > heading.geometry().right())


def test_an_empty_hint_is_hidden(theme: Theme, qtbot: QtBot) -> None:
    card = FormCard(theme)
    hint = card.add_row("A line", QLineEdit())
    qtbot.addWidget(card)
    card.show()
    theme.refresh()
    assert hint.isHidden()
    pixels = hint.font().pixelSize()
    set_hint(hint, "This cannot be used.", "fault")
    assert not hint.isHidden()
    assert (hint.property("ink"), hint.font().pixelSize()) == ("fault", pixels)


def test_a_heading_is_level_with_a_widget_of_one_line(theme: Theme, qtbot: QtBot) -> None:
    card, button = FormCard(theme), QPushButton("Do it")
    line, segments = QLineEdit(), Segments(theme, "Choice", (("a", "One"), ("b", "Other")))
    rows = {"Line": line, "Choice": segments, "Button": button}
    for title, widget in rows.items():
        card.add_row(title, widget, wide=widget is not button)
    qtbot.addWidget(card)
    card.show()
    qtbot.waitExposed(card)
    for heading in card.findChildren(QLabel):
        if (widget := rows.get(heading.text())) is not None:
            assert abs(heading.geometry().center().y() - widget.geometry().center().y()) <= 1
