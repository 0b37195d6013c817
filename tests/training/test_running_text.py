import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import SpanlightError
from app.core.text import RunningText
from app.training.pretraining import passage
from app.training.running_text import exclude_shared, read_running_text
from tests.helpers.small_models import small_tokenizer

BERT = small_tokenizer("bert")


def test_rows_give_each_context_once(tmp_path: Path) -> None:
    rows = [
        {"context": "The king.", "title": "Tarts", "source": "s"},
        {"context": "The king.", "title": "Tarts", "source": "s"},
        {"context": "The queen.", "title": "Tarts", "source": "s"},
        {"text": "The\u2028knave."},
    ]
    path = tmp_path / "rows.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    found = read_running_text(path)
    assert [text.paragraphs for text in found] == [("The king.",), ("The queen.",), ("The\u2028knave.",)]
    assert found[0].document == found[1].document != found[2].document
    assert [text.source for text in found] == ["s", "s", "rows"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1"])
def test_a_plain_file_is_cut_at_blank_lines(tmp_path: Path, encoding: str) -> None:
    body = "Caf\u00e9 one\r\ngoes on.\r\n \r\nTwo.\r\n\r\n" + "Three. " * 300 + "\r\n\r\nFour."
    path = tmp_path / "book.txt"
    path.write_bytes(body.encode(encoding))
    found = read_running_text(path)
    assert found[0].paragraphs[:2] == ("Caf\u00e9 one goes on.", "Two.")
    assert [text.paragraphs[-1] for text in found][-1] == "Four."
    assert len(found) == 2 and {text.document for text in found} == {"book.txt"}


def test_a_books_licence_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("Terms.\n*** START OF THIS BOOK ***\n\nOnce.\n\n*** END OF THIS BOOK ***\n\nMore terms.")
    assert [text.paragraphs for text in read_running_text(path)] == [("Once.",)]


@pytest.mark.parametrize("body", ['{"title": "no text"}', '{"text": 3}', "[1]", "not json"])
def test_rows_without_text_are_refused(tmp_path: Path, body: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(body)
    with pytest.raises(SpanlightError, match=r"does not hold running text|is not a JSON object"):
        read_running_text(path)


def test_binary_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(b"%PDF-1.7\n\0\1\2 stream \xff")
    with pytest.raises(SpanlightError, match="does not hold running text") as caught:
        read_running_text(path)
    assert caught.value.hint
    with pytest.raises(SpanlightError):
        read_running_text(tmp_path / "none.txt")


def test_texts_that_share_a_held_out_paragraph_are_excluded() -> None:
    texts = [RunningText(("One  two.", "Three."), "a"), RunningText(("Four.",), "b")]
    assert exclude_shared(texts, [RunningText(("x", "THREE."), "c")]) == [texts[1]]
    assert exclude_shared(texts, [RunningText(("", " "), "c")]) == texts


def test_a_passage_holds_every_sentence_in_order() -> None:
    text = RunningText(("The king came. He saw the tarts!", " \n", "The knave took one."), "a", "s")
    made = passage(BERT, text)
    assert len(made.sentences) == 3 and made.document == "a"
    whole = BERT.encode(" ".join(text.paragraphs), add_special_tokens=False).ids
    assert np.concatenate(made.sentences).tolist() == whole and len(made) == len(whole)
