from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.inside import Part
from app.core.inspection import Subject
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document, Span
from app.core.view import view_of_text
from app.tasks.heads.fill_mask import masked_windows
from app.tasks.heads.next_sentence import pair_window
from app.tasks.heads.texts import text_windows
from app.tasks.inspect.inputs import ModelInput, input_of
from app.tasks.qa.question_answering import read
from app.tasks.qa.question_run import QuestionRun
from app.tasks.qa.spans import window_candidates
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import Noted, card, classifier, span_reader

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION
PIECES = ("the queen of hearts ", "Paris ", "日本 ", "war and peace.\n\n", "x", "\u00e9te\u0301 ", "42, ")
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 40)), min_size=1, max_size=6).map(
    lambda runs: "".join(piece * times for piece, times in runs)
)


def of_parts(found: ModelInput, part: Part) -> list[tuple[str, int]]:
    return [(token.piece, at) for at, token in enumerate(found.window.tokens) if token.part is part]


def agrees(found: ModelInput, subject: Subject, model: ReadyModel) -> None:
    """Tokens, arrays and texts are of one another."""
    tokens = found.window.tokens
    for name, values in (("input_ids", [t.id for t in tokens]), ("token_type_ids", [t.type for t in tokens])):
        assert found.arrays[name].tolist() == [values] and found.arrays[name].dtype == np.int64
    assert found.arrays["attention_mask"].tolist() == [[1] * len(tokens)]
    for token in tokens:
        assert token.piece == model.tokenizer.id_to_token(token.id)
        assert (token.span is None) == (token.part is Part.SPECIAL)
        if token.span is not None:
            where = subject.pair if token.part is Part.PAIR else subject.text
            assert token.span.end <= len(where)
            word = token.piece.removeprefix("##")
            if word.isascii() and word.isalnum() and len(word) > 1:
                assert token.span.of(where).lower() == word


@given(TEXTS, st.sampled_from(("who", "  where is the king?  ", "of the " * 30)), st.integers(0, 3))
def test_a_question_is_seen_in_the_window_that_gave_the_answer(text: str, question: str, seed: int) -> None:
    model = span_reader(seed=seed)
    reading = read(Question(question, (Document(text),), top_k=4), model, Silent())
    if not reading.answers:
        return
    for answer in reading.answers:
        subject = Subject(QA, text, question, focus=answer.span)
        found = input_of(subject, model, Silent())
        agrees(found, subject, model)
        logits = model.forward(found.arrays)
        spans = window_candidates(
            found.task_window,
            logits["start_logits"][0],
            logits["end_logits"][0],
            text=text,
            document=0,
            count=20,
        )
        assert (answer.span, answer.score) in [(c.span, c.score) for c in spans]


def test_a_text_with_headings_and_a_table_is_seen_as_it_is_read() -> None:
    text = "# Towns\n\nCity | People\nParis | two\nRome | three\n"
    view, model = view_of_text(text), span_reader()
    question = Question("who is king", (Document(text, view=view),), in_order=True)
    (((_, window),),) = QuestionRun(0, question, model, Silent()).groups()
    found = input_of(Subject(QA, text, question.text, focus=Span(0, 1), view=view), model, Silent())
    assert found.arrays["input_ids"].tolist() == [window.input_ids.tolist()]
    asked = [
        token.span.of(question.text)
        for token in found.window.tokens
        if token.part is Part.PAIR and token.span is not None
    ]
    assert "".join(asked) == "whoisking", "no word of the heading is taken for the question's"


@given(TEXTS, st.integers(0, 3))
def test_without_a_focus_the_best_answers_window_is_seen(text: str, seed: int) -> None:
    model = span_reader(seed=seed)
    reading = read(Question("who", (Document(text),)), model, Silent())
    report = Noted()
    found = input_of(Subject(QA, text, "who"), model, report)
    if reading.answers:
        best = input_of(Subject(QA, text, "who", focus=reading.answers[0].span), model, Silent())
        assert found.window == best.window
    assert not report.partials


@given(TEXTS, st.data())
def test_windows_are_those_that_the_tasks_read(text: str, data: st.DataObject) -> None:
    model = classifier(("a", "b"))
    at = data.draw(st.integers(0, len(text) - 1))
    subject = Subject(CLASSIFY, text, focus=Span(at, at + 1))
    found = input_of(subject, model, Silent())
    agrees(found, subject, model)
    cut = list(text_windows(text, model, Silent()))
    assert found.window.windows == len(cut)
    assert found.task_window.input_ids.tolist() == cut[found.window.number].input_ids.tolist()
    scoring = [n for n, w in enumerate(cut) if (w.scored & (w.starts <= at) & (w.ends > at)).any()]
    if scoring:
        assert found.window.number in scoring
        there = [found.window.tokens[number].span for number in found.tokens_at(Span(at, at + 1))]
        assert there and all(span is not None and span.start <= at < span.end for span in there)


def test_a_long_text_has_as_many_windows_as_its_reading() -> None:
    model = span_reader()
    text = "the queen of hearts made some tarts. " * 900  # more than one section
    asked = QuestionRun(0, Question("who", (Document(text),)), model, Silent())
    count = sum(map(len, asked.groups()))
    found = input_of(Subject(QA, text, "who", focus=Span(20_100, 20_110)), model, Silent())
    assert found.window.windows == count > 100
    assert found.tokens_at(Span(20_100, 20_110))
    assert found.window.number > count // 3


def test_a_question_is_cut_where_the_reading_cuts_it() -> None:
    found = input_of(Subject(QA, "the king", "who " * 200), span_reader(), Silent())
    assert len(of_parts(found, Part.PAIR)) == 16  # a quarter of the window


@pytest.mark.parametrize("subject", [Subject(QA, " \n", "who"), Subject(QA, "a", " "), Subject(CLASSIFY, "")])
def test_nothing_to_look_at_is_said(subject: Subject) -> None:
    model = span_reader() if subject.head is QA else classifier(("a",))
    with pytest.raises(SpanlightError, match=r"no (text|question) to look at"):
        input_of(subject, model, Silent())


@given(TEXTS, st.data())
def test_blanks_are_seen_in_the_windows_that_fill_them(text: str, data: st.DataObject) -> None:
    model = replace(classifier(("a",)), card=card(Head.MASKED_WORDS))
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=8)))
    blanks = tuple(Span(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=False))
    cut = list(masked_windows(text, blanks, model, Silent()))
    for number, blank in enumerate(blanks):
        subject = Subject(Head.MASKED_WORDS, text, focus=blank, blanks=blanks)
        if not text.strip():
            return
        found = input_of(subject, model, Silent())
        places = found.arrays["positions"][0].tolist()
        assert len(places) == len(blanks)
        assert found.window.tokens[places[number]].piece == "[MASK]"
        assert found.window.tokens[places[number]].span == blank
        assert found.arrays["input_ids"][0].tolist() == cut[found.window.number].input_ids.tolist()
        for place, other in zip(places, blanks, strict=True):
            assert place == -1 or found.window.tokens[place].span == other
    first = input_of(Subject(Head.MASKED_WORDS, text, blanks=blanks), model, Silent())
    assert first.arrays["positions"][0, 0] >= 0


def test_two_words_wanted_at_one_place_are_two_blanks() -> None:
    model = replace(classifier(("a",)), card=card(Head.MASKED_WORDS))
    found = input_of(Subject(Head.MASKED_WORDS, "a b", blanks=(Span(2, 2), Span(2, 2))), model, Silent())
    first, second = found.arrays["positions"][0].tolist()
    assert second == first + 1


@given(TEXTS, TEXTS)
def test_a_pair_is_the_one_that_is_judged(first: str, second: str) -> None:
    model = replace(classifier(("a",)), card=card(Head.NEXT_SENTENCE))
    subject = Subject(Head.NEXT_SENTENCE, first, second)
    found = input_of(subject, model, Silent())
    agrees(found, subject, model)
    pair = pair_window(first, second, model, lambda: None)
    assert found.arrays["input_ids"][0].tolist() == pair.input_ids.tolist()
    counts = [len(of_parts(found, part)) for part in (Part.TEXT, Part.PAIR)]
    assert counts == [len(one) for one in pair.passages]


def test_no_blank_to_look_at_is_said() -> None:
    with pytest.raises(SpanlightError, match="no blank"):
        input_of(Subject(Head.MASKED_WORDS, "a b"), classifier(("a",)), Silent())
