"""Measure a model on labelled examples."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    count,
    new_parser,
    one_line,
    print_json,
    zero_or_more,
)
from app.core.errors import SpanlightError
from app.core.legible import legible
from app.core.reliability import Reliability, calibration_error_in_words, error_by_chance
from app.core.report import Stopped
from app.core.wording import duration
from app.flows.measure.evaluate import QaEvaluation, evaluate_qa
from app.flows.measure.evaluate_classes import ClassEvaluation, ClassFigures, evaluate_classes
from app.flows.measure.evaluate_documents import (
    DocumentQaEvaluation,
    evaluate_documents,
    evaluate_tables,
)
from app.flows.measure.evaluate_names import NamesEvaluation, evaluate_names
from app.flows.measure.evaluate_pretraining import (
    PretrainingEvaluation,
    evaluate_pretraining,
)
from app.flows.measure.plan import Plan
from app.flows.workspace import Workspace

_EPILOG = """\
qa: rows {"id", "context", "question", "answers": [{"text", "answer_start"}], "source"} (no answers: the
text does not say) of .jsonl or .jsonl.xz files, or SQuAD .json files. Figures are in per cent: EM and F1
of what is answered, over all questions and over the answerable ones; how many of the unanswerable
ones are left unanswered; EM and F1 of the best span where an answer is forced, over the answerable ones;
the best F1 that any threshold gives, and that threshold; the calibration error of the best span's
probability. --join N puts each paragraph among N others of its file, and asks that document. Below stands how
far the probability lies from how often the best span is right to people (F1 of 0.5 or more), for tables, other
texts that are read in one window (paragraphs) and those in several (long documents); --record without --fit
keeps that with the model, and the page Models shows it as a chart.

classification: rows {"text", "label"}; a label is a class's name or its index. Figures are 0 to 1:
accuracy, macro F1, and the calibration error of the winner's probability; the confusion matrix has a
row for each true class and a column for each predicted one.

tokens: rows {"tokens", "tags"}, tags of BIO (O, B-PER, I-PER); the tokens are put together to a text as
people write it. Figures are 0 to 1: precision, recall and F1 of names whose place and kind are both exact,
over all, by kind and by source. FILE?labels=person:PER,location:LOC renames kinds; others are left out.

pretraining: running text, rows {"context"} or {"text"}, or plain files cut at blank lines. Figures are 0
to 1: of masked tokens (15 in 100) the share named first and among the first five, and their mean negative log
probability; of pairs of stretches the share told right (half of them follow each other, half are of two
documents), and how often a true follow-up scores higher than the other.

documents QUESTIONS FOLDER [QUESTIONS FOLDER ...]: each question is asked of the whole of its document, as the window
asks; figures are of all pairs together. Rows {"id", "file", "question", "kind", "answers": [text], "starts", "places"}
on files in FOLDER, or {"id", "document", "question", "kind", "answers": [{"text", "answer_start"}]} on the texts of
documents.jsonl.xz there. Figures are in per cent: right (half of an acceptable answer's words in one of its places, or
exactly its words; for the kind none: no answer), right in place, F1, answerable ones refused, the best span right
whether it is shown or not (forced). The calibration by kind of text is printed, and kept by --record, as for qa;
"by chance alone" is how far a perfectly calibrated reader would be off on as many questions.
tables FILE: the same of rows {"id", "title", "table", "header_rows", "question", "kind", "source", "answers":
[{"row", "column", "text"}]}, each table read as a web page; right is what lies in a right cell. --limit takes
the first questions of each document, and any ones of a file of tables. Ctrl+C gives the figures so far.

--fit (qa, classification) fits what makes the probabilities calibrated on what was just measured, and keeps it with the
model: use other examples than those that the model was taught with. The figures shown are without it.
"""
# Columns, each with the name of its figure.
_QA = {
    "EM": "exact",
    "F1": "f1",
    "ans EM": "answerable_exact",
    "ans F1": "answerable_f1",
    "no-ans": "no_answer_right",
    "forced EM": "forced_exact",
    "forced F1": "forced_f1",
    "best F1": "best_f1",
}
_QUESTIONS = {"right": "right", "in place": "placed", "F1": "f1", "refused": "refused", "forced": "forced"}
_NAMES = {"precision": "precision", "recall": "recall", "F1": "f1"}


def _print_pretraining(found: PretrainingEvaluation) -> None:
    """Print the figures of masked words and next sentences, overall and by source."""
    print(f"{legible(found.model)}: {count(found.texts, 'text')} in {duration(found.seconds)}")
    rows = [("all", found.words, found.pairs)]
    if len(found.words_by_source) > 1:
        rows += [(s, own, found.pairs_by_source.get(s)) for s, own in found.words_by_source.items()]
    lines = []
    for name, words, pairs in rows:
        cells = [f"{words.words:,}", _cell(words.top1), _cell(words.top5), _cell(words.loss)]
        of_pairs = (pairs.accuracy, pairs.ordered) if pairs else (None, None)
        lines.append((name, [*cells, f"{pairs.pairs:,}" if pairs else "-", *map(_cell, of_pairs)]))
    _table(("masked", "top 1", "top 5", "loss", "pairs", "next", "ordered"), lines)


def _print_names(found: NamesEvaluation) -> None:
    """Print precision, recall and F1 of names, overall, by kind and by source."""
    print(f"{legible(found.model)}: {count(found.texts, 'text')} in {duration(found.seconds)}")
    sources = found.by_source if len(found.by_source) > 1 else {}
    rows = [("all", found.overall), *found.by_kind.items(), *sources.items()]
    _table(
        ("names", "found", *_NAMES),
        [(name, [f"{own.names:,}", f"{own.found:,}", *_cells(own, _NAMES)]) for name, own in rows],
    )


def _print_questions(found: DocumentQaEvaluation) -> None:
    """Print the figures of questions on whole documents or tables, overall, by kind and by file or source."""
    questions = count(found.overall.questions, "question")
    questions = (
        questions if found.complete else f"{found.overall.questions:,} of {count(found.total, 'question')}"
    )
    read = f"{count(found.windows, 'window')} in {duration(found.seconds)}"
    print(f"{legible(found.model)}, on {found.device}: {questions}, {read}")
    if found.moved:
        print(f"Of {count(found.moved, 'question')} the places were found anew, as other words stand there.")
    if found.lost:
        print(f"Of {count(found.lost, 'question')} no acceptable answer stands in the text.")
    print(f"Calibration error of the best span's probability: {found.calibration_error:.2f}")
    _print_reliability(found.reliability)
    rows = [("all", found.overall), *(row for figures in found.by.values() for row in figures.items())]
    shown = {
        title: name
        for title, name in _QUESTIONS.items()
        if any(getattr(own, name) is not None for _, own in rows)
    }
    _table(
        ("questions", *shown),
        [(name, [f"{own.questions:,}", *_cells(own, shown, 1)]) for name, own in rows],
    )


def _cell(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _cells(figures: object, columns: Mapping[str, str], digits: int = 4) -> list[str]:
    """Return the figures of the columns as text."""
    return [_cell(getattr(figures, name), digits) for name in columns.values()]


def _table(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    width = max(len(one_line(name)) for name, _ in rows)
    print(" " * width, *(f"{column:>9}" for column in columns))
    for name, cells in rows:
        print(f"{one_line(name):<{width}}", *(f"{cell:>9}" for cell in cells))


def parser() -> argparse.ArgumentParser:
    """Return the parser of `evaluate`."""
    parser = new_parser("evaluate", "Measure a model on examples whose answers are known.", _EPILOG)
    parser.add_argument("task", choices=tuple(_TASKS))
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument(
        "--join", type=_numbers, metavar="N[,N...]", help="others that each paragraph is put among (qa)"
    )
    parser.add_argument(
        "--limit", type=zero_or_more, default=0, metavar="N", help="examples taken of each file (all)"
    )
    parser.add_argument("--seed", type=zero_or_more, default=13, help="what chance begins with (13)")
    parser.add_argument("--fit", action="store_true", help="fit the calibration and keep it with the model")
    parser.add_argument(
        "--predictions", metavar="OUT.jsonl", help="where each question's answer goes (documents, tables)"
    )
    parser.add_argument("--record", action="store_true", help="keep the figures with the model")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Measure a model and print the figures."""
    _refuse_unfit_options(arguments)
    plan = Plan(
        files=tuple(Path(file) for file in arguments.files),
        limit=arguments.limit,
        seed=arguments.seed,
        fit=arguments.fit,
        record=arguments.record,
        join=arguments.join or (0,),
        predictions=Path(arguments.predictions) if arguments.predictions else None,
    )
    evaluate, show = _TASKS[arguments.task]
    found = evaluate(workspace, plan, report, model=arguments.model, device=arguments.device)
    show(found) if not arguments.json else print_json(asdict(found))
    if isinstance(found, DocumentQaEvaluation) and not found.complete:
        raise Stopped


def _refuse_unfit_options(arguments: argparse.Namespace) -> None:
    if arguments.join and arguments.task != "qa":
        raise SpanlightError("--join goes with qa.", "Leave it out.")
    if arguments.fit and arguments.task not in ("qa", "classification"):
        raise SpanlightError("--fit goes with qa and classification.", "Leave it out.")
    if arguments.predictions and arguments.task not in ("documents", "tables"):
        raise SpanlightError("--predictions goes with documents and tables.", "Leave it out.")
    if arguments.task == "documents" and len(arguments.files) % 2:
        raise SpanlightError(
            "documents takes a file of questions and a folder, or several such pairs.",
            "Give QUESTIONS FOLDER [QUESTIONS FOLDER ...].",
        )
    if arguments.task == "tables" and len(arguments.files) != 1:
        raise SpanlightError("tables takes one file.", "Give FILE.")


def _print_qa(found: QaEvaluation) -> None:
    print(f"{legible(found.model)}, on {found.device}")
    for measured in found.measured:
        where = f", each paragraph among {count(measured.join, 'other')}" if measured.join else ""
        print(f"\n{count(measured.windows, 'window')} in {duration(measured.seconds)}{where}")
        sources = measured.by_source if len(measured.by_source) > 1 else {}
        rows = [("all", measured.overall), *sources.items()]
        lines = []
        for name, own in rows:
            ends = (_cell(own.best_threshold, 3), _cell(own.calibration_error, 2))
            lines.append((name, [f"{own.questions:,}", *_cells(own, _QA, 2), *ends]))
        _table(("questions", *_QA, "at", "cal err"), lines)
    print()
    _print_reliability(found.reliability)
    if found.calibration:
        print("\nCalibration fitted and kept with the model:")
        for name, value in asdict(found.calibration).items():
            print(f"  {name.replace('_', ' ')}  {value:.4g}")


def _print_reliability(reliability: Reliability) -> None:
    for kind, bins in reliability.items():
        by_chance = f"{100 * error_by_chance(bins):.1f}"
        print(f"{calibration_error_in_words(kind, bins)}; by chance alone {by_chance} points")


def _print_classes(found: ClassEvaluation) -> None:
    print(f"{legible(found.model)}: {count(found.overall.texts, 'text')} in {duration(found.seconds)}")
    print(_line(found.overall))
    if len(found.by_source) > 1:
        for source, figures in found.by_source.items():
            print(f"  {one_line(source)}: {_line(figures)}, {count(figures.texts, 'text')}")
    shown = {label: legible(label) for label in found.labels}
    width = max(9, *map(len, shown.values()))
    print("\nConfusion (rows true, columns predicted)")
    print(" " * width, *(f"{label:>{width}}" for label in shown.values()), f"{'recall':>9}")
    for label, row in zip(found.labels, found.confusion, strict=True):
        recall = found.by_class[label].recall
        print(f"{shown[label]:<{width}}", *(f"{number:>{width}}" for number in row), f"{_cell(recall):>9}")
    precisions = (_cell(found.by_class[label].precision) for label in found.labels)
    print(f"{'precision':<{width}}", *(f"{cell:>{width}}" for cell in precisions))
    if found.temperature is not None:
        print(f"\nTemperature fitted and kept with the model: {found.temperature:.4g}")


def _line(figures: ClassFigures) -> str:
    return (
        f"accuracy {figures.accuracy:.4f}, macro F1 {figures.macro_f1:.4f}, "
        f"calibration error {figures.calibration_error:.4f}"
    )


def _numbers(value: str) -> tuple[int, ...]:
    return tuple(zero_or_more(each) for each in value.split(","))


# The function that evaluates each task, and the one that prints its figures.
_TASKS: dict[str, tuple[Callable[..., Any], Callable[[Any], None]]] = {
    "qa": (evaluate_qa, _print_qa),
    "classification": (evaluate_classes, _print_classes),
    "tokens": (evaluate_names, _print_names),
    "pretraining": (evaluate_pretraining, _print_pretraining),
    "documents": (evaluate_documents, _print_questions),
    "tables": (evaluate_tables, _print_questions),
}
