"""A question in one tab does not end the reading in another: that is paused, and goes on by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.report import Report, Stopped
from app.ui.ask.ask import AskView
from app.ui.ask.outcome import Outcome
from app.ui.ask.sheet import Sheet
from tests.helpers.history_entries import ENTRY
from tests.helpers.open_files import CARD, Waiting, is_open
from tests.helpers.told_reader import ToldReader, ask_in, sheet_with
from tests.helpers.windows import FakeEngine

TIDE = "The tide is high at noon, low at dawn, and the moon is full at midnight."
BELL = "The bell rings at seven, and again at eight."
GATE = "The gate is shut at nine."
FIRST, SECOND, THIRD = "Long: rings at eight", "Long: shut at nine", "Long: high at noon"
PAUSED = "Paused after 34% of the text"
GOES_ON = f"{PAUSED}: begins again after the question in another tab"


@pytest.fixture
def told() -> Iterator[ToldReader]:
    told = ToldReader()
    yield told
    told.closed.set()


@pytest.fixture
def engine(told: ToldReader) -> FakeEngine:
    return FakeEngine(told, CARD)


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine) -> AskView:
    return open_page(AskView, engine)


def out(sheet: Sheet) -> Outcome:
    assert sheet.outcome is not None
    return sheet.outcome


def best(sheet: Sheet) -> str:
    found = out(sheet).answers()
    return found[0].text if found else ""


def is_over(sheet: Sheet) -> bool:
    return sheet.outcome is not None and not sheet.outcome.running


def bring(view: AskView, sheet: Sheet) -> None:
    view.sheets.bring(view.sheets.all().index(sheet))


def kept(view: AskView, qtbot: QtBot) -> set[tuple[str, str, str]]:
    """What the history holds, each once: question, best answer, and where it was stopped."""
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    entries = view.workspace.history.entries()
    rows = {(one.question, one.answers[0].text if one.answers else "", one.stopped) for one in entries}
    assert len(rows) == len(entries)
    return rows


@pytest.fixture
def bell(view: AskView, qtbot: QtBot, told: ToldReader) -> Sheet:
    """A sheet that is up and being read, a third of it, "seven" found by now."""
    sheet = sheet_with(view, BELL)
    ask_in(view, qtbot, sheet, FIRST)
    qtbot.waitUntil(lambda: told.asked == [FIRST])
    told.found(FIRST, "seven", 20)
    told.came_to(FIRST, 34)
    qtbot.waitUntil(lambda: out(sheet).fraction == 0.34 and best(sheet) == "seven")
    return sheet


@pytest.fixture
def gate(view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet) -> Sheet:
    """Another sheet, that is read now, a question having been asked about it since."""
    sheet = sheet_with(view, GATE)
    ask_in(view, qtbot, sheet, SECOND)
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND])
    return sheet


def test_it_is_paused_with_what_was_found_and_goes_on_by_itself(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    panel = view.panel
    assert out(bell).running and out(bell).paused and best(bell) == "seven"
    assert not panel.card.isVisible(), "of the other tab nothing is said here"
    bring(view, bell)
    assert panel.strip.isVisible() and panel.strip.words() == GOES_ON
    assert panel.card.answer() == "seven" and panel.card.over() == f"{PAUSED}: the best so far"
    notes: list[str] = []
    view.note.connect(notes.append)
    told.end(SECOND)
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND, FIRST])
    assert is_over(gate) and best(gate) == "nine"
    qtbot.waitUntil(lambda: panel.strip.words() == "Reading")
    assert not out(bell).paused and panel.card.over() == "Provisional: still reading" and notes[-1] == ""
    told.end(FIRST)
    qtbot.waitUntil(lambda: is_over(bell))
    assert panel.card.answer() == "eight" and not panel.card.over() and not out(bell).ended
    assert kept(view, qtbot) == {(FIRST, "eight", ""), (SECOND, "nine", "")}
    assert told.asked == [FIRST, SECOND, FIRST]


def test_what_was_found_stays_until_as_much_was_read_again(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    bring(view, bell)
    told.end(SECOND)
    qtbot.waitUntil(lambda: len(told.asked) == 3)
    strip = view.panel.strip
    told.found(FIRST, "bell", 10)
    qtbot.waitUntil(lambda: strip.words() == "Reading again, 10%, about 30 seconds left")
    assert best(bell) == "seven" and out(bell).fraction == 0.34
    told.found(FIRST, "again", 33)
    qtbot.waitUntil(lambda: strip.words().startswith("Reading again, 33%"))
    assert best(bell) == "seven"
    told.came_to(FIRST, 34)
    qtbot.waitUntil(lambda: strip.words() == "Reading, 34%, about 30 seconds left")
    assert best(bell) == "again", "what was held back, nothing better having been found since"
    told.found(FIRST, "rings", 35)
    qtbot.waitUntil(lambda: best(bell) == "rings")
    view.stop()
    assert out(bell).ended == "Stopped after 35% of the text"


def test_where_nothing_was_found_whatever_is_found_shows_at_once(
    view: AskView, qtbot: QtBot, told: ToldReader
) -> None:
    one = sheet_with(view, BELL)
    ask_in(view, qtbot, one, FIRST)
    qtbot.waitUntil(lambda: told.asked == [FIRST])
    told.came_to(FIRST, 34)
    qtbot.waitUntil(lambda: out(one).fraction == 0.34)
    two = sheet_with(view, GATE)
    ask_in(view, qtbot, two, "When shut at nine")
    qtbot.waitUntil(lambda: told.asked == [FIRST, "When shut at nine", FIRST])
    for word, windows in (("bell", 5), ("again", 8)):
        told.found(FIRST, word, windows)
        qtbot.waitUntil(lambda word=word: best(one) == word)  # type: ignore[misc]
    told.came_to(FIRST, 12)
    qtbot.waitUntil(lambda: "12" in str(out(one).progress))
    ask_in(view, qtbot, two, "Once more at nine")
    qtbot.waitUntil(lambda: len(told.asked) == 5)
    told.found(FIRST, "bell", 11)
    told.found(FIRST, "rings", 12)
    qtbot.waitUntil(lambda: best(one) == "rings")
    bring(view, one)
    assert view.stop() and out(one).ended == "Stopped after 34% of the text", "which was read once"


@pytest.mark.parametrize("by", ["Esc", "Stop"])
def test_stopped_while_paused_it_ends_and_the_other_one_goes_on(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet, by: str
) -> None:
    bring(view, bell)
    if by == "Esc":
        assert view.stop() and not view.stop(), "the other one is stopped in its own tab"
    else:
        view.panel.strip.stop_asked.emit()
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert not view.panel.strip.isVisible() and out(gate).running
    told.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    qtbot.wait(30)
    assert best(gate) == "nine" and told.asked == [FIRST, SECOND]
    assert kept(view, qtbot) == {(FIRST, "seven", "Stopped after 34% of the text"), (SECOND, "nine", "")}


def test_stopped_while_it_is_read_again_it_says_how_far_it_came_once(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    took = out(bell).reading
    assert view.stop() and out(gate).ended == "Stopped at the start"
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND, FIRST])
    assert not view.stop(), "what is read for another tab is not stopped here"
    told.found(FIRST, "bell", 10)
    qtbot.waitUntil(lambda: "10" in str(out(bell).progress))
    bring(view, bell)
    view.stop()
    assert out(bell).ended == "Stopped after 34% of the text" and best(bell) == "seven"
    assert out(bell).reading == took, "so long it took, too"


def test_a_model_process_that_is_lost_ends_one_question_at_a_time(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    lost = []
    view.lost.connect(lambda: lost.append(1))
    told.fail(SECOND, EngineLost("The reader ended.", "Ask again."))
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND, FIRST])
    assert gate.outcome is None and len(lost) == 1 and best(bell) == "seven"
    told.fail(FIRST, EngineLost("The reader ended.", "Ask again."))
    qtbot.waitUntil(lambda: is_over(bell))
    qtbot.wait(30)
    assert told.asked == [FIRST, SECOND, FIRST] and len(lost) == 2
    assert out(bell).ended == "Broke off after 34% of the text" and best(bell) == "seven"
    assert kept(view, qtbot) == {(FIRST, "seven", "Stopped after 34% of the text")}


def test_of_several_the_one_asked_last_goes_on_first(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    tide = sheet_with(view, TIDE)
    ask_in(view, qtbot, tide, THIRD)
    qtbot.waitUntil(lambda: told.asked[2:] == [THIRD])
    assert out(bell).paused and out(gate).paused and out(gate).note == "Paused at the start"
    told.end(THIRD)
    qtbot.waitUntil(lambda: told.asked[3:] == [SECOND])
    assert out(bell).paused
    told.end(SECOND)
    qtbot.waitUntil(lambda: told.asked[4:] == [FIRST])
    told.end(FIRST)
    qtbot.waitUntil(lambda: is_over(bell))
    assert kept(view, qtbot) == {(FIRST, "eight", ""), (SECOND, "nine", ""), (THIRD, "noon", "")}


def test_another_question_where_one_is_paused_takes_its_place(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    ask_in(view, qtbot, bell, "When at seven")
    qtbot.waitUntil(lambda: told.asked[2:] == ["When at seven", SECOND])
    told.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    qtbot.wait(30)
    assert len(told.asked) == 4 and out(bell).question == "When at seven"
    assert kept(view, qtbot) == {
        (FIRST, "seven", "Stopped after 34% of the text"),
        ("When at seven", "seven", ""),
        (SECOND, "nine", ""),
    }


@pytest.mark.parametrize("paused", [True, False])
def test_closing_the_tab_keeps_what_was_found(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, request: pytest.FixtureRequest, paused: bool
) -> None:
    gate = request.getfixturevalue("gate") if paused else None
    bring(view, bell)
    view.sheets.close_current()
    assert kept(view, qtbot) == {(FIRST, "seven", "Stopped after 34% of the text")}
    if gate is not None:
        told.end(SECOND)
        qtbot.waitUntil(lambda: is_over(gate))
    qtbot.wait(30)
    view.sheets.undo_close()
    assert view.sheets.current() is bell and view.panel.card.answer() == "seven"
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert bell.entry and out(bell).lit == (True,) and told.asked.count(FIRST) == 1


def test_as_the_window_goes_all_that_was_found_is_kept(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    told.found(SECOND, "shut", 50)
    qtbot.waitUntil(lambda: best(gate) == "shut")
    view.keep()
    view.keep()
    qtbot.wait(30)
    half = "Stopped after 50% of the text"
    assert kept(view, qtbot) == {(FIRST, "seven", "Stopped after 34% of the text"), (SECOND, "shut", half)}
    assert told.asked == [FIRST, SECOND], "and nothing begins after it"


def test_an_edit_leaves_it_paused_and_another_text_ends_it(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    bring(view, bell)
    qtbot.keyClicks(bell.editor, "X")
    assert out(bell).stale and out(bell).paused and view.panel.strip.words() == GOES_ON
    bell.editor.selectAll()
    qtbot.keyClick(bell.editor, Qt.Key.Key_Delete)
    assert out(bell).paused and not view.panel.strip.isVisible(), "it may come back by undoing"
    qtbot.keyClicks(bell.editor, "Another one")
    assert is_over(bell)
    told.end(SECOND)
    qtbot.waitUntil(lambda: is_over(gate))
    qtbot.wait(30)
    assert told.asked == [FIRST, SECOND]
    assert (FIRST, "seven", "Stopped after 34% of the text") in kept(view, qtbot)


def test_what_goes_on_is_about_the_text_that_was_asked(
    view: AskView, qtbot: QtBot, told: ToldReader, engine: FakeEngine, bell: Sheet, gate: Sheet
) -> None:
    bring(view, bell)
    qtbot.keyClicks(bell.editor, "X")
    view.workspace.settings.ask_top_k, view.workspace.settings.ask_threshold = 9, 0.01
    told.end(SECOND)
    qtbot.waitUntil(lambda: len(told.asked) == 3)
    assert engine.requests[0] == engine.requests[2]


@pytest.fixture
def waiting(view: AskView) -> Iterator[Waiting]:
    documents = Waiting(view.workspace.documents)
    view.workspace.documents = documents  # type: ignore[assignment]
    yield documents
    documents.go_on.set()


@pytest.fixture
def file(view: AskView, qtbot: QtBot, tmp_path: Path, told: ToldReader, waiting: Waiting) -> Sheet:
    """A file's sheet that is paused, a newer question being read for in another tab."""
    waiting.go_on.set()
    (tmp_path / "bell.txt").write_text(BELL, "utf-8")
    sheet = is_open(view, qtbot, [tmp_path / "bell.txt"])
    ask_in(view, qtbot, sheet, FIRST)
    qtbot.waitUntil(lambda: told.asked == [FIRST])
    told.found(FIRST, "seven", 34)
    qtbot.waitUntil(lambda: out(sheet).fraction == 0.34)
    ask_in(view, qtbot, sheet_with(view, GATE), SECOND)
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND])
    return sheet


def test_its_file_read_again_ends_it(view: AskView, qtbot: QtBot, told: ToldReader, file: Sheet) -> None:
    bring(view, file)
    file.again_asked.emit(file)
    qtbot.waitUntil(lambda: file.is_open and view.lanes.documents.idle)
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    told.end(SECOND)
    qtbot.waitUntil(lambda: (SECOND, "nine", "") in kept(view, qtbot))
    qtbot.wait(30)
    assert (FIRST, "seven", "Stopped after 34% of the text") in kept(view, qtbot) and len(told.asked) == 2


def test_an_entry_of_the_history_takes_its_place_and_what_was_found_is_kept(
    view: AskView, qtbot: QtBot, told: ToldReader, file: Sheet
) -> None:
    found = replace(ENTRY.answers[0], text="eight", page=None, sentence="", before="", after="")
    entry = replace(ENTRY, question="When else?", name="bell.txt", path=file.path, answers=(found,))
    view.open_entry(entry)
    assert view.sheets.current() is file and out(file).question == "When else?" and best(file) == "eight"
    told.end(SECOND)
    qtbot.waitUntil(lambda: (SECOND, "nine", "") in kept(view, qtbot))
    qtbot.wait(30)
    assert (FIRST, "seven", "Stopped after 34% of the text") in kept(view, qtbot) and len(told.asked) == 2
    assert out(file).question == "When else?" and not view.panel.strip.isVisible()


@pytest.mark.parametrize("up", [True, False])
def test_what_waited_for_its_file_is_read_first_where_it_is_newer_and_up(
    view: AskView, qtbot: QtBot, tmp_path: Path, told: ToldReader, bell: Sheet, waiting: Waiting, up: bool
) -> None:
    (tmp_path / "tide.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "tide.txt"])
    tide = view.sheets.current()
    ask_in(view, qtbot, tide, "When is it high at noon")
    assert not out(bell).paused, "nothing can be read for it yet"
    if not up:
        bring(view, bell)
    waiting.go_on.set()
    qtbot.waitUntil(lambda: tide.is_open)
    if not up:
        qtbot.wait(30)
        assert not out(bell).paused and tide.awaits
        bring(view, tide)
    qtbot.waitUntil(lambda: told.asked == [FIRST, "When is it high at noon", FIRST])
    assert best(tide) == "noon" and best(bell) == "seven" and not out(bell).paused


def test_what_waits_for_its_file_and_is_older_waits_for_the_newer_one_alone(
    view: AskView, qtbot: QtBot, tmp_path: Path, told: ToldReader, waiting: Waiting
) -> None:
    (tmp_path / "tide.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "tide.txt"])
    tide = view.sheets.current()
    ask_in(view, qtbot, tide, THIRD)
    bell = sheet_with(view, BELL)
    ask_in(view, qtbot, bell, FIRST)
    qtbot.waitUntil(lambda: told.asked == [FIRST])
    gate = sheet_with(view, GATE)
    ask_in(view, qtbot, gate, SECOND)
    waiting.go_on.set()
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND] and tide.is_open)
    bring(view, tide)
    qtbot.wait(30)
    assert tide.awaits and view.panel.strip.words() == "Asked after the question in another tab"
    for question, after in ((SECOND, FIRST), (FIRST, THIRD)):
        told.end(question)
        qtbot.waitUntil(lambda after=after: told.asked[-1] == after)  # type: ignore[misc]
    told.end(THIRD)
    qtbot.waitUntil(lambda: is_over(tide) and not tide.awaits)
    assert told.asked == [FIRST, SECOND, FIRST, THIRD]


def test_what_came_to_its_end_at_that_moment_is_not_read_again(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet
) -> None:
    gate = sheet_with(view, GATE)
    view.panel.box.field.setPlainText("When shut at nine")
    job = view.asking._runs.now.job  # type: ignore[union-attr]
    assert job is not None
    told.end(FIRST)
    while job._work._outcome is None:  # no event of the window is heard meanwhile
        pass
    assert out(bell).running
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    assert is_over(bell) and best(bell) == "eight"
    qtbot.waitUntil(lambda: is_over(gate))
    qtbot.wait(30)
    assert told.asked == [FIRST, "When shut at nine"]


def test_one_that_waits_for_the_work_of_another_page_is_put_off_too(
    view: AskView, qtbot: QtBot, told: ToldReader
) -> None:
    done = []

    def classify(report: Report) -> None:
        while not done:
            report.check()

    work = view.lanes.work.start(classify)
    work.name = "the work on Classify"
    bell = sheet_with(view, BELL)
    ask_in(view, qtbot, bell, "When at eight")
    assert view.panel.strip.words() == "Waits for the work on Classify to end"
    gate = sheet_with(view, GATE)
    ask_in(view, qtbot, gate, "When shut at nine")
    assert view.panel.strip.words() == "Waits for the work on Classify to end"
    bring(view, bell)
    assert view.panel.strip.words() == "Paused at the start: begins again after the question in another tab"
    assert not view.panel.card.isVisible() and not view.panel.idle.isVisible()
    done.append(1)
    qtbot.waitUntil(lambda: is_over(bell) and is_over(gate))
    assert told.asked == ["When shut at nine", "When at eight"]
    assert (best(bell), best(gate)) == ("eight", "nine")


def test_a_reading_that_goes_on_stands_in_line_behind_the_work_of_another_page(
    view: AskView, qtbot: QtBot, told: ToldReader, bell: Sheet, gate: Sheet
) -> None:
    ended = []

    def classify(report: Report) -> None:
        while not ended:
            report.check()
        raise Stopped

    view.lanes.work.start(classify).name = "the work on Classify"
    bring(view, bell)
    told.end(SECOND)
    qtbot.waitUntil(lambda: view.panel.strip.words() == "Waits for the work on Classify to end")
    assert view.panel.card.over() == "Provisional: still reading" and told.asked == [FIRST, SECOND]
    ended.append(1)
    qtbot.waitUntil(lambda: told.asked == [FIRST, SECOND, FIRST])
