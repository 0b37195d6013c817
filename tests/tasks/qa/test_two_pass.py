"""A long text read by two models: the quick one finds passages, every answer is the careful one's."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from app.core.models import QaCalibration
from app.core.report import Silent, Stopped
from app.core.requests import Question, QuestionBatch
from app.core.results import Outcome, Reading
from app.core.text import Document
from app.tasks.qa.question_answering import READ, READ_FOUND, prepare, read, read_batch
from app.tasks.qa.question_run import BEST_GROUPS
from app.tasks.scores import answer_probability
from app.tasks.task import ReadyModel
from app.tasks.text.sections import TextCache
from app.tasks.text.tokens import KnownWords
from tests.helpers.fake_models import Noted, span_reader
from tests.helpers.long_texts import Varied, ask, found, text_of


def both(family: str = "roberta") -> tuple[ReadyModel, Varied, Varied]:
    """A careful reader with a quick one beside it, of another family and tokenizer, and their forwards."""
    quick, careful = span_reader("bert", seed=3), span_reader(family, seed=3)
    quick_forward, careful_forward = Varied(quick.tokenizer, 3), Varied(careful.tokenizer, 3)
    finder = replace(quick, forward=quick_forward)
    model = replace(careful, forward=careful_forward, finder=lambda: finder)
    return model, careful_forward, quick_forward


def finder_of(model: ReadyModel) -> ReadyModel:
    found = model.finder() if model.finder else None
    assert found is not None
    return found


def long_text(seed: int) -> str:
    """A text of some hundred windows, in which "zebra" stands once."""
    return f"{text_of(seed, 10_000)} zebra {text_of(seed + 100, 10_000)}"


@pytest.mark.parametrize("options", [{}, {"in_order": True}])
def test_a_long_text_is_looked_at_by_one_and_answered_by_the_other(options: dict[str, bool]) -> None:
    model, careful, quick = both()
    text = long_text(4)
    reading = read(ask("where is the zebra", text, **options), model, Silent())
    assert reading.complete and reading.quick
    assert careful.rows == reading.windows == reading.windows_total <= READ
    assert quick.rows == BEST_GROUPS
    assert reading.windows_whole > 200
    # Every answer is one that the careful reader gives of the windows it read.
    everything = read(
        ask("where is the zebra", text, every=True, top_k=20), replace(model, finder=None), Silent()
    )
    spans = {answer.span: answer.score for answer in everything.answers}
    shared = [answer for answer in reading.answers if answer.span in spans]
    assert all(answer.score == pytest.approx(spans[answer.span]) for answer in shared)


def test_the_same_question_gives_the_same_words_again() -> None:
    model, _, _ = both()
    question = ask("where is the zebra", long_text(5), text_of(6, 5000))
    first, again = (read(question, model, Silent()) for _ in range(2))
    assert found(first) == found(again)
    batch = read_batch(QuestionBatch((ask("king", text_of(1, 30)), question)), model, Silent())
    assert found(batch[1]) == found(first)


def test_a_long_text_without_a_word_in_a_batch_is_answered_too() -> None:
    model, _, _ = both()
    noted = Noted()
    questions = tuple(ask("who", text) for text in ("paris", " " * 600_000, "king"))
    readings = read_batch(QuestionBatch(questions), model, noted)
    assert list(map(found, readings)) == [found(read(question, model, Silent())) for question in questions]
    assert readings[1].complete and not readings[1].windows
    assert noted.told[-1].done == len(questions)


def test_every_device_looks_at_the_same_windows() -> None:
    def read_on(device: str) -> tuple[int, Reading]:
        model, _, quick = both()
        finder = finder_of(model)
        finder = replace(finder, device=replace(finder.device, device=device))
        there = replace(model, device=replace(model.device, device=device), finder=lambda: finder)
        reading = read(ask("where is the zebra", long_text(4)), there, Silent())
        return quick.rows, reading

    (on_cpu, reading), (on_gpu, same) = map(read_on, ("cpu", "cuda"))
    assert on_cpu == on_gpu and found(same) == found(reading)


def test_where_no_word_of_the_question_stands_every_window_is_looked_at() -> None:
    model, careful, quick = both()
    question = ask("zebras", text_of(4, 20_000))
    every = read(question, finder_of(model), Silent()).windows
    quick.rows = 0
    noted = Noted()
    reading = read(question, model, noted)
    assert quick.rows == every > 4 * BEST_GROUPS
    assert careful.rows == reading.windows == READ
    assert all(0 < progress.done <= progress.total for progress in noted.told)
    with pytest.raises(Stopped):
        read(question, model, Noted(stop_at=60))


def test_a_text_whose_best_passages_were_read_is_judged_as_a_whole() -> None:
    per_window = QaCalibration(per_log_window=1.0, threshold=0.5, absent=0.4)
    model, _, _ = both()
    model = replace(model, card=replace(model.card, calibration=per_window))
    question = ask("where is the zebra", long_text(4))
    reading = read(question, model, Silent())
    margin = reading.answers[0].rank
    assert reading.windows == READ < reading.windows_whole
    says = answer_probability(per_window, margin, reading.windows_whole)
    assert reading.no_answer_probability == pytest.approx(1 - says)
    doubtful = replace(per_window, offset=margin - math.log(reading.windows_whole))
    for more in (-2, 2):
        calibration = replace(doubtful, offset=doubtful.offset + more)
        reading = read(question, replace(model, card=replace(model.card, calibration=calibration)), Silent())
        assert reading.answered == (more < 0)
        assert (reading.outcome is Outcome.ABSENT) == (more > 0)


def test_what_is_told_before_the_careful_reader_is_provisional() -> None:
    model, careful, _ = both()
    noted = Noted()
    read(ask("where is the zebra", long_text(7)), model, noted)
    told = [reading for reading in noted.partials if isinstance(reading, Reading)]
    assert told and not told[0].complete
    assert careful.rows
    done = [progress.done for progress in noted.told]
    assert done == sorted(done) and noted.told[-1].done == noted.told[-1].total


def test_a_short_text_and_every_passage_are_read_by_the_careful_one_alone() -> None:
    model, careful, quick = both()
    short = read(ask("king", text_of(1, 100)), model, Silent())
    assert short.windows <= READ and not short.quick
    whole = read(ask("king", text_of(2, 20_000), every=True), model, Silent())
    assert not quick.rows
    assert not whole.quick and whole.windows == whole.windows_whole > READ
    assert careful.rows == short.windows + whole.windows


def test_the_quick_reader_is_loaded_for_a_long_text_only() -> None:
    loads: list[None] = []
    model, careful, _ = both()

    def gone() -> None:
        loads.append(None)

    model = replace(model, finder=gone)
    read(ask("king", text_of(1, 100)), model, Silent())
    read(ask("king", text_of(2, 20_000), every=True), model, Silent())
    prepare((Document(text_of(1, 100)),), model, Silent())
    assert not loads
    prepare((Document(text_of(3, 20_000)),), model, Silent())
    assert len(loads) == 1
    careful.rows = 0
    reading = read(ask("king", text_of(3, 20_000)), model, Silent())
    assert len(loads) == 2
    assert careful.rows == reading.windows == reading.windows_whole, "alone it reads everything"
    assert found(read_batch(QuestionBatch((ask("king", text_of(3, 20_000)),)), model, Silent())[0]) == found(
        reading
    )


def test_a_quick_reading_of_a_long_text_is_the_quick_readers() -> None:
    model, careful, quick = both()
    long = ask("where is the zebra", long_text(9), quick=True)
    reading = read(long, model, Silent())
    assert not careful.rows
    assert quick.rows == reading.windows == BEST_GROUPS
    assert reading.complete and reading.quick
    assert found(read(long, finder_of(model), Silent())) == found(reading)
    short = ask("king", text_of(1, 100), quick=True)
    batch = read_batch(QuestionBatch((short, long, short)), model, Silent())
    assert careful.rows == batch[0].windows + batch[2].windows
    assert list(map(found, batch)) == [found(read(each, model, Silent())) for each in (short, long, short)]


@pytest.mark.parametrize("words", ["where is the zebra", "king"])
def test_it_stops_between_batches(words: str) -> None:
    model, careful, quick = both()
    question = ask(words, long_text(8))
    whole = Noted()
    read(question, model, whole)
    for at in (1, whole.checks // 2, whole.checks):
        with pytest.raises(Stopped):
            read(question, model, Noted(stop_at=at))
        careful.rows = quick.rows = 0
        noted = Noted(stop_at=at)
        with pytest.raises(Stopped):
            read_batch(QuestionBatch((ask("king", text_of(1, 30)), question)), model, noted)
        assert not any(progress.done > 1 for progress in noted.told)


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
    question = Question("who stole tarts", documents)
    found = read(question, model, Silent())
    assert seen and set(seen) <= {documents[1].text, ""}
    expected = read(question, plain, Silent())
    assert replace(found, seconds=0.0) == replace(expected, seconds=0.0)


def test_preparing_stops_at_once_and_what_it_made_stays() -> None:
    plain = span_reader()
    model = replace(plain, text_cache=TextCache(plain.tokenizer))
    with pytest.raises(Stopped):
        prepare([Document(text_of(1, 12_000))], model, Noted(stop_at=3))
    # The words' beginnings, the rows of tables, and one section.
    assert len(model.text_cache.of(Document(text_of(1, 12_000)))._values) == 3


def test_nothing_is_prepared_where_there_is_no_room() -> None:
    plain = span_reader()
    model = replace(plain, text_cache=TextCache(plain.tokenizer, most=60_000))
    prepare([Document(text_of(1, 12_000))], model, Silent())
    assert model.text_cache is not None and model.text_cache.words is not None
    assert len(model.text_cache.words) == 0
    prepare([Document(text_of(1, 12_000))], plain, Silent())


def test_of_copies_one_is_read_with_care() -> None:
    model, careful, _ = both()
    copy = f"{text_of(1, 5)}\n\nthe zebra stole the tarts of paris."
    # Every second passage is a copy, at first as well as at last.
    documents = [text for number in range(20) for text in (copy, text_of(100 + number, 60))]
    reading = read(ask("zebra", *documents, passages_of=10_000_000, top_k=20), model, Silent())
    assert reading.complete and careful.rows == reading.windows <= READ_FOUND
    read_with_care = {answer.document for answer in reading.answers}
    assert len(read_with_care) > 2 and len({number for number in read_with_care if number % 2 == 0}) == 1
    # In documents that a person opened, equal texts at different places stay different answers.
    apart = read(ask("zebra", *([copy] * 20), top_k=20), model, Silent())
    assert len({answer.document for answer in apart.answers}) > 1
