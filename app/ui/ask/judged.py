"""The answer that a verdict is on: the first one in a document, of all that were found. Without Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.corrections import Correction, Verdict
from app.core.message import Message
from app.ui.ask.session import AskSession, QuestionRun, TextState

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.text import Span


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The answer of a question in one document, whose key in `QuestionRun.said` is `key`.

    `on_page` is what is highlighted in it: the question itself, or of one on several documents the part about this one.
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
