"""What a score comes to without a sentence: that of a reading of the shortened text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.inside import Removals
from app.core.inspection import LookAtSpans, LookWithout, Subject, Target
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.core.requests import PassagePairs, Question, TextsToClassify, TextToFill
from app.core.text import Document, Span
from app.tasks.heads.classification import classify
from app.tasks.heads.fill_mask import fill
from app.tasks.heads.next_sentence import follow
from app.tasks.inspect.spans import look_at_spans
from app.tasks.inspect.without import look_without
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import Noted, span_reader
from tests.helpers.opened_models import (
    CLASSIFY,
    EVERY,
    FAMILIES,
    NEXT,
    QA,
    SUBJECTS,
    TEXT,
    TOKENS,
    WORDS,
    opened_model,
)

LIKELIEST = Target()
SENTENCES = (
    "The King of Hearts sat down.",
    "The Knave stole the tarts on a bad day in the city.",
    "Alice came back to Paris!",
    "She had the book.",
)


def without(subject: Subject, model: ReadyModel, target: Target = LIKELIEST) -> Removals:
    return look_without(LookWithout(subject, target), model, Silent())


def shortened(text: str, number: int) -> str:
    """The text of SENTENCES without one of them and the blank behind it."""
    gone = SENTENCES[number] + (" " if number + 1 < len(SENTENCES) else "")
    return text.replace(gone, "")


@pytest.mark.parametrize(("family", "head"), EVERY)
def test_every_sentence_is_taken_out_in_turn(family: str, head: Head) -> None:
    subject, model = SUBJECTS[head], opened_model(family, head)
    found = without(subject, model)
    texts = [removal.span.of(subject.text) for removal in found.sentences]
    assert texts == [removal.text for removal in found.sentences]
    # What holds the blank, or the word that is looked at, cannot be taken out.
    left_out = 1 if head in (WORDS, TOKENS) else 0
    assert len(texts) == len(SENTENCES) - left_out
    assert len({round(removal.score, 6) for removal in found.sentences}) == len(texts)
    assert {removal.holds_focus for removal in found.sentences} <= {head is QA, False}
    assert found.model == model.card.name


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_s_score_is_that_of_a_reading_of_the_shortened_text(family: str) -> None:
    model = opened_model(family)
    found = without(SUBJECTS[QA], model)
    whole = read(Question(SUBJECTS[QA].pair, (Document(TEXT),)), model, Silent()).answers[0]
    assert (found.target, found.score) == (f"“{whole.text}”", pytest.approx(whole.score, abs=1e-5))
    for number, removal in enumerate(found.sentences):
        left = shortened(TEXT, number)
        assert removal.holds_focus == whole.span.overlaps(removal.span)
        if removal.holds_focus:
            best = read(Question(SUBJECTS[QA].pair, (Document(left),)), model, Silent()).answers[0]
            assert removal.score == pytest.approx(best.score, abs=1e-4)
            continue
        place = left.index(whole.text)
        subject = replace(SUBJECTS[QA], text=left, focus=Span(place, place + len(whole.text)))
        seen = look_at_spans(LookAtSpans(subject), model, Silent()).spans[0]
        assert removal.score == pytest.approx(seen.score, abs=1e-4)
        assert removal.probability == pytest.approx(seen.probability, abs=1e-4)


def test_no_answer_s_score() -> None:
    model = opened_model()
    found = without(SUBJECTS[QA], model, Target(null=True))
    assert found.target == "no answer"
    for number, removal in enumerate(found.sentences):
        subject = replace(SUBJECTS[QA], text=shortened(TEXT, number))
        seen = look_at_spans(LookAtSpans(subject), model, Silent())
        assert removal.score == pytest.approx(seen.null_score, abs=1e-4)
        assert removal.probability == pytest.approx(seen.null_probability, abs=1e-4)
        assert not removal.holds_focus


@pytest.mark.parametrize("target", ["", "bad"])
def test_a_class_s_probability(target: str) -> None:
    model = opened_model("bert", CLASSIFY)
    found = without(SUBJECTS[CLASSIFY], model, Target(target))
    (whole,) = classify(TextsToClassify((TEXT,)), model, Silent()).items
    label = target or whole.winner
    assert found.target == label
    texts = tuple(shortened(TEXT, number) for number in range(len(SENTENCES)))
    items = classify(TextsToClassify(texts), model, Silent()).items
    for removal, item in zip(found.sentences, items, strict=True):
        wanted = next(score.probability for score in item.scores if score.label == label)
        assert removal.probability == pytest.approx(wanted, abs=1e-5)


def test_a_word_s_probability_and_an_order_s() -> None:
    model, subject = opened_model("bert", WORDS), SUBJECTS[WORDS]
    found = without(subject, model, Target("queen"))
    blank = subject.blanks[0]
    assert found.target == "“queen”"
    assert [removal.span.overlaps(blank) for removal in found.sentences] == [False] * 3
    last = found.sentences[-1]
    left = subject.text[: last.span.start]
    filled = fill(TextToFill(left, subject.blanks, ("queen", "")), model, Silent()).blanks[0]
    assert filled.asked is not None
    assert last.probability == pytest.approx(filled.asked.probability, abs=1e-6)

    model, subject = opened_model("bert", NEXT), SUBJECTS[NEXT]
    found = without(subject, model, Target("follows"))
    pairs = PassagePairs(tuple((shortened(TEXT, number), subject.pair) for number in range(4)))
    for removal, item in zip(found.sentences, follow(pairs, model, Silent()).items, strict=True):
        assert removal.probability == pytest.approx(item.probability, abs=1e-5)


def test_the_only_sentence_cannot_be_taken_out() -> None:
    subject = Subject(QA, "The Knave stole the tarts.", "Who?")
    assert without(subject, opened_model()).sentences == ()


PIECES = (
    "The queen of hearts. ",
    "Was it Paris? ",
    "日本。",
    "War and peace.\n\n",
    "No! ",
    ". . ",
    "\t",
    "x ",
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=60).map("".join)


@given(TEXTS, st.integers(0, 3), st.booleans())
def test_places_are_those_of_the_text(text: str, seed: int, null: bool) -> None:
    model, subject = span_reader(seed=seed), Subject(QA, text, "who")
    try:
        found = without(subject, model, Target(null=null))
    except SpanlightError:  # nothing in it that could answer
        return
    end = 0
    for removal in found.sentences:
        assert removal.span.start >= end
        end = removal.span.end
        assert removal.text == removal.span.of(text)
        assert removal.text == removal.text.strip() != ""
    own = [token.span for token in found.window.tokens if token.span is not None and token.part == "text"]
    assert all(own[0].start <= r.span.start and r.span.end <= own[-1].end + 1 for r in found.sentences)


def test_it_tells_progress_and_stops() -> None:
    report = Noted()
    look_without(LookWithout(SUBJECTS[CLASSIFY]), opened_model("bert", CLASSIFY), report)
    assert [(told.done, told.total, told.what) for told in report.told] == [(4, 4, "sentences")]
    with pytest.raises(Stopped):
        look_without(
            LookWithout(SUBJECTS[CLASSIFY]), opened_model("bert", CLASSIFY), Noted(stop_at=report.checks)
        )
