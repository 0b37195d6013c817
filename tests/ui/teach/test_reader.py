"""The reader on the page Teach: corrections are listed, searched, deleted, exported, and the reader is taught."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Kind
from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.results import TrainingStep
from app.core.text import Span
from app.flows.teach import reader as flow
from app.flows.teach.reader import Change, ReaderVersion, UnfinishedTeaching
from app.flows.teach.run import ReaderFigures
from app.flows.workspace import Workspace
from app.ui.ask.ask import AskView
from app.ui.teach.cards import in_words
from app.ui.teach.reader import ReaderSection
from app.ui.teach.teach import TeachView
from app.ui.window.window import MainWindow
from tests.helpers.corrections import OWN, PASSAGE, SHOWN, absent, correction, right
from tests.helpers.windows import FakeEngine, open_fake_workspace

KEY = Qt.Key
READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))
NEXT = ModelCard("reader 12", "/m/reader-12", "bert", (Head.QUESTION_ANSWERING,))


def figures(exact: float, f1: float) -> ReaderFigures:
    return ReaderFigures(10, exact, f1, 5.0)


BETTER = ReaderVersion(
    "reader 12",
    "/m/reader-12",
    "reader",
    12,
    Change(figures(30, 45), figures(60, 65)),
    Change(figures(70, 80), figures(70, 79.5)),
    "2026-11-26T09:00:00+00:00",
)


class Flow:
    """Stands in for app.flows.teach.reader: teaches in ten steps, and waits from the fifth on until it `may_end`."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.kept: list[ReaderVersion] = []
        self.step = 0  # the last step that was saved; 0 before any teaching
        self.may_end = True
        self.begun = 0
        self.exported: list[tuple[str, Path]] = []

    def teach_reader(self, workspace: Workspace, report: Report) -> ReaderVersion:
        self.begun += 1
        while self.step < 10:
            report.check()
            self.step += 1
            report.progress(Progress(self.step, 10, "Teaching", 5.0))
            dev = {"f1": 45.0 + 2 * self.step} if self.step % 5 == 0 else {}
            report.partial(TrainingStep(self.step, 10, self.step / 5, 2.0 / self.step, 1e-5, dev))
            while self.step >= 5 and not self.may_end:
                report.check()
                time.sleep(0.002)
        self.step = 0
        self.kept.insert(0, BETTER)
        return BETTER

    def versions(self, workspace: Workspace, report: Report) -> tuple[ReaderVersion, ...]:
        return tuple(self.kept)

    def unfinished(self, workspace: Workspace, report: Report) -> UnfinishedTeaching | None:
        if not self.step:
            return None
        return UnfinishedTeaching("reader", 12, self.step, 10, "2026-11-26T09:00:00+00:00")

    def discard_unfinished(self, workspace: Workspace, report: Report) -> None:
        self.step = 0

    def use_version(self, workspace: Workspace, name: str, report: Report) -> None:
        if name:
            workspace.settings.models[Head.QUESTION_ANSWERING] = name
        else:
            workspace.settings.models.pop(Head.QUESTION_ANSWERING, None)

    def remove_version(self, workspace: Workspace, name: str, report: Report) -> None:
        self.kept = [one for one in self.kept if one.name != name]
        workspace.settings.models.pop(Head.QUESTION_ANSWERING, None)

    def export_version(self, workspace: Workspace, name: str, folder: Path, report: Report) -> None:
        self.exported.append((name, folder))


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(lambda *_: None, READER, NEXT)


@pytest.fixture
def workspace(spanlight_home: Path, engine: FakeEngine) -> Iterator[Workspace]:
    found = open_fake_workspace(engine)
    yield found
    found.close()


@pytest.fixture
def teaching(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Flow:
    stand_in = Flow(workspace)
    for name in (
        "teach_reader", "versions", "unfinished", "discard_unfinished", "use_version", "remove_version",
        "export_version",
    ):  # fmt: skip
        monkeypatch.setattr(flow, name, getattr(stand_in, name))
    return stand_in


Open = Callable[[], ReaderSection]


@pytest.fixture
def open_section(open_part: Callable[[type[ReaderSection]], ReaderSection], teaching: Flow) -> Open:
    return partial(open_part, ReaderSection)


def keep(workspace: Workspace, number: int) -> None:
    """Store a number of corrections, each newer than the one before."""
    for at in range(number):
        workspace.corrections.put(correction(f"How long is it, {at}?", judged=1_795_000_000.0 + at))


@pytest.fixture
def section(open_section: Open, workspace: Workspace) -> ReaderSection:
    """The section with twelve corrections, the last one first."""
    keep(workspace, 12)
    return open_section()


@pytest.fixture
def learning(section: ReaderSection, teaching: Flow, qtbot: QtBot) -> ReaderSection:
    """The section while the reader is taught, at the step where the teaching waits."""
    teaching.may_end = False
    section.teach_card.teach.click()
    qtbot.waitUntil(lambda: section.teach_card.curves.count() == 5)
    return section


def questions(section: ReaderSection) -> list[str]:
    return [one.question for one in section.list.corrections()]


def test_without_corrections_it_leads_to_the_page_ask(open_section: Open, qtbot: QtBot) -> None:
    section = open_section()
    assert section.empty.title.text() == "No corrections yet" and not section.teach_card.isVisible()
    with qtbot.waitSignal(section.go):
        section.empty.button.click()


def test_the_widths_of_the_panes_are_saved(open_section: Open, workspace: Workspace, qtbot: QtBot) -> None:
    section = open_section()
    workspace.settings.splitters["reader"] = [400, 700]
    section.keep()
    assert workspace.settings.splitters["reader"] == [400, 700], "there was nothing at the left"
    keep(workspace, 1)
    section.shown()
    qtbot.waitUntil(lambda: all(section.panes.widths()))
    section.keep()
    assert workspace.settings.splitters["reader"] == section.panes.widths() != [400, 700]


def test_corrections_are_listed_newest_first_searched_and_exported(
    open_section: Open, workspace: Workspace, qtbot: QtBot, tmp_path: Path
) -> None:
    workspace.corrections.put(correction("How long?", judged=1.0))
    workspace.corrections.put(right("How many days?", judged=3.0, name="Übersicht.pdf"))
    workspace.corrections.put(absent("Is there a garden?", judged=2.0))
    section = open_section()
    assert questions(section) == ["How many days?", "Is there a garden?", "How long?"]
    shown = [section.list.model().index(at, 0).data(Qt.ItemDataRole.AccessibleTextRole) for at in range(3)]
    assert SHOWN in shown[0] and "The reader was right" in shown[0]
    assert "Not in the text" in shown[1] and f"The reader said “{SHOWN}”" in shown[1]
    assert f"{OWN}. The reader said “{SHOWN}”" in shown[2]
    section.search()
    assert section.search_line.hasFocus()
    qtbot.keyClicks(section.search_line, "ubersicht")
    qtbot.waitUntil(lambda: questions(section) == ["How many days?"])
    assert section.counted.text() == "1 of 3"
    qtbot.keyClicks(section.search_line, " zebra")
    qtbot.waitUntil(lambda: section.empty.isVisible())
    section.empty.button.click()
    qtbot.waitUntil(lambda: len(questions(section)) == 3)
    assert section.teach_card.teach.isVisible() and not section.teach_card.teach.isEnabled(), "too few"
    with qtbot.waitSignal(section.note, check_params_cb=lambda words: words == "3 corrections exported"):
        section.export_to(tmp_path / "all.json")
    documents = json.loads((tmp_path / "all.json").read_text("utf-8"))["data"]
    assert sum(len(one["qas"]) for document in documents for one in document["paragraphs"]) == 3


def test_a_correction_is_deleted_and_restored(
    section: ReaderSection, workspace: Workspace, qtbot: QtBot
) -> None:
    before = section.list.corrections()
    assert section.list.hasFocus() and section.list.correction() == before[0]
    qtbot.keyClick(section.list, KEY.Key_Down)
    qtbot.keyClick(section.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: section.list.corrections() == (before[0], *before[2:]))
    assert section.list.correction() == before[2] and section.undo.isVisible()
    assert workspace.corrections.count() == 11
    section.undo.button.setFocus()
    qtbot.keyClick(section.undo.button, KEY.Key_Space)
    qtbot.waitUntil(lambda: section.list.corrections() == before)
    assert section.list.correction() == before[1] and not section.undo.isVisible()
    assert section.list.hasFocus(), "the button that had it is gone"


def test_a_correction_is_deleted_even_if_the_window_closes_first(
    section: ReaderSection, workspace: Workspace, qtbot: QtBot
) -> None:
    end = threading.Event()
    section.lanes.files.start(lambda report: end.wait(10))
    qtbot.keyClick(section.list, KEY.Key_Delete)
    section.lanes.files.quit()
    end.set()
    assert section.lanes.files.close() and workspace.corrections.count() == 11


def test_restoring_a_correction_can_be_tried_again(
    section: ReaderSection, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = section.list.corrections()
    qtbot.keyClick(section.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: section.list.corrections() == before[1:])

    def full(one: object) -> None:
        raise SpanlightError("The disk is full.", "Free some space.")

    with monkeypatch.context() as patch:
        patch.setattr(workspace.corrections, "put", full)
        section.undo.button.click()
        qtbot.waitUntil(lambda: section.notice.sentence() == "The disk is full.")
    assert section.undo.isVisible()
    section.undo.button.click()
    qtbot.waitUntil(lambda: section.list.corrections() == before)


def test_the_question_is_opened_in_its_document(
    open_section: Open, workspace: Workspace, qtbot: QtBot
) -> None:
    workspace.corrections.put(correction("How long?", judged=2.0))
    garden = absent("Is there a garden?", judged=1.0, shown="", shown_span=None, answered=False)
    workspace.corrections.put(garden)
    section = open_section()
    opened: list[Entry] = []
    section.go.connect(lambda _, entry: opened.append(entry))
    qtbot.keyClick(section.list, KEY.Key_Return)
    qtbot.keyClick(section.list, KEY.Key_Down)
    section.open.click()
    first, second = opened
    kept = section.list.corrections()[0]
    # As the reader had answered: the page Ask lights the person's own words beside it.
    assert [(one.text, one.span) for one in first.answers] == [(SHOWN, kept.shown_span)]
    assert first.best is not None and (first.path, first.sha256) == (kept.path, kept.sha256)
    assert first.answers[0].before.endswith("lease with ") and first.answers[0].after.startswith(" of notice")
    assert second.answers == () and second.best is None


def test_a_better_reader_is_offered_and_used(
    learning: ReaderSection, workspace: Workspace, teaching: Flow, qtbot: QtBot
) -> None:
    section, card, changed = learning, learning.teach_card, []
    section.changed.connect(changed.append)
    assert card.teach.text() == "Teach the reader from 12 corrections"
    assert card.strip.isVisible() and not card.teach.isVisible()
    assert [step.dev["f1"] for step in card.curves.measured] == [55.0]
    assert card.curves.describe(4) == "Step 5 of 10: loss 0.40, F1 55.0%"
    teaching.may_end = True
    qtbot.waitUntil(lambda: section.gate.isVisible() and section.versions.isVisible())
    assert section.gate.version == BETTER and changed == ["models"]
    assert not card.strip.isVisible() and card.teach.isVisible()
    section.gate.keep.click()
    assert not section.gate.isVisible() and workspace.find_model(Head.QUESTION_ANSWERING) == READER
    section.versions.chosen.emit(BETTER)
    section.gate.use.click()
    qtbot.waitUntil(lambda: Head.QUESTION_ANSWERING.value in changed)
    qtbot.waitUntil(lambda: section.teaching.state is not None and section.teaching.state.in_use == BETTER)
    assert not section.gate.use.isVisible(), "it is in use"
    assert section.versions.list.key() == BETTER.name


def test_teaching_gives_way_to_a_question_and_is_resumed(
    learning: ReaderSection, teaching: Flow, qtbot: QtBot
) -> None:
    section = learning
    answered: list[str] = []
    section.lanes.work.start(lambda report: "asked").done.connect(answered.append)
    qtbot.waitUntil(lambda: answered == ["asked"] and teaching.begun == 2)
    assert section.teaching.is_teaching and section.teach_card.strip.isVisible()
    teaching.may_end = True
    qtbot.waitUntil(lambda: section.gate.isVisible())


def test_teaching_that_waits_for_other_work_is_paused_at_once(
    learning: ReaderSection, teaching: Flow, qtbot: QtBot
) -> None:
    section, end = learning, threading.Event()
    section.lanes.work.start(lambda report: end.wait(30))
    assert section.stop()
    qtbot.waitUntil(lambda: section.teach_card.teach.text() == "Go on teaching")
    assert not section.lanes.work.idle and not section.teaching.is_busy
    end.set()
    qtbot.waitUntil(lambda: section.lanes.work.idle)
    assert teaching.begun == 1, "it stays paused"


def test_teaching_is_paused_and_resumed_after_a_restart(
    learning: ReaderSection, open_section: Open, teaching: Flow, qtbot: QtBot
) -> None:
    section = learning
    section.teach_card.strip.focus_stop()
    assert section.stop() and not section.stop()
    qtbot.waitUntil(lambda: section.teach_card.teach.text() == "Go on teaching")
    assert section.teach_card.discard.isVisible() and section.teach_card.teach.hasFocus()
    teaching.may_end = True
    again = open_section()
    assert again.teach_card.teach.text() == "Go on teaching" and again.teach_card.teach.isEnabled()
    again.teach_card.teach.click()
    qtbot.waitUntil(lambda: again.gate.isVisible())


def test_teaching_is_discarded_after_a_confirmation(
    learning: ReaderSection, teaching: Flow, qtbot: QtBot
) -> None:
    section, card = learning, learning.teach_card
    card.stop.click()
    assert card.losing.asking and section.teaching.is_teaching
    assert section.stop() and not card.losing.asking and section.teaching.is_teaching
    assert card.stop.isVisible() and section.stop(), "pauses it"
    qtbot.waitUntil(lambda: card.discard.isVisible())
    card.discard.click()
    assert card.losing.asking and teaching.step == 5
    card.losing.cancel.click()
    assert not card.losing.asking and not card.stop.isVisible() and teaching.step == 5
    card.discard.click()
    card.losing.confirm.click()
    qtbot.waitUntil(lambda: card.teach.isVisible() and not card.discard.isVisible())
    assert teaching.step == 0 and card.teach.text().startswith("Teach the reader")


def test_versions_are_used_exported_and_deleted(
    open_section: Open, teaching: Flow, qtbot: QtBot, tmp_path: Path
) -> None:
    teaching.kept = [BETTER, replace(BETTER, name="older", folder="/m/older")]
    section = open_section()
    versions = section.versions
    qtbot.waitUntil(lambda: versions.isVisible())
    assert [row.sign for row in versions.list.rows()] == ["", "", "In use"]
    section.versions.list.setCurrentIndex(versions.list.model().index(0, 0))
    assert section.gate.version == BETTER
    versions.use.click()
    qtbot.waitUntil(lambda: [row.sign for row in versions.list.rows()] == ["In use", "", ""])
    section.teaching.export(BETTER.name, tmp_path / "out")
    qtbot.waitUntil(lambda: teaching.exported == [("reader 12", tmp_path / "out")])
    qtbot.keyClick(versions.list, KEY.Key_Delete)
    assert versions.removal.asking
    versions.removal.confirm.click()
    qtbot.waitUntil(lambda: [row.title for row in versions.list.rows()] == ["older", READER.title])
    assert versions.list.rows()[-1].sign == "In use" and not section.gate.isVisible()


def test_the_reader_that_a_version_was_taught_from_can_be_used_again(
    open_section: Open, teaching: Flow, qtbot: QtBot
) -> None:
    teaching.kept = [replace(BETTER, name="mine", folder="/m/mine", base=NEXT.name)]
    section = open_section()
    versions = section.versions
    qtbot.waitUntil(lambda: versions.isVisible())
    assert [row.title for row in versions.list.rows()] == ["mine", NEXT.title, READER.title]
    versions.list.setCurrentIndex(versions.list.model().index(1, 0))
    assert not versions.export.isEnabled() and not versions.remove.isEnabled()
    versions.use.click()
    qtbot.waitUntil(lambda: [row.sign for row in versions.list.rows()] == ["", "In use", ""])
    assert not versions.use.isEnabled()


@pytest.mark.parametrize(
    ("held", "known", "is_better", "words"),
    [
        (20.0, -1.0, True, "F1 rose by 20 points. Of what it knew before it lost 1 point."),
        (0.1, -0.5, True, "F1 rose by 0.1 points. Of what it knew before it lost 0.5 points."),
        (20.0, -1.1, False, "lost 1.1 points, which is too much."),
        (-1.0, 0.0, False, "F1 fell by 1 point. It still knows what it knew before."),
        (0.0, 2.0, False, "its words fit as well as before"),
    ],
)
def test_a_version_is_compared_with_its_base_in_words(
    held: float, known: float, is_better: bool, words: str
) -> None:
    version = replace(
        BETTER,
        held=Change(figures(30, 45), figures(30, 45 + held)),
        known=Change(figures(70, 80), figures(70, 80 + known)),
    )
    assert version.is_better is is_better and words in in_words(version)
    before, after = version.held.before, version.held.after
    for questions, is_few in ((9, True), (10, False)):
        change = Change(replace(before, questions=questions), replace(after, questions=questions))
        assert ("chance" in in_words(replace(version, held=change))) is is_few


def test_the_page_remembers_its_section(
    open_part: Callable[[type[TeachView]], TeachView], qtbot: QtBot, workspace: Workspace, teaching: Flow
) -> None:
    keep(workspace, 2)
    page = open_part(TeachView)
    assert page.names.selected() == "labels"
    page.next()
    assert workspace.settings.teach_section == "reader"
    again = open_part(TeachView)
    section = again.section()
    assert isinstance(section, ReaderSection) and section.list.isVisible()
    again.open_files([workspace.paths.example_sets / "none.csv"])
    assert again.names.selected() == "labels"
    again.next()
    qtbot.waitUntil(lambda: again.lanes.files.idle and section.list.hasFocus())
    qtbot.keyClick(section.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: len(questions(section)) == 1)
    qtbot.keyClick(section.list, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(questions(section)) == 2)


def test_a_correction_is_shown_on_the_page_ask(
    open_window: Callable[[], MainWindow], workspace: Workspace, teaching: Flow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "lease.txt"
    file.write_text(PASSAGE, encoding="utf-8")
    start = PASSAGE.index("900 euros")
    kept = correction(
        "How long is the notice?",
        path=str(file),
        name=file.name,
        kind=Kind.TEXT,
        sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        passage_start=0,
        shown_span=Span(PASSAGE.index(SHOWN), PASSAGE.index(SHOWN) + len(SHOWN)),
        words="900 euros",
        span=Span(start, start + 9),
    )
    workspace.corrections.put(kept)
    window = open_window()
    window.show_page("teach")
    page = window.page
    assert isinstance(page, TeachView)
    page.show_section("reader")
    section = page.section()
    assert isinstance(section, ReaderSection)
    qtbot.waitUntil(lambda: section.list.isVisible())
    qtbot.keyClick(section.list, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.page.KEY == "ask")
    ask = window.page
    assert isinstance(ask, AskView)
    qtbot.waitUntil(lambda: ask.sheets.current().session.run is not None)
    run = ask.sheets.current().session.run
    assert run is not None and run.question == kept.question
    assert [answer.text for answer in run.answers()] == [SHOWN]
    qtbot.waitUntil(lambda: "" in run.corrections)
    assert run.corrections[""].words == "900 euros"
