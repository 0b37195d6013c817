from __future__ import annotations

import csv
import io
import json
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head
from app.flows.measure import example_files
from app.flows.measure.example_files import bundled_sets, example_set, read_examples
from app.settings.paths import Paths, default_paths
from app.training.examples import QaExample, TextExample
from app.training.tagged import TaggedText, parse_conll

QA, CLASSES, NAMES = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.TOKEN_CLASSIFICATION
ASKED = {
    "id": "1",
    "context": "The king slept.",
    "question": "Who?",
    "answers": [{"text": "king", "answer_start": 4}],
}


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_the_sets_that_come_along_are_whole_and_small() -> None:
    paths = default_paths({})
    found = bundled_sets(paths)
    assert [(one.head, one.examples) for one in found] == [(QA, 130), (CLASSES, 150), (NAMES, 100)]
    listed = {path.name for path in paths.example_sets.iterdir()}
    replayed = {"replay.jsonl.xz", "replay-held-out.jsonl.xz"}  # while a reader is taught
    assert listed == {"README.md", "sets.toml", *replayed, *(Path(one.path).name for one in found)}
    readme = (paths.example_sets / "README.md").read_text(encoding="utf-8")
    for one, model in zip(found, ("quick reader", "sentiment", "names"), strict=True):
        path = Path(one.path)
        assert path.name in readme
        assert path.stat().st_size < 150_000
        assert "CC BY" in one.line  # what is owed
        assert f"Spanlight {model} was tuned" in one.line  # what was chosen with it
    questions = read_examples(Path(found[0].path)).items
    for asked in questions:
        assert all(asked.context[start:].startswith(text) for text, start in asked.answers)
    without = sum(not one.answers for one in questions if isinstance(one, QaExample))
    assert without == 40
    assert len({one.id for one in questions if isinstance(one, QaExample)}) == 130
    labels = [one.label for one in read_examples(Path(found[1].path)).items if isinstance(one, TextExample)]
    assert labels.count("positive") == labels.count("negative") == 75
    kinds = {
        name.kind
        for one in read_examples(Path(found[2].path)).items
        if isinstance(one, TaggedText)
        for name in one.names
    }
    assert kinds == {"PER", "LOC", "ORG", "MISC"}


def test_a_set_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    paths = Paths(*(tmp_path / name for name in ("config", "data", "logs", "resources")))
    paths.example_sets.mkdir(parents=True)
    write(paths.example_sets / "good.csv", "text,label\nso good,positive\n")
    rows = (f'[[set]]\nfile = "{name}.csv"\ntitle = "T"\nline = "L"\n' for name in ("gone", "good"))
    write(paths.example_sets / "sets.toml", "".join(rows))
    assert [Path(one.path).name for one in bundled_sets(paths)] == ["good.csv"]
    write(paths.example_sets / "sets.toml", "no toml")
    assert bundled_sets(paths) == ()


@pytest.mark.parametrize(
    ("name", "text", "head", "count"),
    [
        ("a.jsonl", lines(ASKED, {**ASKED, "answers": []}), QA, 2),
        ("a.jsonl", lines({"text": "fine", "label": 1}, {"text": "bad", "label": "negative"}), CLASSES, 2),
        ("a.jsonl", lines({"tokens": ["Alice", "ran"], "tags": ["B-PER", "O"]}), NAMES, 1),
        (
            "dev.json",
            json.dumps({"data": [{"paragraphs": [{"context": "The king slept.", "qas": [ASKED]}]}]}),
            QA,
            1,
        ),
        ("a.csv", "question,context,answer\nWho?,The king slept.,king\nWhen?,The king slept.,\n", QA, 2),
        ("a.csv", "Context;Question;Answer\r\nThe king slept.;Who?;king\r\n", QA, 1),
        ("a.tsv", "text\tlabel\nso good\tpositive\n", CLASSES, 1),
        ("a.tsv", "Alice\tB-PER\nran\tO\n\nParis\tB-LOC\n", NAMES, 2),
        ("a.conll", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\n", NAMES, 1),
        ("a.txt", "Alice B-PER\nran O\n", NAMES, 1),
    ],
)
def test_every_kind_of_file(tmp_path: Path, name: str, text: str, head: Head, count: int) -> None:
    path = write(tmp_path / name, text)
    found = example_set(path)
    assert (found.head, found.examples, found.path) == (head, count, str(path))
    assert found.title == name.partition(".")[0]
    assert example_set(path, head) == found
    other = CLASSES if head is not CLASSES else NAMES
    with pytest.raises(SpanlightError, match=r"holds .*, not"):
        example_set(path, other)


def test_what_is_read_from_a_table(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv", "question,context,answer\nWho?,The king slept.,king\nWhen?,He slept., \n"
    )
    first, second = read_examples(path).items
    assert isinstance(first, QaExample) and isinstance(second, QaExample)
    assert (first.answers, second.answers) == ((("king", 4),), ())
    archive = tmp_path / "b.jsonl.xz"
    archive.write_bytes(lzma.compress(lines(ASKED).encode()))
    assert read_examples(archive).items[0] == QaExample("1", "The king slept.", "Who?", (("king", 4),), "b")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.jsonl", lines(ASKED, {"id": 2, "question": "?"}), "row 2 has no “context”"),
        ("a.jsonl", lines(ASKED) + "no json\n", "Line 2 of a.jsonl is not a JSON object"),
        ("a.jsonl", lines({"text": "x", "label": None}), "row 1 is not of that form"),
        ("a.jsonl", lines({"text": "fine", "label": "a"}, {"text": " ", "label": "a"}), "Row 2 of a.jsonl has no text"),
        ("a.jsonl", lines({"tokens": ["a"], "tags": ["O"]}, {"tokens": ["a"], "tags": []}), "see row 2"),
        ("a.jsonl", lines({"words": 1}), "first row of a.jsonl is not an example"),
        ("a.jsonl", "[1, 2]\n", "Line 1 of a.jsonl is not a JSON object"),
        ("a.jsonl", "", "no example in a.jsonl"),
        ("a.json", "[]", "does not hold examples"),
        ("a.json", '{"data": []}', "no example"),
        ("a.json", json.dumps({"data": [{"paragraphs": [{"context": "", "qas": [ASKED, {}]}]}]}), "question 2"),
        ("a.json", "[" * 100_000, "does not hold examples"),
        ("a.csv", "question,context,answer\nWho?,He slept.,he\n,He slept.,\n", "Row 3 of a.csv has no question"),
        ("a.csv", "text,label\nfine,good\nbad,\n", "Row 3 of a.csv has no label"),
        ("a.csv", "text,class\nfine,good\n", "a.csv has the columns text, class"),
        ("a.csv", "text,label\nfine,good,not\n", "Row 2 of “a.csv” has more values"),
        ("a.conll", "Alice B-PER\nran\n", "see line 2"),
        ("a.conll", "Alice S-PER\n", "see line 1"),
        ("a.conll", "\n\n", "no example in a.conll"),
        ("a.txt", "Once upon a time\n", "see line 1"),
        ("a.docx", "PK", "not a file of examples"),
        ("a.csv", "text,label\n\0\0\0,good\n", "not a text file"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(SpanlightError) as refused:
        example_set(write(tmp_path / name, text))
    assert sentence in refused.value.message
    assert refused.value.hint


def test_no_file_a_folder_and_too_large_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpanlightError, match="There is no file"):
        example_set(tmp_path / "none.jsonl")
    with pytest.raises(SpanlightError, match="is a folder"):
        example_set(tmp_path)
    monkeypatch.setattr(example_files, "MOST_EXAMPLES", 3)
    path = write(tmp_path / "many.jsonl", lines(*[ASKED] * 4))
    with pytest.raises(SpanlightError, match="more than 3 examples"):
        example_set(path)
    monkeypatch.setattr(example_files, "MOST_BYTES", 100)
    with pytest.raises(SpanlightError, match="larger than"):
        example_set(path)
    # What is small only while it is packed.
    packed = tmp_path / "packed.jsonl.xz"
    packed.write_bytes(lzma.compress(b" " * 100_000))
    with pytest.raises(SpanlightError, match="larger than"):
        example_set(packed)
    packed.write_bytes(lzma.compress(lines(ASKED).encode())[:40])
    with pytest.raises(SpanlightError, match="damaged"):
        example_set(packed)


def test_the_digest_is_of_the_examples_and_of_nothing_else(tmp_path: Path) -> None:
    base = read_examples(write(tmp_path / "a.jsonl", lines(ASKED))).digest()
    again = {**ASKED, "id": "other", "source": "elsewhere", "title": "T"}
    assert read_examples(write(tmp_path / "b.jsonl", lines(again))).digest() == base
    table = "question,context,answer\nWho?,The king slept.,king\n"
    assert read_examples(write(tmp_path / "c.csv", table)).digest() == base
    changes: tuple[dict[str, object], ...] = ({"question": "What?"}, {"context": "A king."}, {"answers": []})
    for change in changes:
        path = write(tmp_path / "d.jsonl", lines({**ASKED, **change}))
        assert read_examples(path).digest() != base
    lone = write(tmp_path / "e.jsonl", '{"text": "\\ud800", "label": "x"}\n')
    assert read_examples(lone).digest() != base


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1),
            st.sampled_from(["good", "bad, or so", 'very "bad"']),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_table_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    rows = [(text, label) for text, label in rows if text.strip()] or [("one", "good")]
    out = io.StringIO(newline="")
    csv.writer(out).writerows([("text", "label"), *rows])
    path = tmp_path_factory.mktemp("table") / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())
    found = read_examples(path).items
    assert [(one.text, one.label) for one in found if isinstance(one, TextExample)] == rows


_WORDS = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8).filter(
    lambda word: not word.startswith("-DOCSTART-")
)
_TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-ORG"])


@given(
    st.lists(st.lists(st.tuples(_WORDS, _TAGS), min_size=1, max_size=6), max_size=4), st.sampled_from("\t ")
)
def test_tagged_words_keep_their_places(sentences: list[list[tuple[str, str]]], blank: str) -> None:
    text = "\n\n".join("\n".join(f"{word}{blank}{tag}" for word, tag in sentence) for sentence in sentences)
    found = parse_conll(text, "a.conll")
    assert len(found) == len(sentences)
    for one, sentence in zip(found, sentences, strict=True):
        assert [place.of(one.text) for place in one.words] == [word for word, _ in sentence]
        assert list(one.tags) == [tag for _, tag in sentence]
