"""Measures a reader on questions about whole documents and tables, which are read as the window reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.models import Head
from app.core.reliability import Reliability, calibration_error, reliability_of, text_kind
from app.core.report import Progress, Report, Stopped
from app.core.requests import Question
from app.core.results import Reading
from app.core.rows import without_surrogates
from app.core.text import Document, Span
from app.documents.orders import Read
from app.flows.ask.read import read_document
from app.flows.batches import GroupReport
from app.flows.measure.plan import Plan, figures_by_name, per_cent, sample
from app.flows.models.installed import measured_on, update_notes
from app.flows.rows import dumps, refuse_same_file, refuse_unwritable
from app.flows.workspace import Workspace
from app.training.examples import read_parsed
from app.training.metrics import normalise_answer, words_f1

NONE = "none"  # the kind of an unanswerable question
_DOCUMENT_FIELDS = "id, question, kind and answers, with a file and the places there, or with a document"
_TABLE_FIELDS = "id, question, kind, source, table, header_rows, and answers with row, column and text"
_TEXTS = ("documents.jsonl.xz", "documents.jsonl")


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question about a whole document, with its acceptable answers and their places in the text.

    Figures are grouped by `group` and by kind. With `cells`, the places are cells, and an answer inside one is right;
    otherwise see `DocumentQaFigures`. `moved` is whether the places differ from the given ones, which had other words.
    """

    id: object
    text: str
    kind: str
    group: str
    answers: tuple[str, ...]
    places: tuple[Span, ...]
    document: Document
    cells: bool = False
    moved: bool = False

    @property
    def answerable(self) -> bool:
        """Whether the document has an answer."""
        return self.kind != NONE


def _check_texts(kind: object, answers: Sequence[object], *others: object) -> None:
    """Raise TypeError or ValueError if a value is no text or blank, or the kind does not fit the answers."""
    if not all(isinstance(text, str) and text.strip() for text in (kind, *answers, *others)):
        raise TypeError("these are texts")
    if (kind == NONE) != (not answers):
        raise ValueError("every kind but none has answers")


@dataclass(frozen=True, slots=True)
class DocumentQaFigures:
    """Figures on a set of questions, in per cent; a figure without questions is None.

    An answer is right if it overlaps a place and has a word F1 of at least 0.5 with an acceptable answer (`placed`
    counts only these, and is None for cells), or if it has exactly the words of an acceptable answer anywhere. An
    unanswerable question is right if it is left unanswered. `refused` is the share of answerable questions that are
    left unanswered, `forced` the share of them with a right best span, whether it is given as the answer or not.
    """

    questions: int
    right: float
    placed: float | None
    f1: float
    refused: float | None
    forced: float | None


@dataclass(frozen=True, slots=True)
class DocumentQaEvaluation:
    """All figures: overall, and in `by` under the names of the two groupings, by kind and by group.

    `complete` is False if it was stopped; then only `overall.questions` of `total` were asked. `calibration_error`, in
    per cent, is the mean difference between the best span's probability and how often it is right (Guo et al. 2017,
    equation 3); `reliability` has the bins by kind of text, with an unanswerable question's best span as wrong. `moved`
    questions have new places for their answers, `lost` ones have no acceptable answer in the text.
    """

    model: str
    device: str
    total: int
    complete: bool
    overall: DocumentQaFigures
    by: dict[str, dict[str, DocumentQaFigures]]
    calibration_error: float
    reliability: Reliability
    moved: int
    lost: int
    windows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A question's reading; `right`, `placed` and `f1` (0 to 1) are those of the best span, answered or not."""

    known: KnownQuestion
    reading: Reading
    right: bool = False
    placed: bool = False
    f1: float = 0.0

    @property
    def answered(self) -> bool:
        return self.reading.best is not None

    def given(self, value: float) -> float:
        """The score of the reader's answer if its best span scores `value`; 1 if it rightly gives none."""
        return value * self.answered if self.known.answerable else float(not self.answered)


class _QuestionProgress(GroupReport):
    """The progress over all questions; the time left is estimated from the characters that are still to be read."""

    def __init__(self, report: Report, questions: Sequence[KnownQuestion]) -> None:
        super().__init__(report, len(questions), "questions")
        self._characters = [0, *accumulate(len(known.document.text) + 1 for known in questions)]

    def progress(self, progress: Progress) -> None:
        if progress.what == "windows":
            self._report_done(self._done, progress.fraction)
        else:
            self._report.progress(progress)

    def _report_done(self, done: int, within: float = 0.0) -> None:
        before, behind = (
            self._characters[done : done + 2] if done < self._total else self._characters[-1:] * 2
        )
        read = before + within * (behind - before)
        left = self.seconds / read * (self._characters[-1] - read) if read and self.seconds > 1 else None
        self._report.progress(Progress(done, self._total, self._what, left))


def _evaluate(
    workspace: Workspace,
    questions: Iterable[KnownQuestion],
    plan: Plan,
    report: Report,
    *,
    groups: str,
    model: str,
    device: str,
) -> DocumentQaEvaluation:
    """Ask the questions in order; `groups` is the name of the grouping besides that by kind.

    Questions about one document should be in succession, since the model process caches the last text. When stopped, it
    returns the figures so far, or raises Stopped if there are none. Raises SpanlightError for files that do not fit;
    the predictions then have the answers so far.
    """
    if plan.predictions is not None:
        for file in plan.files[::2]:  # a folder follows each, but a file of tables
            refuse_same_file(file, plan.predictions)
        refuse_unwritable(plan.predictions)
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, adjusted=False)
    workspace.engine.begin()  # PyTorch is loaded while the documents are read
    known = list(questions)
    if not known:
        raise SpanlightError("There is no question in the file.", "Give a file with questions.")
    outcomes: list[_Outcome] = []
    whole = _QuestionProgress(report, known)
    try:
        for each in known:
            question = Question(without_surrogates(each.text), (each.document,))
            outcomes.append(_score(each, workspace.engine.run(question, choice, whole)))
            whole.count_done(1)
    except Stopped:
        if not outcomes:
            raise
    finally:
        if plan.predictions is not None and outcomes:
            rows = "".join(dumps(_prediction(outcome)) + "\n" for outcome in outcomes)
            write_atomic(plan.predictions, rows.encode(), private=False)
    found = _evaluate_outcomes(outcomes, len(known), groups, whole.seconds)
    if plan.record and found.complete:
        figures = figures_by_name(found.overall, 2) | {"calibration error": round(found.calibration_error, 2)}
        card = workspace.find_model(Head.QUESTION_ANSWERING, model)
        update_notes(card, measured={measured_on(plan.files[::2]): figures}, reliability=found.reliability)
    return found


def _score(known: KnownQuestion, reading: Reading) -> _Outcome:
    if not reading.answers or not known.answerable:
        return _Outcome(known, reading)
    span, words = reading.answers[0].span, _normalise(reading.answers[0].text)
    wanted = [_normalise(answer) for answer in known.answers]
    f1 = max(words_f1(words, answer) for answer in wanted)
    if known.cells:
        placed = right = any(cell.start <= span.start and span.end <= cell.end for cell in known.places)
    else:
        placed = f1 >= 0.5 and any(span.overlaps(place) for place in known.places)
        right = placed or words in wanted
    return _Outcome(known, reading, right, placed, f1)


def _normalise(text: str) -> list[str]:
    """The words by which answers are compared, without articles and punctuation unless there are no others."""
    return (normalise_answer(text) or text.lower()).split()


def _prediction(outcome: _Outcome) -> dict[str, object]:
    first = outcome.reading.answers[0] if outcome.reading.answers else None
    return {
        "id": outcome.known.id,
        "answer": first.text if first else "",
        "start": first.span.start if first else None,
        "end": first.span.end if first else None,
        "answered": outcome.answered,
        "probability": first.probability if first else 0.0,
        "no_answer_probability": outcome.reading.no_answer_probability,
        "right": bool(outcome.given(outcome.right)),
        "forced": outcome.right,
        "f1": outcome.given(outcome.f1),
    }


def _evaluate_outcomes(
    outcomes: Sequence[_Outcome], total: int, groups: str, seconds: float
) -> DocumentQaEvaluation:
    kinds = sorted({each.known.kind for each in outcomes}, key=lambda kind: (kind == NONE, kind))
    names = sorted({each.known.group for each in outcomes})
    first = outcomes[0].reading
    return DocumentQaEvaluation(
        model=first.model,
        device=outcomes[-1].reading.device,
        total=total,
        complete=len(outcomes) == total,
        overall=_figures(outcomes),
        by={
            "kind": {kind: _figures([o for o in outcomes if o.known.kind == kind]) for kind in kinds},
            groups: {name: _figures([o for o in outcomes if o.known.group == name]) for name in names},
        },
        calibration_error=100.0 * calibration_error((_probability(each), each.right) for each in outcomes),
        reliability=reliability_of(
            (text_kind(each.reading.windows, is_table=each.known.cells), _probability(each), each.right)
            for each in outcomes
        ),
        moved=sum(each.known.moved for each in outcomes),
        lost=sum(each.known.answerable and not each.known.places for each in outcomes),
        windows=sum(each.reading.windows for each in outcomes),
        seconds=seconds,
    )


def _probability(outcome: _Outcome) -> float:
    return outcome.reading.answers[0].probability if outcome.reading.answers else 0.0


def _figures(outcomes: Sequence[_Outcome]) -> DocumentQaFigures:
    answerable = [each for each in outcomes if each.known.answerable]
    return DocumentQaFigures(
        questions=len(outcomes),
        right=per_cent([each.given(each.right) for each in outcomes]) or 0.0,
        placed=None
        if any(each.known.cells for each in outcomes)
        else per_cent([each.given(each.placed) for each in outcomes]),
        f1=per_cent([each.given(each.f1) for each in outcomes]) or 0.0,
        refused=per_cent([not each.answered for each in answerable]),
        forced=per_cent([each.right for each in answerable]),
    )


@dataclass(frozen=True, slots=True)
class _DocumentRow:
    """A row of the file of questions; `places` are `(start, end)` in an older reading of the document.

    `is_text` is whether the document is a text in the file of texts, rather than a file of its own.
    """

    id: object
    name: str
    is_text: bool
    question: str
    kind: str
    answers: tuple[str, ...]
    places: tuple[tuple[int, int], ...]


def evaluate_documents(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> DocumentQaEvaluation:
    """Ask every question about its whole document, as the window does, and score the answers by kind and file.

    The plan's files are pairs of a file of questions and the folder of their documents. Rows are `{"id", "file",
    "question", "kind", "answers": [text], "starts", "places"}` with files in the folder, or `{"id", "document",
    "question", "kind", "answers": [{"text", "answer_start"}]}` with texts `{"id", "text"}` in documents.jsonl.xz there.
    The limit takes the first questions of each document. Each document is read once. Raises SpanlightError for files
    that do not fit, Stopped when cancelled before the first reading.
    """
    questions = (
        known
        for file, folder in zip(plan.files[::2], plan.files[1::2], strict=True)
        for known in _document_questions(workspace, file, folder, plan.limit, report)
    )
    return _evaluate(workspace, questions, plan, report, groups="file", model=model, device=device)


def _document_questions(
    workspace: Workspace, file: Path, folder: Path, limit: int, report: Report
) -> Iterator[KnownQuestion]:
    """The questions with their documents, those on one document in succession."""
    rows: dict[tuple[str, bool], list[_DocumentRow]] = {}
    for row in read_parsed(file, _document_row, _DOCUMENT_FIELDS):
        rows.setdefault((row.name, row.is_text), []).append(row)
    texts = _read_texts(folder, {name for name, is_text in rows if is_text})
    for (name, is_text), questions in rows.items():
        if is_text:
            order = Read("", f"{name}.txt", data=texts[name].encode())
            document = workspace.documents.read(order, report).document
        else:
            document = read_document(workspace, folder / name, report).document
        for row in questions[: limit or None]:
            places = places_in(document.text, row.answers, row.places)
            moved = [*dict.fromkeys(row.places)] != [(place.start, place.end) for place in places]
            yield KnownQuestion(
                row.id, row.question, row.kind, name, row.answers, places, document, moved=moved
            )


def _document_row(row: dict[str, Any]) -> _DocumentRow:
    answers, is_text = row["answers"], "document" in row
    if is_text:
        texts = tuple(answer["text"] for answer in answers)
        places = tuple(
            (int(answer["answer_start"]), int(answer["answer_start"]) + len(answer["text"]))
            for answer in answers
        )
    else:
        texts = tuple(answers)
        starts = row.get("places") or [[start, start + len(answers[0])] for start in row["starts"]]
        places = tuple((int(start), int(end)) for start, end in starts)
    name, question, kind = row["document" if is_text else "file"], row["question"], row["kind"]
    _check_texts(kind, texts, question, name)
    if any(start < 0 for start, _ in places):
        raise ValueError("places count from the text's first character")
    return _DocumentRow(row["id"], name, is_text, question, kind, texts, places)


def _read_texts(folder: Path, names: set[str]) -> dict[str, str]:
    """Read the texts with these names from the file of texts in a folder, if there are any names."""
    if not names:
        return {}
    path = next((folder / name for name in _TEXTS if (folder / name).is_file()), folder / _TEXTS[0])
    pairs = read_parsed(path, lambda row: (row["id"], without_surrogates(row["text"])), "id and text")
    found = {name: text for name, text in pairs if name in names}
    if missing := sorted(names - found.keys()):
        raise SpanlightError(
            f"{path.name} has no document “{missing[0]}”.", "Give the folder of the questions' documents."
        )
    return found


def places_in(text: str, answers: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """The distinct places of acceptable answers, given their places in an older version of the text.

    A place that still has an answer is kept. Otherwise it is replaced by the nearest occurrence, as whole words, of an
    answer of its length, or else of any answer. White space of any kind is equal.
    """
    found: dict[Span, None] = {}
    for start, end in places:
        if text[start:end] in answers:
            found[Span(start, end)] = None
            continue
        alike = [answer for answer in answers if len(answer) == end - start]
        now = [*_occurrences(text, alike)] or [*_occurrences(text, answers)]
        if now:
            found[min(now, key=lambda span: abs(span.start - start))] = None
    return tuple(found)


def _occurrences(text: str, answers: Sequence[str]) -> Iterator[Span]:
    for answer in answers:
        words = r"\s+".join(map(re.escape, answer.split()))
        for match in re.finditer(rf"(?<!\w){words}(?!\w)", text):
            yield Span(*match.span())


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with a title and rows, the first `header_rows` of which are headers."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    header_rows: int

    def page(self) -> str:
        """The table as a web page."""
        rows = []
        for number, row in enumerate(self.rows):
            tag = "th" if number < self.header_rows else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>")
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return "\n".join(
            ('<!DOCTYPE html>\n<meta charset="utf-8">', f"<table>{caption}", *rows, "</table>\n")
        )


@dataclass(frozen=True, slots=True)
class _TableRow:
    """A question about a table, and the cells `(row, column)` that answer it."""

    id: object
    table: _Table
    question: str
    kind: str
    source: str
    answers: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]


def evaluate_tables(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> DocumentQaEvaluation:
    """Ask every question about its table, and score by kind and source whether the answer is in a right cell.

    Rows are `{"id", "title", "table", "header_rows", "question", "answers": [{"row", "column", "text"}], "kind",
    "source"}`. The limit is the size of a random sample. Raises SpanlightError for files that do not fit, Stopped when
    cancelled before the first reading.
    """
    questions = _table_questions(workspace, plan, report)
    return _evaluate(workspace, questions, plan, report, groups="source", model=model, device=device)


def _table_questions(workspace: Workspace, plan: Plan, report: Report) -> Iterator[KnownQuestion]:
    tables: dict[_Table, list[_TableRow]] = {}
    for row in sample(read_parsed(plan.files[0], _table_row, _TABLE_FIELDS), plan.limit, plan.seed):
        tables.setdefault(row.table, []).append(row)
    for table, rows in tables.items():
        page = without_surrogates(table.page())
        opened = workspace.documents.read(Read("", "table.html", data=page.encode()), report)
        places = _cell_spans(opened)
        for row in rows:
            yield KnownQuestion(
                row.id,
                row.question,
                row.kind,
                row.source,
                row.answers,
                tuple(places[cell] for cell in row.cells if cell in places),
                opened.document,
                cells=True,
            )


def _table_row(row: dict[str, Any]) -> _TableRow:
    rows = tuple(tuple(line) for line in row["table"])
    table = _Table(row["title"], rows, int(row["header_rows"]))
    answers = tuple(answer["text"] for answer in row["answers"])
    cells = tuple((answer["row"], answer["column"]) for answer in row["answers"])
    question, kind, source = row["question"], row["kind"], row["source"]
    _check_texts(kind, answers, question, source)
    if not all(isinstance(cell, str) for cell in (table.title, *(cell for line in rows for cell in line))):
        raise TypeError("cells are texts")
    for text, (at, column) in zip(answers, cells, strict=True):
        if min(at, column) < 0 or text not in rows[at][column]:
            raise ValueError("an answer stands in its cell")
    return _TableRow(row["id"], table, question, kind, source, answers, cells)


def _cell_spans(opened: Opened) -> dict[tuple[int, int], Span]:
    """The spans of the cells of the page's only table, by row and column; empty cells have none."""
    found: dict[tuple[int, int], Span] = {}
    for block in opened.blocks:
        if block.table == 0:
            at = block.row, block.column
            found[at] = Span(found.get(at, block.span).start, block.span.end)
    return found
