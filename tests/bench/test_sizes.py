from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import BertForQuestionAnswering

from app.bench.reading import operations_of, peak_rows, window_operations
from app.bench.sizes import sized_model, write_widened
from app.core.models import Head
from app.models.compute.peak import Peak
from app.models.disk.card import read_card
from app.settings.paths import default_paths
from tests.helpers.small_models import small_checkpoint


def test_a_model_of_a_size(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path)})
    with sized_model("base", paths) as folder:
        card = read_card(folder)
        assert card.heads == (Head.QUESTION_ANSWERING,)
        assert 108e6 < card.parameters < 109e6  # BERT's own, without the pooler
        # 85 million weights in its layers, twice a token, and attention.
        assert window_operations(folder, 384) == pytest.approx(
            2 * 384 * 12 * (4 * 768**2 + 2 * 768 * 3072) + 12 * 4 * 384**2 * 768
        )
    assert not Path(folder).exists()
    with sized_model("", paths) as folder:
        assert folder == ""


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_widened_model_computes_what_the_starter_does(tmp_path: Path, dtype: str) -> None:
    small_checkpoint(tmp_path / "starter", dtype=dtype)
    (tmp_path / "wide").mkdir()
    write_widened(tmp_path / "wide", tmp_path / "starter")
    small, wide = (
        BertForQuestionAnswering.from_pretrained(tmp_path / name, dtype=torch.float32).eval()
        for name in ("starter", "wide")
    )
    assert wide.config.hidden_size == 2 * small.config.hidden_size
    assert wide.config.intermediate_size == 2 * small.config.intermediate_size
    ids = torch.arange(5, 45).view(2, 20)
    with torch.inference_mode():
        expected, found = small(ids), wide(ids)
    assert expected.start_logits.std() > 0.01
    torch.testing.assert_close(found.start_logits, expected.start_logits)
    torch.testing.assert_close(found.end_logits, expected.end_logits)


def test_operations_of_other_families() -> None:
    shape = {"vocab_size": 100, "max_position_embeddings": 64, "type_vocab_size": 2}
    bert = shape | {
        "model_type": "bert",
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 64,
    }
    distilbert = {
        "model_type": "distilbert",
        "vocab_size": 100,
        "max_position_embeddings": 64,
        "dim": 32,
        "n_layers": 3,
        "n_heads": 4,
        "hidden_dim": 64,
    }
    albert = bert | {"model_type": "albert", "embedding_size": 32}
    expected = 2 * 64 * 3 * (4 * 32 * 32 + 2 * 32 * 64) + 4 * 3 * 64**2 * 32
    assert operations_of(bert, 64) == operations_of(distilbert, 64) == expected
    assert (
        operations_of(albert, 64) == expected + 2 * 64 * 32 * 32
    )  # from the embeddings' width to the layers'


def test_shares_of_the_peaks() -> None:
    peaks = (Peak("float32", 200e9), Peak("bfloat16", 100e9))
    found = {row.what: row for row in peak_rows(peaks, 5e9, 20.0, "float32")}
    assert found["peak in bfloat16"].value == 100
    assert found["reached while reading"].value == 100
    assert found["share of the peak in float32"].value == 50
    assert "share of the peak in bfloat16" not in found
