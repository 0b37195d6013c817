"""The classify page, from a click to the card and the table, through the real lanes."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, LoadedModel, ModelCard, ProblemType
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.classify import ClassifyView
from app.ui.views.classify_work import texts_of
from app.ui.widgets.class_card import headline, score_rows, sureness
from app.ui.widgets.class_panel import LINES, ONE
from app.ui.widgets.score_bars import nice_label
from tests.helpers.windows import FakeEngine, open_fake_workspace

CARD = ModelCard(
    "moods", "/models/moods", "bert", (Head.CLASSIFICATION,), labels=("negative", "positive"), window=8
)


def by_length(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
    """Positive in the measure of the text's length; a window for every eight characters."""
    items = []
    for at, text in enumerate(request.texts):
        report.check()
        share = min(0.99, len(text) / 100)
        scores = (ClassScore("negative", 1 - share), ClassScore("positive", share))
        winner = "positive" if share > 0.5 else "negative"
        items.append(Classification(scores, winner, windows=1 + len(text) // 80, tokens=len(text)))
        report.progress(Progress(at + 1, len(request.texts), "Classifying"))
        report.partial(Classifications(tuple(items), 0.1, complete=False))
    return Classifications(tuple(items), 0.5, model="moods", device="CPU")


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(by_length, CARD)


@pytest.fixture
def make(
    qapp: QApplication, qtbot: QtBot, engine: FakeEngine, spanlight_home: Path
) -> Iterator[Callable[[], ClassifyView]]:
    made: list[tuple[ClassifyView, Lanes]] = []

    def view() -> ClassifyView:
        workspace = open_fake_workspace(engine)
        lanes = Lanes()
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        view = ClassifyView(workspace, theme, lanes)
        qtbot.addWidget(view)
        view.resize(1100, 700)
        view.show()
        qtbot.waitUntil(lambda: not view._first_job.running)
        made.append((view, lanes))
        return view

    yield view
    for _, lanes in made:
        lanes.close()


@pytest.fixture
def view(make: Callable[[], ClassifyView]) -> ClassifyView:
    return make()


def edit(view: ClassifyView) -> QPlainTextEdit:
    found = view.findChild(QPlainTextEdit)
    assert isinstance(found, QPlainTextEdit)
    return found


def button(view: ClassifyView, name: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.accessibleName() == name)


def test_a_text_gets_its_winner_words_and_bars(view: ClassifyView, qtbot: QtBot) -> None:
    edit(view).setPlainText("x" * 95)
    notes: list[str] = []
    view.note.connect(notes.append)
    qtbot.mouseClick(button(view, "Classify"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert view._panel.card.text() == "Positive (Very likely, 95 %)"
    rows = view._panel.card._bars.rows()
    shown = [(row.name, row.number, row.best) for row in rows]
    assert shown == [("Positive", "95 %", True), ("Negative", "5 %", False)]
    assert "2 windows" in view._panel.card._length.text()
    assert view._panel.card._length.isVisible()
    assert "moods" in view._panel.card._source.text()
    assert notes == ["", "1 text (2 windows) classified in 0.5 seconds"]
    assert not view._panel.strip.isVisible()


def test_ctrl_enter_classifies_and_a_short_text_says_nothing_of_windows(
    view: ClassifyView, qtbot: QtBot
) -> None:
    edit(view).setPlainText("short")
    qtbot.keyClick(edit(view), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert not view._panel.card._length.isVisible()
    assert edit(view).toPlainText() == "short"


def test_an_empty_page_invites_and_a_sample_is_classified_at_one_click(
    view: ClassifyView, qtbot: QtBot
) -> None:
    offers = [b for b in view.findChildren(QPushButton) if b.accessibleName().startswith("Try the sample")]
    assert offers
    assert all(offer.isVisible() for offer in offers)
    qtbot.mouseClick(offers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert edit(view).toPlainText() == view._samples[0].text
    assert not offers[0].isVisible()
    edit(view).undo()
    assert edit(view).toPlainText() == ""


def test_blanks_are_nothing_to_classify(view: ClassifyView, qtbot: QtBot, engine: FakeEngine) -> None:
    edit(view).setPlainText(" \n ")
    view.run()
    assert view._panel.notice.sentence()
    assert engine.requests == []


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


def test_stop_leaves_what_is_done(view: ClassifyView, qtbot: QtBot, engine: FakeEngine) -> None:
    def slowly(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
        first = by_length(TextsToClassify(request.texts[:1]), choice, report)
        report.partial(Classifications(first.items, 0.1, complete=False))
        while True:
            report.check()
            time.sleep(0.002)

    engine.answer = slowly
    view._panel.ways._buttons[LINES].click()
    edit(view).setPlainText("one\ntwo")
    view.run()
    qtbot.waitUntil(lambda: view._panel.table.row_count() == 1)
    assert view._panel.strip.isVisible()
    assert view.stop()
    assert not view._panel.strip.isVisible()
    assert not view.stop()
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert view._panel.table.row_count() == 1
    assert "1 of 2" in view._panel._summary.text()


def test_a_second_press_takes_the_place_of_the_first(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    leave = threading.Event()

    def first(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
        leave.wait(5)
        return by_length(request, choice, report)

    engine.answer = first
    edit(view).setPlainText("x" * 95)
    view.run()
    qtbot.waitUntil(lambda: bool(engine.requests))
    engine.answer = by_length
    edit(view).setPlainText("short")
    view.run()
    leave.set()
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert view._panel.card.text().startswith("Negative")


def test_a_lost_process_is_said_and_the_next_text_works(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    def lost(request: object, choice: ModelChoice | None, report: Report) -> Classifications:
        raise EngineLost("The model process ended.", "Try once more.")

    engine.answer = lost
    told: list[bool] = []
    view.lost.connect(lambda: told.append(True))
    edit(view).setPlainText("text")
    view.run()
    qtbot.waitUntil(lambda: view._panel.notice.sentence() == "The model process ended.")
    assert told == [True]
    assert edit(view).toPlainText() == "text"
    engine.answer = by_length
    view.run()
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert view._panel.notice.sentence() == ""


def test_a_bug_can_be_copied(view: ClassifyView, qtbot: QtBot, engine: FakeEngine) -> None:
    def broken(request: object, choice: ModelChoice | None, report: Report) -> Classifications:
        raise ZeroDivisionError("a bug in here")

    engine.answer = broken
    edit(view).setPlainText("text")
    view.run()
    qtbot.waitUntil(lambda: view._panel.notice.isVisible())
    qtbot.mouseClick(button(view, "Copy the report"), Qt.MouseButton.LeftButton)
    assert "a bug in here" in QGuiApplication.clipboard().text()


def test_no_classifier_is_said_where_the_person_looks(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    def none(head: Head) -> ModelCard:
        raise SpanlightError("No model that classifies is installed.", "Install one.")

    view.workspace.shelf.default = none  # type: ignore[method-assign]
    view.shown()
    said = "No model that classifies is installed. Install one."
    qtbot.waitUntil(lambda: view._panel._model.text() == said)
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert engine.loads == []
    # There is no fault to speak of before anything was asked.
    assert view._panel.notice.sentence() == ""
    edit(view).setPlainText("text")
    view.run()
    qtbot.waitUntil(lambda: view._panel.notice.sentence() == "No model that classifies is installed.")


def test_the_classifier_loads_behind_the_page_and_again_for_another_device(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    view.shown()
    qtbot.waitUntil(lambda: notes == ["Loading the classifier…", "Classifier ready, on CPU"])
    assert [(choice.folder, choice.device) for choice in engine.loads] == [("/models/moods", "auto")]
    assert "moods" in view._panel._model.text()
    view.shown()
    view.settings_changed()
    qtbot.waitUntil(lambda: view.lanes.files.idle and view.lanes.work.idle)
    assert len(engine.loads) == 1
    view.workspace.settings.device = "cpu"
    view.settings_changed()
    qtbot.waitUntil(lambda: [choice.device for choice in engine.loads] == ["auto", "cpu"])
    assert engine.requests == []


def test_loading_waits_for_what_runs_and_leaves_its_news_alone(
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
    assert view._panel.card.text() == "Positive (Very likely, 95 %)"
    assert notes == ["", "1 text (2 windows) classified in 0.5 seconds"]


def test_a_classifier_that_cannot_be_loaded_is_said_in_the_status_line_only(
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


def test_the_draft_and_the_way_come_back(make: Callable[[], ClassifyView], qtbot: QtBot) -> None:
    first = make()
    edit(first).setPlainText("half a thought\nand more ")
    first._panel.ways._buttons[LINES].click()
    first.keep()
    first.workspace.save_settings()
    second = make()
    assert edit(second).toPlainText() == "half a thought\nand more "
    assert second._panel.way() == LINES


def test_typing_is_saved_after_a_while_without_closing(view: ClassifyView, qtbot: QtBot) -> None:
    view._draft.timer.setInterval(10)
    edit(view).insertPlainText("typed")
    qtbot.waitUntil(lambda: view._draft.drafts.load("classify") == "typed")


def test_a_dropped_file_fills_the_paper_and_paste_is_plain(
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


def test_a_file_that_cannot_be_read_is_said(view: ClassifyView, qtbot: QtBot, tmp_path: Path) -> None:
    edit(view).setPlainText("mine")
    view.open_files([tmp_path / "missing.txt"])
    qtbot.waitUntil(lambda: bool(view._panel.notice.sentence()))
    assert edit(view).toPlainText() == "mine"


def test_a_changed_text_is_said_to_be_changed(view: ClassifyView, qtbot: QtBot) -> None:
    edit(view).setPlainText("first")
    view.run()
    qtbot.waitUntil(lambda: view._panel.card.isVisible())
    assert not view._panel._outdated.isVisible()
    edit(view).insertPlainText("more ")
    assert view._panel._outdated.isVisible()
    edit(view).undo()
    assert not view._panel._outdated.isVisible()


def test_what_counts_as_a_text() -> None:
    assert texts_of(" a\n\n b ", ONE) == (" a\n\n b ",)
    assert texts_of(" a\n\n b ", LINES) == ("a", "b")
    assert texts_of("a page\x0cbreak\nb", LINES) == ("a page\x0cbreak", "b")
    assert texts_of(" \n", ONE) == texts_of(" \n", LINES) == ()


def classification(problem: ProblemType, winner: str = "", **scores: float) -> Classification:
    listed = tuple(ClassScore(label, value) for label, value in scores.items())
    return Classification(listed, winner, 1, 5, problem)


def test_many_labels_stand_in_order_of_probability() -> None:
    scores = {f"label_{at}": (at + 1) / 5050 for at in range(100)}
    item = classification(ProblemType.SINGLE_LABEL, "label_99", **scores)
    rows = score_rows(item)
    assert len(rows) == 100
    assert rows[0].name == "Label 99"
    assert [row.best for row in rows].count(True) == 1
    assert sureness(item) == "Unsure: the likeliest of 100, 2 %"


def test_multi_label_names_all_that_apply() -> None:
    item = classification(ProblemType.MULTI_LABEL, "rude", rude=0.9, loud=0.6, kind=0.1)
    assert headline(item) == "Rude, Loud"
    assert [row.best for row in score_rows(item)] == [True, True, False]
    nothing = classification(ProblemType.MULTI_LABEL, "", rude=0.3, kind=0.1)
    assert headline(nothing) == "None of them"
    assert "30 %" in sureness(nothing)


def test_regression_shows_values_without_bars() -> None:
    item = classification(ProblemType.REGRESSION, stars=-1.25)
    assert headline(item) == "-1.25"
    assert sureness(item) == ""
    assert [(row.name, row.fraction, row.number) for row in score_rows(item)] == [("Stars", None, "-1.25")]


@pytest.mark.parametrize(
    ("label", "nice"),
    [
        ("negative", "Negative"), ("very_positive", "Very positive"), ("LABEL_3", "Label 3"),
        ("NEGATIVE", "Negative"), ("NSW", "NSW"), ("5 stars", "5 stars"), ("", ""), ("__", "__"),
    ],
)  # fmt: skip
def test_labels_are_made_readable(label: str, nice: str) -> None:
    assert nice_label(label) == nice
