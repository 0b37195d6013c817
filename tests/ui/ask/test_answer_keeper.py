"""Answers kept in the history, shown again in their documents, and saved to files."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.core.corrections import Verdict
from app.core.days import iso
from app.core.history import Entry
from app.core.layout import Kind
from app.core.report import Silent
from app.core.text import Span
from app.flows.teach.corrections import correct, judged_entry
from app.ui.ask.ask import AskView
from tests.helpers.open_files import PAGE, ask, is_open, open_locked, titles, write_pdf

TIDES = "The tide is high at noon.\nIt is low at six."


def entries(view: AskView) -> list[Entry]:
    return view.workspace.history.entries()


def write(folder: Path, kind: str, text: str = TIDES) -> Path:
    file = folder / f"tides.{kind}"
    if kind == "pdf":
        return write_pdf(file, "An empty page.", text)
    file.write_text(PAGE if kind == "html" else text, "utf-8")
    return file


def is_lit(view: AskView, words: str) -> bool:
    """Whether the current page highlights these words, and the card shows them."""
    sheet = view.sheets.current()
    return (
        sheet.session.run is not None
        and sheet.session.run.lit[:1] == (True,)
        and sheet.session.run.answers()[0].text == words
        and bool(sheet.pane.light_boxes(0))
        and view.panel.card.answer.text() == words
    )


def brought(view: AskView, qtbot: QtBot, entry: Entry) -> None:
    """Open an entry, and wait until it is shown."""
    view.open_entry(entry)
    qtbot.waitUntil(lambda: view.lanes.files.idle and view.lanes.documents.idle)
    qtbot.waitUntil(lambda: view.keeper._wanted is None or not view.sheets.current().is_open)


def test_an_answer_is_remembered_once_with_where_it_stands(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    is_open(view, qtbot, [write(tmp_path, "pdf")])
    ask(view, qtbot, "When is it noon?")
    (entry,) = entries(view)
    assert (entry.question, entry.name, entry.path) == (
        "When is it noon?",
        "tides.pdf",
        str(tmp_path / "tides.pdf"),
    )
    assert entry.kind is Kind.PDF and entry.best is not None
    assert (entry.best.text, entry.best.page) == ("noon", 2)
    view.presenter.step(1)
    view.sheets.show_new()
    view.sheets.bring(0)
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert len(entries(view)) == 1
    ask(view, qtbot, "How low is it at six?")
    assert [one.question for one in entries(view)] == ["How low is it at six?", "When is it noon?"]


def test_an_answer_whose_saving_is_still_queued_is_saved_when_the_window_closes(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    sheet = is_open(view, qtbot, [write(tmp_path, "txt")])
    gate = threading.Event()
    view.lanes.files.start(lambda report: gate.wait(5))
    view.panel.box.set_question("When is it noon?", [])
    view.panel.box.ask_requested.emit()
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    view.keep()
    gate.set()
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert [one.question for one in entries(view)] == ["When is it noon?"] and sheet.session.entry


def test_nothing_is_remembered_while_the_history_is_off(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    view.workspace.settings.keep_history = False
    sheet = is_open(view, qtbot, [write(tmp_path, "txt")])
    ask(view, qtbot, "When is it noon?")
    assert is_lit(view, "noon") and sheet.session.entry == 0
    assert not view.workspace.paths.history_file.exists()


@pytest.mark.parametrize("kind", ["pdf", "md"])
def test_an_entry_opens_its_document_with_the_answer_lit(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    first = make()
    is_open(first, qtbot, [write(tmp_path, kind)])
    ask(first, qtbot, "When is it noon?")
    view = make()
    (entry,) = entries(view)
    brought(view, qtbot, entry)
    assert titles(view) == [f"tides.{kind}"] and is_lit(view, "noon")
    assert view.panel.box.question() == "When is it noon?" and not view.panel.notice.isVisible()
    view.sheets.show_new()
    brought(view, qtbot, entry)
    assert titles(view)[0] == f"tides.{kind}" and is_lit(view, "noon"), "one that is open comes up"
    assert len(entries(view)) == 1, "what is brought back is not remembered again"


def test_of_a_file_that_has_changed_it_is_said_what_has_become_of_the_answer(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    file = write(tmp_path, "txt")
    is_open(view, qtbot, [file])
    ask(view, qtbot, "Who is the harbour master?")
    ask(view, qtbot, "When is it noon?")
    noon, master = entries(view)
    assert noon.best is not None and master.best is None
    master = replace(master, answers=())
    moved = replace(noon.best, text="at dawn", span=Span(15, 21))
    for text, entry, said in (
        (TIDES, noon, ""),
        (TIDES, master, ""),
        (TIDES, replace(noon, answers=(moved,)), "This file is read differently now."),
        (f"Read this first.\n{TIDES}", noon, "The words were found again in another place."),
        ("Nothing of the kind.", noon, "does not stand in it any more"),
        ("The harbour master is Ada.", master, "Ask again to see"),
    ):
        view.sheets.close_current()
        file.write_text(text, "utf-8")
        brought(view, qtbot, entry)
        assert said in view.panel.notice.accessibleName() and view.panel.notice.isVisible() == bool(said)
        assert view.panel.box.question() == entry.question
        if entry is noon:
            assert is_lit(view, "noon") == ("noon" in text)
        if entry is master:
            assert view.panel.card.isVisible() == (not said)


def test_a_file_that_is_missing_is_said_in_its_tab_and_comes_up_once_it_is_back(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    file = write(tmp_path, "md")
    is_open(view, qtbot, [file])
    ask(view, qtbot, "When is it noon?")
    (entry,) = entries(view)
    view.sheets.close_current()
    file.rename(tmp_path / "away.md")
    view.open_entry(entry)
    opening = view.sheets.current().opening
    assert opening is not None
    qtbot.waitUntil(lambda: opening.notice.isVisible())
    assert "tides.md" in opening.notice.sentence()
    (tmp_path / "away.md").rename(file)
    opening.again.click()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    qtbot.waitUntil(lambda: is_lit(view, "noon"))


def test_a_pasted_text_comes_back_with_its_answer(view: AskView, qtbot: QtBot) -> None:
    view.sheets.current().editor.set_text(TIDES)
    ask(view, qtbot, "When is it noon?")
    (entry,) = entries(view)
    assert entry.path == "" and entry.best is not None
    brought(view, qtbot, entry)
    assert titles(view) == ["The tide is high at noon."], "one that stands here still comes up"
    view.sheets.close_current()
    brought(view, qtbot, entry)
    assert view.sheets.current().pane.text() == TIDES and is_lit(view, "noon")
    view.sheets.close_current()
    view.workspace.history.delete([entry.number])
    brought(view, qtbot, entry)
    assert "not kept any more" in view.panel.notice.sentence()


@pytest.mark.parametrize("kind", ["pdf", "typed"])
def test_the_last_answer_comes_back_at_the_next_start(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    first = make()
    if kind == "typed":
        first.sheets.current().editor.set_text(TIDES)
    else:
        is_open(first, qtbot, [write(tmp_path, kind)])
    ask(first, qtbot, "When is it noon?")
    first.keep()
    view = make()
    qtbot.waitUntil(lambda: view.sheets.current().session.run is not None)
    assert is_lit(view, "noon") and view.panel.box.question() == "When is it noon?"


@pytest.mark.parametrize("place", ["history", "teach"])
def test_an_answer_that_was_opened_from_a_list_comes_back_at_the_next_start(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path, place: str
) -> None:
    first = make()
    is_open(first, qtbot, [write(tmp_path, "txt")])
    ask(first, qtbot, "When is it noon?")
    (entry,) = entries(first)
    ask(first, qtbot, "What is the tide?")
    if place == "teach":
        said = correct(
            first.workspace, first.sheets.current().current_document(), entry, Verdict.RIGHT, Silent()
        )
        assert said is not None
        first.workspace.history.delete_all()
        entry = judged_entry(said)
    brought(first, qtbot, entry)
    first.keep()
    view = make()
    qtbot.waitUntil(lambda: view.sheets.current().session.run is not None)
    assert is_lit(view, "noon") and view.panel.box.question() == "When is it noon?"
    qtbot.waitUntil(lambda: view.panel.card.verdicts.right.isChecked() == (place == "teach"))


def test_the_last_answer_does_not_come_back_where_it_does_not_hold(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path
) -> None:
    file = write(tmp_path, "txt")
    first = make()
    is_open(first, qtbot, [file])
    ask(first, qtbot, "When is it noon?")
    first.keep()
    file.write_text(f"Read this first.\n{TIDES}", "utf-8")
    changed = make()
    qtbot.waitUntil(lambda: changed.sheets.current().is_open and changed.lanes.files.idle)
    assert changed.sheets.current().session.run is None
    file.write_text(TIDES, "utf-8")
    changed.workspace.history.delete_all()
    deleted = make()
    qtbot.waitUntil(lambda: deleted.sheets.current().is_open and deleted.lanes.files.idle)
    assert deleted.sheets.current().session.run is None and not deleted.panel.notice.isVisible()


def saved(view: AskView, qtbot: QtBot, key: str) -> None:
    """Choose a format in the menu of the card, and wait until the file is written."""
    actions: list[QAction] = view.panel.card.formats.actions()
    next(one for one in actions if one.data() == key).trigger()
    qtbot.waitUntil(lambda: view.lanes.documents.idle)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the system's dialog for saving was offered; it takes that name."""
    offered: list[str] = []

    def take(parent: object, title: str, name: str, kinds: str) -> str:
        offered.append(name)
        return name

    monkeypatch.setattr("app.ui.kit.file_dialog.save_name", take)
    return offered


def test_answers_are_saved_in_every_format(
    view: AskView, qtbot: QtBot, tmp_path: Path, named: list[str]
) -> None:
    is_open(view, qtbot, [write(tmp_path, "pdf")])
    ask(view, qtbot, "When is it noon?")
    notes: list[str] = []
    view.note.connect(notes.append)
    for key in ("csv", "markdown", "json", "squad", "pdf"):
        saved(view, qtbot, key)
        assert notes[-1] == f"1 answer saved to {Path(named[-1]).name}", view.panel.notice.sentence()
    assert {Path(name).parent for name in named} == {tmp_path} and len(set(named)) == 5
    table, *others, copy = (Path(name) for name in named)
    assert table.name == "tides, answers.csv"
    assert all("noon" in file.read_text("utf-8-sig") for file in (table, *others))
    assert b"/Highlight" in copy.read_bytes()


def test_answers_are_saved_with_when_they_were_asked(
    view: AskView, make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path, named: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    is_open(view, qtbot, [write(tmp_path, "txt")])
    ask(view, qtbot, "When is it noon?")
    (entry,) = entries(view)
    view = make()
    brought(view, qtbot, entry)
    monkeypatch.setattr("app.flows.history.history.time.time", lambda: entry.asked + 50 * 3600)
    saved(view, qtbot, "csv")
    (row,) = csv.DictReader(io.StringIO(Path(named[0]).read_text("utf-8-sig")))
    assert row["asked"] == iso(entry.asked)


def test_only_a_pdf_can_be_saved_with_highlights(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    is_open(view, qtbot, [write(tmp_path, "pdf"), write(tmp_path, "md")])
    offered = [one.data() for one in view.panel.card.formats.actions()]
    view.sheets.bring(0)
    assert offered == ["csv", "markdown", "json", "squad"]
    assert [one.data() for one in view.panel.card.formats.actions()] == [*offered, "pdf"]


def test_a_typed_text_and_the_threshold_on_the_page_are_saved_as_they_are(
    view: AskView, qtbot: QtBot, tmp_path: Path, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    view.sheets.current().editor.set_text(TIDES)
    ask(view, qtbot, "When is it noon?")
    view.panel.threshold.changed.emit(0.99)  # the answer's 0.8 stays below
    saved(view, qtbot, "csv")
    assert named == ["Answers.csv"]
    (row,) = csv.DictReader(io.StringIO((tmp_path / "Answers.csv").read_text("utf-8-sig")))
    assert row["answer"] == "" and float(row["threshold"]) == 0.99


def test_a_locked_pdf_is_saved_with_its_password(
    view: AskView, qtbot: QtBot, tmp_path: Path, named: list[str]
) -> None:
    open_locked(view, qtbot, tmp_path).lock.entered.emit("opensesame")
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    ask(view, qtbot, "Where is it buried?")
    saved(view, qtbot, "squad")
    assert not view.panel.notice.isVisible(), view.panel.notice.accessibleName()
    (paragraph,) = json.loads(Path(named[0]).read_text("utf-8"))["data"][0]["paragraphs"]
    assert paragraph["context"].startswith("The treasure is buried here.")


def test_a_file_that_cannot_be_written_is_said_where_the_person_looks(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_open(view, qtbot, [write(tmp_path, "txt")])
    ask(view, qtbot, "When is it noon?")
    target = str(tmp_path / "tides.txt" / "answers.csv")  # a file is no folder
    monkeypatch.setattr("app.ui.kit.file_dialog.save_name", lambda *_: target)
    saved(view, qtbot, "csv")
    assert view.panel.notice.isVisible() and is_lit(view, "noon")
    monkeypatch.setattr("app.ui.kit.file_dialog.save_name", lambda *_: "")
    view.panel.notice.hide()
    saved(view, qtbot, "csv")
    assert not view.panel.notice.isVisible(), "thought better of it"
