"""The texts of the last question, which stay in the model process: the next question on them goes without.

500,000 words take 25 ms to pickle, send and unpickle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from app.core.errors import SpanlightError
from app.core.requests import Question

# A shorter text is sent with its question.
LONG = 50_000


@dataclass(frozen=True, slots=True)
class SentText:
    """The text of document number `document` of a question, by a number; None where the process has it already."""

    document: int
    number: int
    text: str | None


class TextsGone(SpanlightError):
    """The process does not have a text that was taken to be there; it is to be asked again with all texts."""

    def __init__(self) -> None:
        super().__init__("The text has to be read again.", "Ask again.")

    def __reduce__(self) -> tuple[type[TextsGone], tuple[()]]:
        return TextsGone, ()


class Sender:
    """The parent's side: knows which texts it sent last, and sends only others.

    Whether they are still there, only the process knows: it may have been stopped, or lost.
    """

    def __init__(self) -> None:
        self._sent: dict[int, str] = {}
        self._numbers = count(1)

    def pack(self, request: object) -> tuple[Any, tuple[SentText, ...]]:
        """A request without its long texts, and those, as they are to be sent."""
        if not isinstance(request, Question):
            return request, ()
        long = [at for at, document in enumerate(request.documents) if len(document.text) >= LONG]
        texts = tuple(self._as_sent(at, request.documents[at].text) for at in long)
        self._sent = {sent.number: request.documents[sent.document].text for sent in texts}
        return _with_texts(request, dict.fromkeys(long, "")), texts

    def _as_sent(self, document: int, text: str) -> SentText:
        known = next((number for number, sent in self._sent.items() if sent == text), None)
        return SentText(document, known or next(self._numbers), None if known else text)

    def forget(self) -> None:
        """Send every text again."""
        self._sent = {}


class Receiver:
    """The process's side: holds the texts of the last question."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def unpack(self, request: object, texts: tuple[SentText, ...]) -> Any:
        """The request with its texts; raises TextsGone where one is not there."""
        if not isinstance(request, Question):
            return request
        if any(sent.text is None and sent.number not in self._texts for sent in texts):
            raise TextsGone
        self._texts = {
            sent.number: self._texts[sent.number] if sent.text is None else sent.text for sent in texts
        }
        return _with_texts(request, {sent.document: self._texts[sent.number] for sent in texts})

    def clear(self) -> None:
        """Let go of all texts."""
        self._texts = {}


def _with_texts(question: Question, texts: dict[int, str]) -> Question:
    if not texts:
        return question
    documents = (
        replace(document, text=texts[at]) if at in texts else document
        for at, document in enumerate(question.documents)
    )
    return replace(question, documents=tuple(documents))
