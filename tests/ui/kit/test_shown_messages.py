"""Widgets show messages in the window's language, and a person's own text as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.core.message import Message
from app.core.report import Progress
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.empty_state import EmptyState, SampleButton
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.flow_text import FlowText
from app.ui.kit.form_card import FormCard
from app.ui.kit.model_list import ModelFilters, ModelList, ModelRow
from app.ui.kit.notice import Notice
from app.ui.kit.parts import (
    ElidedButton,
    ElidedLabel,
    KeyButton,
    LinkedChoice,
    StyledLabel,
    as_tip,
    plain_label,
    push_button,
)
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.score_bars import ScoreBars, ScoreRow
from app.ui.kit.search_line import SearchLine
from app.ui.kit.segments import Segments
from app.ui.kit.spoken import name_choice, sentences
from app.ui.kit.table import Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr
from app.ui.kit.undo_line import UndoLine

TEXT = Message("A {thing} of ours", thing=Message("sentence"))
SHOWN = "a SENTENCE OF OURS"  # in the other case
WidgetT = TypeVar("WidgetT", bound=QWidget)


class Turned(QTranslator):
    """A made-up language: every pattern with its letters in the other case, except the names of values."""

    def translate(self, context: str, source: str, disambiguation: str = "", n: int = -1) -> str:
        parts = source.split("{")
        return parts[0].swapcase() + "".join(
            f"{{{name}}}{rest.swapcase()}" for name, _, rest in (part.partition("}") for part in parts[1:])
        )


@pytest.fixture
def turned(qapp: QApplication) -> Iterator[None]:
    """The window's language is `Turned`."""
    translator = Turned()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def after(widget: WidgetT, call: Callable[..., object], *given: object, **named: object) -> WidgetT:
    """Return a widget once a function was called with it."""
    call(widget, *given, **named)
    return widget


@pytest.mark.parametrize(
    "make",
    [
        lambda theme: plain_label(TEXT),
        lambda theme: push_button(theme, TEXT, name=TEXT, tip=TEXT),
        lambda theme: KeyButton(theme, TEXT, "A"),
        lambda theme: ElidedLabel(TEXT),
        lambda theme: SearchLine(theme, TEXT),
        lambda theme: SampleButton(theme, TEXT, TEXT),
        lambda theme: Segments(theme, TEXT, (("one", TEXT), ("other", TEXT))),
        lambda theme: ModelFilters(theme, TEXT, {TEXT: (("", TEXT), ("one", TEXT))}),
        lambda theme: after(FactsGrid(theme), FactsGrid.set_facts, [Fact(TEXT, TEXT, TEXT)]),
        lambda theme: after(EmptyState(theme, "history"), EmptyState.show_message, TEXT, TEXT, TEXT, tip=TEXT),
        lambda theme: after(LinkedChoice(theme, TEXT), LinkedChoice.set_words, TEXT),
        lambda theme: after(ElidedButton(theme), ElidedButton.setText, TEXT),
        lambda theme: after(FlowText(theme, "ui"), FlowText.set_text, TEXT),
        lambda theme: after(FormCard(theme, TEXT), FormCard.add_row, TEXT, QWidget(), TEXT),
        lambda theme: after(Notice(theme), Notice.show_hint, TEXT, TEXT, act=TEXT),
        lambda theme: after(StyledLabel(), StyledLabel.set_runs, (TEXT, "")),
        lambda theme: after(ScoreBars(theme), ScoreBars.set_rows, (ScoreRow(TEXT, 0.5, TEXT),)),
        lambda theme: after(UndoLine(theme), UndoLine.offer, TEXT),
        lambda theme: after(Confirmation(theme, TEXT, TEXT), Confirmation.ask, TEXT, takes_focus=False),
        lambda theme: after(ProgressStrip(theme), ProgressStrip.show_progress, Progress(0, 0, TEXT)),
        lambda theme: after(QComboBox(), name_choice, TEXT),
    ],
)  # fmt: skip
def test_a_widget_shows_messages_in_the_windows_language(
    turned: None, theme: Theme, qtbot: QtBot, make: Callable[[Theme], QWidget]
) -> None:
    widget = make(theme)
    qtbot.addWidget(widget)
    told = " | ".join(_texts(widget))
    assert SHOWN in told
    assert TEXT not in told


def test_rows_are_in_the_windows_language(turned: None, theme: Theme, qtbot: QtBot) -> None:
    models = ModelList(theme, TEXT)
    qtbot.addWidget(models)
    models.set_rows((ModelRow("key", TEXT, TEXT, TEXT, TEXT),))
    index = models.model().index(0, 0)
    roles = Qt.ItemDataRole
    assert models.accessibleName() == index.data(roles.DisplayRole) == SHOWN
    assert index.data(roles.ToolTipRole) == f"{SHOWN}\n{SHOWN}"
    assert index.data(roles.AccessibleTextRole) == f"{SHOWN}: {SHOWN}, {SHOWN}, {SHOWN}"


def test_a_table_is_sorted_and_searched_in_the_windows_language(
    turned: None, theme: Theme, qtbot: QtBot
) -> None:
    table = RowTable(theme, TEXT, [Column(TEXT, lambda row: row, lambda row: row, lambda row: row)])
    qtbot.addWidget(table)
    model = table.model()
    upper, lower = Message("b"), Message("A")
    model.set_rows((upper, lower))  # type: ignore[attr-defined]
    heading = model.headerData(0, Qt.Orientation.Horizontal)
    assert table.accessibleName() == heading == SHOWN
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [model.index(at, 0).data() for at in range(2)] == ["B", "a"]
    table.narrow("sentence of ours")
    assert not table.rows()
    model.set_rows((TEXT,))  # type: ignore[attr-defined]
    assert table.rows() == (TEXT,)


def test_a_persons_own_text_is_not_translated(turned: None) -> None:
    assert sentences(TEXT, "Their words") == f"{SHOWN}. Their words."
    assert as_tip("Their words") == "Their words"
    assert tr("About {words}", words="Theirs") == "aBOUT Theirs"


def _texts(widget: QWidget) -> list[str]:
    """All texts of a widget and its children."""
    found = []
    for one in (widget, *widget.findChildren(QWidget)):
        for kind in ("text", "placeholderText", "toolTip", "accessibleName", "accessibleDescription"):
            if callable(read := getattr(one, kind, None)):
                found.append(str(read()))
        if isinstance(one, QComboBox):
            found += [one.itemText(at) for at in range(one.count())]
    return found
