"""Answer a question about files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

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
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.sentences import sentence_around
from app.core.text import Document, Span
from app.core.wording import NO_ANSWER, best_of, likelihood, percent
from app.flows.ask import ask
from app.flows.ask_batch import ask_batch
from app.flows.read import document_from_stream, read_document
from app.flows.workspace import Workspace

_EPILOG = """\
FILE is plain text in UTF-8, UTF-16 or a common older encoding; - reads standard input.

Positions (start, end) count Unicode code points of the file's decoded text, without a byte-order
mark and with newlines as LF, from 0, end not included: text[start:end] is the answer. Where the text
does not say, the answer is "" with null positions, and its probability is that of there being none.

A batch reads rows {"id", "context", "question"} of a .jsonl (or .jsonl.xz) file and appends rows
{"id", "answer", "start", "end", "probability", "no_answer_probability"} in the same order; positions
count code points of the context just as it was given. Started again, it goes on where it was
stopped or killed.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of `ask`."""
    parser = new_parser("ask", "Answer a question with the exact words of files.", _EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILE", help="what to read; - is standard input")
    parser.add_argument("--question", "-q", help="what you want to know")
    parser.add_argument("--batch", metavar="IN.jsonl", help="many questions, each with its own text")
    parser.add_argument("--output", metavar="OUT.jsonl", help="where the answers of a batch go")
    parser.add_argument(
        "--top-k", type=at_least_one, metavar="N", help="how many answers to list (1; with --json 5)"
    )
    decision = parser.add_mutually_exclusive_group()
    decision.add_argument(
        "--always-answer", action="store_true", help="give the best answer, however unlikely"
    )
    decision.add_argument(
        "--threshold",
        type=probability,
        metavar="X",
        help="least probability, 0 to 1, that the text answers at all (the model's own)",
    )
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
    if arguments.files.count("-") > 1:
        raise SpanlightError("Standard input can be read only once.", "Give - once.")
    documents = tuple(_read(file, report) for file in arguments.files)
    top_k = arguments.top_k or (5 if arguments.json else 1)
    question = _options(arguments, arguments.question, documents, top_k)
    reading = ask(workspace, question, report, model=arguments.model, device=arguments.device)
    report.clear()
    if arguments.json:
        print_json(reading_values(question, reading))
    else:
        _print(question, reading)


def reading_values(question: Question, reading: Reading) -> dict[str, object]:
    """What `ask --json` prints."""
    best = reading.best
    answers = [_answer_values(question, answer) for answer in reading.answers]
    head: dict[str, object] = {"question": question.text}
    if best:
        head |= answers[0]
    else:
        head |= {"answer": "", "start": None, "end": None, "probability": reading.no_answer_probability}
        head |= {"document": None, "sentence": ""}
    return head | {
        "no_answer_probability": reading.no_answer_probability,
        "threshold": reading.threshold,
        "answers": answers,
        "model": reading.model,
        "device": reading.device,
        "windows": reading.windows,
        "seconds": reading.seconds,
    }


def _answer_values(question: Question, answer: Answer) -> dict[str, object]:
    document = question.documents[answer.document]
    return {
        "answer": answer.text,
        "start": answer.span.start,
        "end": answer.span.end,
        "probability": answer.probability,
        "document": document.path or document.name,
        "sentence": sentence_around(document.text, answer.span).of(document.text),
    }


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
    return Question(text, documents, top_k, arguments.threshold, arguments.always_answer)


def _read(file: str, report: TerminalReport) -> Document:
    if file == "-":
        return document_from_stream(sys.stdin.buffer, "standard input")
    return read_document(Path(file), report)


def _print(question: Question, reading: Reading) -> None:
    several = len(question.documents) > 1
    if reading.best is None:
        print(NO_ANSWER)
        chance = reading.no_answer_probability
        print(f"{likelihood(chance)}, {percent(chance)}.")
        others = reading.answers if question.top_k > 1 else ()
    else:
        likely = best_of(reading.best.probability, reading.no_answer_probability)
        _print_answer(question, reading.best, several, likely)
        others = reading.answers[1:]
    for number, answer in enumerate(others):
        print("\nOther places:" if not number else "")
        likely = f"{likelihood(answer.probability)}, {percent(answer.probability)}"
        _print_answer(question, answer, several, likely)


def _print_answer(question: Question, answer: Answer, several: bool, likely: str) -> None:
    document = question.documents[answer.document]
    where = f", in {one_line(document.name)}" if several else ""
    print(one_line(answer.text))
    print(f"{likely}{where}.")
    sentence = sentence_around(document.text, answer.span)
    before = one_line(Span(sentence.start, answer.span.start).of(document.text) + "|")[:-1]
    after = one_line("|" + Span(answer.span.end, sentence.end).of(document.text))[1:]
    print(f"  {before}{marked(one_line(answer.text))}{after}")
