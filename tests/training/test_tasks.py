import numpy as np
import pytest

from app.core.report import Silent
from app.training.examples import QaExample
from app.training.tasks import qa_figures
from tests.helpers.small_models import small_tokenizer

BERT = small_tokenizer("bert")


def answered(example: QaExample, words: range) -> dict[str, float]:
    """The dev figures of a model that answers with a number of the context's words, each one token."""

    def read(arrays: dict[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
        shape = arrays["input_ids"].shape
        logits = {name: np.zeros(shape, dtype=np.float32) for name in ("start_logits", "end_logits")}
        at = int(arrays["token_type_ids"][0].argmax())
        logits["start_logits"][0, at + words[0]] = logits["end_logits"][0, at + words[-1]] = 5.0
        return [logits]

    return qa_figures([example], BERT, 128, read, Silent())


def example_of(context: str, answer: str) -> QaExample:
    return QaExample("1", context, "who took the tarts?", ((answer, context.index(answer)),))


def test_a_long_answer_is_found_as_the_reader_finds_it() -> None:
    answer = "king " + "the king and " * 12 + "queen"
    figures = answered(example_of(f"the {answer} took the tarts", answer), range(1, 39))
    assert (figures["em"], figures["f1_answerable"], figures["threshold"]) == (100.0, 100.0, 10.0)


def test_a_word_cut_by_the_tokenizer_is_taken_whole() -> None:
    pieces = BERT.encode("wonderfully", add_special_tokens=False).tokens
    assert len(pieces) > 1
    assert answered(example_of("wonderfully the king", "wonderfully"), range(1))["em"] == 100.0


def test_another_span_is_wrong_and_where_it_is_best_never_to_answer_there_is_no_threshold() -> None:
    figures = answered(example_of("the king took the tarts", "tarts"), range(1, 2))
    assert figures["em_answerable"] == pytest.approx(0.0) and "threshold" not in figures
