"""The very first start: a sample is asked about by itself, and leaves no trace."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.flows.history.history import all_entries
from app.flows.workspace import open_workspace
from app.settings import settings as settings_file
from app.settings.paths import default_paths
from app.ui.ask.answer_panel import SuggestionButton
from app.ui.ask.ask import AskView
from app.ui.ask.session import AskSession
from app.ui.ask.sheets import sheets_to_save
from app.ui.ask.welcome import Welcome, WelcomeBand
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import CARD, answers, likelihood
from tests.helpers.widgets import tab_order
from tests.helpers.windows import FakeEngine, open_fake_workspace, until_stopped

QUESTION = "How much did the firm ask for the repair?"


def answer(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
    text = question.documents[0].text
    word = "£780" if "£780" in text else text.split()[0]
    return Reading(answers(text, word), True, 0.05, 0.4, 1, 1, 0.1)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(answer, CARD)


@pytest.fixture
def start(
    qapp: QApplication, qtbot: QtBot, engine: FakeEngine, spanlight_home: Path
) -> Iterator[Callable[..., MainWindow]]:
    """Starts the window as `spanlight` does; `first` for one that has no settings yet."""
    made: list[MainWindow] = []

    def started(*files: Path, first: bool = True) -> MainWindow:
        workspace = open_fake_workspace(engine, first=first)
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        window = MainWindow(workspace, theme, Lanes())
        made.append(window)
        window.show()
        window.start_soon()
        if files:
            window.open_files(list(files))
        qtbot.waitExposed(window)
        return window

    yield started
    for window in made:
        window.close()
        window.deleteLater()
    qapp.processEvents()


def ask_page(window: MainWindow) -> AskView:
    page = window.pages["ask"]
    assert isinstance(page, AskView)
    return page


def welcomed(window: MainWindow, qtbot: QtBot) -> tuple[AskView, Welcome]:
    """Wait until the sample's answer stands on the page."""
    page = ask_page(window)
    qtbot.waitUntil(lambda: page.welcome is not None and page.welcome.band is not None)
    sheet = page.sheets.current()
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    assert page.welcome is not None
    return page, page.welcome


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait past the moment when a first start would welcome somebody."""
    qtbot.waitUntil(lambda: not ask_page(window)._first_job.running)
    qtbot.wait(250)
    qtbot.waitUntil(lambda: window.lanes.files.idle and window.lanes.work.idle)


def kept(window: MainWindow) -> settings_file.Settings:
    return settings_file.load(window.workspace.paths.settings_file)


def test_a_sample_is_asked_by_itself_and_its_answer_lights_up(
    start: Callable[..., MainWindow], qtbot: QtBot, engine: FakeEngine
) -> None:
    window = start()
    page, welcome = welcomed(window, qtbot)
    sheet = page.sheets.current()
    asked = [request for request in engine.requests if isinstance(request, Question)]
    assert [request.text for request in asked] == [QUESTION]
    assert sheet.pane.lit() == ["£780"]
    assert page.panel.box.question() == QUESTION
    band = welcome.band
    assert band is not None and band.isVisible()
    assert "lit up in the text" in band.line.text()
    assert "leaves this computer" in band._private.text()
    assert band.folder.toolTip().replace("\n", "") == str(window.workspace.paths.data)
    assert page.panel.box.field.textCursor().selectedText() == QUESTION, "the next question is typed over it"
    qtbot.waitUntil(lambda: kept(window).welcomed)
    page.sheets.save_now()
    window.close()
    assert all_entries(open_fake_workspace(FakeEngine(answer, CARD)), "", Silent()) == (), "no history"
    drafts = default_paths().drafts
    assert json.loads((drafts / "ask.txt").read_text("utf-8"))["sheets"] == []
    assert [path.name for path in drafts.iterdir()] == ["ask.txt"], "it leaves with the window"


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_the_command_line_names_goes_first(
    start: Callable[..., MainWindow], qtbot: QtBot, engine: FakeEngine, tmp_path: Path, what: str
) -> None:
    file = tmp_path / "letters" / "letter.txt"
    file.parent.mkdir()
    file.write_text("Dear Ms Okafor, the rent is due.")
    window = start(file if what == "file" else file.parent)
    settle(window, qtbot)
    page = ask_page(window)
    if what == "file":
        qtbot.waitUntil(lambda: page.sheets.current().is_open)
        assert [sheet.session.path for sheet in page.sheets.all()] == [str(file)]
    else:
        qtbot.waitUntil(page.presenter.is_across, timeout=30_000)
    assert page.welcome is not None and page.welcome.band is None
    assert not engine.requests, "nothing was asked"
    assert kept(window).welcomed, "nor will it be at the second start"


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.data())
def test_what_only_passes_is_not_kept_and_the_one_that_is_up_stays_so(
    passing: list[bool], data: st.DataObject
) -> None:
    up = data.draw(st.integers(0, len(passing) - 1))
    sheets = []
    for at, passes in enumerate(passing):
        session = AskSession(str(at), history=["q"] * 90, is_unsaved=True, is_demo=passes)
        editor = SimpleNamespace(text=partial(str, f"text {at}"))
        sheets.append(SimpleNamespace(session=session, editor=editor, reading_place=int, is_file=bool))
    kept = sheets_to_save(sheets, up)  # type: ignore[arg-type]
    mine = [str(at) for at, passes in enumerate(passing) if not passes]
    assert [(one.key, one.text, len(one.history)) for one in kept.sheets] == [
        (key, f"text {key}", 50) for key in mine
    ]
    if not passing[up]:
        assert mine[kept.current] == str(up)
    assert 0 <= kept.current <= max(0, len(mine) - 1)


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_a_file_that_is_handed_over_takes_its_place(
    start: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ms Okafor, the rent is due.")
    window = start()
    page, welcome = welcomed(window, qtbot)
    window.come_up([file])
    qtbot.waitUntil(lambda: page.sheets.current().is_open and page.sheets.current().session.path == str(file))
    assert welcome.band is None
    assert [sheet.session.path for sheet in page.sheets.all()] == [str(file)], "the sample is closed"
    page.sheets.undo_close()
    assert len(page.sheets.all()) == 1, "and not to be brought back"


def test_a_question_of_ones_own_ends_it_and_keeps_the_text(
    start: Callable[..., MainWindow], qtbot: QtBot, engine: FakeEngine
) -> None:
    window = start()
    page, welcome = welcomed(window, qtbot)
    sheet = page.sheets.current()
    page.panel.box.field.setPlainText("When is the next meeting?")
    qtbot.keyClick(page.panel.box.field, Qt.Key.Key_Return)
    assert welcome.band is None
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    qtbot.waitUntil(lambda: sheet.session.entry > 0)
    assert [entry.question for entry in all_entries(window.workspace, "", Silent())] == [
        "When is the next meeting?"
    ]
    page.sheets.show_new()
    assert sheet in page.sheets.all(), "it is theirs by now"
    assert sheet.session.history == ["When is the next meeting?"]


@pytest.mark.parametrize("way", ["button", "Esc", "edit"])
def test_it_can_be_put_away(start: Callable[..., MainWindow], qtbot: QtBot, way: str) -> None:
    window = start()
    window.activateWindow()
    page, welcome = welcomed(window, qtbot)
    band = welcome.band
    assert band is not None
    qtbot.waitUntil(band.open.hasFocus)
    sheet = page.sheets.current()
    if way == "button":
        band.close_button.click()
    elif way == "Esc":
        qtbot.keyClick(band.open, Qt.Key.Key_Escape)
    else:
        qtbot.keyClicks(sheet.editor, "x")
    assert welcome.band is None and (page.panel.box.field.hasFocus() or way == "edit")
    assert sheet.pane.lit() == ([] if way == "edit" else ["£780"]), "the sample stays to be played with"
    page.sheets.show_new()
    assert (sheet in page.sheets.all()) == (way == "edit"), "until something else is begun, or for good"


@pytest.mark.parametrize("way", ["Stop", "Esc"])
def test_the_sample_can_be_stopped_and_the_band_put_away_before_it(
    start: Callable[..., MainWindow], qtbot: QtBot, engine: FakeEngine, way: str
) -> None:
    engine.answer = until_stopped
    page = ask_page(start())
    qtbot.waitUntil(lambda: page.welcome is not None and page.welcome.band is not None)
    welcome, run = page.welcome, page.sheets.current().session.run
    assert welcome is not None and welcome.band is not None and run is not None
    assert "being asked" in welcome.band.line.text()
    if way == "Stop":
        page.panel.strip.stop_asked.emit()
        sentence = "This is a sample. Ask it something, or open a file of yours."
        qtbot.waitUntil(lambda: welcome.band is not None and welcome.band.line.text() == sentence)
    else:
        qtbot.keyClick(page.panel.box.field, Qt.Key.Key_Escape)
        assert welcome.band is None and run.is_running
        qtbot.keyClick(page.panel.box.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not run.is_running)


def test_it_can_be_called_up_again_beside_what_is_open(
    start: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    window = start(first=False)
    settle(window, qtbot)
    page = ask_page(window)
    mine = page.sheets.current()
    mine.editor.set_text("My own text.")
    page.show_welcome()
    welcomed(window, qtbot)
    assert page.sheets.all()[0] is mine and len(page.sheets.all()) == 2
    page.show_welcome()
    assert len(page.sheets.all()) == 2, "the one that is open comes up"
    page.sheets.bring(0)
    assert list(page.sheets.all()) == [mine]
    assert mine.pane.text() == "My own text."


def test_the_folder_can_be_opened(
    start: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) is None)
    window = start()
    page, welcome = welcomed(window, qtbot)
    assert welcome.band is not None
    welcome.band.folder.click()
    assert [Path(url.toLocalFile()) for url in opened] == [window.workspace.paths.data]
    assert window.workspace.paths.data.is_dir()
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    welcome.band.folder.click()
    assert page.panel.notice.sentence() == "No program opened the folder."
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: True)
    welcome.band.folder.click()
    assert not page.panel.notice.isVisible(), "what was said of the last time"


@pytest.mark.long
def test_the_shipped_reader_answers_it(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> None:
    workspace = open_workspace()
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    window = MainWindow(workspace, theme, Lanes())
    try:
        window.show()
        window.start_soon()
        page = ask_page(window)
        sheet = page.sheets.current()
        qtbot.waitUntil(
            lambda: sheet.session.run is not None and not sheet.session.run.is_running, timeout=120_000
        )
        assert sheet.pane.lit()[0] == "£780"
        assert likelihood(page.panel.card).startswith(("Very likely", "Likely"))
        assert page.welcome is not None and page.welcome.band is not None
        assert "lit up" in page.welcome.band.line.text()
    finally:
        window.close()
        window.deleteLater()
        qapp.processEvents()


@pytest.mark.parametrize("width", [420, 1400])
def test_nothing_is_cut_off_at_any_width(start: Callable[..., MainWindow], qtbot: QtBot, width: int) -> None:
    window = start()
    _, welcome = welcomed(window, qtbot)
    band = welcome.band
    assert band is not None
    window.resize(width + 150, 700)
    qtbot.wait(50)
    for part in (band.open, band.close_button, band.folder, band._title, band.line, band._private):
        assert part.isVisible()
        inside = part.geometry().translated(
            part.parentWidget().mapTo(band, part.parentWidget().rect().topLeft())
        )
        if part.parentWidget() is band:
            inside = part.geometry()
        assert band.rect().contains(inside), part
    for label in (band._title, band.line, band._private):
        assert label.height() >= label.heightForWidth(label.width())


@pytest.mark.parametrize("width", [700, 1320])
def test_tab_goes_on_from_what_is_to_be_done_next_in_the_order_seen(
    start: Callable[..., MainWindow], qtbot: QtBot, width: int
) -> None:
    window = start()
    window.activateWindow()
    page, welcome = welcomed(window, qtbot)
    window.setMinimumSize(0, 0)  # only now, as every new look sets the least size again
    window.resize(width, 800)
    band = welcome.band
    assert band is not None
    qtbot.waitUntil(band.open.hasFocus)
    # The narrow one has its buttons below the words.

    def below() -> bool:
        return band.open.mapTo(window, QPoint()).y() > band.folder.mapTo(window, QPoint()).y()

    qtbot.waitUntil(lambda: below() == (width == 700))
    qtbot.waitUntil(lambda: any(one.isVisible() for one in page.panel.findChildren(SuggestionButton)))
    chain = tab_order(window)
    rest = chain[chain.index(page.tabs.strip) :]
    at = [rest.index(one) for one in (band.open, band.close_button, band.folder, page.panel.box.field)]
    tries = [rest.index(one) for one in page.panel.findChildren(SuggestionButton) if one.isVisible()]
    assert max(at[:3]) < at[3] < min(tries) and tries == sorted(tries)
    assert rest.index(page.panel.list if page.panel.list in rest else page.panel.card) < tries[0]
    assert tries[-1] < rest.index(page.panel.threshold.change)
    seen = sorted(
        (band.open, band.close_button, band.folder),
        key=lambda one: (one.mapTo(window, QPoint()).y(), one.mapTo(window, QPoint()).x()),
    )
    assert seen == sorted(seen, key=chain.index)


def test_where_data_lies_is_whole_where_there_is_room(qtbot: QtBot, spanlight_home: Path) -> None:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    for wide in range(700, 1900, 100):
        band = WelcomeBand(theme, Path("/home/somebody/.local/share/spanlight/and/a/folder"))
        qtbot.addWidget(band)
        band.resize(wide, 200)
        band.show()
        assert band._place.text() == band._place.full_text(), wide
