"""Documents in a language that the reader does not read: a line below the question says so, with one way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.library import FileState, Library, LibraryStatus
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.ui.ask.ask import AskView
from app.ui.ask.run import Scope, ScopeKind
from app.ui.kit.language_line import LanguageLine
from tests.documents.test_language import LEASE
from tests.helpers.ask_page import CARD, TEXT, Reader, answers, ask
from tests.helpers.windows import FakeEngine

ENGLISH = replace(CARD, languages=("en",))
GERMAN = replace(CARD, name="leser", folder="/models/leser", languages=("de",))
IN_GERMAN = "This document is in German; reader reads English."
Open = Callable[..., AskView]


@pytest.fixture
def open_with(open_page: Callable[[type[AskView], FakeEngine], AskView], reader: Reader) -> Open:
    def opened(*cards: ModelCard) -> AskView:
        return open_page(AskView, FakeEngine(reader, *cards))

    return opened


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    made = {code: tmp_path / f"{code}.txt" for code in LEASE}
    for code, path in made.items():
        path.write_text(LEASE[code] * 5, encoding="utf-8")
    return made


def show(view: AskView, qtbot: QtBot, path: Path) -> None:
    view.open_files([path])
    qtbot.waitUntil(lambda: view.sheets.current().is_open and view.sheets.current().session.path == str(path))


def line_of(view: AskView) -> LanguageLine:
    assert view.presenter.language is not None
    return view.presenter.language


def until_said(view: AskView, qtbot: QtBot, words: str) -> None:
    qtbot.waitUntil(lambda: view.presenter.language is not None and view.lanes.documents.idle)
    qtbot.waitUntil(lambda: view.lanes.documents.idle and line_of(view).words() == words)
    assert line_of(view).isVisible() is bool(words)


def doubtful(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
    text = question.documents[0].text
    return Reading(answers(text, text[:5], likely=0.31), False, 0.65, 0.4, 1, 1, 0.1, absent=0.13)


def test_no_stronger_reader_of_another_language_is_recommended(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    careful = replace(
        ENGLISH, name="careful", folder="/models/careful", measured={"qa_dev-squad2": {"f1": 69.0}}
    )
    view = open_with(replace(ENGLISH, measured={"qa_dev-squad2": {"f1": 62.0}}), careful)
    view.workspace.engine.answer = doubtful  # type: ignore[attr-defined]
    for code in ("en", "de", "en"):
        show(view, qtbot, files[code])
        said = IN_GERMAN if code == "de" else ""
        until_said(view, qtbot, said)
        ask(view, qtbot, "Who?", view.sheets.current().pane.text())
        until_said(view, qtbot, said)
        qtbot.waitUntil(lambda: view.lanes.files.idle)
        offered = view.panel.stronger.text()
        assert bool(offered) is (code == "en") and ("is installed" in offered) is (code == "en")


def test_it_is_said_of_a_document_before_it_is_asked_and_goes_with_it(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    view = open_with(ENGLISH)
    show(view, qtbot, files["de"])
    until_said(view, qtbot, IN_GERMAN)
    show(view, qtbot, files["en"])
    until_said(view, qtbot, "")
    view.sheets.bring(view.sheets.all().index(view.sheets.current()) - 1)
    until_said(view, qtbot, IN_GERMAN)


def test_the_answer_keeps_it(open_with: Open, qtbot: QtBot, files: dict[str, Path]) -> None:
    view = open_with(ENGLISH)
    text = f"{LEASE['de']}{TEXT}{LEASE['de'] * 60}"
    sheet = ask(view, qtbot, "Wie lang ist ein Passwort?", text)
    until_said(view, qtbot, "This text is in German; reader reads English.")
    assert sheet.pane.lit() and view.panel.card.isVisible()


def test_a_question_in_another_language_is_said_once_it_is_asked(open_with: Open, qtbot: QtBot) -> None:
    view = open_with(ENGLISH)
    ask(view, qtbot, "Wie lang muss ein Passwort mindestens sein?")
    until_said(view, qtbot, "The question is in German; reader reads English.")
    view.sheets.show_new()
    until_said(view, qtbot, "")


def test_what_is_typed_is_said_after_a_pause(open_with: Open, qtbot: QtBot) -> None:
    view = open_with(ENGLISH)
    editor = view.sheets.current().editor
    editor.setFocus()
    editor.insertPlainText(LEASE["fr"])
    until_said(view, qtbot, "This text is in French; reader reads English.")
    editor.selectAll()
    editor.insertPlainText(LEASE["en"])
    until_said(view, qtbot, "")


def test_without_a_model_that_reads_it_the_ones_on_offer_are_shown(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    view = open_with(ENGLISH)
    show(view, qtbot, files["de"])
    until_said(view, qtbot, IN_GERMAN)
    assert line_of(view).button.text() == "See models that read German"
    with qtbot.waitSignal(view.go) as asked:
        qtbot.mouseClick(line_of(view).button, Qt.MouseButton.LeftButton)
    assert asked.args == ["models", ("offered", (Head.QUESTION_ANSWERING.value, "de"))]


def test_an_installed_model_that_reads_it_is_used_at_one_click(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    view = open_with(ENGLISH, GERMAN)
    show(view, qtbot, files["de"])
    until_said(view, qtbot, IN_GERMAN)
    with qtbot.waitSignal(view.changed) as changed:
        qtbot.keyClick(line_of(view).button, Qt.Key.Key_Space)
    assert changed.args == [Head.QUESTION_ANSWERING.value]
    assert view.workspace.find_model(Head.QUESTION_ANSWERING) == GERMAN
    until_said(view, qtbot, "")
    show(view, qtbot, files["en"])
    until_said(view, qtbot, "This document is in English; leser reads German.")
    assert line_of(view).button.text() == "Use reader"


def test_another_reader_chosen_elsewhere_is_looked_at(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    view = open_with(ENGLISH, GERMAN)
    show(view, qtbot, files["de"])
    until_said(view, qtbot, IN_GERMAN)
    view.workspace.settings.models[Head.QUESTION_ANSWERING.value] = "leser"
    view.settings_changed()
    until_said(view, qtbot, "")


def test_of_open_documents_and_of_a_library_there_is_a_count(
    open_with: Open, qtbot: QtBot, files: dict[str, Path]
) -> None:
    view = open_with(ENGLISH)
    for code in ("de", "fr", "en"):
        show(view, qtbot, files[code])
    view.presenter.set_scope(Scope(ScopeKind.OPEN))
    until_said(view, qtbot, "2 of 3 documents are in German, French; reader reads English.")
    status = LibraryStatus({FileState.READ: 200}, languages={"en": 188, "pl": 12})
    view.libraries._all = ((Library(1, "Papers"), status),)
    view.libraries.changed.emit()
    view.presenter.set_scope(Scope(ScopeKind.LIBRARY, 1))
    until_said(view, qtbot, "12 of 200 documents are in Polish; reader reads English.")
