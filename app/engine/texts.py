"""Keeps the last question's texts and views in the model process, so that they are not sent again with the next one.

500,000 words take 25 ms to pickle, send and unpickle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.requests import Question
from app.core.text import Document, View

# Shorter texts are always sent with their question.
LONG = 50_000

_Text = tuple[str, View | None]
_NOTHING: _Text = ("", None)


@dataclass(frozen=True, slots=True)
class SentText:
    """The text and view of document number `document` of a question, identified by `number`.

    `text` is None where the process has both already.
    """

    document: int
    number: int
    text: str | None
    view: View | None = None


class TextsGone(SpanlightError):
    """The process does not have a text that it was expected to have; the order must be sent again with all texts."""

    def __init__(self) -> None:
        super().__init__(Message("The text has to be read again."), Message("Ask again."))

    def __reduce__(self) -> tuple[type[TextsGone], tuple[()]]:
        return TextsGone, ()


class Sender:
    """The parent's side: remembers which texts it sent last, and sends only others.

    The process may have lost them, where it was killed or died; then it raises TextsGone.
    """

    def __init__(self) -> None:
        self._sent: dict[int, Document] = {}
        self._numbers = count(1)

    def pack(self, request: object) -> tuple[Any, tuple[SentText, ...]]:
        """A request without its long texts, and those texts as they are sent."""
        if not isinstance(request, Question):
            return request, ()
        long = [at for at, document in enumerate(request.documents) if len(document.text) >= LONG]
        texts = tuple(self._as_sent(at, request.documents[at]) for at in long)
        self._sent = {sent.number: request.documents[sent.document] for sent in texts}
        return _with_texts(request, dict.fromkeys(long, _NOTHING)), texts

    def _as_sent(self, at: int, document: Document) -> SentText:
        for number, sent in self._sent.items():
            if sent.text == document.text and sent.view == document.view:
                return SentText(at, number, None)
        return SentText(at, next(self._numbers), document.text, document.view)

    def forget(self) -> None:
        """Send every text again."""
        self._sent = {}


class Receiver:
    """The process's side: stores the texts of the last question."""

    def __init__(self) -> None:
        self._texts: dict[int, _Text] = {}

    def unpack(self, request: object, texts: tuple[SentText, ...]) -> Any:
        """The request with its texts; raises TextsGone where one is missing."""
        if not isinstance(request, Question):
            return request
        if any(sent.text is None and sent.number not in self._texts for sent in texts):
            raise TextsGone
        self._texts = {
            sent.number: self._texts[sent.number] if sent.text is None else (sent.text, sent.view)
            for sent in texts
        }
        return _with_texts(request, {sent.document: self._texts[sent.number] for sent in texts})

    def clear(self) -> None:
        """Drop all texts."""
        self._texts = {}


def _with_texts(question: Question, texts: dict[int, _Text]) -> Question:
    if not texts:
        return question
    documents = (
        replace(document, text=texts[at][0], view=texts[at][1]) if at in texts else document
        for at, document in enumerate(question.documents)
    )
    return replace(question, documents=tuple(documents))
