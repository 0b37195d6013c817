"""Whatever a file holds, its reader gives a document whose every place maps back, or one sentence why not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import EngineLost, SpanlightError
from app.core.kinds import ENDINGS
from app.core.layout import Opened
from app.core.memory_limit import limit_memory
from app.core.pages import mark_on_pages
from app.core.report import Report, Silent
from app.core.rows import read_rows
from app.core.text import Span
from app.documents.orders import Extend, Read
from app.documents.spreadsheet import extended
from app.engine.child import Child
from app.flows.answer_table.questions import load_questions
from app.flows.ask.document_process import Documents
from app.flows.csv_files import read_columns
from app.flows.measure.example_files import example_set
from app.flows.teach.files import read_text_table
from app.training.examples import read_qa, read_texts
from app.training.running_text import read_running_text
from app.training.tagged import read_tagged
from tests.helpers.documents_here import reads_here
from tests.helpers.flowing import check_parts, check_view, parts_of
from tests.helpers.reading import reads_on
from tests.hostile import documents, sheets
from tests.hostile.documents import TOKENS, Edit, changed, whole


def labels(path: Path) -> object:
    return read_text_table(reads_here(), path, Silent())


def questions(path: Path) -> object:
    return load_questions(reads_here(), path, Silent())


def answered(path: Path) -> object:
    return extended(Extend(str(path), (("yes",),), ("answer",), ("question",)), Silent())


WHOLE = whole() | sheets.WHOLE
CRAFTED = documents.CRAFTED | sheets.CRAFTED
READERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    ".csv": (read_columns, labels, questions, example_set),
    ".tsv": (read_columns, labels, questions, example_set),
    ".xlsx": (labels, questions, answered),
    ".jsonl": (lambda path: list(read_rows(path)), labels, example_set, read_qa, read_texts, read_tagged,
               read_running_text),
    ".json": (example_set, read_qa, questions),
    ".conll": (example_set, read_running_text, questions),
}  # fmt: skip
# What takes more than a third of a second, nearly all of it in what parses the file or makes it.
SLOW = frozenset(
    (
        "bars.md base64.eml beyond.xlsx blank.mbox blocks.html bomb.eml bomb.epub bomb.jsonl.xz bomb.odp bomb.ods "
        "bomb.odt bomb.pdf bomb.pptx bomb.xlsx cells.csv cells.html cells.pptx cells.rtf columns.csv contents.epub "
        "deep.eml deep.epub deep.mbox deep.xlsx delimiters.csv far.xlsx files.eml files.mbox fonts.html from.mbox "
        "heads.eml heads.mbox html.md inline.html junk.xlsx line.csv line.jsonl line.mbox lines.csv lines.txt "
        "links.md lists.html lists.md long.rtf longer.rtf many.mbox many.xlsx marks.csv memory.jsonl.xz merges.xlsx "
        "notes.pptx nothing.mbox pages.odp parts.eml quote.csv quotes.html ragged.csv row.xlsx rows.html rows.ods "
        "rows.rtf same-place.pdf same.epub same.pdf same.pptx stars.md tags.epub title.odp unicode.rtf wide.csv "
        "wide.jsonl wide.xlsx words.ods zeros.mbox"
    ).split()
)
EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["cut", "delete", "flip", "double", "put", "replace", "move"]),
        st.floats(0, 1),
        st.sampled_from([1, 2, 8, 64, 1024]),
        st.sampled_from(TOKENS) | st.binary(max_size=8),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=8,
)
LONG = pytest.mark.long


def rows_suffix(name: str) -> str:
    """The ending by which a file of rows is read."""
    return Path(name.removesuffix(".xz")).suffix


DOCUMENTS = [name for name in WHOLE if Path(name).suffix.removeprefix(".") in (*ENDINGS, "txt")]
ROWS = [name for name in WHOLE if rows_suffix(name) in READERS]


def check_opened(found: Opened) -> None:
    """Fail where a place of the document is outside its text, out of order, or does not lead back to its words."""
    text = found.document.text
    assert "root:" not in text  # of /etc/passwd
    if found.blocks:
        check_parts(parts_of(found))
    else:
        assert found.document.view is not None
        check_view(text, found.document.view)
    text.encode()  # no lone surrogate
    for spans in ([each.span for each in found.headings], [each.span for each in found.pages]):
        assert all(0 <= span.start <= span.end <= len(text) for span in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))
    assert list(found.lines) == sorted(found.lines)
    assert all(0 <= line <= len(text) for line in found.lines)
    chance = random.Random(len(text))
    for _ in range(20 if found.pages and text else 0):
        start = chance.randrange(len(text))
        span = Span(start, min(len(text), start + chance.randint(1, 40)))
        mark = mark_on_pages(found.pages, span, span.of(text))
        assert mark.reason or mark.places or not span.of(text).strip()
    for block in found.blocks[:: max(1, len(found.blocks) // 50)] if found.is_spreadsheet else ():
        assert found.cell_at(block.span.start) or block.span.of(text) == found.heading_at(block.span.start)


def check_refusal(fault: SpanlightError) -> None:
    """Fail where a refusal is no sentence, or no sentence of a person's."""
    assert fault.message.endswith(".") and "Traceback" not in str(fault) and len(str(fault)) < 1000, fault


def check_file(process: Documents, order: Read) -> None:
    """Read a document, which must be whole or refused, and harm nothing."""
    try:
        check_opened(process.read(order, Silent()))
    except SpanlightError as fault:
        check_refusal(fault)
    reads_on(process)


def check_rows(path: Path) -> int:
    """Read a file of rows in all ways, each of which may refuse it; how many did not."""
    done = 0
    for reader in READERS[rows_suffix(path.name)]:
        try:
            reader(path)
            done += 1
        except SpanlightError as fault:
            check_refusal(fault)
    return done


@pytest.fixture(scope="module")
def process() -> Iterator[Documents]:
    """One documents process for all of them: none may harm the next."""
    processes = Documents(quiet=60)
    yield processes
    processes.close()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_good_document_is_read(process: Documents, name: str) -> None:
    check_opened(process.read(Read("", name, data=WHOLE[name]), Silent()))


@pytest.mark.parametrize("examples", [10, pytest.param(1500, marks=LONG)])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_with_changes_is_whole_or_refused(process: Documents, name: str, examples: int) -> None:
    @settings(max_examples=examples)
    @given(EDITS)
    def check(edits: list[Edit]) -> None:
        check_file(process, Read("", name, data=changed(name, WHOLE[name], edits)))

    check()


@pytest.mark.parametrize("name", ROWS)
def test_good_rows_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(WHOLE[name])
    assert check_rows(tmp_path / name)


@pytest.mark.parametrize("examples", [10, pytest.param(1500, marks=LONG)])
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
def test_rows_with_changes_are_read_or_refused(tmp_path: Path, name: str, examples: int) -> None:
    @settings(max_examples=examples)
    @given(EDITS)
    def check(edits: list[Edit]) -> None:
        (tmp_path / name).write_bytes(changed(name, WHOLE[name], edits))
        check_rows(tmp_path / name)

    check()


def start_rows() -> Callable[[str, Report], int]:
    """The reader of rows in a process of its own, whose memory is limited."""
    limit_memory(1_000_000_000)
    return lambda path, report: check_rows(Path(path))


@pytest.fixture(scope="module")
def rows() -> Iterator[Child]:
    child = Child(start_rows, title="rows process")
    yield child
    child.close()


@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG if name in SLOW else ()) for name in CRAFTED])
def test_a_crafted_file_costs_little_and_harms_nothing(
    process: Documents, rows: Child, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(CRAFTED[name]())
    if path.suffix.removeprefix(".") in (*ENDINGS, "txt"):
        check_file(process, Read(str(path), name))
    if rows_suffix(name) in READERS:
        try:
            rows.run(str(path), Silent())
        except EngineLost as fault:
            pytest.fail(f"the rows process ended: {fault} {fault.exit_code}")
