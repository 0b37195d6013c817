"""Figures on dev examples during a training run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from tokenizers import Tokenizer

from app.core.report import Report
from app.tasks.qa.spans import Candidate, window_candidates
from app.tasks.text.pieces import pieces_at
from app.tasks.text.tokens import join, tokenise, tokenise_view
from app.tasks.text.windows import PairTemplate, Window, pad, single_windows, windows
from app.training import metrics
from app.training.examples import QaExample, TextExample

Arrays = dict[str, np.ndarray]
Read = Callable[[Arrays], Sequence[Arrays]]


def qa_figures(
    examples: Sequence[QaExample], tokenizer: Tokenizer, pad_id: int, length: int, read: Read, report: Report
) -> dict[str, float]:
    """EM and F1 (0 to 100) of all questions at the best threshold, and of answerable ones with a forced answer."""
    template = PairTemplate.of(tokenizer)
    cut_windows: list[Window] = []
    owners: list[int] = []
    for i, example in enumerate(examples):
        question = tokenizer.encode(example.question, add_special_tokens=False).ids
        view = example.view
        tokens, _ = tokenise_view(tokenizer, example.context, view.replacements if view else ())
        pieces = pieces_at(example.context, tokens.starts, tokens.ends, view)
        for window in windows(template, question, [tokens], example.context, length=length):
            own = pieces.part(window.first, window.first + len(window.starts))
            window = replace(window, pieces=own)
            cut_windows.append(window)
            owners.append(i)
    best: dict[int, Candidate] = {}
    for i, logits in _read(cut_windows, pad_id, read, report):
        owner = owners[i]
        text, start, end = examples[owner].context, logits["start_logits"], logits["end_logits"]
        for candidate in window_candidates(cut_windows[i], start, end, text=text, document=owner, count=1):
            if owner not in best or candidate.rank > best[owner].rank:
                best[owner] = candidate
    found = [best[i].span.of(e.context) if i in best else "" for i, e in enumerate(examples)]
    references = [[text for text, _ in example.answers] for example in examples]
    no_answer = [not r for r in references]
    f1s = [metrics.f1(text, r) for text, r in zip(found, references, strict=True)]
    exacts = [metrics.exact_match(text, r) for text, r in zip(found, references, strict=True)]
    margins = [best[i].margin if i in best else float("-inf") for i in range(len(examples))]
    threshold, overall = metrics.best_threshold(margins, f1s, no_answer)
    overall_exact = metrics.best_threshold(margins, exacts, no_answer)[1]
    answerable = [i for i, none in enumerate(no_answer) if not none]
    return {
        "f1": 100 * overall,
        "em": 100 * overall_exact,
        "f1_answerable": 100 * sum(f1s[i] for i in answerable) / max(1, len(answerable)),
        "em_answerable": 100 * sum(exacts[i] for i in answerable) / max(1, len(answerable)),
        "threshold": threshold,
    }


def class_figures(
    examples: Sequence[TextExample],
    labels: Sequence[str],
    tokenizer: Tokenizer,
    pad_id: int,
    length: int,
    read: Read,
    report: Report,
) -> dict[str, float]:
    """Accuracy and macro F1 (0 to 1), over all and by source (`accuracy SOURCE`); windows weighted by their tokens."""
    template = PairTemplate.of(tokenizer)
    cut_windows: list[Window] = []
    owners: list[int] = []
    for i, example in enumerate(examples):
        for window in single_windows(
            template, [join(tokenise(tokenizer, example.text))], example.text, length=length
        ):
            cut_windows.append(window)
            owners.append(i)
    sums = np.zeros((len(examples), len(labels)))
    for i, logits in _read(cut_windows, pad_id, read, report):
        sums[owners[i]] += logits["logits"] * int(cut_windows[i].scored.sum())
    predicted = [labels[int(best)] for best in sums.argmax(axis=1)]
    actual = [example.label for example in examples]
    figures = {
        "accuracy": metrics.accuracy(predicted, actual),
        "macro_f1": metrics.macro_f1(predicted, actual, labels),
    }
    by_source: dict[str, list[int]] = defaultdict(list)
    for i, example in enumerate(examples):
        by_source[example.source].append(i)
    for source, rows in by_source.items():
        figures[f"accuracy {source}"] = metrics.accuracy(
            [predicted[i] for i in rows], [actual[i] for i in rows]
        )
    return figures


def _read(
    cut_windows: Sequence[Window], pad_id: int, read: Read, report: Report, size: int = 16
) -> Iterator[tuple[int, Arrays]]:
    """Each window's number and logits (without a batch axis), windows of similar length read together."""
    order = sorted(range(len(cut_windows)), key=lambda i: -len(cut_windows[i]))
    for start in range(0, len(order), size):
        report.check()
        part = order[start : start + size]
        rows = (
            {name: array[row] for name, array in arrays.items()}
            for arrays in read(pad([cut_windows[i] for i in part], pad_id))
            for row in range(len(next(iter(arrays.values()))))
        )
        yield from zip(part, rows, strict=True)
