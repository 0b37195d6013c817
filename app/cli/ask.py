"""Answer a question about files, folders, or a library."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

from app.cli.reading import (
    FOLDERS,
    FORMATS,
    add_reading_arguments,
    path_name,
    read_all,
    recognised_values,
    refuse_two_streams,
)
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
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.languages import LanguageSubject, language
from app.core.layout import Kind, Opened
from app.core.library import FileState, LibraryReading, LibraryStatus
from app.core.models import Head
from app.core.quotes import quote
from app.core.recognition import recognition_of
from app.core.report import Progress, Relay, Stopped
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.sentences import sentence_around
from app.core.text import Document
from app.core.wording import (
    NEAREST_WORDS,
    NO_ANSWER_IN_PART,
    best_of,
    best_passages,
    likely,
    low_confidence,
    not_kept,
    percent,
    stopped_after,
    without_answer,
)
from app.flows.ask.batch import ask_batch
from app.flows.ask.question import ask, nearest_values
from app.flows.ask.recognise import needs_consent
from app.flows.models.languages import other_language
from app.flows.workspace import Workspace

ReadT = TypeVar("ReadT", Reading, LibraryReading)

_EPILOG = (
    f"""{FORMATS}
{FOLDERS}\
The number of pictures left out goes to standard error ("pictures_left_out" with --json). Where several files are
read, one that cannot be read or holds no text is reported there ("not_read" with --json), and the others are asked.

--library NAME asks all files of a library ({command()} library --help): the passages that fit the
question are searched in its index and read. The answers come by file, with how many of its files were
read; with --json "library" tells that, and in "read_in_part" which files lack a part, "passages" how
many passages were read, and "sha256" of which bytes of the file the positions are. What the index holds
is asked, also where the file has changed since. Folders that are away or cannot be opened are named on
standard error (with --json in "library" too).
"""
    + """
Positions (start, end) count Unicode code points of the file's text as the command text prints it,
from 0, end not included: text[start:end] is the answer. With --json, "quote" is the same words on
one line, as they are quoted; "sentence" the sentence around them, in a table its row as it was read;
"row" and "column" the names of a table's row and column, "" where they are not known; "place" the page,
the line, the cell or the mail in words ("sheet Budget, cell B12", in CSV "row 12, column Price"); "page" the page
of a PDF, "line" the line of a plain text or Markdown file, both from 1, null for other kinds (in a
piece of HTML in Markdown, the line it begins in); "page_label" the number printed on the page ("iv"),
null where there is none; "sheet" and "cell" ("B12") those of a spreadsheet, "cell" that of CSV too,
null for other kinds; "heading" the last heading before them, in a book or a mail with those above it, ""
where there is none, and "language" the code of the document's language, "" where it is unsure.
"recognised" is null, or for words that were recognised in a picture what text --json tells of a page.
"outcome" is "answer", "low-confidence" or "absent".
Where it is not "answer", the answer is "" with null positions, and its probability is that of there
being none; with low confidence "nearest" holds the words that may answer, their positions and the
probability that they are right, else null. "answers" lists these words first, then other places of
at least 5%, one a sentence.

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


class BestSoFar(Relay, Generic[ReadT]):
    """A report that passes progress on, and keeps the last partial result to fall back on when stopped."""

    def __init__(self, report: TerminalReport, kind: type[ReadT]) -> None:
        super().__init__(report)
        self._kind: type[ReadT] = kind
        self._began = perf_counter()
        self._at: Progress | None = None
        self._best: ReadT | None = None

    def read(self, ask: Callable[[BestSoFar[ReadT]], ReadT]) -> tuple[ReadT, Stopped | None]:
        """Return the result of `ask`, or the last partial result with the Stopped; raises Stopped if there is none."""
        try:
            return ask(self), None
        except Stopped as stop:
            if self._best is None:
                raise
            return self._stopped(self._best), stop

    def progress(self, progress: Progress) -> None:
        """Keep the progress and pass it on."""
        self._at = progress
        super().progress(progress)

    def partial(self, result: object) -> None:
        """Keep the partial result, which is the best so far."""
        if isinstance(result, self._kind):
            self._best = result

    def _stopped(self, best: ReadT) -> ReadT:
        seconds = perf_counter() - self._began
        if isinstance(best, LibraryReading):
            return replace(best, reading=best.reading.stopped(self._at, seconds), seconds=seconds)
        return best.stopped(self._at, seconds)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `ask`."""
    parser = new_parser("ask", "Answer a question with the exact words of files.", _EPILOG)
    parser.add_argument(
        "files",
        nargs="*",
        type=path_name,
        metavar="FILE",
        help="what to read, a file or a folder; - is standard input",
    )
    parser.add_argument("--library", metavar="NAME", help="ask all files of a library")
    parser.add_argument("--question", "-q", help="what you want to know")
    parser.add_argument("--batch", metavar="IN.jsonl", help="many questions, each with its own text")
    parser.add_argument("--output", metavar="OUT.jsonl", help="where the answers of a batch go")
    parser.add_argument(
        "--top-k",
        type=at_least_one,
        metavar="N",
        help="how many answers to list at most (1; with --json or --library 5)",
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
    parser.add_argument("--yes", action="store_true", help="read a folder of many files without asking")
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
    if arguments.library is None and not arguments.files:
        raise SpanlightError("No file was given to read.", "Name one, or - for standard input.")
    if arguments.question is None:
        raise SpanlightError("No question was given.", 'Add --question "...".')
    ask_source = _ask_files if arguments.library is None else _ask_library
    result = ask_source(arguments, workspace, report)
    # Saved before it is printed: what a person has seen is not lost with the terminal. An entry of the history belongs
    # to one document, so a question that no file of a library answers is not saved.
    if not arguments.no_history and (result.status is None or result.reading.shown):
        _save(workspace, result.question, result.reading, result.opened, report)
    if arguments.json:
        print_json(reading_values(result.question, result.reading, result.opened) | result.more)
    elif result.status is not None:
        _print_by_file(result, result.status, arguments)
    else:
        _print(result.question, result.reading, result.opened)
    if result.stopped is not None:
        raise result.stopped


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a question: its reading, the documents of that, and the Stopped if it was stopped.

    `more` are further values for `--json`; `status` is the library's, None if files were asked; `passages` counts the
    passages of the library that were read.
    """

    question: Question
    reading: Reading
    opened: tuple[Opened, ...]
    stopped: Stopped | None
    more: dict[str, object]
    status: LibraryStatus | None = None
    passages: int = 0


def _ask_files(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> _Result:
    refuse_two_streams(arguments.files)
    workspace.engine.begin()  # loads PyTorch while the files are read
    found = read_all(arguments.files, arguments, workspace, report)
    opened = found.opened
    documents = tuple(each.document for each in opened)
    if not any(document.text.strip() for document in documents):
        hint = "Give a file with something to read in it."
        if not arguments.recognise and any(map(needs_consent, opened)):
            hint = "Add --recognise to have the text of the pages recognised."
        raise SpanlightError("There is no text to ask.", hint)
    top_k = arguments.top_k or (5 if arguments.json else 1)
    counted = Counter(each.language for each in opened)
    _warn_of_language(LanguageSubject("This document", counted), arguments, workspace, report)
    question = _question_of(arguments, arguments.question, documents, top_k)
    reading, stopped = BestSoFar(report, Reading).read(
        lambda so_far: ask(workspace, question, so_far, model=arguments.model, device=arguments.device)
    )
    not_read = [{"document": path, "reason": reason} for path, reason in found.unread.items()]
    more: dict[str, object] = {"not_read": not_read, "pictures_left_out": found.pictures_left_out}
    return _Result(question, reading, opened, stopped, more)


def _ask_library(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> _Result:
    # Imported here, as it takes time and questions to files do without it.
    from app.flows.library.search import ask_library
    from app.flows.library.update import renew

    if arguments.files:
        raise SpanlightError("Either files or a library can be asked.", "Leave FILE or --library out.")
    if arguments.every_passage:
        raise SpanlightError(
            "Of a library the best passages are read.", "Leave --every-passage out, or name files."
        )
    library = workspace.library.library(arguments.library)
    top_k = arguments.top_k or 5
    renew(workspace, report)
    status = workspace.library.status(library)
    if unreachable := status.unreachable_in_words:
        report.line(unreachable)
    _warn_of_language(LanguageSubject("The document", status.languages), arguments, workspace, report)
    found, stopped = BestSoFar(report, LibraryReading).read(
        lambda so_far: ask_library(
            workspace,
            arguments.question,
            library,
            so_far,
            top_k=top_k,
            threshold=arguments.threshold,
            quick=arguments.quick,
            model=arguments.model,
            device=arguments.device,
            status=status,
        )
    )
    reading, opened = _in_files(found, workspace)
    documents = tuple(each.document for each in opened)
    about = {"name": library.name} | {
        name: getattr(status, name) for name in ("read", "total", "files", "missing", "refused")
    }
    about["read_in_part"] = [
        {"path": file.path, "reason": one_line(file.why_unread)}
        for file in (workspace.library.files(library, [FileState.READ]) if status.in_part else ())
        if file.why_unread
    ]
    more = {"library": about, "passages": found.passages, "seconds": found.seconds}
    question = _question_of(arguments, arguments.question, documents, top_k)
    return _Result(question, reading, opened, stopped, more, status, found.passages)


def _warn_of_language(
    documents: LanguageSubject, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> None:
    """Warn on standard error of a document or a question in a language that the reader does not read."""
    subjects = documents, LanguageSubject("The question", text=arguments.question)
    other = other_language(workspace, Head.QUESTION_ANSWERING, subjects, report, model=arguments.model)
    if other is not None:
        search = shlex.join(("models", "offered", language(other.language).lower(), "reader"))
        able = (
            f"Add --model {other.able.name}." if other.able else f"Find one that does: {command()} {search}"
        )
        report.line(one_line(f"{other.sentence} {able}"))


def _in_files(found: LibraryReading, workspace: Workspace) -> tuple[Reading, tuple[Opened, ...]]:
    """Return the reading with its answers at their places in the files, and these files, the best answer's first."""
    files = list(dict.fromkeys(each.file for each in found.found))
    answers = tuple(
        replace(answer, document=files.index(each.file), span=each.answer.span)
        for answer, each in zip(found.reading.answers, found.found, strict=True)
    )
    return replace(found.reading, answers=answers), tuple(map(workspace.library.opened, files))


def reading_values(question: Question, reading: Reading, opened: tuple[Opened, ...]) -> dict[str, object]:
    """Return what `ask --json` prints."""
    best = reading.best
    answers = [_answer_values(answer, opened[answer.document]) for answer in reading.answers]
    head: dict[str, object] = {"question": question.text, "read_as": reading.read_as or question.text}
    if best:
        head |= answers[0]
    else:
        head |= {"answer": "", "start": None, "end": None, "probability": reading.no_answer_probability}
        head |= {"document": None, "place": "", "page": None, "page_label": None, "line": None}
        head |= {"sheet": None, "cell": None, "heading": ""}
        head |= {"quote": "", "sentence": "", "row": "", "column": "", "sha256": None, "recognised": None}
        head |= {"language": opened[0].language if len(opened) == 1 else ""}
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
        "place": opened.place_at(answer.span.start),
        "page": opened.page_at(answer.span.start),
        "page_label": opened.page_label_at(answer.span.start) or None,
        "line": opened.line_at(answer.span.start),
        "sheet": opened.heading_at(answer.span.start) if opened.is_spreadsheet else None,
        "cell": opened.cell_at(answer.span.start) or None,
        "heading": opened.heading_at(answer.span.start),
        "quote": " ".join(answer.text.split()),
        "sentence": quoted.words,
        "row": quoted.row,
        "column": quoted.column,
        "sha256": opened.sha256 or None,
        "language": opened.language,
        "recognised": recognised_values(recognition_of(opened, answer.span)),
    }


def _save(
    workspace: Workspace,
    question: Question,
    reading: Reading,
    opened: tuple[Opened, ...],
    report: TerminalReport,
) -> None:
    from app.flows.history.history import remember

    try:
        remember(workspace, opened, question, reading, report)
    except SpanlightError as fault:  # the answer is printed all the same
        report.line(one_line(not_kept(str(fault))))


def _run_batch(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    if arguments.files or arguments.library is not None or arguments.question is not None:
        raise SpanlightError(
            "A batch brings its own texts and questions.", "Leave FILE, --library and --question out."
        )
    if arguments.output is None:
        raise SpanlightError("No file was given for the answers of the batch.", "Add --output OUT.jsonl.")
    done = ask_batch(
        workspace,
        Path(arguments.batch),
        Path(arguments.output),
        _question_of(arguments, "", (), arguments.top_k or 1),
        report,
        model=arguments.model,
        device=arguments.device,
    )
    print_batch(done, "question", "answered", arguments.json)


def _question_of(
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
    if reading.read_as:
        print(f"Read as: {one_line(reading.read_as)}")
    if not reading.complete:
        stopped = stopped_after(reading.share_read, quick=reading.quick)
        print(stopped + (": the best so far." if reading.shown else "."))
    elif reading.quick:
        found = f", found by {one_line(reading.finder)}" if reading.finder not in ("", reading.model) else ""
        print(f"{best_passages(reading.share_of_text)}{found}.")
    names = _distinct_names(opened)
    if reading.shown is None:
        whole = reading.judged_whole and not any(one.pictures for one in opened)
        title, likely_not = without_answer(reading.no_answer_probability, whole=whole)
        print(title, f"{likely_not}.", sep="\n")
        others = reading.answers if question.top_k > 1 else ()
    else:
        best = reading.shown
        _print_answer(best, opened[best.document], names[best.document], *_likelihood(reading, best))
        others = reading.answers[1:]
    for number, answer in enumerate(others):
        print("\nOther places:" if not number else "")
        _print_answer(answer, opened[answer.document], names[answer.document], likely(answer.probability))


def _distinct_names(opened: tuple[Opened, ...]) -> list[str]:
    """Return each document's name, or its path if the name is not unique; "" if there is only one document."""
    if len(opened) == 1:
        return [""]
    times = Counter(each.document.name for each in opened)
    return [
        each.document.path if times[each.document.name] > 1 and each.document.path else each.document.name
        for each in opened
    ]


def _print_by_file(result: _Result, status: LibraryStatus, arguments: argparse.Namespace) -> None:
    """Print a library's answers by file, and how much of the library was read."""
    reading, others = result.reading, ""
    if status.read - status.in_part < status.total:
        others = (
            f" ({one_line(f'{command()} library status {shlex.quote(arguments.library)}')} lists the others)"
        )
    if not reading.complete:
        stopped = stopped_after(reading.share_read, quick=True)
        print(stopped + (": the best so far." if reading.shown else "."))
    elif reading.quick and not reading.judged_whole:
        print(f"{best_passages()}, by {one_line(reading.model)} alone.")
    if reading.shown is None:
        nowhere = status.without_answer.removesuffix(".")
        print(f"{nowhere}{others}." if reading.judged_whole else NO_ANSWER_IN_PART)
        if status.in_part:
            print(f"{status.in_words}.")
        chance = reading.no_answer_probability
        if not result.passages:
            print("No passage has a word of the question.")
        elif chance >= 0.5:  # else each single answer is too unlikely
            print(f"{percent(chance)} sure of the passages that were read.")
    listed = result.opened if reading.shown or arguments.top_k else ()
    for number, opened in enumerate(listed):
        print("\n" * bool(number or not reading.shown), one_line(opened.document.path), sep="")
        for answer in reading.answers:
            if answer.document == number:
                _print_answer(answer, opened, "", *_likelihood(reading, answer), indent="  ")
    if reading.shown:
        print(f"\n{status.in_words}{others}.")


def _likelihood(reading: Reading, answer: Answer) -> tuple[str, str]:
    """Return how likely an answer is, in words, and a note if it is shown with low confidence."""
    if answer is not reading.shown:
        return likely(answer.probability), ""
    if reading.best is None:
        return low_confidence(answer.probability), f" {NEAREST_WORDS}"
    return best_of(answer.probability, reading.no_answer_probability), ""


def _print_answer(
    answer: Answer, opened: Opened, name: str, sure: str, note: str = "", *, indent: str = ""
) -> None:
    """Print an answer, its likelihood, its place and its sentence; `name` is the document's, empty to leave it out."""
    quoted = quote(opened, answer.span)
    print(f"{indent}{one_line(answer.text)}")
    print(f"{indent}{sure}{_place_phrase(answer, opened, name)}.{note}")
    if quoted.cell:
        print(f"{indent}{one_line(quoted.cell)}")
    for line in _recognition_lines(answer, opened):
        print(f"{indent}{line}")
    before, after = one_line(f"{quoted.before}|")[:-1], one_line(f"|{quoted.after}")[1:]
    print(f"{indent}  {before}{marked(one_line(answer.text))}{after}")


def _recognition_lines(answer: Answer, opened: Opened) -> Iterator[str]:
    """Yield lines on words that were recognised in a picture, and on the uncertain ones in their sentence."""
    text = opened.document.text
    found = recognition_of(opened, answer.span)
    if found is None:
        return
    yield f"{one_line(found.in_words)}."
    around = recognition_of(opened, sentence_around(text, answer.span))
    if around is not None and around.unsure:
        words = ", ".join(f"“{one_line(span.of(text))}”" for span in around.unsure)
        yield f"Not sure of {words}: compare the picture."


def _place_phrase(answer: Answer, opened: Opened, name: str) -> str:
    """Return the place of an answer as the end of a sentence: ", on page 3 of a.pdf, under “Results”"."""
    where = ""
    if place := opened.place_at(answer.span.start):
        where = f", {'in' if opened.cells.rows or opened.kind is Kind.MBOX else 'on'} {place}"
    if name:
        where += f" of {one_line(name)}" if where else f", in {one_line(name)}"
    heading = "" if opened.is_spreadsheet else opened.heading_above(answer.span.start)
    return f"{where}, under “{one_line(heading)}”" if heading else where
