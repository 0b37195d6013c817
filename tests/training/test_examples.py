import json
import lzma
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.text import Replacement, View
from app.training.examples import (
    QaExample,
    Source,
    TextExample,
    parse_source,
    qa_row,
    read_qa,
    read_qa_strictly,
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
def test_malformed_sources_are_refused(text: str) -> None:
    with pytest.raises(SpanlightError):
        parse_source(text)


@pytest.mark.parametrize(
    "content",
    [
        b"no json\n",
        b'{"id": 1}\n',
        b'["a"]\n',
        b"\xff\xfe\x00",
        b'{"text": 1}',
        json.dumps({**ROW, "context": 5}).encode(),
    ],
)
def test_files_without_examples_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    for read in (read_qa, read_texts):
        with pytest.raises(SpanlightError):
            read(path)
    with pytest.raises(SpanlightError):
        read_qa(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("start", [6, 9, -26, 500])
def test_misplaced_answers_are_counted_and_refused(tmp_path: Path, start: int) -> None:
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
        read_qa_strictly(path)
    assert refused.value.hint.endswith("the question 1.")
    assert len(read_qa(path)) == 2
    path.write_text(json.dumps(rows[0]), encoding="utf-8")
    assert read_qa_strictly(path) == read_qa(path)


TABLE = {
    "id": "1",
    "question": "What did the queen bake?",
    "table": [["Who", "Baked"], ["👩🍰 queen", ""], ["king", "no tarts"]],
    "header_rows": 1,
    "answers": [{"text": "tarts", "row": 2, "column": 1, "start": 3}],
}


def written(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_question_on_a_table(tmp_path: Path) -> None:
    path = written(tmp_path / "tables.jsonl", TABLE, {**TABLE, "answers": [], "source": "book"}, ROW)
    first, second, plain = read_qa_strictly(path)
    assert first.context == "Who\tBaked\n👩🍰 queen\t\nking\tno tarts\n"
    assert first.answers == (("tarts", first.context.index("tarts")),)
    assert (first.source, second.source, second.answers) == ("tables", "book", ())
    assert first.view is not None
    king = first.context.index("king")
    words = {said.end: said.words for said in first.view.replacements}
    assert words[king].endswith("Who: ") and words[king + 5].endswith("Baked: ")
    assert plain == EXAMPLE


def with_documents(folder: Path, *rows: object) -> Path:
    with lzma.open(folder / "documents.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, rows)))
    return folder / "questions.jsonl"


TEXT = "Of tarts\n\nThe Knave stole the tarts.\n\nAll of them."
DOCUMENT = {"id": "doc-1", "title": "Alice", "text": TEXT}
ASKED = {
    "id": "1",
    "document": "doc-1",
    "question": "Who stole the tarts?",
    "answers": [{"text": "The Knave", "answer_start": TEXT.index("The Knave")}],
}


def test_questions_on_documents_beside_them(tmp_path: Path) -> None:
    path = with_documents(tmp_path, DOCUMENT, {"id": 2, "title": "", "text": "a | b"})
    # The first row that names a document need not be the file's first.
    written(path, ROW, ASKED, {**ASKED, "document": 2, "answers": []})
    plain, first, second = read_qa_strictly(path)
    assert plain == EXAMPLE
    assert (first.context, first.title, first.source) == (TEXT, "Alice", "questions")
    assert first.answers == (("The Knave", TEXT.index("The Knave")),)
    assert first.view is not None and first.view.heading_at(TEXT.index("Knave")) == "Of tarts"
    assert (second.context, second.answers) == ("a | b", ())
    own = written(tmp_path / "own.jsonl", {**ROW, "document": "gone"})
    assert read_qa(own) == [EXAMPLE], "a row with its own context needs no document"


@pytest.mark.parametrize(
    "changes",
    [
        {"question": None},
        {"question": ["Who?"]},
        {"answers": [{"text": "tarts", "row": 3, "column": 1, "start": 3}]},
        {"answers": [{"text": "tarts", "row": 2, "column": 2, "start": 3}]},
        {"answers": [{"text": "tarts", "row": -1, "column": 1, "start": 3}]},
        {"answers": [{"text": "tarts", "row": 2, "column": -1, "start": 3}]},
        {"answers": [{"text": "tarts", "row": "2", "column": 1, "start": 3}]},
        {"answers": [{"text": "tarts", "row": 2, "column": 1}]},
        {"answers": None},
        {"table": [["Who", 5]], "answers": []},
        {"table": [5], "answers": []},
        {"table": "Who", "answers": []},
        {"header_rows": "one"},
    ],
)
def test_malformed_rows_are_reported_with_their_number(tmp_path: Path, changes: dict) -> None:
    path = written(tmp_path / "a.jsonl", TABLE, {**TABLE, **changes})
    with pytest.raises(SpanlightError, match="does not hold examples: row 2 "):
        read_qa(path)


def test_missing_keys_of_a_table_are_named(tmp_path: Path) -> None:
    for key in ("id", "question", "header_rows", "answers"):
        path = written(tmp_path / "a.jsonl", {name: value for name, value in TABLE.items() if name != key})
        with pytest.raises(SpanlightError, match=f"row 1 has no “{key}”"):
            read_qa(path)


def test_an_answer_in_an_empty_cell_or_beyond_its_cell_is_misplaced(tmp_path: Path) -> None:
    for place in ({"row": 1, "column": 1, "start": 0}, {"row": 2, "column": 1, "start": 4}):
        path = written(tmp_path / "a.jsonl", {**TABLE, "answers": [{"text": "tarts", **place}]})
        with pytest.raises(SpanlightError, match="1 of 1 answers"):
            read_qa_strictly(path)


@pytest.mark.parametrize("documents", [(), ({**DOCUMENT, "id": "doc-2"},), None])
def test_a_missing_document_is_named(tmp_path: Path, documents: tuple | None) -> None:
    path = tmp_path / "questions.jsonl" if documents is None else with_documents(tmp_path, *documents)
    with pytest.raises(SpanlightError, match="question 1 asks the document “doc-1”, which documents"):
        read_qa(written(path, ASKED))


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"id": "doc-1", "title": ""}, "row 2 has no “text”"),
        ({"id": "doc-1", "text": ""}, "row 2 has no “title”"),
        ({"title": "", "text": ""}, "row 2 has no “id”"),
        ({**DOCUMENT, "text": 5}, "row 2 is not of that form"),
    ],
)
def test_malformed_documents_are_reported_with_their_row(
    tmp_path: Path, document: object, reason: str
) -> None:
    path = written(with_documents(tmp_path, DOCUMENT, document), ASKED)
    with pytest.raises(SpanlightError, match=f"documents.jsonl.xz does not hold examples: {reason}"):
        read_qa(path)


def test_an_unreadable_archive_is_refused(tmp_path: Path) -> None:
    path = written(with_documents(tmp_path, DOCUMENT), ASKED)
    whole = (tmp_path / "documents.jsonl.xz").read_bytes()
    for content in (b"no archive", whole[: len(whole) // 2]):
        (tmp_path / "documents.jsonl.xz").write_bytes(content)
        with pytest.raises(SpanlightError, match=r"documents\.jsonl\.xz” could not be read"):
            read_qa(path)


def test_a_row_keeps_a_whole_example(tmp_path: Path) -> None:
    view = View((Replacement(3, 4, " a "),), array("i", [0, 10]), ((0, "Tarts"),))
    examples = [EXAMPLE, replace(EXAMPLE, id="2", answers=(), view=view)]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(qa_row(one)) for one in examples))
    assert read_qa(tmp_path / "a.jsonl") == examples
