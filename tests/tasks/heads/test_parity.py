"""Masked words and tags of tiny real checkpoints, against transformers' own tokenizer, classes and softmax."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import PieceAggregation, TextsToTag, TextToFill
from app.core.text import Span, blanks_in
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.fill_mask import fill
from app.tasks.heads.token_classification import tag
from app.tasks.scores import softmax
from tests.helpers.fake_models import CPU
from tests.helpers.opened_models import FAMILIES, TAGS, daily
from tests.helpers.small_models import small_checkpoint

MASKED = ("bert", "roberta", "distilbert", "mpnet", "electra", "albert", "xlm-roberta", "mobilebert")
BLANKED = "The queen made ___ tarts. The knave of hearts, (not the king!) stole all the ____ and took them."


@pytest.mark.parametrize("family", [*map(daily, MASKED)])
def test_words_have_the_probabilities_that_transformers_gives(tmp_path: Path, family: str) -> None:
    folder = small_checkpoint(tmp_path / family, family, Head.MASKED_WORDS)
    found = fill(
        TextToFill(BLANKED, blanks_in(BLANKED), ("good", "zap"), top_k=20),
        load(read_card(folder), Head.MASKED_WORDS, CPU),
        Silent(),
    )

    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    types = getattr(model.config, "type_vocab_size", 0) > 1

    def chances(ids: list[int]) -> np.ndarray:
        given = {
            "input_ids": torch.tensor([ids]),
            "attention_mask": torch.ones(1, len(ids), dtype=torch.int64),
        }
        if types:
            given["token_type_ids"] = torch.zeros(1, len(ids), dtype=torch.int64)
        with torch.no_grad():
            return softmax(model(**given).logits[0].numpy())

    mask = tokenizer.mask_token
    ids = tokenizer(BLANKED.replace("____", mask).replace("___", mask)).input_ids
    places = [i for i, token in enumerate(ids) if token == tokenizer.mask_token_id]
    expected = chances(ids)[places]
    vocabulary = tokenizer.get_vocab()
    for blank, row in zip(found.blanks, expected, strict=True):
        order = np.argsort(-row)
        for guess in blank.guesses:
            entry = int(order[guess.rank - 1])
            assert guess.probability == pytest.approx(float(row[entry]), rel=1e-3)
            assert tokenizer.convert_ids_to_tokens(entry).lstrip("Ġ▁") == guess.word

    good, zap = (blank.asked for blank in found.blanks)
    start = "Ġ" if "roberta" in family else "▁" if family == "albert" else ""
    assert good is not None and good.pieces == 1
    assert good.probability == pytest.approx(float(expected[0][vocabulary[start + "good"]]), rel=1e-3)
    assert good.rank == 1 + int((expected[0] > expected[0][vocabulary[start + "good"]]).sum())

    pieces = list(tokenizer(" zap", add_special_tokens=False).input_ids)
    product = 1.0
    for known, piece in enumerate(pieces):
        at = places[1]
        spelled = (
            ids[:at] + pieces[:known] + [tokenizer.mask_token_id] * (len(pieces) - known) + ids[at + 1 :]
        )
        product *= float(chances(spelled)[at + known][piece])
    assert zap is not None and (zap.rank, zap.pieces) == (0, len(pieces))
    assert zap.probability == pytest.approx(product, rel=1e-3)


TEXT = "Alice and the Queen of Hearts, O'Brien (U.S.) too, saw Paris.\nThe zanzibarbarian took tarts; é 北!"


def _is_piece(start: int, end: int, word: Span) -> bool:
    """Whether a token of the text is a word's piece; some tokenizers begin a word with its blank alone."""
    if not TEXT[start:end].strip():
        return TEXT[start:end] in ("", " ") and end == word.start
    return start < word.end and end > word.start


@pytest.mark.parametrize("family", FAMILIES)
def test_words_have_the_tags_that_transformers_gives_their_pieces(tmp_path: Path, family: str) -> None:
    folder = small_checkpoint(tmp_path / family, family, Head.TOKEN_CLASSIFICATION, TAGS)
    model = load(read_card(folder), Head.TOKEN_CLASSIFICATION, CPU)
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    direct = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    inputs = tokenizer(
        TEXT,
        return_tensors="pt",
        return_offsets_mapping=True,
        return_token_type_ids=True,
        return_special_tokens_mask=True,
    )
    offsets = inputs.pop("offset_mapping")[0].tolist()
    special = inputs.pop("special_tokens_mask")[0].tolist()
    if getattr(direct.config, "type_vocab_size", 0) <= 1:
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        shares = direct(**inputs).logits[0].double().softmax(-1).numpy()

    seen = set()
    for joining in PieceAggregation:
        (item,) = tag(TextsToTag((TEXT,), joining), model, Silent()).items
        for word in item.words:
            own = [
                share
                for share, (start, end), apart in zip(shares, offsets, special, strict=True)
                if not apart and _is_piece(start, end, word.span)
            ]
            expected = {
                PieceAggregation.FIRST: own[0],
                PieceAggregation.AVERAGE: np.mean(own, axis=0),
                PieceAggregation.MAX: max(own, key=max),
            }[joining]
            assert word.probability == pytest.approx(expected.max(), abs=1e-5)
            assert word.tag == TAGS[int(expected.argmax())]
            seen.add(word.tag)
        assert len(item.words) == 24
    assert len(seen) > 1
