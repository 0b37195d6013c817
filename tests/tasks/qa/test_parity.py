"""Reading with tiny real checkpoints of every family, against transformers' own tokenizer, model and a full matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.models import DeviceChoice, Head
from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from tests.helpers.allowed_spans import allowed_spans
from tests.helpers.small_models import FAMILIES, small_checkpoint

QUESTION = "Who stole the tarts?"
CONTEXT = (
    "The queen made good tarts. The knave of hearts, (not the king!) stole all the tarts\nand took them away."
)


def ready(folder: Path, head: Head) -> ReadyModel:
    loaded = load(read_card(folder), head, DeviceChoice("cpu", "float32", "a test"))
    return ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_short_text_is_read_as_transformers_reads_it(tmp_path: Path, family: str) -> None:
    import torch
    import transformers

    folder = small_checkpoint(tmp_path / family, family)
    reading = read(Question(QUESTION, (Document(CONTEXT),)), ready(folder, Head.QUESTION_ANSWERING), Silent())

    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    inputs = tokenizer(
        QUESTION, CONTEXT, return_tensors="pt", return_offsets_mapping=True, return_token_type_ids=True
    )
    offsets = inputs.pop("offset_mapping")[0].tolist()
    types = getattr(model.config, "type_vocab_size", 0) > 1
    kept = {k: v for k, v in inputs.items() if types or k != "token_type_ids"}
    with torch.no_grad():
        output = model(**kept)
    start, end = output.start_logits[0].numpy(), output.end_logits[0].numpy()
    context = [i for i, of in enumerate(inputs.sequence_ids(0)) if of == 1]
    places = [tuple(offsets[i]) for i in context]
    best, span = max(
        (float(start[context[i]] + end[context[j]]), span) for i, j, span in allowed_spans(CONTEXT, places)
    )

    answer = reading.answers[0]
    assert reading.windows == 1
    assert answer.score == pytest.approx(best, abs=1e-4)
    assert answer.null_score == pytest.approx(float(start[0] + end[0]), abs=1e-4)
    # Random weights cut words; ours are taken whole.
    assert answer.span == span
