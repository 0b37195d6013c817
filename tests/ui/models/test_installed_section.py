"""Installed models: listed, described, put to use for a page, removed after a question."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.core.corrections import FEWEST_VERDICTS
from app.core.models import Head, model_title
from app.core.offers import Removal
from app.core.reliability import TextKind, bins_of
from app.core.report import Report, Silent
from app.flows.models.remove import remove
from app.flows.teach.calibration import follow_verdicts
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf, fingerprint
from app.models.disk.notes import Notes, write_notes
from app.settings import settings as settings_file
from app.ui.models import installed
from tests.helpers.corrections import correction
from tests.helpers.models_page import Opened, put_model

Open = Callable[[], Opened]


@pytest.fixture
def models(spanlight_home: Path) -> Path:
    return spanlight_home / "data" / "models"


def use_button(opened: Opened) -> QPushButton:
    """The one button in sight for a use of the shown model."""
    buttons = opened.installed().details.uses.findChildren(QPushButton)
    (button,) = (each for each in buttons if not each.isHidden() and each.parentWidget().isVisible())
    return button


def test_starters_are_listed_described_and_cannot_be_removed(open_models_page: Open) -> None:
    opened = open_models_page()
    rows = {row.title: row for row in opened.installed().list.rows()}
    assert rows["Spanlight reader"].sign == "Ask"
    assert rows["Spanlight words"].sign == "Fill in, Next sentence"
    assert not any(row.faulty for row in rows.values())
    section = opened.choose("Spanlight names")
    facts, details = section.details.facts, section.details
    assert facts.value("Name in commands") == "starter-entities"
    assert facts.value("Names") == "Places (LOC), Other names (MISC), Organisations (ORG), People (PER)"
    assert facts.value("Languages") == "English"
    assert "F1 69%" in facts.value("Makers' figures")
    assert facts.value("Last used") == "Never"
    assert details.remove.isHidden()
    section.list.remove_requested.emit(section.list.key())
    assert details.notice.sentence() == "It comes with Spanlight and cannot be removed."
    assert details.removal.isHidden()
    with opened.qtbot.waitSignal(opened.page.go) as told:
        details.look.click()
    assert told.args[1].subject.head is Head.TOKEN_CLASSIFICATION
    assert Path(told.args[1].model).name == "starter-entities"


def test_the_encoder_can_be_neither_measured_nor_inspected(open_models_page: Open) -> None:
    opened = open_models_page()
    row = opened.installed().list.rows()[-1]
    assert (row.title, row.sign) == ("MiniLM encoder", "Libraries")
    details = opened.choose("MiniLM encoder").details
    assert details.facts.value("Licence") == "Apache 2.0"
    assert details.look.isHidden() and details.measure.isHidden()
    assert not details.facts.value("Measured here")


def test_a_model_is_put_to_use_though_the_window_closes_at_once(open_models_page: Open, models: Path) -> None:
    put_model(models, "mine")
    opened, end = open_models_page(), threading.Event()
    opened.choose("mine")
    button = use_button(opened)
    opened.lanes.files.start(lambda report: end.wait(10))
    button.click()
    opened.lanes.files.finish_writes()
    end.set()
    kept = settings_file.load(opened.workspace.paths.settings_file)
    assert kept.models["question-answering"] == "mine"


def test_a_model_is_put_to_use_for_a_page_and_the_choice_undone(open_models_page: Open, models: Path) -> None:
    put_model(models, "mine")
    opened = open_models_page()
    section = opened.choose("mine")
    details, changed = section.details, list[str]()
    opened.page.changed.connect(changed.append)
    opened.page.activateWindow()
    opened.qtbot.waitUntil(opened.page.isActiveWindow)
    details.go_in()
    button = use_button(opened)
    assert button.text() == "Use for Ask" and button.hasFocus()
    opened.qtbot.keyClick(button, Qt.Key.Key_Space)
    opened.settle()
    opened.settle()
    assert changed == ["question-answering"]
    kept = settings_file.load(opened.workspace.paths.settings_file)
    assert kept.models["question-answering"] == "mine"
    assert {row.title: row.sign for row in section.list.rows()}["mine"] == "Ask"
    back = use_button(opened)
    assert back.text() == "Let Spanlight choose"
    assert opened.page.focusWidget() is back
    for wide in (640, 760, 1000):  # nothing is cut off
        opened.page.resize(wide, 500)
        opened.qtbot.waitUntil(lambda: details.widget().width() <= details.viewport().width())
        opened.qtbot.waitUntil(lambda: back.visibleRegion().boundingRect().width() == back.width())
    back.click()
    opened.settle()
    opened.settle()
    assert "question-answering" not in opened.workspace.settings.models


def test_a_late_failure_to_show_a_folder_is_shown_only_for_its_model(
    open_models_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Callable[[], None]] = []
    monkeypatch.setattr(
        installed,
        "open_folder",
        lambda folder, say, asker: late.append(lambda: say("Nothing opened it.", "", str(folder))),
    )
    opened = open_models_page()
    section = opened.choose("Spanlight names")
    notice = section.details.notice
    section.details.folder.click()
    late.pop()()
    assert notice.sentence() == "Nothing opened it."
    section.details.folder.click()
    assert not notice.isVisible()
    opened.choose("Spanlight quick reader")
    late.pop()()
    assert not notice.isVisible()


def test_the_reliability_is_shown_where_it_was_measured(open_models_page: Open, models: Path) -> None:
    bins = bins_of([(0.75, True)] * 20)
    write_notes(put_model(models, "mine"), Notes(reliability={TextKind.TABLES: bins}))
    put_model(models, "other")
    opened = open_models_page()
    details = opened.choose("mine").details
    assert details.reliability.isVisible()
    assert details.reliability.chart.words == {
        TextKind.TABLES: "Tables: off by 25 points on average (20 questions)"
    }
    opened.choose("other")
    assert details.reliability.isHidden()


def test_verdicts_adjust_a_reader_unless_that_is_turned_off(open_models_page: Open, models: Path) -> None:
    folder = put_model(models, "mine")
    opened = open_models_page()
    workspace, weights = opened.workspace, fingerprint(folder)
    for number in range(FEWEST_VERDICTS):
        kept = workspace.corrections.put(correction(f"{number}?", model="mine", weights=weights))
    follow_verdicts(workspace, [kept], Silent())
    assert workspace.adjustment(str(folder)) is not None
    changed = list[str]()
    opened.page.changed.connect(changed.append)
    card = opened.choose("mine").details.reliability
    assert card.isVisible() and card.follow.isChecked()
    assert None in card.chart.words
    card.follow.click()
    opened.settle()
    opened.settle()
    assert workspace.adjustment(str(folder)) is None
    assert card.isVisible() and not card.follow.isChecked()
    assert changed == ["question-answering"], "the page Ask reads the threshold again"
    asked = list[str]()
    opened.page.go.connect(lambda key, _: asked.append(key))
    card.list.click()
    assert asked == ["teach"] and card.list.isVisible()
    card.follow.click()
    opened.settle()
    assert workspace.adjustment(str(folder)) is not None


def test_search_and_task_narrow_the_list(open_models_page: Open) -> None:
    opened = open_models_page()
    section = opened.installed()
    section.filters.choices["Task"].setCurrentIndex(section.filters.choices["Task"].findText("Classify"))
    section.filters.changed.emit()
    assert [row.title for row in section.list.rows()] == ["Spanlight sentiment"]
    section.filters.search.setText("entities")
    opened.qtbot.waitUntil(lambda: not section.list.rows())
    assert section.empty.isVisible()
    assert section.empty.title.text() == "Nothing found"
    section.empty.button.click()
    assert len(section.list.rows()) == 6
    assert section.details.isVisible()


def test_a_model_is_removed_after_a_visible_question_and_escape_keeps_it(
    open_models_page: Open, models: Path
) -> None:
    folder = put_model(models, "mine")
    opened = open_models_page()
    opened.page.resize(700, 420)
    section = opened.choose("mine")
    notes: list[str] = []
    opened.page.note.connect(notes.append)
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Delete)
    opened.settle()
    removal = section.details.removal
    assert removal.isVisible() and removal.cache.isHidden()
    assert "Remove mine? This frees" in removal.words()
    keep = removal.keep
    opened.qtbot.waitUntil(lambda: keep.visibleRegion().boundingRect().height() == keep.height())
    assert section.stop()
    assert removal.isHidden() and folder.is_dir()
    assert not section.stop()
    section.details.remove.click()
    opened.settle()
    with opened.qtbot.waitSignal(opened.page.changed) as told:
        removal.remove.click()
    assert told.args == ["models"]
    opened.settle()
    assert not folder.exists()
    assert notes[-1] == "mine removed"
    assert "mine" not in [row.title for row in section.list.rows()]
    assert section.details.isVisible()


def test_a_running_removal_is_not_dropped_for_a_question_about_another_model(
    open_models_page: Open, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = put_model(models, "mine"), put_model(models, "other")
    go_on = threading.Event()

    def slow(workspace: Workspace, removal: Removal, report: Report, *, from_cache: bool) -> None:
        go_on.wait(10)
        report.check()
        remove(workspace, removal, report, from_cache=from_cache)

    monkeypatch.setattr(installed, "remove", slow)
    opened = open_models_page()
    section = opened.choose("mine")
    section.details.remove.click()
    opened.settle()
    section.details.removal.remove.click()
    section.list.choose(str(other))
    section.list.chosen.emit(str(other))
    section.details.remove.click()
    assert section.details.strip.isVisible()
    go_on.set()
    opened.settle()
    assert not folder.exists() and other.exists()
    assert section.details.strip.isHidden() and section.details.removal.isHidden()


def test_a_broken_folder_says_why_and_can_be_removed(open_models_page: Open, models: Path) -> None:
    folder = put_model(models, "torn")
    (folder / "model.safetensors").write_bytes(b"no weights at all")
    opened = open_models_page()
    section = opened.choose("torn")
    assert section.list.rows()[-1].faulty
    assert section.details.fault.isVisible()
    assert "torn" in section.details.fault.sentence() or "safetensors" in section.details.fault.sentence()
    assert section.details.measure.isHidden()
    assert section.details.uses.isHidden()
    section.details.remove.click()
    opened.settle()
    section.details.removal.remove.click()
    opened.settle()
    opened.settle()
    assert not folder.exists()


def test_without_any_model_the_page_offers_to_get_one(open_models_page: Open) -> None:
    opened = open_models_page()
    opened.workspace.shelf = Shelf([opened.workspace.paths.models])
    opened.page.settings_changed()
    section = opened.installed()
    assert section.empty.title.text() == "No model is installed"
    section.empty.button.click()
    assert opened.page.names.selected() == "offered"


def test_keys_move_through_sections_and_list(open_models_page: Open) -> None:
    opened = open_models_page()
    page = opened.page
    first = page.names.selected()
    page.next()
    assert page.names.selected() == "offered"
    page.previous()
    assert page.names.selected() == first == "installed"
    section = opened.installed()
    section.search()
    assert page.focusWidget() is section.filters.search
    opened.qtbot.keyClick(section.filters.search, Qt.Key.Key_Down)
    assert page.focusWidget() is section.list
    before = section.list.key()
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Down)
    assert section.list.key() != before
    assert section.details.title() == model_title(Path(section.list.key()).name)
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Up)
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Up)
    assert page.focusWidget() is section.filters.search
