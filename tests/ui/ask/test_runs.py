"""What a reading that was paused takes in when it is read again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.results import Reading
from app.ui.ask.session import QuestionRun

READ = Reading(
    answers=(),
    answered=False,
    no_answer_probability=1.0,
    threshold=0.5,
    windows=30,
    windows_total=100,
    seconds=1.0,
    complete=False,
    model="one",
    device="cpu",
)


@pytest.mark.parametrize(
    ("windows", "model", "taken"),
    [(10, "one", False), (30, "one", True), (10, "another", True), (10, "its finder", False)],
)
def test_less_is_held_back_unless_another_model_reads(windows: int, model: str, taken: bool) -> None:
    run = QuestionRun(None, None, reading=replace(READ, finder="its finder"), least=0.3)  # type: ignore[arg-type]
    result = replace(READ, windows=windows, model=model)
    assert run.take_partial(result) is taken
    assert run.held_back is (None if taken else result)
