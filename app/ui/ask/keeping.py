"""Saving of questions: the history, its entries opened again, and answers saved to files."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core import wording
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.ask.question import listed
from app.flows.history.export_formats import FORMATS
from app.flows.workspace import Workspace
from app.ui.ask.answer_card import AnswerCard
from app.ui.ask.answers import Answers
from app.ui.ask.opening import Opening
from app.ui.ask.outcome import Outcome
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.requests import Question
    from app.flows.history.export import Exported
    from app.ui.ask.kept_answers import Found

_log = logging.getLogger(__name__)

_MOVED = "The document has changed since this was asked."
_READ_OTHERWISE = "This file is read differently now."
_LOST = "Its answer does not stand in it any more. Ask again to see what it says now."
_FOUND = "The words were found again in another place."
_NO_LONGER = "Ask again to see what it says now."


class Keeping(QObject):
    """Saves answers in the history, shows entries of the history on their pages again, and saves answers to files.

    `note` is one line for the status line; `failed` carries a fault; `hint` a sentence and a hint; `bringing` the sheet
    that is about to show an entry, `brought` the same one afterwards.
    """

    note = Signal(str)
    failed = Signal(object)
    hint = Signal(str, str)
    bringing = Signal(object)
    brought = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        lanes: Lanes,
        sheets: Sheets,
        opening: Opening,
        answers: Answers,
        card: AnswerCard,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._sheets = sheets
        self._opening = opening
        self._answers = answers
        self._window = parent
        self._wanted: dict[Sheet, Entry] = {}
        self._text_job: tuple[Job, Entry] | None = None
        self._entry_jobs: dict[Job, Sheet] = {}
        self._save_job: Job | None = None
        self._card = card
        card.save_asked.connect(self._save)
        opening.opened.connect(self._file_open)

    # The history

    @Slot(object)
    def remember(self, sheet: Sheet) -> None:
        """Save the latest answer in the history, unless that is off."""
        outcome = sheet.outcome
        if outcome is None or outcome.reading is None or not self._workspace.settings.keep_history:
            return
        if outcome.example:
            return
        from app.flows.history.history import remember

        job = self._lanes.files.start(
            remember,
            self._workspace,
            outcome.opened,
            _question(outcome),
            outcome.reading,
            asked=outcome.asked_at,
        )
        self._entry_jobs[job] = sheet
        job.done.connect(self._remembered)
        job.failed.connect(self._not_remembered)

    def remember_now(self, sheet: Sheet) -> None:
        """Save the answer so far before the window closes; a fault is logged."""
        outcome = sheet.outcome
        if outcome is None or outcome.reading is None or outcome.example:
            return
        from app.flows.history.history import remember

        try:
            entry = remember(
                self._workspace,
                outcome.opened,
                _question(outcome),
                outcome.reading,
                Silent(),
                asked=outcome.asked_at,
            )
        except SpanlightError as fault:
            _log.warning("the last question was not kept: %s", fault)
            return
        if entry is not None:
            sheet.entry = entry.number

    def bring_back(self, sheet: Sheet) -> None:
        """Highlight the last answer of a sheet from an earlier session again, if the history has it."""
        if sheet.outcome is None and sheet.entry and sheet.is_open:
            from app.flows.history.history import entry_numbered

            job = self._lanes.files.start(entry_numbered, self._workspace, sheet.entry)
            self._entry_jobs[job] = sheet
            job.done.connect(self._entry_there)
            job.failed.connect(self._entry_gone)

    @Slot(object)
    def _entry_there(self, entry: Entry) -> None:
        sheet = self._sheet_of(self.sender())
        if sheet is None or sheet not in self._sheets.all() or not sheet.is_open or sheet.outcome is not None:
            return
        from app.ui.ask.kept_answers import answers_in

        found = answers_in(sheet.current_document(), entry)
        if found.in_place and sheet.question.strip() == entry.question:
            self._take(sheet, entry, found)
            self._answers.show_if_up(sheet)

    @Slot(object)
    def _entry_gone(self, error: BaseException) -> None:
        self._sheet_of(self.sender())  # it was deleted since: the page stays without answers
        fault_of(error)

    def _take(self, sheet: Sheet, entry: Entry, found: Found) -> None:
        """Highlight the answers of an entry that were found on a sheet."""
        from app.ui.ask.kept_answers import reading_of

        reading = listed(reading_of(entry, found.answers), (found.opened.document,))
        sheet.outcome = Outcome(
            entry.question,
            found.opened,
            reading,
            running=False,
            ended=entry.stopped,
            note=entry.stopped,
            asked_at=entry.asked,
            quick=entry.quick,
        )
        self._answers.light(sheet)

    @Slot(object)
    def _remembered(self, entry: Entry | None) -> None:
        sheet = self._sheet_of(self.sender())
        if sheet is not None and entry is not None:
            sheet.entry = entry.number
            self._sheets.save_soon()

    def _sheet_of(self, job: QObject | None) -> Sheet | None:
        return self._entry_jobs.pop(job, None) if isinstance(job, Job) else None

    @Slot(object)
    def open_entry(self, entry: Entry) -> None:
        """Open an entry's document and highlight its answers."""
        if not entry.path:
            from app.flows.history.history import document_of

            self._drop_text_job()
            job = self._lanes.files.start(document_of, self._workspace, entry)
            self._text_job = (job, entry)
            job.done.connect(self._text_there)
            job.failed.connect(self._text_failed)
            return
        self._opening.open([Path(entry.path)])
        sheet = self._sheets.current()
        self._wanted = {sheet: entry}
        self._light_entry(sheet)

    @Slot(object)
    def _file_open(self, sheet: Sheet) -> None:
        if sheet in self._wanted:
            self._light_entry(sheet)
        else:
            self.bring_back(sheet)

    @Slot(object)
    def _text_there(self, opened: Opened) -> None:
        if self._text_job is None:
            return
        text = opened.document.text
        (_, entry), self._text_job = self._text_job, None
        sheet = self._sheets.with_text(text)
        if sheet is None:
            sheet = self._sheets.new()
            sheet.begin(text, name="" if entry.name == sheet.title else entry.name)
        self._wanted = {sheet: entry}
        self._light_entry(sheet)

    def _light_entry(self, sheet: Sheet) -> None:
        entry = self._wanted.get(sheet)
        if entry is None or not sheet.is_open:
            return
        from app.ui.ask.kept_answers import answers_in

        del self._wanted[sheet]
        self.bringing.emit(sheet)
        found = answers_in(sheet.current_document(), entry)
        sheet.question, sheet.outcome = entry.question, None
        if found.answers or found.in_place:
            self._take(sheet, entry, found)
        else:
            self._answers.light(sheet)
        self.brought.emit(sheet)
        sheet.pane.reveal(0)
        if not found.in_place:
            sentence = _MOVED if found.changed else _READ_OTHERWISE
            self.hint.emit(sentence, (_FOUND if found.answers else _LOST) if entry.answers else _NO_LONGER)

    @Slot(object)
    def _not_remembered(self, error: BaseException) -> None:
        self._sheet_of(self.sender())
        fault = fault_of(error)
        if self._workspace.storage_fault() is None:  # otherwise the window has shown it at its start
            self.note.emit(f"Not kept in the history: {fault.sentence}")

    @Slot(object)
    def _text_failed(self, error: BaseException) -> None:
        self._text_job = None
        self.failed.emit(error)

    def _drop_text_job(self) -> None:
        if self._text_job is not None:
            self._text_job[0].drop()
            self._text_job = None

    # Files of answers

    def offer_formats(self, sheet: Sheet) -> None:
        """Offer the formats that the answers about a sheet's document can be saved in."""
        is_pdf = sheet.opened is not None and sheet.opened.is_pdf
        self._card.offer_formats([(one.key, one.title) for one in FORMATS if is_pdf or one.key != "pdf"])

    @Slot(str)
    def _save(self, key: str) -> None:
        sheet = self._sheets.current()
        outcome = sheet.outcome
        if outcome is None or outcome.reading is None:
            return
        from app.flows.history.export import export
        from app.flows.history.history import entry_of
        from app.ui.kit.file_dialog import save_name

        kind = next(one for one in FORMATS if one.key == key)
        reading = outcome.judged(self._answers.threshold())
        document = outcome.opened.document
        what = " (SQuAD)" if key == "squad" else ""
        named = f"{Path(document.name).stem}, answers" if document.name else "Answers"
        begin = Path(document.path).parent / f"{named}{what}{kind.suffix}"
        name = save_name(self._window, "Save the answers", str(begin), f"{kind.title} (*{kind.suffix})")
        if not name:
            return
        target = Path(name) if Path(name).suffix else Path(name).with_suffix(kind.suffix)
        entry = entry_of(outcome.opened, _question(outcome), reading, asked=outcome.asked_at)
        self._save_job = self._lanes.documents.start(
            export, self._workspace, [entry], key, target, password=sheet.password
        )
        self._save_job.done.connect(self._saved)
        self._save_job.failed.connect(self.failed)

    @Slot(object)
    def _saved(self, exported: Exported) -> None:
        count = wording.count(exported.count, "answer")
        words = f"{count} saved to {', '.join(file.name for file in exported.files) or 'no file'}"
        self.note.emit(words)
        if exported.notes:
            self.hint.emit(f"{words}.", " ".join(exported.notes))


def _question(outcome: Outcome) -> Question:
    from app.core.requests import Question

    return Question(outcome.question, (outcome.opened.document,), quick=outcome.quick)
