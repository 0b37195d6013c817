"""Answer a question about files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from app.cli.reading import FORMATS, add_reading_arguments, read_files, refuse_two_streams
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    at_least_one,
    marked,
    new_parser,
    one_line,
    print_batch,
    print_json,
    probability,
)
from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.quotes import quote
from app.core.report import Progress, Stopped
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document
from app.core.wording import (
    NEAREST_WORDS,
    best_of,
    best_passages,
    likely,
    low_confidence,
    stopped_after,
    without_answer,
)
from app.flows.ask.batch import ask_batch
from app.flows.ask.question import ask, nearest_values
from app.flows.workspace import Workspace

_EPILOG = (
    FORMATS
    + """
Positions (start, end) count Unicode code points of the file's text as the command text prints it,
from 0, end not included: text[start:end] is the answer. With --json, "quote" is the same words on
one line, as they are quoted; "sentence" the sentence around them, in a table its row as it was read;
"row" and "column" the names of a table's row and column, "" where they are not known; "page" the page
of a PDF, "line" the line of a plain text or Markdown file, both from 1, null for other kinds (in a
piece of HTML in Markdown, the line it begins in); "page_label" the number printed on the page ("iv"), null where there
is none, and "heading" the last heading before them, "" where there is none. "outcome" is "answer",
"low-confidence" or "absent". Where it is not "answer", the answer is "" with null positions, and its
probability is that of there being none; with low confidence "nearest" holds the words that may
answer, their positions and the probability that they are right, else null. "answers" lists these
words first, then other places of at least 5%, one a sentence.

Ctrl+C stops reading and gives the best answer so far, with exit code 130: with --json, "complete" is
false then, and "share_read" how much was read, 0 to 1, of what was to be read: of the text, or of its
best passages alone, where "quick" is true. "share_of_text" is how much of all the text was read, null
where that is not known; "finder" the quicker reader that found the best passages, "" for none.

A batch reads rows {"id", "context", "question"} of a .jsonl (or .jsonl.xz) file and appends rows
{"id", "answer", "start", "end", "probability", "no_answer_probability", "outcome", "nearest"} in the
same order; positions count code points of the context just as it was given. Started again, it goes on where it was
stopped or killed.
"""
)


class SoFar:
    """A report that passes everything on, and keeps the last partial result and progress."""

    def __init__(self, report: TerminalReport) -> None:
        self._report = report
        self.notice, self.check = report.notice, report.check
        self._began = perf_counter()
        self._at: Progress | None = None
        self._best: Reading | None = None

    def best(self) -> Reading | None:
        """The answers so far, as a reading that was stopped now; None before the first."""
        return self._best and self._best.stopped(self._at, perf_counter() - self._began)

    def progress(self, progress: Progress) -> None:
        """Report the progress of the reading."""
        self._at = progress
        self._report.progress(progress)

    def partial(self, result: object) -> None:
        """Keep the best reading so far."""
        if isinstance(result, Reading):
            self._best = result


def parser() -> argparse.ArgumentParser:
    """The arguments of `ask`."""
    parser = new_parser("ask", "Answer a question with the exact words of files.", _EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE", help="what to read; - is standard input")
    parser.add_argument("--question", "-q", help="what you want to know")
    parser.add_argument("--batch", metavar="IN.jsonl", help="many questions, each with its own text")
    parser.add_argument("--output", metavar="OUT.jsonl", help="where the answers of a batch go")
    parser.add_argument(
        "--top-k", type=at_least_one, metavar="N", help="how many answers to list at most (1; with --json 5)"
    )
    decision = parser.add_mutually_exclusive_group()
    decision.add_argument(
        "--always-answer",
        action="store_const",
        const=0.0,
        dest="threshold",
        help="give the best answer, however unlikely",
    )
    decision.add_argument(
        "--threshold",
        type=probability,
        metavar="X",
        help="least probability, 0 to 1, that the text answers at all (the model's own)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="read only the passages that share most words with the question, those of a long text by the quick "
        "reader alone where the model has one beside it",
    )
    parser.add_argument(
        "--every-passage",
        action="store_true",
        help="have the careful reader read every passage of a long text",
    )
    parser.add_argument("--no-history", action="store_true", help="do not keep the question in the history")
    add_reading_arguments(parser)
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Answer one question, or a batch of them."""
    if arguments.batch is not None:
        _run_batch(arguments, workspace, report)
        return
    if arguments.output is not None:
        raise SpanlightError("--output goes with --batch.", "Leave it out, or redirect standard output.")
    if not arguments.files:
        raise SpanlightError("No file was given to read.", "Name one, or - for standard input.")
    if arguments.question is None:
        raise SpanlightError("No question was given.", 'Add --question "...".')
    refuse_two_streams(arguments.files)
    workspace.engine.begin()  # it loads PyTorch while the file is read
    opened = read_files(arguments.files, arguments, workspace, report)
    documents = tuple(each.document for each in opened)
    if not any(document.text.strip() for document in documents):
        raise SpanlightError("There is no text to ask.", "Give a file with something to read in it.")
    top_k = arguments.top_k or (5 if arguments.json else 1)
    question = _options(arguments, arguments.question, documents, top_k)
    so_far = SoFar(report)
    stopped: Stopped | None = None
    try:
        reading = ask(workspace, question, so_far, model=arguments.model, device=arguments.device)
    except Stopped as stop:
        best = so_far.best()
        if best is None:
            raise
        stopped, reading = stop, best
    report.clear()
    if arguments.json:
        print_json(reading_values(question, reading, opened))
    else:
        _print(question, reading, opened)
    sys.stdout.flush()  # a program that waits for the answer does not wait for the history
    if not arguments.no_history:
        _keep(workspace, question, reading, opened, report)
    if stopped is not None:
        raise stopped


def reading_values(question: Question, reading: Reading, opened: tuple[Opened, ...]) -> dict[str, object]:
    """What `ask --json` prints."""
    best = reading.best
    answers = [_answer_values(answer, opened[answer.document]) for answer in reading.answers]
    head: dict[str, object] = {"question": question.text}
    if best:
        head |= answers[0]
    else:
        head |= {"answer": "", "start": None, "end": None, "probability": reading.no_answer_probability}
        head |= {"document": None, "page": None, "page_label": None, "line": None, "heading": ""}
        head |= {"quote": "", "sentence": "", "row": "", "column": ""}
    return head | {
        "outcome": reading.outcome,
        "nearest": nearest_values(reading),
        "no_answer_probability": reading.no_answer_probability,
        "threshold": reading.threshold,
        "answers": answers,
        "model": reading.model,
        "device": reading.device,
        "windows": reading.windows,
        "quick": reading.quick,
        "finder": reading.finder,
        "complete": reading.complete,
        "share_read": reading.share_read,
        "share_of_text": reading.share_of_text,
        "seconds": reading.seconds,
    }


def _answer_values(answer: Answer, opened: Opened) -> dict[str, object]:
    document, quoted = opened.document, quote(opened, answer.span)
    return {
        "answer": answer.text,
        "start": answer.span.start,
        "end": answer.span.end,
        "probability": answer.probability,
        "document": document.path or document.name,
        "page": opened.page_at(answer.span.start),
        "page_label": opened.page_label_at(answer.span.start) or None,
        "line": opened.line_at(answer.span.start),
        "heading": opened.heading_at(answer.span.start),
        "quote": one_line(answer.text),
        "sentence": quoted.words,
        "row": quoted.row,
        "column": quoted.column,
    }


def _keep(
    workspace: Workspace,
    question: Question,
    reading: Reading,
    opened: tuple[Opened, ...],
    report: TerminalReport,
) -> None:
    # Importing the history takes time, and the answer is printed before that.
    from app.flows.history.history import remember

    try:
        remember(workspace, opened, question, reading, report)
    except SpanlightError as fault:  # the answer is printed all the same
        report.line(one_line(str(fault)))


def _run_batch(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    if arguments.files or arguments.question is not None:
        raise SpanlightError("A batch brings its own texts and questions.", "Leave FILE and --question out.")
    if arguments.output is None:
        raise SpanlightError("No file was given for the answers of the batch.", "Add --output OUT.jsonl.")
    done = ask_batch(
        workspace,
        Path(arguments.batch),
        Path(arguments.output),
        _options(arguments, "", (), arguments.top_k or 1),
        report,
        model=arguments.model,
        device=arguments.device,
    )
    report.clear()
    print_batch(done, "question", "answered", arguments.json)


def _options(
    arguments: argparse.Namespace, text: str, documents: tuple[Document, ...], top_k: int
) -> Question:
    return Question(
        text,
        documents,
        top_k,
        arguments.threshold,
        quick=arguments.quick,
        every=arguments.every_passage,
    )


def _print(question: Question, reading: Reading, opened: tuple[Opened, ...]) -> None:
    several = len(question.documents) > 1
    if not reading.complete:
        stopped = stopped_after(reading.share_read, quick=reading.quick)
        print(stopped + (": the best so far." if reading.shown else "."))
    elif reading.quick:
        found = f", found by {reading.finder}" if reading.finder not in ("", reading.model) else ""
        print(f"{best_passages(reading.share_of_text)}{found}.")
    if reading.shown is None:
        title, likely_not = without_answer(reading.no_answer_probability, whole=reading.judged_whole)
        print(title, f"{likely_not}.", sep="\n")
        others = reading.answers if question.top_k > 1 else ()
    else:
        sure, note = low_confidence(reading.shown.probability), f" {NEAREST_WORDS}"
        if reading.best is not None:
            sure, note = best_of(reading.best.probability, reading.no_answer_probability), ""
        _print_answer(reading.shown, opened[reading.shown.document], several, sure, note)
        others = reading.answers[1:]
    for number, answer in enumerate(others):
        print("\nOther places:" if not number else "")
        _print_answer(answer, opened[answer.document], several, likely(answer.probability))


def _print_answer(answer: Answer, opened: Opened, several: bool, sure: str, note: str = "") -> None:
    quoted = quote(opened, answer.span)
    print(one_line(answer.text))
    print(f"{sure}{_where(answer, opened, several)}.{note}")
    if quoted.cell:
        print(one_line(quoted.cell))
    before, after = one_line(f"{quoted.before}|")[:-1], one_line(f"|{quoted.after}")[1:]
    print(f"  {before}{marked(one_line(answer.text))}{after}")


def _where(answer: Answer, opened: Opened, several: bool) -> str:
    """The place of an answer, as the end of a sentence: ", on page 3 of a.pdf, under “Results”"."""
    name, where = one_line(opened.document.name), ""
    if place := opened.place_at(answer.span.start):
        where = f", on {place}"
    if several:
        where += f" of {name}" if where else f", in {name}"
    heading = opened.heading_at(answer.span.start)
    return f"{where}, under “{one_line(heading)}”" if heading else where
