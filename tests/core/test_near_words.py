"""What a mistyped word may have meant."""

from __future__ import annotations

import pytest

from app.core.near_words import did_you_mean


@pytest.mark.parametrize(
    ("word", "meant"),
    [("clasify", "classify"), ("Fil", "fill"), ("ASK", "ask"), ("x", ""), ("", ""), ("notes.txt", ""),
     ("text.docx", ""), ("train.csv", ""), ("./train", ""), (".\\train", ""), ("instal", ""), ("lits", "list")],
)  # fmt: skip
def test_the_nearest_word_is_asked_after(word: str, meant: str) -> None:
    assert did_you_mean(word, ["ask", "classify", "fill", "text", "train", "list", "import"]) == (
        f"Did you mean {meant}?" if meant else ""
    )
