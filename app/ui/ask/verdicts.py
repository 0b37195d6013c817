"""The person's verdicts on the answers shown: given, looked up, kept, and taken back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from app.core.corrections import Correction, Verdict
from app.core.message import Message
from app.core.wording import first_words
from app.ui.ask.run import AskRun, TextState
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


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The answer that a verdict is about: the best one in a document.

    `key` is the document's key in `AskRun.corrections`. `on_page` is the run whose answers the document's sheet
    highlights: `run` itself, or, for a question about several documents, the run of this one.
    """

    run: AskRun
    key: str
    on_page: AskRun

    @property
    def opened(self) -> Opened:
        """The document of the answer."""
        return self.on_page.opened

    @property
    def shown(self) -> Span | None:
        """The answer's span, or that of the nearest words with low confidence; None where the text does not say."""
        return self._span(self._indices[0]) if self.run.judged().shown is not None else None

    @property
    def other(self) -> Span | None:
        """The span of the chosen answer in the document, if it is another one, or of the nearest words; else None."""
        run = self.run
        is_lit = run.is_across or run.chosen < len(run.highlighted())
        if run.chosen not in self._indices or not is_lit:
            return None
        span = self._span(run.chosen)
        return span if span != self.shown else None

    @property
    def is_on_card(self) -> bool:
        """Whether the card shows this answer, and not one in another document."""
        return not self._indices or self._indices[0] == 0

    @property
    def source(self) -> str:
        """The answer and its document in words: "“seven” in island.md"."""
        place = self.run.place(self._indices[0])
        words = " ".join(place.text.split())
        return Message("“{words}” in {document}", words=words, document=place.source)

    @property
    def correction(self) -> Correction | None:
        """The person's correction of the question's answer in this document, as far as it was looked up."""
        return self.run.corrections.get(self.key)

    @property
    def verdict(self) -> Verdict:
        """The correction as a verdict on the answer shown."""
        return self.correction.verdict_on(self.shown) if self.correction is not None else Verdict.NONE

    def take(self, correction: Correction | None) -> None:
        """Note the person's correction, None for none."""
        for run, key in ((self.run, self.key), (self.on_page, "")):
            if correction is None:
                run.corrections.pop(key, None)
            else:
                run.corrections[key] = correction

    def entry(self) -> Entry:
        """Return the question about the document as an entry, with this answer first."""
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


def judged_answer(run: AskRun | None, page: AskSession) -> JudgedAnswer | None:
    """Return the answer that a verdict can be given on, with the document of the session `page`; None without one.

    There is none while the question is read for, and where the document has changed since. For a question about several
    documents, `page` must show one of them in which an answer was chosen.
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


class _GivenVerdict(NamedTuple):
    """A verdict as it was given, with the span of the words that the person selected or chose."""

    answer: JudgedAnswer
    verdict: Verdict
    span: Span | None


class Verdicts(QObject):
    """Connects the buttons below the answer with the corrections that are kept.

    A verdict given earlier, or elsewhere, is looked up when its answer is shown. A button is shown pressed once its
    verdict is kept; `kept` is sent then. `hint` carries a sentence, `failed` the fault of a verdict that was not kept.
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
        self._is_saving = False
        self._waiting: deque[_GivenVerdict] = deque()  # given while another one is being kept
        row.judged.connect(self.judge)

    def show(self, run: AskRun | None, sheet: Sheet) -> None:
        """Offer verdicts on the answer shown, whose document is on a sheet; none where it cannot be judged."""
        before, self._answer = self._answer, judged_answer(run, sheet.session)
        self._sheet = sheet
        self._show()
        answer = self._answer
        if answer is not None and (before is None or (before.run, before.key) != (answer.run, answer.key)):
            self.look_up()

    def look_up(self) -> None:
        """Look up the correction of the answer shown."""
        answer = self._answer
        if answer is None:
            return
        from app.flows.teach.corrections import correction_of

        job = self._lanes.files.start_aside(
            correction_of, self._workspace, answer.opened, answer.run.question
        )
        self._looking = job.replacing(self._looking).then(partial(self._take, answer), self.failed)

    def _take(self, answer: JudgedAnswer, correction: Correction | None) -> None:
        """Note the correction of an answer, and show it where that answer is shown."""
        if correction != answer.correction:
            answer.take(correction)
            if self._sheet is not None and self._sheet.session.shown_run is answer.on_page:
                self._sheet.highlight()
        self._show()

    @Slot(object)
    def judge(self, verdict: Verdict) -> None:
        """Keep a verdict on the answer shown; the same verdict as before takes it back."""
        answer, sheet = self._answer, self._sheet
        self._show()  # the button stays as it was until the verdict is kept
        if answer is None or sheet is None:
            return
        span = None
        if verdict is Verdict.OTHER_WORDS:
            words, selected = sheet.pane.selected_place()
            span = selected if words else answer.other
        self._waiting.append(_GivenVerdict(answer, verdict, span))
        self._keep_next()

    def _keep_next(self) -> None:
        """Keep the waiting verdicts one after another: whether one takes back the last depends on that one."""
        while self._waiting and not self._is_saving:
            given = self._waiting.popleft()
            answer, verdict, span = given
            before = answer.correction.span if answer.correction is not None else None
            if verdict is answer.verdict and (verdict is not Verdict.OTHER_WORDS or span in (None, before)):
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

    def _save(self, given: _GivenVerdict) -> None:
        from app.flows.teach.corrections import correct

        answer, verdict, span = given
        job = self._lanes.files.start_write(
            correct, self._workspace, answer.opened, answer.entry(), verdict, span=span
        )
        self._is_saving = True
        job.then(partial(self._saved, answer), self._not_saved)

    def _saved(self, answer: JudgedAnswer, correction: Correction | None) -> None:
        self._is_saving = False
        self._take(answer, correction)
        self.kept.emit()
        self._keep_next()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        self._is_saving = False
        self.look_up()  # show what is really kept
        self.failed.emit(error)
        self._keep_next()

    def _show(self) -> None:
        answer = self._answer
        if answer is None:
            self._row.hide()
            return
        verdict, correction = answer.verdict, answer.correction
        words = (
            " ".join(correction.words.split())
            if correction is not None and verdict is Verdict.OTHER_WORDS
            else ""
        )
        about = "" if answer.is_on_card else first_words(localised(answer.source), _LONGEST)
        self._row.offer(verdict, first_words(words, _LONGEST), about, has_answer=answer.shown is not None)
