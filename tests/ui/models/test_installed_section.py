"""Installed models: listed, described, used for a page, removed after asking in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices

from app.core.models import Head
from app.core.reliability import TextKind, bins_of
from app.models.disk.installed import Shelf
from app.models.disk.notes import Notes, write_notes
from app.settings import settings as settings_file
from app.ui.models import installed
from tests.helpers.models_page import Opened, put_model

Open = Callable[[], Opened]


@pytest.fixture
def models(spanlight_home: Path) -> Path:
    return spanlight_home / "data" / "models"


def test_starters_are_listed_with_the_pages_that_use_them(open_models_page: Open) -> None:
    rows = {row.title: row for row in open_models_page().installed().list.rows()}
    assert rows["reader-careful"].sign == "Ask"
    assert rows["starter-pretraining"].sign == "Fill in, Next sentence"
    assert not any(row.faulty for row in rows.values())


def test_a_starter_is_told_in_plain_words_and_stays(open_models_page: Open) -> None:
    section = open_models_page().choose("starter-entities")
    facts, details = section.details.facts, section.details
    assert facts.value("Names") == "Places (LOC), other names (MISC), organisations (ORG), people (PER)"
    assert facts.value("Languages") == "English"
    assert "F1 69 %" in facts.value("Makers' figures")
    assert facts.value("Last used") == "Never"
    assert details.remove.isHidden()
    section.list.remove_asked.emit(section.list.key())
    assert details.notice.sentence() == "It comes with Spanlight and cannot be removed."
    assert details.removal.isHidden()


def test_how_reliable_a_model_is_is_shown_where_it_was_measured(open_models_page: Open, models: Path) -> None:
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


def test_search_and_task_narrow_the_list(open_models_page: Open) -> None:
    opened = open_models_page()
    section = opened.installed()
    section.filters.choices["Task"].setCurrentIndex(section.filters.choices["Task"].findText("Classify"))
    section.filters.changed.emit()
    assert [row.title for row in section.list.rows()] == ["starter-sentiment"]
    section.filters.search.setText("entities")
    opened.qtbot.waitUntil(lambda: not section.list.rows())
    assert section.empty.isVisible()
    assert section.empty.title() == "Nothing found"
    section.empty.button.click()
    assert len(section.list.rows()) == 5
    assert section.details.isVisible()


def test_a_model_is_used_for_a_page_and_the_choice_taken_back(open_models_page: Open, models: Path) -> None:
    put_model(models, "mine")
    opened = open_models_page()
    section = opened.choose("mine")
    changed: list[str] = []
    opened.page.changed.connect(changed.append)
    button = section.details.uses.button(Head.QUESTION_ANSWERING)
    assert button is not None and button.text() == "Use for Ask"
    button.click()
    opened.settle()
    opened.settle()
    assert changed == ["question-answering"]
    kept = settings_file.load(opened.workspace.paths.settings_file)
    assert kept.models["question-answering"] == "mine"
    assert {row.title: row.sign for row in section.list.rows()}["mine"] == "Ask"
    back = section.details.uses.button(Head.QUESTION_ANSWERING)
    assert back is not None and back.text() == "Let Spanlight choose"
    back.click()
    opened.settle()
    opened.settle()
    assert "question-answering" not in opened.workspace.settings.models


def test_what_is_said_of_a_folder_is_of_the_last_try(
    open_models_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = open_models_page().choose("starter-entities")
    notice = section.details.notice
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    section.details.folder_asked.emit()
    assert notice.sentence() == "No program opened the folder."
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: True)
    section.details.folder_asked.emit()
    assert not notice.isVisible()


def test_what_comes_late_of_a_folder_is_not_said_of_another_model(
    open_models_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Callable[[], None]] = []
    monkeypatch.setattr(
        installed,
        "open_folder",
        lambda folder, say, asker: late.append(lambda: say("Nothing opened it.", "", str(folder))),
    )
    opened = open_models_page()
    section = opened.choose("starter-entities")
    section.details.folder_asked.emit()
    late.pop()()
    assert section.details.notice.sentence() == "Nothing opened it."
    section.details.folder_asked.emit()
    opened.choose("reader-quick")
    late.pop()()
    assert not section.details.notice.isVisible()


def test_removal_asks_in_place_and_escape_keeps(open_models_page: Open, models: Path) -> None:
    folder = put_model(models, "mine")
    opened = open_models_page()
    section = opened.choose("mine")
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Delete)
    opened.settle()
    removal = section.details.removal
    assert removal.isVisible()
    assert "Remove mine? This frees" in removal.words()
    assert removal.cache.isHidden()
    assert section.stop()
    assert removal.isHidden()
    assert not section.stop()
    assert folder.is_dir()


def test_removing_takes_the_folder_away_and_says_so(open_models_page: Open, models: Path) -> None:
    folder = put_model(models, "mine")
    opened = open_models_page()
    section = opened.choose("mine")
    notes: list[str] = []
    opened.page.note.connect(notes.append)
    section.details.remove.click()
    opened.settle()
    with opened.qtbot.waitSignal(opened.page.changed) as told:
        section.details.removal.remove.click()
    assert told.args == ["models"]
    opened.settle()
    assert not folder.exists()
    assert notes[-1] == "mine removed"
    assert "mine" not in [row.title for row in section.list.rows()]
    assert section.details.isVisible()


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


def test_without_any_model_the_page_invites_to_get_one(open_models_page: Open) -> None:
    opened = open_models_page()
    opened.workspace.shelf = Shelf([opened.workspace.paths.models])
    opened.page.settings_changed()
    section = opened.installed()
    assert section.empty.title() == "No model is installed"
    section.empty.button.click()
    assert opened.page.names.selected() == "offered"


def test_look_inside_sends_a_sample_with_this_model(open_models_page: Open) -> None:
    opened = open_models_page()
    section = opened.choose("starter-sentiment")
    with opened.qtbot.waitSignal(opened.page.look_inside) as told:
        section.details.look.click()
    visit = told.args[0]
    assert visit.subject.head is Head.CLASSIFICATION
    assert Path(visit.model).name == "starter-sentiment"


def test_keys_walk_sections_and_list(open_models_page: Open) -> None:
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
    assert section.details.title() == Path(section.list.key()).name
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Up)
    opened.qtbot.keyClick(section.list, Qt.Key.Key_Up)
    assert page.focusWidget() is section.filters.search


def test_the_question_comes_into_sight_in_a_low_window(open_models_page: Open, models: Path) -> None:
    put_model(models, "mine")
    opened = open_models_page()
    opened.page.resize(700, 420)
    section = opened.choose("mine")
    keep = section.details.removal.keep
    section.details.remove.click()
    opened.qtbot.waitUntil(lambda: keep.isVisible() and not keep.visibleRegion().isEmpty())
    assert keep.visibleRegion().boundingRect().height() == keep.height()


@pytest.mark.parametrize("wide", [640, 760, 1000])
def test_a_narrow_window_cuts_nothing_off(open_models_page: Open, models: Path, wide: int) -> None:
    put_model(models, "mine")
    opened = open_models_page()
    opened.workspace.settings.models["question-answering"] = "mine"
    opened.page.settings_changed()
    opened.settle()
    opened.page.resize(wide, 500)
    section = opened.choose("mine")
    details = section.details
    button = details.uses.button(Head.QUESTION_ANSWERING)
    assert button is not None and button.text() == "Let Spanlight choose"
    opened.qtbot.waitUntil(lambda: details.widget().width() <= details.viewport().width())
    opened.qtbot.waitUntil(lambda: button.visibleRegion().boundingRect().width() == button.width())


def test_the_keyboard_stays_where_a_model_is_used(open_models_page: Open, models: Path) -> None:
    put_model(models, "mine")
    opened = open_models_page()
    section = opened.choose("mine")
    opened.page.activateWindow()
    opened.qtbot.waitUntil(opened.page.isActiveWindow)
    section.details.go_in()
    button = section.details.uses.button(Head.QUESTION_ANSWERING)
    assert button is not None and opened.page.focusWidget() is button
    opened.qtbot.keyClick(button, Qt.Key.Key_Space)
    opened.settle()
    opened.settle()
    back = section.details.uses.button(Head.QUESTION_ANSWERING)
    assert back is not None and back.text() == "Let Spanlight choose"
    assert opened.page.focusWidget() is back
