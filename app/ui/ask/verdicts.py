"""The person's verdicts on the answers shown: what they are on, looked up, kept, and taken back."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from app.core.corrections import Correction, Verdict
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report, Silent
from app.core.wording import first_words
from app.ui.ask.question_run import QuestionRun, TextState
from app.ui.ask.session import AskSession
from app.ui.ask.sheet import Sheet
from app.ui.kit.jobs import Job
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr
from app.ui.kit.verdict_row import VerdictRow

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.text import Span

_LONGEST = 300

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The answer that a verdict is on: the first one in a document, of all that were found.

    The document's key in `QuestionRun.said` is `key`. `on_page` is what is highlighted in it: the question itself, or
    of one on several documents the part about this one.
    """

    run: QuestionRun
    key: str
    on_page: QuestionRun

    @property
    def opened(self) -> Opened:
        """The document."""
        return self.on_page.opened

    @property
    def shown(self) -> Span | None:
        """Its place, or that of the nearest words with low confidence; None where the text does not say."""
        return self._span(self._indices[0]) if self.run.judged().shown is not None else None

    @property
    def other(self) -> Span | None:
        """The place in the document that was gone to, or the nearest words where they are shown; None for the same."""
        run = self.run
        is_lit = run.is_across or run.chosen < len(run.highlighted())
        if run.chosen not in self._indices or not is_lit:
            return None
        span = self._span(run.chosen)
        return span if span != self.shown else None

    @property
    def is_on_card(self) -> bool:
        """Whether the card shows it, as opposed to an answer in another document."""
        return not self._indices or self._indices[0] == 0

    @property
    def source(self) -> str:
        """The answer and its document in words: "“seven” in island.md"."""
        place = self.run.place(self._indices[0])
        words = " ".join(place.text.split())
        return Message("“{words}” in {document}", words=words, document=place.source)

    @property
    def said(self) -> Correction | None:
        """What the person said of the question's answer in this document, as far as it was looked up."""
        return self.run.said.get(self.key)

    @property
    def verdict(self) -> Verdict:
        """What was said, as a verdict on what is shown."""
        return self.said.verdict_on(self.shown) if self.said is not None else Verdict.NONE

    def take(self, said: Correction | None) -> None:
        """Note what the person said."""
        for run, key in ((self.run, self.key), (self.on_page, "")):
            if said is None:
                run.said.pop(key, None)
            else:
                run.said[key] = said

    def entry(self) -> Entry:
        """The question about the document, with this answer first."""
        return self.run.entry(self._indices[0]) if self.run.is_across else self.run.entries()[0]

    @property
    def _indices(self) -> list[int]:
        """The indices of the answers in the document."""
        everywhere = range(len(self.run.answers()))
        if not self.run.is_across:
            return list(everywhere)
        return [at for at in everywhere if self.run.place_key(at)[0] == self.key]

    def _span(self, index: int) -> Span:
        return self.run.place_key(index)[1] if self.run.is_across else self.run.answers()[index].span


def judged_answer(run: QuestionRun | None, page: AskSession) -> JudgedAnswer | None:
    """The answer that a verdict can be given on, with the document of a session on the page; None for none.

    There is none while a question is read for, and where the document has changed since. Of several documents that were
    asked, it is one of which an answer was gone to.
    """
    on_page = page.shown_run
    if run is None or run.reading is None or run.is_running or run.is_example:
        return None
    if on_page is None or on_page.is_running or not page.is_open or on_page.text is not TextState.SAME:
        return None
    if not on_page.is_same_document:
        return None
    if not run.is_across:
        return JudgedAnswer(run, "", run) if on_page is run else None
    if (on_page.asked_at, on_page.question) != (run.asked_at, run.question):
        return None
    key = page.key if run.keys else page.path
    found = JudgedAnswer(run, key, on_page)
    return found if any(run.place_key(at)[0] == key for at in range(len(run.answers()))) else None


class _Given(NamedTuple):
    """A verdict as it was given, with the place of the words that were selected, or gone to."""

    answer: JudgedAnswer
    verdict: Verdict
    span: Span | None


class _Saving(NamedTuple):
    """A verdict that is being kept, and the flow that keeps it."""

    answer: JudgedAnswer
    flow: Callable[[Report], Correction | None]
    job: Job


class Verdicts(QObject):
    """Connects the buttons below the answer with what is kept of it.

    A verdict that was given earlier, or elsewhere, is looked up when its answer is shown. It is shown pressed once it
    is kept. `kept` is sent then, `hint` is a sentence, `failed` carries the fault of what was not kept.
    """

    kept = Signal()
    hint = Signal(str)
    failed = Signal(object)

    def __init__(self, page: Page, row: VerdictRow) -> None:
        super().__init__(page)
        self._workspace, self._lanes, self._row = page.workspace, page.lanes, row
        self._answer: JudgedAnswer | None = None
        self._sheet: Sheet | None = None
        self._looking: Job | None = None
        self._saving: _Saving | None = None
        self._waiting: deque[_Given] = deque()  # given while another one is being kept
        row.judged.connect(self.judge)

    def show(self, run: QuestionRun | None, sheet: Sheet) -> None:
        """Offer the verdicts on the answer shown, with the document on a sheet; none where that cannot be judged."""
        before, self._answer = self._answer, judged_answer(run, sheet.session)
        self._sheet = sheet
        self._show()
        answer = self._answer
        if answer is not None and (before is None or (before.run, before.key) != (answer.run, answer.key)):
            self.look_up()

    def look_up(self) -> None:
        """Look up what was said of the answer shown."""
        answer = self._answer
        if answer is None:
            return
        from app.flows.teach.corrections import correction_of

        job = self._lanes.files.start_aside(
            correction_of, self._workspace, answer.opened, answer.run.question
        )
        self._looking = job.replacing(self._looking).then(partial(self._take, answer), self.failed)

    def _take(self, answer: JudgedAnswer, said: Correction | None) -> None:
        """Note what was said of an answer, and show it where that answer is shown."""
        if said != answer.said:
            answer.take(said)
            if self._sheet is not None and self._sheet.session.shown_run is answer.on_page:
                self._sheet.highlight()
        self._show()

    @Slot(object)
    def judge(self, verdict: Verdict) -> None:
        """Keep a verdict on the answer shown, or take it back where it was given before."""
        answer, sheet = self._answer, self._sheet
        self._show()  # pressed only once it is kept
        if answer is None or sheet is None:
            return
        span = None
        if verdict is Verdict.OTHER_WORDS:
            words, selected = sheet.pane.selected_place()
            span = selected if words else answer.other
        self._waiting.append(_Given(answer, verdict, span))
        self._keep_next()

    def _keep_next(self) -> None:
        """Keep the verdicts that wait, one after another: whether one takes back what was said depends on the last."""
        while self._saving is None and self._waiting:
            given = self._waiting.popleft()
            answer, verdict, span = given
            said = answer.said.span if answer.said is not None else None
            if verdict is answer.verdict and (verdict is not Verdict.OTHER_WORDS or span in (None, said)):
                self._save(given._replace(verdict=Verdict.NONE, span=None))
            elif verdict is Verdict.OTHER_WORDS and span is None:
                self.hint.emit(
                    tr(
                        "Select the right words in the document first, then press “These words instead”,"
                        " or by keys Esc and then E."
                    )
                )
            else:
                self._save(given)

    def _save(self, given: _Given) -> None:
        from app.flows.teach.corrections import correct

        answer, verdict, span = given
        flow = partial(correct, self._workspace, answer.opened, answer.entry(), verdict, span=span)
        job = self._lanes.files.start(flow)
        self._saving = _Saving(answer, flow, job)
        job.then(self._saved, self._not_saved)

    @Slot(object)
    def _saved(self, said: Correction | None) -> None:
        if self._saving is None:
            return
        answer, self._saving = self._saving.answer, None
        self._take(answer, said)
        self.kept.emit()
        self._keep_next()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        self._saving = None
        self.look_up()  # what is kept is what is shown
        self.failed.emit(error)
        self._keep_next()

    def close(self) -> None:
        """Keep the verdicts that are still to be kept before the window closes, with faults logged."""
        while (saving := self._saving) is not None:
            if saving.job.deliver():  # it just was
                continue
            saving.job.drop()
            try:
                said = saving.flow(Silent())
            except SpanlightError as fault:
                _log.warning("what was said of an answer was not kept: %s", fault)
                self._saving = None
                self._keep_next()
            else:
                self._saved(said)

    def _show(self) -> None:
        answer = self._answer
        if answer is None:
            self._row.hide()
            return
        verdict, said = answer.verdict, answer.said
        words = " ".join(said.words.split()) if said is not None and verdict is Verdict.OTHER_WORDS else ""
        about = "" if answer.is_on_card else first_words(localised(answer.source), _LONGEST)
        self._row.offer(verdict, first_words(words, _LONGEST), about, has_answer=answer.shown is not None)
