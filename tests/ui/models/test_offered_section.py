"""Available models: found, looked up, downloaded, paused, resumed, refused, imported."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document
from app.flows.ask.question import ask
from app.flows.models.get import unfinished
from app.models.disk.card import read_card
from app.ui.kit.parts import Label
from app.ui.models.downloads import Stage
from app.ui.models.offered import OfferedSection
from app.ui.models.offers import offers
from tests.helpers.downloading import LastingDownloads
from tests.helpers.hub_server import HubServer
from tests.helpers.models_page import Opened
from tests.helpers.small_models import small_checkpoint

Open = Callable[[], Opened]
READER = "lion/tiny-reader"
SLOW = 80_000  # bytes a second


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint") / "tiny-reader"
    small_checkpoint(folder, head=Head.QUESTION_ANSWERING)
    return folder


@pytest.fixture
def hub(reader: Path) -> Iterator[HubServer]:
    with HubServer() as server:
        server.add(READER, reader, licence="mit", languages=["en"])
        yield server


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastingDownloads]:
    downloads = LastingDownloads(tmp_path_factory.mktemp("log") / "download.log")
    yield downloads
    downloads.end()


@pytest.fixture
def opened(open_models_page: Open, downloads: LastingDownloads, hub: HubServer, tmp_path: Path) -> Opened:
    opened = open_models_page()
    opened.workspace.downloads = downloads
    opened.workspace.settings.endpoint = hub.url
    opened.workspace.settings.hub_cache = str(tmp_path / "cache")
    return opened


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are installed without a process that tries them out, which takes seconds to import PyTorch."""
    for module in ("get", "import_model"):
        monkeypatch.setattr(
            f"app.flows.models.{module}.try_out", lambda workspace, folder, report: read_card(folder)
        )


def narrow(section: OfferedSection, name: str, title: str) -> None:
    """Choose this title under a filter of this name."""
    box = section.filters.choices[name]
    box.setCurrentIndex(box.findText(title))
    box.activated.emit(box.currentIndex())


def stage(opened: Opened, repository: str = READER) -> Stage | None:
    known = opened.offered().downloads.find(repository)
    return known.stage if known is not None else None


def until(opened: Opened, wanted: Stage, repository: str = READER) -> None:
    opened.qtbot.waitUntil(lambda: stage(opened, repository) is wanted, timeout=60_000)
    opened.settle()


def rest(opened: Opened) -> None:
    """Wait until nothing is downloaded any more."""
    opened.qtbot.waitUntil(lambda: opened.lanes.network.idle, timeout=30_000)


def test_the_catalogue_is_searched_and_filtered(opened: Opened, hub: HubServer) -> None:
    section = opened.offered()
    whole = len(section.list.rows())
    assert whole >= 20
    narrow(section, "Task", "Names")
    narrow(section, "Language", "German")
    rows = section.list.rows()
    assert 0 < len(rows) < whole
    assert all("Finds names" in row.line for row in rows)
    section.list.go_in()
    assert section.sheet.isVisible()
    assert section.sheet.button.text() == "Look it up"
    assert section.sheet.facts.value("Licence")
    assert not hub.requests()


def test_stronger_readers_are_marked_with_their_time_and_one_is_recommended(opened: Opened) -> None:
    opened.workspace.settings.reading_speed = 6e10
    section = opened.offered()
    rows = section.list.rows()
    assert [row.sign for row in rows[:4]] == ["Recommended", "Stronger", "Stronger", "Stronger"]
    assert not any(row.sign for row in rows[4:])
    assert rows[0].line == "F1 87.4 · 3 seconds a page · English"

    def compared() -> str:
        return " ".join(label.text() for label in section.empty.findChildren(Label))

    assert "stronger than yours, Spanlight reader, are marked" in compared()
    assert (
        "Recommended: DeBERTa-v3 base reader, F1 87.4 on SQuAD 2.0 as its authors report, 744 MB"
        in compared()
    )
    assert "roughly 3 seconds a page on this computer." in compared()
    known = offers(opened.workspace, Silent())
    stronger = known.stronger
    assert stronger is not None
    taught = replace(known, stronger=replace(stronger, reader_f1=0.0))
    assert not taught.comparison(known.models), "it may be just as strong"
    assert [taught.row(model).sign for model in known.models[:2]] == ["Recommended", ""]
    better = replace(known, stronger=replace(stronger, installed=stronger.reader))
    assert "A stronger reader is installed: Spanlight reader." in better.comparison(known.models)
    narrow(section, "Language", "German")
    assert "stronger" not in compared(), "none of them reads German"
    narrow(section, "Language", "Language")
    opened.workspace.settings.reading_speed = 1.0
    opened.page.settings_changed()
    opened.settle()
    assert [row.sign for row in section.list.rows()[:4]] == ["Stronger"] * 4
    assert "All are large or slow for this computer." in compared()


def test_a_repository_is_recognised_in_names_and_addresses(opened: Opened, hub: HubServer) -> None:
    section = opened.offered()
    section.repository.line.setText("not a name")
    section.repository.button.click()
    assert "no name of a model" in section.repository.refusal()
    assert section.panes.right.currentWidget() is section.empty
    for typed in (READER, f"{hub.url}/{READER}#files"):
        section.repository.line.setText(typed)
        assert not section.repository.refusal()
        section.repository.button.click()
        assert section.sheet.repository == section.list.key() == READER, typed
        section.list.choose(section.list.rows()[1].key)
    assert not hub.requests()


def test_an_empty_search_offers_a_named_repository_and_the_way_back(opened: Opened) -> None:
    section, search = opened.offered(), opened.offered().filters.search
    search.setText("zzqx")
    opened.qtbot.waitUntil(section.nothing.isVisible)
    assert section.list.isHidden() and section.nothing.suggested.isHidden()
    section.nothing.button.click()
    assert section.list.isVisible() and section.nothing.isHidden() and not section.filters.words()
    opened.qtbot.keyClick(search, Qt.Key.Key_Down)
    assert section.list.selectedIndexes() == [section.list.currentIndex()]
    assert section.sheet.repository == section.list.rows()[0].key
    search.setText(READER)
    opened.qtbot.waitUntil(section.nothing.suggested.isVisible)
    section.nothing.suggested.click()
    assert section.sheet.repository == section.list.key() == READER


def test_a_paused_download_cannot_resume_offline_and_can_be_discarded(opened: Opened, hub: HubServer) -> None:
    hub.fail("/cdn/*model.safetensors", rate=SLOW)
    section = opened.look_up(READER)
    section.sheet.button.click()
    opened.qtbot.waitUntil(
        lambda: bool(section.downloads.all()) and bool(section.downloads.all()[0].share), timeout=30_000
    )
    assert section.stop()
    rest(opened)
    resume = section.transfers.button(READER, "resume")
    assert resume is not None and resume.isEnabled()
    opened.workspace.settings.offline = True
    opened.page.settings_changed()
    opened.settle()
    assert not resume.isEnabled() and "offline" in resume.toolTip()
    assert not section.sheet.button.isEnabled()
    opened.workspace.settings.offline = False
    opened.page.settings_changed()
    section.transfers.button(READER, "discard").click()
    section.transfers.button(READER, "keep").click()
    assert section.transfers.button(READER, "resume") is not None
    section.transfers.button(READER, "discard").click()
    assert section.transfers.button(READER, "resume") is None
    throw = section.transfers.button(READER, "discard")
    assert throw is not None
    throw.setFocus()
    throw.click()
    assert opened.page.focusWidget() is section.list
    opened.qtbot.waitUntil(lambda: not section.downloads.all(), timeout=30_000)
    assert section.transfers.isHidden()
    assert not unfinished(opened.workspace, Silent())
    assert not [path for path in Path(opened.workspace.settings.hub_cache).rglob("blobs/*") if path.is_file()]
    assert section.sheet.button.text().startswith("Download ")


def test_a_failed_download_says_why_and_can_be_retried(opened: Opened, hub: HubServer) -> None:
    section = opened.look_up(READER)
    hub.fail("/cdn/*", status=404)
    section.sheet.button.click()
    until(opened, Stage.FAILED)
    row = section.downloads.all()[0]
    assert row.words and row.hint
    hub.heal()
    hub.fail("/cdn/*model.safetensors", rate=SLOW)
    section.transfers.button(READER, "resume").click()
    until(opened, Stage.RUNNING)
    assert section.stop()


def test_a_refused_or_missing_model_says_why_and_keeps_the_keyboard_focus(
    opened: Opened, hub: HubServer, reader: Path
) -> None:
    files = {path.name: path.read_bytes() for path in reader.iterdir()}
    files["pytorch_model.bin"] = files.pop("model.safetensors")
    hub.add("lion/pickled", files)
    opened.page.activateWindow()
    opened.qtbot.waitUntil(opened.page.isActiveWindow)
    sheet = opened.look_up("lion/pickled").sheet
    assert sheet.refusal.isVisible() and "pytorch_model.bin" in sheet.refusal.sentence()
    assert sheet.button.isHidden() and opened.page.focusWidget() is sheet
    assert not hub.sent("/cdn/*")
    opened.look_up("lion/nobody")
    assert sheet.notice.isVisible() and sheet.button.text() == "Try again"
    assert opened.page.focusWidget() is sheet.button
    sheet.button.click()
    assert not sheet.notice.isVisible()
    opened.qtbot.waitUntil(sheet.notice.isVisible, timeout=30_000)


def test_a_repository_that_was_looked_up_stays_listed_under_its_own_name(
    opened: Opened, hub: HubServer, reader: Path
) -> None:
    # The Hub takes a name in any case, and tells it as its owner writes it.
    commit = hub.add(READER.upper(), reader, licence="mit", languages=["en"], id=READER)
    hub.repositories[READER].commits[commit] = hub.repositories[READER.upper()].commits[commit]
    section = opened.look_up(READER.upper())
    assert section.sheet.repository == READER
    row = section.list.rows()[0]
    assert (row.key, row.line) == (READER, "Answers questions · English")
    section.repository.line.setText("lion/other")
    section.repository.button.click()
    assert [row.key for row in section.list.rows()[:2]] == ["lion/other", READER]


def test_a_model_is_looked_up_downloaded_used_and_removed(opened: Opened, hub: HubServer) -> None:
    """Typed, looked up, downloaded, asked with, removed; nothing is fetched before it is wanted."""
    section = opened.look_up(READER)
    facts = section.sheet.facts
    assert section.sheet.title() == "tiny-reader"
    assert facts.value("Licence") == "MIT"
    assert facts.value("Does") == "Answers questions"
    assert "model.safetensors" in facts.value("Files")
    assert section.sheet.button.text().startswith("Download ")
    assert not list(Path(opened.workspace.settings.hub_cache).rglob("blobs/*"))
    section.sheet.button.click()
    until(opened, Stage.DONE)
    assert section.transfers.isVisible()
    assert section.sheet.button.text() == "Show it"
    assert not facts.value("Download")
    assert section.list.rows()[0].sign == "Installed"

    assert opened.workspace.find_model(Head.QUESTION_ANSWERING).name == "reader-careful"
    section.transfers.button(READER, "use").click()
    opened.settle()
    assert section.downloads.all()[0].words == "is installed, and used for Ask now"
    reader = opened.workspace.find_model(Head.QUESTION_ANSWERING)
    assert reader.repository == READER

    text = "The queen made tarts. The knave stole the tarts."
    question = Question("Who stole the tarts?", (Document(text, "Tarts"),), threshold=0.0)
    reading = ask(opened.workspace, question, Silent())
    assert reading.model == "tiny-reader"
    assert reading.answers[0].text in text

    section.transfers.button(READER, "show").click()
    opened.settle()
    installed = opened.installed()
    assert installed.details.title() == "tiny-reader"
    assert READER in installed.details.facts.value("Came from")
    assert installed.details.facts.value("Last used").startswith("Today")
    installed.details.remove.click()
    opened.settle()
    removal = installed.details.removal
    assert removal.cache.isVisible()
    removal.cache.setChecked(True)
    removal.remove.click()
    opened.settle()
    opened.settle()
    assert "tiny-reader" not in [row.title for row in installed.list.rows()]
    assert not list(Path(opened.workspace.settings.hub_cache).rglob("blobs/*"))
    assert opened.offered().sheet.button.text() == "Look it up"


def test_a_paused_download_resumes_after_a_restart(
    opened: Opened, open_models_page: Open, hub: HubServer, untried: None
) -> None:
    hub.fail("/cdn/*model.safetensors", rate=SLOW)
    section = opened.look_up(READER)
    section.sheet.button.click()
    opened.qtbot.waitUntil(
        lambda: bool(section.downloads.all()) and "a second" in section.downloads.all()[0].words,
        timeout=30_000,
    )
    assert " of " in section.downloads.all()[0].words
    assert section.stop()
    assert stage(opened) is Stage.PAUSED
    assert section.sheet.button.text() == "Resume"
    assert section.downloads.all()[0].words.startswith("paused at ")
    rest(opened)
    opened.workspace.save_settings()

    again = open_models_page()
    until(again, Stage.PAUSED)
    row = again.offered().downloads.all()[0]
    assert row.title == "tiny-reader"
    assert 0 < (row.share or 0) < 1
    hub.heal()
    again.offered().transfers.button(READER, "resume").click()
    until(again, Stage.DONE)


def test_a_second_download_waits_for_the_first(opened: Opened, hub: HubServer, reader: Path) -> None:
    hub.add("lion/other", reader, licence="mit")
    opened.look_up("lion/other")
    section = opened.look_up(READER)
    hub.fail("/cdn/*model.safetensors", rate=SLOW)
    section.sheet.button.click()
    opened.qtbot.waitUntil(lambda: stage(opened) is Stage.RUNNING)
    section.repository.line.setText("lion/other")
    section.repository.button.click()
    assert section.sheet.button.text().startswith("Download ")
    section.sheet.button.click()
    rows = {row.title: row for row in section.downloads.all()}
    assert rows["other"].stage is Stage.WAITING
    assert rows["other"].words == "waits for tiny-reader"
    section.transfers.button("lion/other", "pause").click()
    assert stage(opened, "lion/other") is Stage.PAUSED
    assert stage(opened) is Stage.RUNNING
    section.transfers.button("lion/other", "discard").click()
    assert section.stop()


def test_offline_nothing_is_requested_and_a_link_leads_to_the_switch(opened: Opened, hub: HubServer) -> None:
    opened.workspace.settings.offline = True
    section = opened.offered()
    section.repository.line.setText(READER)
    section.repository.button.click()
    assert not section.sheet.button.isEnabled()
    assert "offline" in section.sheet.hint()
    section.sheet.link.click()
    assert opened.page.names.selected() == "network"
    assert not hub.requests()


def test_the_keyboard_focus_follows_a_download(opened: Opened, hub: HubServer, untried: None) -> None:
    section = opened.look_up(READER)
    opened.page.activateWindow()
    opened.qtbot.waitUntil(opened.page.isActiveWindow)
    section.sheet.go_in()
    assert section.sheet.button.hasFocus()
    hub.fail("/cdn/*model.safetensors", rate=SLOW)
    opened.qtbot.keyClick(section.sheet.button, Qt.Key.Key_Space)
    assert section.transfers.isAncestorOf(opened.page.focusWidget())
    opened.qtbot.waitUntil(lambda: stage(opened) is Stage.RUNNING)
    pause = section.transfers.button(READER, "pause")
    assert pause is not None and opened.page.focusWidget() is pause
    pause.click()
    rest(opened)
    hub.heal()
    resume = section.transfers.button(READER, "resume")
    assert resume is not None and opened.page.focusWidget() is resume
    resume.click()
    until(opened, Stage.DONE)
    close = section.transfers.button(READER, "close")
    assert close is not None
    close.setFocus()
    close.click()
    assert section.transfers.isHidden()
    assert opened.page.focusWidget() is section.list


def test_a_dropped_folder_is_checked_imported_and_shown(
    opened: Opened, reader: Path, tmp_path: Path, untried: None
) -> None:
    mine = shutil.copytree(reader, tmp_path / "mine")
    section = opened.offered()
    opened.page.open_files([mine])
    assert section.imports.strip.isVisible()
    assert not section.imports.folder.isEnabled()
    opened.qtbot.waitUntil(lambda: not section.imports.running, timeout=60_000)
    opened.settle()
    assert opened.page.names.selected() == "installed"
    assert opened.installed().details.title() == "mine"
    assert section.imports.folder.isEnabled()


def test_a_refused_folder_says_why_on_the_import_card(
    opened: Opened, reader: Path, tmp_path: Path, untried: None
) -> None:
    torn = shutil.copytree(reader, tmp_path / "torn")
    (torn / "model.safetensors").unlink()
    (tmp_path / "letter.txt").write_text("Dear Alice")
    section = opened.offered()
    assert not section.take_files([tmp_path / "letter.txt"])
    section.imports.take([torn, reader])
    opened.qtbot.waitUntil(lambda: not section.imports.running, timeout=60_000)
    assert section.imports.notice.isVisible()
    assert "torn" in section.imports.notice.sentence()
    assert opened.page.names.selected() == "offered"


def test_a_user_sent_here_for_a_model_gets_the_focus_on_its_button(opened: Opened) -> None:
    opened.offered()
    opened.page.show_section("installed")
    opened.page.show_section("offered", READER)
    section = opened.offered()
    assert section.list.key() == READER
    assert opened.page.focusWidget() is section.sheet.button


@pytest.mark.parametrize("is_up", [True, False])
def test_a_user_sent_here_for_a_language_sees_the_models_for_it(opened: Opened, is_up: bool) -> None:
    if is_up:
        narrow(opened.offered(), "Task", "Names")
    opened.page.show_section("offered", (Head.QUESTION_ANSWERING.value, "de"))
    opened.settle()
    section = opened.page.section()
    assert isinstance(section, OfferedSection)
    assert (section.filters.choice("Task"), section.filters.choice("Language")) == (
        Head.QUESTION_ANSWERING.value,
        "de",
    )
    found = [section._offers.find(row.key) for row in section.list.rows()]
    assert found and all(one is not None and {"de", "multi"} & set(one.languages) for one in found)
    opened.page.show_section("offered", (Head.QUESTION_ANSWERING.value, "cy"))
    opened.settle()
    found = [section._offers.find(row.key) for row in section.list.rows()]
    assert all(one is not None and "multi" in one.languages for one in found), "Welsh, by those of many"
