from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.core.report import Silent, Stopped
from app.core.requests import Question
from app.core.text import Document
from app.tasks.qa.fast.two_pass import prepare
from app.tasks.qa.question_answering import read
from app.tasks.text.known_words import KnownWords
from app.tasks.text.text_cache import TextCache
from tests.helpers.fake_models import Noted, span_reader
from tests.helpers.long_texts import text_of


def test_a_question_on_a_prepared_document_tokenises_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = span_reader()
    model = replace(plain, text_cache=TextCache(plain.tokenizer))
    documents = (Document(text_of(1, 12_000)), Document("too short to be kept"), Document(text_of(2, 12_000)))
    noted = Noted()
    prepare(documents, model, noted)
    assert noted.told and all(told.done < told.total for told in noted.told)
    seen: list[str] = []
    whole = KnownWords.__call__

    def noted_too(words: KnownWords, piece: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        seen.append(piece)
        return whole(words, piece)

    monkeypatch.setattr(KnownWords, "__call__", noted_too)
    found = read(Question("who stole tarts", documents), model, Silent())
    assert seen and set(seen) <= {documents[1].text, ""}
    expected = read(Question("who stole tarts", documents), plain, Silent())
    assert replace(found, seconds=0.0) == replace(expected, seconds=0.0)


def test_it_stops_at_once_and_what_it_made_stays() -> None:
    plain = span_reader()
    model = replace(plain, text_cache=TextCache(plain.tokenizer))
    assert model.text_cache is not None
    with pytest.raises(Stopped):
        prepare([Document(text_of(1, 12_000))], model, Noted(stop_at=3))
    # The words' beginnings, and one section.
    assert len(model.text_cache.of(Document(text_of(1, 12_000)))._values) == 2


def test_nothing_is_made_where_there_is_no_room() -> None:
    plain = span_reader()
    model = replace(plain, text_cache=TextCache(plain.tokenizer, most=60_000))
    prepare([Document(text_of(1, 12_000))], model, Silent())
    assert model.text_cache is not None and model.text_cache.words is not None
    assert len(model.text_cache.words) == 0
    prepare([Document(text_of(1, 12_000))], plain, Silent())
