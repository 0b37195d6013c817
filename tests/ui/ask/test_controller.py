"""Questions in several tabs, and about files that are still being opened: each gets its own answer in turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.layout import Opened
from app.core.report import Report
from app.core.requests import Question
from app.core.results import Answer
from app.core.wording import percent
from app.ui.ask.ask import AskView
from app.ui.ask.run import AskRun, RunState, TextState
from app.ui.ask.sheet import Sheet
from app.ui.document.marks import places
from tests.helpers.history_entries import ENTRY
from tests.helpers.open_files import CARD, Waiting, is_open, open_locked, titles
from tests.helpers.scripted_reader import ScriptedReader, ask_in, sheet_with
from tests.helpers.small_pdfs import Page, small_pdf
from tests.helpers.windows import FakeEngine

TIDE = "The tide is high at noon, low at dawn, and the moon is full at midnight."
BELL = "The bell rings at seven, and again at eight."
GATE = "The gate is shut at nine."
FIRST, SECOND = "Long: rings at eight", "Long: shut at nine"
STOPPED = f"Stopped after {percent(0.34)} of the text"
PAUSED = f"Paused after {percent(0.34)} of the text"


@pytest.fixture
def scripted() -> Iterator[ScriptedReader]:
    scripted = ScriptedReader()
    yield scripted
    scripted.closed.set()


@pytest.fixture
def engine(scripted: ScriptedReader) -> FakeEngine:
    return FakeEngine(scripted, CARD)


@pytest.fixture
def waiting(view: AskView) -> Iterator[Waiting]:
    documents = Waiting(view.workspace.documents)
    view.workspace.documents = documents  # type: ignore[assignment]
    yield documents
    documents.go_on.set()


def opened(view: AskView, folder: Path, name: str, text: str) -> Sheet:
    """Open a file with this text; the sheet that it is read into."""
    (folder / name).write_text(text, "utf-8")
    view.open_files([folder / name])
    return view.sheets.current()


@pytest.fixture
def tide(view: AskView, tmp_path: Path, waiting: Waiting) -> Sheet:
    """Return the sheet of a file that is still being opened."""
    return opened(view, tmp_path, "tide.txt", TIDE)


def out(sheet: Sheet) -> AskRun:
    assert sheet.session.run is not None
    return sheet.session.run


def is_paused(sheet: Sheet) -> bool:
    return sheet.session.run is not None and sheet.session.run.state is RunState.PAUSED


def is_over(sheet: Sheet) -> bool:
    return sheet.session.run is not None and not sheet.session.run.is_running


def best(sheet: Sheet) -> str:
    found = out(sheet).answers()
    return found[0].text if found else ""


def bring(view: AskView, sheet: Sheet) -> None:
    view.sheets.bring(view.sheets.all().index(sheet))


def asked(engine: FakeEngine) -> list[tuple[str, str]]:
    return [(one.documents[0].name, one.text) for one in engine.requests if isinstance(one, Question)]


def kept(view: AskView, qtbot: QtBot) -> set[tuple[str, str, str]]:
    """Return the history's entries, without doubles: question, best answer, and where reading was stopped."""
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    entries = view.workspace.history.entries()
    rows = {(one.question, one.answers[0].text if one.answers else "", one.stopped) for one in entries}
    assert len(rows) == len(entries)
    return rows


@pytest.fixture
def bell(view: AskView, qtbot: QtBot, scripted: ScriptedReader) -> Sheet:
    """Return the current sheet, a third of which has been read, with "seven" found so far."""
    sheet = sheet_with(view, BELL)
    ask_in(view, qtbot, sheet, FIRST)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST])
    scripted.found(FIRST, "seven", 20)
    scripted.progress(FIRST, 34)
    qtbot.waitUntil(lambda: out(sheet).fraction == 0.34 and best(sheet) == "seven")
    return sheet


@pytest.fixture
def gate(view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet) -> Sheet:
    """Return another sheet, about which a newer question was asked, so that it is read for now."""
    sheet = sheet_with(view, GATE)
    ask_in(view, qtbot, sheet, SECOND)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST, SECOND])
    return sheet


def test_a_reading_is_paused_with_what_was_found_and_goes_on_by_itself(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, engine: FakeEngine, bell: Sheet, gate: Sheet
) -> None:
    panel = view.panel
    assert is_paused(bell) and best(bell) == "seven"
    assert not panel.card.isVisible(), "of the other tab nothing is said here"
    bring(view, bell)
    assert panel.strip.words() == f"{PAUSED}: begins again after the question in another tab"
    assert panel.card.answer.text() == "seven" and panel.card.over.text() == f"{PAUSED}: the best so far"
    notes: list[str] = []
    view.note.connect(notes.append)
    scripted.end(SECOND)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST, SECOND, FIRST])
    assert is_over(gate) and best(gate) == "nine" and engine.requests[0] == engine.requests[2]
    qtbot.waitUntil(lambda: panel.strip.words() == "Reading")
    assert panel.card.over.text() == "Provisional: still reading" and notes[-1] == ""
    scripted.found(FIRST, "bell", 10)
    qtbot.waitUntil(lambda: panel.strip.words().startswith("Reading again, "))
    assert panel.card.answer.text() == "seven", "until as much was read again"
    scripted.end(FIRST)
    qtbot.waitUntil(lambda: is_over(bell))
    assert panel.card.answer.text() == "eight" and not panel.card.over.text()
    assert kept(view, qtbot) == {(FIRST, "eight", ""), (SECOND, "nine", "")}
    assert scripted.asked == [FIRST, SECOND, FIRST]


@pytest.mark.parametrize("by", ["Esc", "Stop"])
def test_stopped_while_paused_it_ends_and_the_other_one_goes_on(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, gate: Sheet, by: str
) -> None:
    bring(view, bell)
    if by == "Esc":
        assert view.stop() and not view.stop(), "the other one is stopped in its own tab"
    else:
        view.panel.strip.stop_asked.emit()
    assert view.panel.card.over.text() == f"{STOPPED}: the best so far"
    assert not view.panel.strip.isVisible() and out(gate).is_running
    scripted.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    assert kept(view, qtbot) == {(FIRST, "seven", STOPPED), (SECOND, "nine", "")}
    assert scripted.asked == [FIRST, SECOND]


def test_a_model_process_that_is_lost_ends_one_question_at_a_time(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, gate: Sheet
) -> None:
    lost = []
    view.lost.connect(lambda: lost.append(1))
    scripted.fail(SECOND, EngineLost("The reader ended.", "Ask again."))
    qtbot.waitUntil(lambda: scripted.asked == [FIRST, SECOND, FIRST])
    assert gate.session.run is None and len(lost) == 1 and best(bell) == "seven"
    scripted.fail(FIRST, EngineLost("The reader ended.", "Ask again."))
    qtbot.waitUntil(lambda: is_over(bell))
    assert len(lost) == 2 and out(bell).note == f"Broke off after {percent(0.34)} of the text"
    assert kept(view, qtbot) == {(FIRST, "seven", STOPPED)}


def test_another_question_where_one_is_paused_takes_its_place(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, gate: Sheet
) -> None:
    ask_in(view, qtbot, bell, "When at seven")
    qtbot.waitUntil(lambda: scripted.asked[2:] == ["When at seven", SECOND])
    scripted.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    assert kept(view, qtbot) == {
        (FIRST, "seven", STOPPED), ("When at seven", "seven", ""), (SECOND, "nine", ""),
    }  # fmt: skip
    assert len(scripted.asked) == 4 and out(bell).question == "When at seven"


@pytest.mark.parametrize("paused", [True, False])
def test_closing_the_tab_keeps_what_was_found(
    view: AskView,
    qtbot: QtBot,
    scripted: ScriptedReader,
    bell: Sheet,
    request: pytest.FixtureRequest,
    paused: bool,
) -> None:
    if paused:
        request.getfixturevalue("gate")
    bring(view, bell)
    view.sheets.close_current()
    assert kept(view, qtbot) == {(FIRST, "seven", STOPPED)}
    assert view.panel.card.isVisible() is False
    view.sheets.undo_close()
    assert view.sheets.current() is bell and view.panel.card.answer.text() == "seven"
    assert view.panel.card.over.text() == f"{STOPPED}: the best so far"
    assert bell.session.entry and out(bell).lit == (True,) and scripted.asked.count(FIRST) == 1


def test_as_the_window_goes_all_that_was_found_is_kept(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, gate: Sheet
) -> None:
    scripted.found(SECOND, "shut", 50)
    qtbot.waitUntil(lambda: best(gate) == "shut")
    view.keep()
    view.keep()
    qtbot.wait(30)
    half = f"Stopped after {percent(0.5)} of the text"
    assert kept(view, qtbot) == {(FIRST, "seven", STOPPED), (SECOND, "shut", half)}
    assert bell.session.entry and scripted.asked == [FIRST, SECOND], "and nothing begins after it"


def test_an_edit_leaves_it_paused_and_another_text_ends_it(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, gate: Sheet
) -> None:
    bring(view, bell)
    qtbot.keyClicks(bell.editor, "X")
    assert out(bell).text is TextState.CHANGED and is_paused(bell) and view.panel.strip.isVisible()
    bell.editor.selectAll()
    qtbot.keyClick(bell.editor, Qt.Key.Key_Delete)
    assert is_paused(bell) and not view.panel.strip.isVisible(), "it may come back by undoing"
    qtbot.keyClicks(bell.editor, "Another one")
    assert is_over(bell)
    scripted.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    assert (FIRST, "seven", STOPPED) in kept(view, qtbot) and scripted.asked == [FIRST, SECOND]


@pytest.mark.parametrize("by", ["reading again", "history"])
def test_a_file_read_again_or_an_entry_of_the_history_ends_what_is_paused(
    view: AskView, qtbot: QtBot, tmp_path: Path, scripted: ScriptedReader, by: str
) -> None:
    (tmp_path / "bell.txt").write_text(BELL, "utf-8")
    file = is_open(view, qtbot, [tmp_path / "bell.txt"])
    ask_in(view, qtbot, file, FIRST)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST])
    scripted.found(FIRST, "seven", 34)
    qtbot.waitUntil(lambda: out(file).fraction == 0.34)
    ask_in(view, qtbot, sheet_with(view, GATE), SECOND)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST, SECOND])
    if by == "history":
        found = replace(ENTRY.answers[0], text="eight", page=None, sentence="", before="", after="")
        path = file.session.path
        view.open_entry(replace(ENTRY, question="When else?", name="bell.txt", path=path, answers=(found,)))
        assert view.sheets.current() is file and (out(file).question, best(file)) == ("When else?", "eight")
        assert view.panel.box.question() == "When else?" and not view.panel.strip.isVisible()
    else:
        bring(view, file)
        file.read_requested.emit()
        qtbot.waitUntil(lambda: file.is_open and view.lanes.documents.idle)
        assert view.panel.card.over.text() == f"{STOPPED}: the best so far"
    scripted.end(SECOND)
    qtbot.waitUntil(lambda: (SECOND, "nine", "") in kept(view, qtbot))
    assert (FIRST, "seven", STOPPED) in kept(view, qtbot) and len(scripted.asked) == 2


def test_what_came_to_its_end_at_that_moment_is_not_read_again(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet
) -> None:
    gate = sheet_with(view, GATE)
    view.panel.box.field.setPlainText("When shut at nine")
    now = view.controller._now
    assert now is not None
    scripted.end(FIRST)
    while now.job._work._outcome is None:  # no event of the window is heard meanwhile
        pass
    assert out(bell).is_running
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    assert is_over(bell) and best(bell) == "eight"
    qtbot.waitUntil(lambda: is_over(gate))
    assert scripted.asked == [FIRST, "When shut at nine"]


def test_places_are_found_by_the_thread_that_reads(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader, bell: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[str, threading.Thread]] = []
    place_of = places.place_of

    def noting(opened: Opened, answer: Answer) -> places.Place:
        found.append((answer.text, threading.current_thread()))
        return place_of(opened, answer)

    monkeypatch.setattr(places, "place_of", noting)
    scripted.found(FIRST, "again", 50)
    scripted.end(FIRST)
    qtbot.waitUntil(lambda: is_over(bell) and view.panel.card.answer.text() == "eight")
    assert [words for words, _ in found] == ["again", "eight"]
    assert threading.main_thread() not in [thread for _, thread in found]


def test_one_that_waits_for_the_work_of_another_page_is_put_off_too(
    view: AskView, qtbot: QtBot, scripted: ScriptedReader
) -> None:
    done: list[int] = []

    def classify(report: Report) -> None:
        while not done:
            report.check()

    view.lanes.work.start(classify).name = "the work on Classify"
    bell = sheet_with(view, BELL)
    ask_in(view, qtbot, bell, "When at eight")
    assert view.panel.strip.words() == "Waits for the work on Classify to end"
    gate = sheet_with(view, GATE)
    ask_in(view, qtbot, gate, "When shut at nine")
    bring(view, bell)
    assert view.panel.strip.words() == "Paused at the start: begins again after the question in another tab"
    done.append(1)
    qtbot.waitUntil(lambda: is_over(bell) and is_over(gate))
    assert scripted.asked == ["When shut at nine", "When at eight"]
    assert (best(bell), best(gate)) == ("eight", "nine")


# Files that are being opened


def test_a_question_is_asked_as_soon_as_its_file_is_open(
    view: AskView, qtbot: QtBot, waiting: Waiting, engine: FakeEngine, tide: Sheet
) -> None:
    ask_in(view, qtbot, tide, "Low at dawn?")
    ask_in(view, qtbot, tide, "When at noon?")
    assert view.panel.strip.words() == "Asked as soon as the file is open"
    assert not view.panel.idle.isVisible() and not view.panel.notice.isVisible()
    qtbot.keyClicks(view.panel.box.field, " And")
    waiting.go_on.set()
    qtbot.waitUntil(lambda: view.panel.card.isVisible() and not view.panel.strip.isVisible())
    assert view.panel.card.answer.text() == "noon"
    assert asked(engine) == [("tide.txt", "When at noon?")], "the last one, once"
    assert view.panel.box.question() == "When at noon? And", "what is being typed stays"
    assert tide.session.history == ["Low at dawn?", "When at noon?"]


def test_esc_lets_go_of_it_first_and_stops_the_opening_then(
    view: AskView, qtbot: QtBot, waiting: Waiting, engine: FakeEngine, tide: Sheet
) -> None:
    ask_in(view, qtbot, tide, "When at noon?")
    assert view.stop()
    assert not view.panel.strip.isVisible() and view.panel.idle.isVisible()
    assert view.panel.box.question() == "When at noon?"
    ask_in(view, qtbot, tide, "When at noon?")
    view.panel.strip.stop_asked.emit()
    assert not view.panel.strip.isVisible() and titles(view) == ["tide.txt"], "the file goes on being opened"
    ask_in(view, qtbot, tide, "When at noon?")
    view.sheets.close_current()
    waiting.go_on.set()
    view.sheets.undo_close()
    qtbot.waitUntil(lambda: titles(view) == ["tide.txt"] and view.sheets.current().is_open)
    qtbot.wait(20)
    assert not asked(engine), "a closed tab takes it along"


def test_where_the_file_cannot_be_opened_the_question_stays_to_be_asked(
    view: AskView, qtbot: QtBot, tmp_path: Path, engine: FakeEngine, waiting: Waiting
) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    view.open_files([tmp_path / "bad.pdf"])
    ask_in(view, qtbot, view.sheets.current(), "When at noon?")
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "Another")
    page = view.sheets.current().opening
    assert page is not None
    waiting.go_on.set()
    qtbot.waitUntil(lambda: page.notice.isVisible())
    assert not view.panel.strip.isVisible() and view.panel.box.question() == "Another"
    view.panel.box.field.moveCursor(view.panel.box.field.textCursor().MoveOperation.Start)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Up)
    assert view.panel.box.question() == "When at noon?"
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    assert view.panel.notice.sentence() == "This file is not open." and not asked(engine)


def test_it_waits_while_the_password_is_asked_for(
    view: AskView, qtbot: QtBot, tmp_path: Path, engine: FakeEngine
) -> None:
    page = open_locked(view, qtbot, tmp_path)
    ask_in(view, qtbot, view.sheets.current(), "What is buried?")
    assert view.sheets.current().session.waiting
    qtbot.keyClicks(page.lock.field, "opensesame")
    qtbot.keyClick(page.lock.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    assert asked(engine) == [("locked.pdf", "What is buried?")]


@pytest.mark.parametrize("is_current", [True, False])
def test_what_waited_for_its_file_is_read_first_where_it_is_newer_and_current(
    view: AskView,
    qtbot: QtBot,
    scripted: ScriptedReader,
    bell: Sheet,
    tide: Sheet,
    waiting: Waiting,
    is_current: bool,
) -> None:
    ask_in(view, qtbot, tide, "When is it high at noon")
    assert not is_paused(bell), "nothing can be read for it yet"
    if not is_current:
        bring(view, bell)
    waiting.go_on.set()
    qtbot.waitUntil(lambda: tide.is_open)
    if not is_current:
        qtbot.wait(30)
        assert not is_paused(bell) and tide.session.waiting
        bring(view, tide)
    qtbot.waitUntil(lambda: scripted.asked == [FIRST, "When is it high at noon", FIRST])
    assert best(tide) == "noon" and best(bell) == "seven" and not is_paused(bell)


@pytest.mark.parametrize("way", ["asked anew", "file gone", "history"])
def test_an_older_one_that_waits_is_asked_however_the_reading_before_it_ends(
    view: AskView, qtbot: QtBot, tmp_path: Path, scripted: ScriptedReader, engine: FakeEngine, tide: Sheet,
    waiting: Waiting, way: str,
) -> None:  # fmt: skip
    ask_in(view, qtbot, tide, "When at noon")
    waiting.go_on.set()
    gate = opened(view, tmp_path, "gate.txt", GATE)
    ask_in(view, qtbot, gate, SECOND)
    # On a busy machine it may have begun already, and be paused for the newer one.
    qtbot.waitUntil(lambda: gate.is_open and (bool(tide.session.waiting) or is_over(tide) or is_paused(tide)))
    if way == "asked anew":
        ask_in(view, qtbot, gate, "Shut at nine")
    elif way == "file gone":
        (tmp_path / "gate.txt").unlink()
        gate.read_requested.emit()
        qtbot.waitUntil(gate.banner.isVisible)
    else:
        path = gate.session.path
        view.open_entry(
            replace(ENTRY, question="When?", name="gate.txt", path=path, answers=(), answered=False)
        )
    qtbot.waitUntil(lambda: is_over(tide) and (way != "asked anew" or is_over(gate)))
    assert best(tide) == "noon" and not tide.session.waiting
    if way == "asked anew":
        assert (out(gate).question, best(gate)) == ("Shut at nine", "nine")
        assert view.panel.card.answer.text() == "nine"


def test_a_question_that_waits_for_its_file_gives_way_to_an_entry_of_the_history(
    view: AskView, qtbot: QtBot, tmp_path: Path, scripted: ScriptedReader, tide: Sheet, waiting: Waiting
) -> None:
    ask_in(view, qtbot, tide, "When at noon")
    gate = opened(view, tmp_path, "gate.txt", GATE)
    ask_in(view, qtbot, gate, SECOND)
    assert gate.session.waiting
    path = gate.session.path
    view.open_entry(replace(ENTRY, question="When?", name="gate.txt", path=path, answers=(), answered=False))
    waiting.go_on.set()
    qtbot.waitUntil(lambda: is_over(tide))
    assert best(tide) == "noon" and not gate.session.waiting and gate.session.question == "When?"


def test_of_a_file_without_text_it_is_told_once_its_tab_is_shown(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    (tmp_path / "scan.pdf").write_bytes(small_pdf([Page()]))
    view.open_files([tmp_path / "scan.pdf"])
    scan = view.sheets.current()
    ask_in(view, qtbot, scan, "When at noon")
    tide = opened(view, tmp_path, "tide.txt", TIDE)
    ask_in(view, qtbot, tide, "What is high")
    waiting.go_on.set()
    qtbot.waitUntil(lambda: is_over(tide))
    assert scan.is_open and not view.panel.notice.isVisible()
    bring(view, scan)
    qtbot.waitUntil(view.panel.notice.isVisible)
    assert view.panel.notice.sentence() == "The pages of this PDF are empty."
    assert not scan.session.waiting and not view.panel.strip.isVisible()
    assert view.panel.box.question() == "When at noon" and asked(engine) == [("tide.txt", "What is high")]
