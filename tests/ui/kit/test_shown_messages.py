"""Widgets show messages in the window's language, and a person's own text as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.core.message import Message
from app.core.report import Progress
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.elided import ElidedButton, ElidedLabel, LinkedChoice
from app.ui.kit.empty_state import EmptyState, SampleButton
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.flow_text import FlowText
from app.ui.kit.form_card import FormCard
from app.ui.kit.model_list import ModelFilters, ModelList, ModelRow
from app.ui.kit.notice import Notice
from app.ui.kit.parts import KeyButton, StyledLabel, as_tip, plain_label, push_button
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


def facts(theme: Theme) -> FactsGrid:
    grid = FactsGrid(theme)
    grid.set_facts([Fact(TEXT, TEXT, TEXT)])
    return grid


def empty(theme: Theme) -> EmptyState:
    state = EmptyState(theme, "history")
    state.show_message(TEXT, TEXT, TEXT, tip=TEXT)
    return state


def linked(theme: Theme) -> LinkedChoice:
    choice = LinkedChoice(theme, TEXT)
    choice.set_words(TEXT)
    return choice


def elided_button(theme: Theme) -> ElidedButton:
    button = ElidedButton(theme)
    button.resize(900, 30)
    button.setText(TEXT)
    return button


def flowing(theme: Theme) -> FlowText:
    text = FlowText(theme, "ui")
    text.set_text(TEXT)
    return text


def form(theme: Theme) -> FormCard:
    card = FormCard(theme, TEXT)
    card.add_row(TEXT, QWidget(), TEXT)
    return card


def noticed(theme: Theme) -> Notice:
    notice = Notice(theme)
    notice.show_hint(TEXT, TEXT, act=TEXT)
    return notice


def styled(theme: Theme) -> StyledLabel:
    label = StyledLabel()
    label.set_runs((TEXT, ""))
    return label


def bars(theme: Theme) -> ScoreBars:
    scores = ScoreBars(theme)
    scores.set_rows((ScoreRow(TEXT, 0.5, TEXT),))
    return scores


def undo(theme: Theme) -> UndoLine:
    line = UndoLine(theme)
    line.offer(TEXT)
    return line


def asked(theme: Theme) -> Confirmation:
    question = Confirmation(theme, TEXT, TEXT)
    question.ask(TEXT, takes_focus=False)
    return question


def at_work(theme: Theme) -> ProgressStrip:
    strip = ProgressStrip(theme)
    strip.show_progress(Progress(0, 0, TEXT))
    return strip


def named(theme: Theme) -> QComboBox:
    box = QComboBox()
    name_choice(box, TEXT)
    return box


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
        asked, at_work, bars, elided_button, empty, facts, flowing, form, linked, named, noticed, styled, undo,
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
