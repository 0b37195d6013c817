from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.core.report import Silent
from app.tasks.batches import Runner, by_length
from app.tasks.text.tokens import tokenise
from app.tasks.text.windows import PairTemplate, Window, windows
from tests.helpers.fake_models import span_reader


def of_length(least: int, most: int) -> Iterator[Window]:
    """Windows of a one-token question and of texts of so many words, which are one token each."""
    tokenizer = span_reader().tokenizer
    template = PairTemplate.of(tokenizer)
    for words in range(least, most):
        text = " ".join(["a"] * words)
        yield from windows(template, [5], tokenise(tokenizer, text), text, length=most + 8)


def test_only_few_lengths_reach_the_model_and_none_beyond_its_limit() -> None:
    model = span_reader()
    limited = replace(model, card=replace(model.card, max_length=100))
    fake = model.forward
    run = Runner(limited, Silent())
    for window in of_length(1, 97):
        run([window])
    lengths = {length for _, length in fake.shapes}
    assert lengths == {16, 32, 48, 64, 80, 96, 100}


@given(st.lists(st.integers(1, 600), max_size=200), st.sampled_from([4, 8, 32]))
def test_short_inputs_are_read_together_and_long_ones_in_few(lengths: list[int], size: int) -> None:
    batches = list(by_length(enumerate(lengths), lambda item: range(item[1]), size))  # type: ignore[arg-type, return-value]
    assert sorted(item for batch in batches for item in batch) == list(enumerate(lengths))
    for batch in batches:
        longest = max(length for _, length in batch)
        assert longest == batch[0][1]
        assert len(batch) <= size or len(batch) * longest <= 1024
