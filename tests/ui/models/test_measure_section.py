"""The section where models are measured, with engines that answer by rule or wait to be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.measures import Measure
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice
from app.ui.models.measure.section import MeasureSection
from tests.flows.fake_engine import CLASSIFIER, FILLER, READER
from tests.flows.fake_engine import FakeEngine as RuleEngine
from tests.helpers.models_page import open_section
from tests.helpers.names_here import FINDER
from tests.helpers.windows import FakeEngine, open_fake_workspace, until_stopped

OTHER = ModelCard("other reader", "/models/other", "bert", (Head.QUESTION_ANSWERING,))
CARDS = (READER, CLASSIFIER, FILLER, FINDER, OTHER)
Open = Callable[..., MeasureSection]


def by_rule(request: Any, choice: ModelChoice | None, report: Report) -> Any:
    return RuleEngine().run(request, choice, report)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> Iterator[Open]:
    """Opens the section over an engine, as often as it is called, and waits for what it shows first."""
    made: list[MeasureSection] = []

    def opened_section(answer: Any = by_rule, cards: tuple[ModelCard, ...] = CARDS) -> MeasureSection:
        section = open_section(MeasureSection, open_fake_workspace(FakeEngine(answer, *cards)), qtbot)
        section.resize(1100, 800)
        section.activateWindow()
        qtbot.waitUntil(lambda: section._content is not None)
        made.append(section)
        return section

    yield opened_section
    for section in made:
        section.stop()
        section.lanes.close()


def another(section: MeasureSection, qtbot: QtBot) -> MeasureSection:
    """The section opened once more over the same workspace."""
    fresh = MeasureSection(section.workspace, section.theme, section.lanes)
    qtbot.addWidget(fresh)
    return fresh


def choices(choice: Any) -> list[str]:
    return [choice.itemText(at) for at in range(choice.count())]


def measured(section: MeasureSection) -> tuple[Measure, ...]:
    return section.workspace.measures.all()


def by_name(measures: tuple[Measure, ...]) -> list[Measure]:
    return sorted(measures, key=lambda one: one.model)


def press(section: MeasureSection, qtbot: QtBot) -> None:
    count = len(measured(section))
    qtbot.mouseClick(section.form.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: section._measuring is None)
    assert len(measured(section)) == count + 1


def measure_two(section: MeasureSection, qtbot: QtBot) -> tuple[Measure, Measure]:
    """The reader's measure and a better one's of the same questions."""
    press(section, qtbot)
    (first,) = measured(section)
    right = "1" * 120 + first.right[120:]
    second = replace(first, model="better", folder="/models/better", right=right, seconds=first.seconds * 2)
    section.workspace.measures.keep(second)
    section.shown()
    qtbot.waitUntil(lambda: len(section.saved.table.rows()) == 2)
    return first, second


def test_an_empty_section_invites(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    section.workspace.settings.models[Head.QUESTION_ANSWERING] = OTHER.name
    fresh = another(section, qtbot)
    fresh.shown()
    qtbot.waitUntil(lambda: fresh._content is not None)
    assert fresh.form.model.currentText() == OTHER.name  # the one in use
    assert "other reader" in fresh.empty.suggestions.buttons[0].accessibleName()
    assert not section.empty.isHidden() and section.saved.isHidden()
    assert section.form.model.hasFocus()
    # What fills blanks cannot be measured.
    assert choices(section.form.model) == ["reader", "classifier", "finder", "other reader"]
    assert choices(section.form.data) == ["Wikipedia questions, 130 questions", "A file of yours…"]
    lines = [button.accessibleName() for button in section.empty.suggestions.buttons]
    assert [line.partition(": ")[2] for line in lines] == [
        "Measure reader on 130 questions",
        "Measure classifier on 150 texts",
        "Measure finder on 100 sentences",
    ]
    qtbot.mouseClick(section.empty.suggestions.buttons[2], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: section._measuring is None)
    assert [one.data for one in measured(section)] == ["Names in Wikipedia"]
    assert section.empty.isHidden() and section.saved.table.isVisible()
    assert section.form.model.currentText() == "finder"


def test_measuring_fills_the_table_and_chooses_the_row(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    notes: list[str] = []
    section.note.connect(notes.append)
    with qtbot.waitSignal(section.changed) as changed:
        press(section, qtbot)
    assert changed.args == ["measures"]
    (one,) = measured(section)
    assert section.saved.table.chosen() == (one,)
    assert notes[-1].startswith("reader measured in ")
    model = section.saved.table.model()
    shown = [model.index(0, column).data() for column in range(model.columnCount())]
    exact, f1 = (f"{one.figures[name]:.1f}%" for name in ("exact", "f1"))
    assert shown[:5] == ["reader", "Wikipedia questions", "130", exact, f1]
    assert shown[5] == "" and shown[8] == "CPU" and shown[9].startswith("Today, ")
    assert "exact match" in model.index(0, 3).data(Qt.ItemDataRole.ToolTipRole)
    assert section.saved.panel.verdict().startswith("Measure another model")
    assert section.saved.panel.pairs.rows()[0].title == "Exact"
    assert section.strip.isHidden()


def test_a_model_sent_by_another_section_is_chosen(opened: Open, qtbot: QtBot) -> None:
    fresh = another(opened(), qtbot)
    fresh.receive(CLASSIFIER)
    fresh.shown()
    qtbot.waitUntil(lambda: fresh._content is not None)
    assert fresh.form.card() == CLASSIFIER
    fresh.receive(FINDER)
    fresh.shown()
    assert fresh.form.card() == FINDER
    data = fresh.form.example_set()
    assert data is not None and data.head is Head.TOKEN_CLASSIFICATION


def test_esc_and_the_button_stop_the_measuring_and_nothing_is_saved(opened: Open, qtbot: QtBot) -> None:
    section = opened(until_stopped)
    assert not section.stop()
    other = section.lanes.work.start(lambda report: until_stopped(None, None, report))
    other.name = "the work on Classify"
    section.form.button.setFocus()
    qtbot.keyClick(section.form.button, Qt.Key.Key_Space)
    assert section.strip.words() == "Waits for the work on Classify to end"
    assert not section.form.button.isEnabled()
    assert section.strip.isVisible() and section.strip.has_focus()
    section._measure()  # a second one is not begun
    other.stop()
    qtbot.waitUntil(lambda: section.strip.words() == "Getting reader ready")
    focused = section.window().focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: section._measuring is None)
    assert section.strip.isHidden() and section.form.button.hasFocus()
    qtbot.waitUntil(lambda: section.lanes.work.idle)
    assert measured(section) == ()


def test_a_lost_model_process_is_reported(opened: Open, qtbot: QtBot) -> None:
    def die(request: Any, choice: Any, report: Any) -> Any:
        raise EngineLost("The model process ended.", "Try again.")

    section = opened(die)
    with qtbot.waitSignal(section.lost):
        qtbot.mouseClick(section.form.button, Qt.MouseButton.LeftButton)
    assert section.notice.sentence() == "The model process ended."
    assert section.form.button.isEnabled()


def test_examples_from_the_users_own_file_are_measured(
    opened: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = opened()
    path = tmp_path / "mine.csv"
    path.write_text("text,label\nso good,positive\nbad,negative\n")
    monkeypatch.setattr("app.ui.models.measure.section.open_name", lambda *_: "")
    at = section.form.data.count() - 1
    section.form.data.activated.emit(at)
    assert section.form.data.currentIndex() == 0  # the dialog was left
    monkeypatch.setattr("app.ui.models.measure.section.open_name", lambda *_: str(path))
    section.form.data.activated.emit(at)
    # The file holds texts: a model that classifies is chosen with it.
    qtbot.waitUntil(lambda: section.form.card() == CLASSIFIER)
    assert section.form.data.currentText() == "mine, 2 texts"
    press(section, qtbot)
    assert measured(section)[0].right == "11"
    section.shown()
    qtbot.waitUntil(lambda: section.lanes.files.idle)
    assert section.form.data.currentText() == "mine, 2 texts"


def test_a_dropped_file_of_examples_is_opened(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    section = opened()
    path = tmp_path / "names.conll"
    path.write_text("Alice B-PER\nran O\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    section.form.dropEvent(
        QDropEvent(
            QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )  # fmt: skip
    qtbot.waitUntil(lambda: section.form.card() == FINDER)
    assert section.take_files([path])
    assert not section.take_files([tmp_path])
    assert not section.take_files([tmp_path / "model.zip"])
    assert not section.take_files([path, path])
    bad = tmp_path / "bad.csv"
    bad.write_text("text,label\nso good,\n")
    section.take_files([bad])
    qtbot.waitUntil(lambda: section.notice.sentence() == "Row 2 of bad.csv has no label.")
    section.hide()
    assert not section.take_files([path])


def test_a_file_that_no_installed_model_can_read_is_refused(
    opened: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    section = opened(cards=(FILLER,))
    assert not section.form.model.isEnabled() and not section.form.button.isEnabled()
    assert section.empty.suggestions.buttons == []
    path = tmp_path / "mine.csv"
    path.write_text("text,label\nso good,positive\n")
    section.open_file(path)
    qtbot.waitUntil(lambda: section.notice.sentence() == "No model that is installed can read 1 text.")


def test_a_mapping_is_asked_for_where_labels_differ(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    section = opened()
    path = tmp_path / "stars.csv"
    path.write_text("text,label\nso good,5\nbad,1\n")
    section.open_file(path)
    qtbot.waitUntil(lambda: section.form.card() == CLASSIFIER)
    qtbot.mouseClick(section.form.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: section._measuring is None)
    assert "the examples have 5 and 1; classifier says negative and positive" in section.notice.sentence()
    asked = section.form.matching.choices()
    assert list(asked) == ["negative", "positive"]
    assert [choice.currentData() for choice in asked.values()] == ["", ""]  # nothing is guessed
    assert measured(section) == ()
    for label, wanted in (("negative", "1"), ("positive", "5")):
        asked[label].setCurrentIndex(asked[label].findData(wanted))
    press(section, qtbot)
    assert measured(section)[0].right == "11"
    assert section.form.matching.isHidden() and not section.notice.sentence()


def test_labels_are_mapped_by_their_exact_text_not_by_what_is_shown(opened: Open) -> None:
    matching = opened().form.matching
    labels = ("good", "go\N{ZERO WIDTH SPACE}od")
    matching.ask(labels, ("1", "2"))
    for at, choice in enumerate(matching.choices().values(), start=1):
        choice.setCurrentIndex(at)
    assert matching.answer() == dict(zip(labels, ("1", "2"), strict=True))


def test_two_measures_of_the_same_examples_are_compared(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    first, second = measure_two(section, qtbot)
    table, panel = section.saved.table, section.saved.panel
    table.choose((first,))
    assert panel.other.isVisible() and choices(panel.other)[0] == "Nothing"
    panel.other.activated.emit(1)
    assert by_name(table.chosen()) == [second, first]
    assert panel.verdict().startswith("better got ")
    assert "hardly chance" in panel.verdict()
    both = sum(a == b == "1" for a, b in zip(first.right, second.right, strict=True))
    names = [row.name for row in panel.counts.rows()]
    assert names == [
        "Both right",
        "Only reader",
        "Only better",
        "Neither",
    ]  # the one chosen first stands first
    assert panel.counts.rows()[0].number.startswith(f"{both:,}, ")
    speeds = panel.pairs.rows()[-1].cells
    assert [cell.better for cell in speeds if cell] == [True, False]
    assert "McNemar" in panel._verdict.toolTip()
    table.sortByColumn(7, Qt.SortOrder.AscendingOrder)
    assert names == [row.name for row in panel.counts.rows()]
    panel.other.activated.emit(0)
    assert table.chosen() == (first,)
    assert panel.counts.isHidden()


def test_measures_of_other_examples_are_not_compared(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    press(section, qtbot)
    section.receive(FINDER)
    press(section, qtbot)
    section.saved.table.choose(section.saved.table.rows())
    assert "very same examples" in section.saved.panel.verdict()
    assert section.saved.panel.other.isHidden()


def test_long_names_are_elided_and_the_table_does_not_scroll_sideways(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    press(section, qtbot)
    (first,) = measured(section)
    section.workspace.measures.keep(
        replace(first, model="a-name-of-a-model" * 4, device="A GPU of some kind" * 3)
    )
    section.shown()
    qtbot.waitUntil(lambda: len(section.saved.table.rows()) == 2)
    table = section.saved.table
    assert table.horizontalScrollBar().maximum() == 0
    assert table.model().index(0, 8).data(Qt.ItemDataRole.ToolTipRole) == table.rows()[0].device


def test_deleted_measures_can_be_restored(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    first, second = measure_two(section, qtbot)
    section.saved.table.choose((second,))
    section.saved.table.setFocus()
    qtbot.keyClick(section.saved.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: section.saved.table.rows() == (first,))
    assert measured(section) == (first,)
    assert section.saved.undo.words() == "1 measure deleted"
    section.saved.table.selectAll()
    qtbot.keyClick(section.saved.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: section.saved.table.rows() == ())
    assert section.saved.undo.isVisible() and not section.empty.isHidden()
    assert section.saved.undo.words() == "2 measures deleted"
    qtbot.waitUntil(section.saved.undo.button.hasFocus)
    qtbot.keyClick(section.saved.undo.button, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(section.saved.table.hasFocus)
    assert by_name(section.saved.table.chosen()) == [second, first]
    assert by_name(measured(section)) == [second, first]
    assert section.saved.undo.isHidden() and section.empty.isHidden()


def test_sorting_and_copying(opened: Open, qtbot: QtBot) -> None:
    section = opened()
    first, second = measure_two(section, qtbot)
    table = section.saved.table
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert table.rows() == (second, first)  # better, reader
    table.sortByColumn(7, Qt.SortOrder.DescendingOrder)
    assert table.rows() == (first, second)
    table.choose((second,))
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("model,examples,number,exact,f1,")
    assert lines[1].startswith(f"better,Wikipedia questions,130,{second.figures['exact']:.2f}")
    assert len(lines) == 2
    table.clearSelection()
    qtbot.mouseClick(section.saved.copy, Qt.MouseButton.LeftButton)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 3
    section.workspace.measures.keep(replace(first, model='=HYPERLINK("x")', data="<b>bold</b>\n"))
    section.shown()
    qtbot.waitUntil(lambda: len(table.rows()) == 3)
    table.choose(table.rows())
    assert "'=HYPERLINK" in table.copied()
    assert section.saved.panel._title.textFormat() is Qt.TextFormat.PlainText


def test_both_themes_and_a_narrow_window_show_everything(opened: Open, qtbot: QtBot) -> None:
    """Nothing warns, and nothing stands outside of what holds it."""
    section = opened()
    form = section.form
    first, second = measure_two(section, qtbot)
    section.saved.table.choose((first, second))
    for name, width in (("dark", 720), ("light", 1400)):
        section.theme.choose(name, 1.3)
        section.resize(width, 700)
        QApplication.processEvents()
        assert (form.data.y() > form.model.geometry().bottom()) is (width == 720)  # below it, or beside it
        inner = section._scroll.widget()
        assert inner is not None
        assert inner.width() <= section._scroll.viewport().width()
        panel = section.saved.panel
        for part in (panel.pairs, panel.counts):
            assert panel.rect().contains(part.geometry())
        assert not section.grab().isNull()
