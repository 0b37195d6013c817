"""The classify page, from a click to the card and the table, through the real lanes."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.inspection import Subject, Visit
from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classifications
from app.ui.heads.classify.classify import LINES, ONE, ClassifyView, texts_of
from app.ui.heads.text_panel import source_line
from tests.helpers.classify_page import CARD, by_length, edit
from tests.helpers.windows import FakeEngine, button, until_stopped


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(by_length, CARD)


@pytest.fixture
def make(
    open_page: Callable[[type[ClassifyView], FakeEngine], ClassifyView], engine: FakeEngine
) -> Callable[[], ClassifyView]:
    return lambda: open_page(ClassifyView, engine)


@pytest.fixture
def view(make: Callable[[], ClassifyView]) -> ClassifyView:
    return make()


def test_the_source_line_uses_the_models_title() -> None:
    named = Classifications((), 0.5, "starter-sentiment", "CPU")
    assert source_line(named) == "Spanlight sentiment · CPU · 0.5 seconds"
    assert source_line(Classifications((), 0.5, "moods")) == "moods · 0.5 seconds"


def test_a_text_gets_its_winner_words_and_bars(view: ClassifyView, qtbot: QtBot) -> None:
    edit(view).setPlainText("x" * 95)
    notes: list[str] = []
    view.note.connect(notes.append)
    qtbot.mouseClick(button(view, "Classify"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert view._panel.card.text() == "Positive (Very likely, 95%)"
    rows = view._panel.card._bars.rows()
    shown = [(row.name, row.number, row.best) for row in rows]
    assert shown == [("Positive", "95%", True), ("Negative", "5%", False)]
    assert "2 windows" in view._panel.card._length.text()
    assert view._panel.card._length.isVisible()
    assert "moods" in view._panel.card.foot.source.text()
    assert notes == ["", "1 text (2 windows) classified in 0.5 seconds"]
    assert not view._panel.strip.isVisible()
    edit(view).setPlainText("short")
    qtbot.keyClick(edit(view), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: view._panel.card.isVisible() and not view.working())
    assert not view._panel.card._length.isVisible() and edit(view).toPlainText() == "short"


def test_lines_become_rows_to_sort_copy_and_save(view: ClassifyView, qtbot: QtBot, tmp_path: Path) -> None:
    view._panel.ways._buttons[LINES].click()
    edit(view).setPlainText("=SUM(A1)\n\n  " + "y" * 90 + "  \n-mid " + "z" * 40)
    view.run()
    qtbot.waitUntil(lambda: view._panel.table.row_count() == 3 and not view._panel.strip.isVisible())
    table = view._panel.table
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    shown = [table.model().index(row, 0).data() for row in range(3)]
    assert shown == ["=SUM(A1)", "y" * 90, "-mid " + "z" * 40]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0] == "text\tlabel\tprobability\tnegative\tpositive"
    assert copied[2] == f"{'y' * 90}\tpositive\t0.9\t0.1\t0.9"
    path = tmp_path / "out.csv"
    notes: list[str] = []
    view.note.connect(notes.append)
    view.save_table_as(path)
    qtbot.waitUntil(lambda: notes == ["3 rows saved"])
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    assert [row[0] for row in rows] == ["text", "'=SUM(A1)", "y" * 90, "'-mid " + "z" * 40]
    assert rows[0][1:] == ["label", "probability", "probability negative", "probability positive"]
    assert rows[1][1:] == ["negative", "0.920000", "0.920000", "0.080000"]


def test_a_table_that_cannot_be_saved_says_so(view: ClassifyView, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    view.save_table_as(tmp_path / "file" / "out.csv")
    qtbot.waitUntil(lambda: bool(view._panel.notice.sentence()))


def test_stopping_keeps_the_results_so_far(view: ClassifyView, qtbot: QtBot, engine: FakeEngine) -> None:
    def slowly(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
        first = by_length(TextsToClassify(request.texts[:1]), choice, report)
        report.partial(Classifications(first.items, 0.1))
        while True:
            report.check()
            time.sleep(0.002)

    engine.answer = slowly
    view._panel.ways._buttons[LINES].click()
    edit(view).setPlainText("one\ntwo")
    view.run()
    qtbot.waitUntil(lambda: view._panel.table.row_count() == 1)
    assert view.stop()
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert view._panel.table.row_count() == 1
    assert "1 of 2" in view._panel._summary.text()


def test_what_a_text_is_is_kept(make: Callable[[], ClassifyView], qtbot: QtBot) -> None:
    first = make()
    first._panel.ways._buttons[LINES].click()
    first.workspace.save_settings()
    assert make()._panel.way() == LINES


def test_a_dropped_file_replaces_the_text_and_pasted_text_is_plain(
    view: ClassifyView, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes("Grüße\r\nzwei".encode())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    edit(view).insertFromMimeData(data)
    qtbot.waitUntil(lambda: edit(view).toPlainText() == "Grüße\nzwei")
    edit(view).selectAll()
    rich = QMimeData()
    rich.setHtml("<b>bold</b>")
    rich.setText("bold")
    edit(view).insertFromMimeData(rich)
    assert edit(view).toPlainText() == "bold"


@pytest.mark.parametrize("dropped", [True, False])
def test_a_table_leads_to_the_page_that_labels_many_texts(
    view: ClassifyView, qtbot: QtBot, tmp_path: Path, dropped: bool
) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("text,label\na,b\n")
    edit(view).setPlainText("mine")
    with qtbot.waitSignal(view.go) as asked:
        if dropped:
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(path))])
            edit(view).insertFromMimeData(data)
        else:
            view.open_files([path])
    assert asked.args == ["teach", ("labels", [path])]
    assert edit(view).toPlainText() == "mine" and not view.stop()


def test_what_counts_as_a_text() -> None:
    assert texts_of(" a\n\n b ", ONE) == (" a\n\n b ",)
    assert texts_of(" a\n\n b ", LINES) == ("a", "b")
    assert texts_of("a page\x0cbreak\nb", LINES) == ("a page\x0cbreak", "b")
    assert texts_of(" \n", ONE) == texts_of(" \n", LINES) == ()


def test_look_inside_gets_the_text_or_the_chosen_row(view: ClassifyView, qtbot: QtBot) -> None:
    visits: list[Visit] = []
    view.go.connect(lambda _, visit: visits.append(visit))
    edit(view).setPlainText("nothing was classified yet")
    qtbot.keyClick(edit(view), Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert not visits
    edit(view).setPlainText("x" * 95)
    qtbot.mouseClick(button(view, "Classify"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    edit(view).setPlainText("changed since")
    qtbot.mouseClick(button(view, "Look inside"), Qt.MouseButton.LeftButton)
    assert visits == [Visit(Subject(Head.CLASSIFICATION, "x" * 95), "moods", "x" * 80)]
    view._panel.ways.chosen.emit(LINES)
    edit(view).setPlainText("one\ntwo words\nthree")
    qtbot.mouseClick(button(view, "Classify"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view._panel.table.row_count() == 3)
    view._panel.table.selectRow(1)
    qtbot.keyClick(view._panel.table, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert visits[-1].subject.text == "two words"


def test_a_text_keeps_its_result_while_its_lines_are_classified(view: ClassifyView, qtbot: QtBot) -> None:
    edit(view).setPlainText("one\ntwo words")
    for way in (ONE, LINES):
        view._panel.ways._buttons[way].click()
        view.run()
        qtbot.waitUntil(lambda: not view.working())
    for way in (ONE, LINES):
        view._panel.ways._buttons[way].click()
        assert not view._panel.outdated()
    view._panel.ways._buttons[ONE].click()
    with qtbot.waitSignal(view.go) as asked:
        view._look_inside()
    assert asked.args[1].subject.text == "one\ntwo words"


def test_a_result_shown_before_a_stop_is_saved_with_its_own_text(
    make: Callable[[], ClassifyView], engine: FakeEngine, qtbot: QtBot
) -> None:
    view = make()
    edit(view).setPlainText("x" * 95)
    view.run()
    qtbot.waitUntil(lambda: not view.working())
    said, answer = view._panel.card.text(), engine.answer
    edit(view).setPlainText("y" * 10)
    engine.answer = until_stopped
    view.run()
    assert view.stop() and view._panel.outdated()
    view.lanes.files.finish_writes()
    view.keep()
    engine.answer = answer
    again = make()
    qtbot.waitUntil(lambda: again.kept is not None)
    assert again._panel.card.text() == said and again._panel.outdated()


def test_the_table_of_a_file_s_lines_comes_back_under_its_name(
    make: Callable[[], ClassifyView], engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    first = make()
    first._panel.ways._buttons[LINES].click()
    path = tmp_path / "answers.txt"
    path.write_text("\n".join(f"text {at}" for at in range(40)))
    first.open_files([path])
    qtbot.waitUntil(lambda: not first._editor.is_empty())
    first.run()
    qtbot.waitUntil(lambda: first._panel.table.row_count() == 40 and not first.working())
    rows, said = first._panel.table.csv(), first._panel._summary.text()
    assert said == "40 texts of answers.txt"
    first._panel.ways._buttons[ONE].click()  # it waits behind the other way of reading
    first.lanes.files.finish_writes()
    first.keep()
    view = make()
    qtbot.waitUntil(lambda: view.kept is not None)
    assert view._panel.way() == ONE and not view._panel.table.isVisible()
    view._panel.ways._buttons[LINES].click()
    assert view._panel.table.isVisible() and view._panel.table.csv() == rows
    assert view._panel._summary.text() == said and not view._panel.outdated()
    assert len(engine.requests) == 1


# The model behind the page


def test_the_classifier_is_preloaded_and_loaded_again_for_another_device(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    view.shown()
    qtbot.waitUntil(lambda: notes == ["Loading the classifier…", "Classifier ready, on CPU"])
    assert [(choice.folder, choice.device) for choice in engine.loads] == [("/models/moods", "auto")]
    assert "moods" in view._panel.model.words.text()
    view.shown()
    view.settings_changed()
    qtbot.waitUntil(lambda: view.lanes.files.idle and view.lanes.work.idle)
    assert len(engine.loads) == 1
    view.workspace.settings.device = "cpu"
    view.settings_changed()
    qtbot.waitUntil(lambda: [choice.device for choice in engine.loads] == ["auto", "cpu"])
    assert engine.requests == []


def test_loading_waits_for_running_work_and_leaves_its_notes_alone(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    leave = threading.Event()

    def held(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
        leave.wait(5)
        return by_length(request, choice, report)

    engine.answer = held
    edit(view).setPlainText("x" * 95)
    notes: list[str] = []
    view.note.connect(notes.append)
    view.run()
    qtbot.waitUntil(lambda: bool(engine.requests))
    view.shown()
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert engine.loads == []
    assert view._panel.strip.isVisible()
    leave.set()
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert len(engine.loads) == 1
    assert view._panel.card.text() == "Positive (Very likely, 95%)"
    assert notes == ["", "1 text (2 windows) classified in 0.5 seconds"]


def test_a_failure_to_preload_is_shown_in_the_status_line_only(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        raise EngineLost("The model process ended.", "Try once more.")

    monkeypatch.setattr(engine, "load", refuse)
    notes: list[str] = []
    lost: list[bool] = []
    view.note.connect(notes.append)
    view.lost.connect(lambda: lost.append(True))
    view.shown()
    qtbot.waitUntil(lambda: notes == ["Loading the classifier…", "The model process ended."])
    assert lost == [True]
    assert view._panel.notice.sentence() == ""
