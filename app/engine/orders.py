"""The orders that the client sends to the model process, and the texts sent with them: plain, picklable values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.core.requests import ModelChoice, Question
from app.core.text import View

TextAndView = tuple[str, View | None]


@dataclass(frozen=True, slots=True)
class SentText:
    """The text and view of a question's document, whose index is `document`; `number` identifies the text.

    `text` is None if the process has both already.
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


@dataclass(frozen=True, slots=True)
class Run:
    """Answer a request, with a model if its task needs one.

    `avoid` is why no GPU may be used even if one is chosen, empty if one may. With `opened` transformers' own class
    computes in float32, instead of the faster encoder. `texts` are the request's long texts, which are left out of it.
    """

    request: object
    choice: ModelChoice | None
    avoid: str = ""
    opened: bool = False
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepare:
    """Cache a question's documents before it is asked; the fields as in Run."""

    request: Question
    choice: ModelChoice
    avoid: str = ""
    texts: tuple[SentText, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Load a model; `avoid` as in Run."""

    choice: ModelChoice
    head: Head
    avoid: str = ""


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Return every device as core.models.Devices; `avoid` as in Run."""

    avoid: str = ""


@dataclass(frozen=True, slots=True)
class GetMemory:
    """Return what is in memory as core.models.MemoryUse."""


@dataclass(frozen=True, slots=True)
class Unload:
    """Unload all models, and return the memory in use then."""


@dataclass(frozen=True, slots=True)
class TryModel:
    """Load every head of a folder on the CPU, run each on a small input, and return the card."""

    folder: str


@dataclass(frozen=True, slots=True)
class ImportModules:
    """Import modules by name, and every family's classes; returns the error of each that fails, by name."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GetVersions:
    """Return the versions of the libraries that compute, by name."""


def with_texts(question: Question, texts: dict[int, TextAndView]) -> Question:
    """Return the question with these texts and views in its documents, by the documents' indices."""
    if not texts:
        return question
    documents = (
        replace(document, text=texts[at][0], view=texts[at][1]) if at in texts else document
        for at, document in enumerate(question.documents)
    )
    return replace(question, documents=tuple(documents))
