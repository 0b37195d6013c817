import json
import lzma
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.training.examples import (
    QaExample,
    Source,
    TextExample,
    parse_source,
    read_placed_qa,
    read_qa,
    read_texts,
)

ROW = {
    "id": "1",
    "title": "Alice",
    "context": "The Knave stole the tarts.",
    "question": "Who stole the tarts?",
    "answers": [{"text": "The Knave", "answer_start": 0}],
    "source": "book",
}
EXAMPLE = QaExample("1", ROW["context"], ROW["question"], (("The Knave", 0),), "book", "Alice")


def test_rows_plain_and_compressed(tmp_path: Path) -> None:
    # A line separator inside a string must not end the row.
    odd = {**ROW, "context": "The Knave\u2028stole"}
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in (ROW, odd)) + "\n\n"
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    with lzma.open(tmp_path / "a.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(lines)
    for name in ("a.jsonl", "a.jsonl.xz"):
        found = read_qa(tmp_path / name)
        assert found[0] == EXAMPLE
        assert found[1].context == "The Knave\u2028stole"


def test_squads_own_json(tmp_path: Path) -> None:
    questions = [
        {"id": "1", "question": ROW["question"], "answers": ROW["answers"], "is_impossible": False},
        {"id": "2", "question": "Who baked?", "answers": [], "is_impossible": True},
    ]
    whole = {"data": [{"title": "Alice", "paragraphs": [{"context": ROW["context"], "qas": questions}]}]}
    (tmp_path / "dev.json").write_text(json.dumps(whole), encoding="utf-8")
    first, second = read_qa(tmp_path / "dev.json")
    assert (first.answers, first.title, first.source) == ((("The Knave", 0),), "Alice", "dev")
    assert second.answers == ()


def test_texts_and_renamed_labels(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    rows = [
        {"text": "bad", "label": 0},
        {"text": "so so", "label": 1},
        {"text": "good", "label": 2, "domain": "yelp"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert read_texts(path)[0] == TextExample("bad", "0", "texts")
    renamed = read_texts(path, {"0": "negative", "2": "positive"})
    assert [(e.label, e.source) for e in renamed] == [("negative", "texts"), ("positive", "yelp")]


def test_sources() -> None:
    assert parse_source("a/b.jsonl") == Source(Path("a/b.jsonl"))
    assert parse_source("b.jsonl.xz*0.5") == Source(Path("b.jsonl.xz"), 0.5)
    assert parse_source("b.jsonl?labels=0:no,1:yes*3") == Source(
        Path("b.jsonl"), 3.0, {"0": "no", "1": "yes"}
    )


@pytest.mark.parametrize("text", ["a*much", "a*-1", "a*nan", "a*inf", "a?labels=yes"])
def test_what_is_no_source(text: str) -> None:
    with pytest.raises(SpanlightError):
        parse_source(text)


@pytest.mark.parametrize(
    "content", [b"no json\n", b'{"id": 1}\n', b'["a"]\n', b"\xff\xfe\x00", b'{"text": 1}']
)
def test_what_holds_no_examples(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    for read in (read_qa, read_texts):
        with pytest.raises(SpanlightError):
            read(path)
    with pytest.raises(SpanlightError):
        read_qa(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("changes", [{"context": 5}, {"question": None}, {"question": ["Who?"]}])
def test_a_question_and_its_context_are_texts(tmp_path: Path, changes: dict) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({**ROW, **changes}), encoding="utf-8")
    with pytest.raises(SpanlightError, match="does not hold examples"):
        read_qa(tmp_path / "a.jsonl")


@pytest.mark.parametrize("start", [6, 9, -26, 500])
def test_answers_astray_are_counted_and_not_learnt_from(tmp_path: Path, start: int) -> None:
    # Two characters beyond U+FFFF: code point 4 is UTF-16 unit 6 and byte 10.
    context = "👩🍰: The Knave stole the tarts."
    path = tmp_path / "a.jsonl"
    rows = [
        {**ROW, "context": context, "answers": [{"text": "The Knave", "answer_start": place}]}
        for place in (4, start)
    ]
    path.write_text(
        "\n".join(json.dumps({**row, "id": str(i)}) for i, row in enumerate(rows)), encoding="utf-8"
    )
    with pytest.raises(SpanlightError, match="1 of 2 answers") as refused:
        read_placed_qa(path)
    assert refused.value.hint.endswith("the question 1.")
    assert len(read_qa(path)) == 2
    path.write_text(json.dumps(rows[0]), encoding="utf-8")
    assert read_placed_qa(path) == read_qa(path)


def test_a_truncated_archive(tmp_path: Path) -> None:
    whole = lzma.compress(json.dumps(ROW).encode() * 50)
    (tmp_path / "a.jsonl.xz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SpanlightError):
        read_qa(tmp_path / "a.jsonl.xz")
