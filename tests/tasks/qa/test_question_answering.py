from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import QaCalibration
from app.core.report import Silent, Stopped
from app.core.requests import Question, QuestionBatch
from app.core.results import Answer, Reading
from app.tasks.qa import question_run
from app.tasks.qa.question_answering import read, read_batch
from app.tasks.qa.spans import Candidate, without_overlaps
from app.tasks.scores import answer_probability, calibrated_shares
from app.tasks.task import ReadyModel
from app.tasks.text.sections import sections
from app.tasks.text.tokens import join, tokenise
from app.tasks.text.windows import PairTemplate, windows
from tests.helpers.allowed_spans import allowed_spans
from tests.helpers.fake_models import Noted, reader_of, span_reader
from tests.helpers.long_texts import ask, found

FAMILIES = ("bert", "roberta", "mpnet", "albert", "deberta-v2")
PIECES = (
    "the king", "Queen", " ", "  ", "\n", "\n\n", "\r\n", "\x00", "👩\u200d👩\u200d👧", "🏳️\u200d🌈",
    "é", "e\u0301", "שלום", "مرحبا", "日本語", "\u00ad", "\u200b", "\u2028", "a.b,c!", " 12,5 %",
    "[SEP]", "नमस्ते", "\ud83d", "ﬁ", "½", "\t", "(", ")", " 1,000 ", "\n2. ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def by_brute_force(question: Question, model: ReadyModel) -> list[Candidate]:
    """Full matrices of every window, each window's best by position, then all of them ranked."""
    fake = model.forward
    template = PairTemplate.of(model.tokenizer)
    ids = join(tokenise(model.tokenizer, question.text)).ids.tolist()
    every: list[Candidate] = []
    for number, document in enumerate(question.documents):
        chunks = tokenise(model.tokenizer, document.text)
        card = model.card
        for w in windows(template, ids, chunks, document.text, length=card.window, stride=card.stride):
            context = w.input_ids[w.context_at : w.context_at + len(w.starts)]
            matrix = fake.starts[context][:, None] + fake.ends[context][None, :]
            places = list(zip(w.starts.tolist(), w.ends.tolist(), strict=True))
            own = [
                Candidate(float(matrix[i, j]), np.float32(fake.null).item(), number, span)
                for i, j, span in allowed_spans(document.text, places)
                if w.scored[i]
            ]
            own.sort(key=lambda c: c.rank, reverse=True)
            every += without_overlaps(own, 20)
    every.sort(key=lambda c: c.rank, reverse=True)
    return without_overlaps(every, 20)


@given(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(FAMILIES), st.integers(0, 5))
def test_an_answer_is_exactly_the_words_at_its_place(texts: list[str], family: str, seed: int) -> None:
    reading = read(ask("who is the king", *texts), span_reader(family, seed=seed), Silent())
    assert reading.complete
    assert reading.windows == reading.windows_total
    for answer in reading.answers:
        text = texts[answer.document]
        assert text[answer.span.start : answer.span.end] == answer.text
        assert answer.text == answer.text.strip() != ""
    for n, one in enumerate(reading.answers):
        assert all(
            one.document != other.document or not one.span.overlaps(other.span)
            for other in reading.answers[:n]
        )


@given(st.lists(TEXTS, min_size=1, max_size=3), st.integers(0, 50))
def test_answers_are_those_of_full_matrices_over_all_windows(texts: list[str], seed: int) -> None:
    model = span_reader(seed=seed, null=1.5)
    question = ask("who stole the tarts", *texts, top_k=20)
    expected = by_brute_force(question, model)
    reading = read(question, model, Silent())
    assert [(a.score, a.null_score, a.document, a.span) for a in reading.answers] == [
        (c.score, c.null_score, c.document, c.span) for c in expected
    ]


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 5))
def test_batch_size_and_padding_change_nothing(texts: list[str], seed: int) -> None:
    question = ask("where", *texts)
    small = read(question, span_reader(seed=seed, device="cpu"), Silent())
    large = read(question, span_reader(seed=seed, device="cuda:0"), Silent())
    assert found(small) == found(large)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(0, 5))
def test_a_batch_reads_as_one_by_one_in_the_order_of_its_questions(texts: list[str], seed: int) -> None:
    """Texts are cut into several sections, as only long ones are otherwise."""
    model = span_reader(seed=seed)
    questions = tuple(ask(f"question {n}", text) for n, text in enumerate(texts))
    noted = Noted()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(question_run, "sections", partial(sections, size=100))
        together = read_batch(QuestionBatch(questions), model, noted)
        alone = [read(question, model, Silent()) for question in questions]
    assert list(map(found, together)) == list(map(found, alone))
    assert sorted(noted.partials, key=lambda p: p[0]) == list(enumerate(together))
    assert noted.told[-1].done == noted.told[-1].total == len(texts)


def test_the_chosen_token_lights_up_wherever_it_stands() -> None:
    filler = "the of and to in a was that it for as with his on be at by had " * 200
    for place in (0, len(filler) // 2, len(filler)):
        text = f"{filler[:place]} paris {filler[place:]}"
        reading = read(ask("which", text), reader_of({"paris": 10.0}), Silent())
        assert reading.best.text == "paris"
        assert reading.best.span.start == text.index("paris")
        assert reading.windows > 50


def test_probabilities_follow_the_calibration() -> None:
    calibration = QaCalibration(2.0, 1.0, 0.5, 3.0, 0.4, share=0.2, share_long=0.3, share_table=5.0)
    model = reader_of({"paris": 10.0}, calibration=calibration, null=3.0)
    reading = read(ask("which", "the king of paris " * 40), model, Silent())
    every = read(ask("which", "the king of paris " * 40, top_k=20), model, Silent()).answers
    says = answer_probability(calibration, every[0].rank, reading.windows)
    words, ranks = [a.text for a in every], [a.rank for a in every]
    expected = says * calibrated_shares(calibration, words, ranks, reading.windows, in_table=False)
    assert [a.probability for a in every] == pytest.approx(expected.tolist())
    assert every[0].text == every[1].text and every[0].probability > every[1].probability
    assert reading.answers == every[:5]
    more = read(ask("which", "the king of paris " * 40, top_k=40), model, Silent()).answers
    assert len(more) > 20 and more[:20] == every, "how many are listed changes no probability"
    assert reading.no_answer_probability == pytest.approx(1 - says)
    assert reading.threshold == 0.4
    assert reading.model == "fake"
    assert reading.device == "CPU"


def test_words_that_several_documents_say_have_the_sum_of_their_places() -> None:
    model = reader_of({"paris": 4.0, "king": 3.0}, null=3.0)
    (once, *_), (first, second, *_) = (
        read(ask("which", *texts), model, Silent()).answers
        for texts in (["the king of paris"], ["the king of paris", "a queen of paris"])
    )
    assert first.text == second.text == once.text == "paris" and first.document != second.document
    assert first.probability > once.probability > second.probability


def test_a_paragraph_is_judged_by_its_own_threshold() -> None:
    text = "the king of paris"
    chance = (
        1 - read(ask("which", text), reader_of({"paris": 10.0}, null=3.0), Silent()).no_answer_probability
    )
    calibration = QaCalibration(threshold=1.0, paragraph_threshold=chance)
    model = reader_of({"paris": 10.0}, calibration=calibration, null=3.0)
    reading = read(ask("which", text), model, Silent())
    assert (reading.answered, reading.threshold) == (True, chance)
    longer = read(ask("which", f"{text} " * 40), model, Silent())
    assert longer.windows > 1 and (longer.answered, longer.threshold) == (False, 1.0)


def test_the_text_does_not_say_unless_the_threshold_is_low() -> None:
    model = span_reader(null=40.0)
    text = "the king of france"
    quiet = read(ask("which", text), model, Silent())
    assert not quiet.answered
    assert quiet.best is None
    assert quiet.answers
    assert quiet.no_answer_probability > 0.99
    assert read(ask("which", text, threshold=0.0), model, Silent()).best == quiet.answers[0]
    assert not read(ask("which", text, threshold=1.0), span_reader(null=0.0), Silent()).answered


def test_a_text_without_words_does_not_say() -> None:
    for documents in (("",), (" \n ",), ("", "\n")):
        noted = Noted()
        reading = read(ask("which", *documents, threshold=0.0), span_reader(), noted)
        assert reading.answers == ()
        assert not reading.answered
        assert reading.no_answer_probability == 1.0
        assert reading.complete
    mixed = read_batch(
        QuestionBatch((ask("a", ""), ask("b", "the king"), ask("c", " "))), span_reader(), Silent()
    )
    assert [bool(r.answers) for r in mixed] == [False, True, False]


def test_an_empty_question_or_no_document_is_refused() -> None:
    with pytest.raises(SpanlightError, match="question is empty"):
        read(ask(" \n", "text"), span_reader(), Silent())
    with pytest.raises(SpanlightError, match="no text"):
        read(ask("which"), span_reader(), Silent())
    with pytest.raises(SpanlightError, match="number 2"):
        read_batch(QuestionBatch((ask("a", "b"), ask("", "b"))), span_reader(), Silent())


def test_a_very_long_question_leaves_room_for_the_text() -> None:
    reading = read(ask("who " * 100_000, "the king of france " * 20), span_reader(), Silent())
    assert reading.answers
    assert reading.windows > 1


def test_numbers_that_are_none_are_refused() -> None:
    model = span_reader()
    broken = replace(model, forward=lambda arrays: {k: v * np.nan for k, v in model.forward(arrays).items()})
    with pytest.raises(SpanlightError, match="not numbers"):
        read(ask("which", "the king"), broken, Silent())


def test_reading_stops_between_batches_and_while_tokenising() -> None:
    model = span_reader()
    fake = model.forward
    with pytest.raises(Stopped):
        read(ask("which", "the king " * 20_000), model, Noted(stop_at=1))
    assert fake.shapes == []
    with pytest.raises(Stopped):
        read(ask("which", "the king " * 20_000), model, Noted(stop_at=10))
    assert len(fake.shapes) < 10


def test_progress_and_the_best_so_far_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tasks.batches.Pace.due", lambda self: True)
    noted = Noted()
    final = read(
        ask("which", "the king of france had a sad story. \n\n" * 600, "paris"), span_reader(), noted
    )
    assert noted.told[-1].done == noted.told[-1].total == final.windows
    assert [p.done for p in noted.told] == sorted(p.done for p in noted.told)
    shares = [p.fraction for p in noted.told]
    assert shares[-1] == 1.0
    assert all(after >= before - 0.02 for before, after in pairwise(shares)), "it never jumps back"
    # Honest from the start: never off by more than a quarter.
    assert all(abs(p.total - final.windows) <= final.windows / 4 for p in noted.told)
    partials = [p for p in noted.partials if isinstance(p, Reading)]
    assert len(partials) == len(noted.partials) >= 1
    for one, other in pairwise(partials):
        assert [a.span for a in one.answers] != [a.span for a in other.answers]
    assert all(not p.complete and isinstance(p.answers[0], Answer) for p in partials)
    assert final.complete


def test_a_long_document_is_read_in_little_memory() -> None:
    """Nothing of a read window is kept but its best spans: more text costs the places of its words, and no more."""
    text = "".join(f"the king number {n % 500} stole a good book in paris. \n\n" for n in range(5_000))
    model = span_reader(window=384, stride=128)
    peaks = []
    for part in (text[: len(text) // 4], text):
        question = ask("which", part)
        model.forward.shapes.clear()
        tracemalloc.start()
        reading = read(question, model, Silent())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert reading.windows > 250
    # Eight bytes a word, twice while they are joined; a window's tokens take 40 a word.
    assert peaks[1] < peaks[0] + 20 * len(text.split())
    assert max(columns for _, columns in model.forward.shapes) <= 384
