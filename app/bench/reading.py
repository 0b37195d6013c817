"""Measure how fast long and short texts are read to the end, and whether the answers are right."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import median

from app.bench.agreement import (
    agreement_with_float32,
    agreement_with_reference,
    class_agreement_with_float32,
    span_agreement_with_float32,
)
from app.bench.plan import BenchPlan
from app.bench.profiling import CHOOSING, MODEL, TOKENISING, Profile, by_operation, peaks, profile
from app.bench.readers import Part, Readers, batch_of, readers
from app.bench.reference_client import ReferenceAnswer, ReferenceTimes
from app.bench.results import BenchPart, BenchRow, in_turn, row
from app.bench.texts import Pool, pool
from app.core.report import Report
from app.core.results import Reading
from app.core.text import Document
from app.core.wording import duration
from app.flows.workspace import Workspace
from app.models.compute.peak import Peak
from app.models.disk.checkpoint import read_checkpoint
from app.models.disk.config import Config
from app.models.disk.shapes import encoder_shapes
from app.training.examples import QaExample

WORDS, QUESTIONS, REPEATS = 20_000, 40, 3
SINGLE = 15  # short texts asked one by one
CLASSIFIED = 100
WARM_UP = 2_000  # words
_SHARED = "albert_layer"  # ALBERT's layers share one layer's weights


def window_operations(folder: str, tokens: int) -> float:
    """Count the multiplications and additions of a model's forward pass over one window of `tokens` tokens.

    Two for each weight of the layers' matrices and token, and 4 × tokens² × width for the attention of each layer: its
    scores, and the sum weighted by them. Raises SpanlightError for a folder that is no checkpoint.
    """
    return operations_of(read_checkpoint(Path(folder)).config, tokens)


def operations_of(config: Config, tokens: int) -> float:
    """Count `window_operations` from a model's config."""
    layers, width = config.layers, config.hidden
    matrices = sum(
        shape[0] * shape[1] * (layers if _SHARED in name else 1)
        for name, shape in encoder_shapes(config)
        if len(shape) == 2 and "embeddings" not in name
    )
    return 2.0 * matrices * tokens + 4.0 * layers * tokens**2 * width


def peak_rows(
    fastest: Sequence[Peak], operations: float, windows_a_second: float, dtype: str
) -> list[BenchRow]:
    """Return rows of the peaks, a window's operations, and the share of `dtype`'s peak that reading reaches."""
    reached = operations * windows_a_second
    return [
        *(
            BenchRow(f"peak in {peak.dtype}", peak.flops / 1e9, "GFLOP/s", more_is_better=True)
            for peak in fastest
        ),
        BenchRow("work of a window", operations / 1e9, "GFLOP"),
        BenchRow("reached while reading", reached / 1e9, "GFLOP/s", more_is_better=True),
        *(
            BenchRow(
                f"share of the peak in {peak.dtype}", 100 * reached / peak.flops, "%", more_is_better=True
            )
            for peak in fastest
            if peak.dtype == dtype
        ),
    ]


@dataclass(slots=True)
class _Readings:
    """The results of readings besides their seconds, to compare the answers."""

    windows: list[int] = field(default_factory=list)
    windows_there: list[int] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    answers: list[tuple[ReferenceAnswer, ...]] = field(default_factory=list)
    examples: list[QaExample] = field(default_factory=list)


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure the speed of reading, the share of the computer's peak, the time by kind of work, and agreement.

    Raises SpanlightError if the model or the texts are not available, Stopped when cancelled.
    """
    texts = pool(plan.data, workspace.paths)
    with readers(workspace, plan, report) as both:
        _warm_up(both, texts, plan.seed)
        long, speed, of_long = _long(both, texts, plan)
        short, of_short = _short(both, texts, plan)
        agreement = [
            *_agreement(both, of_short),
            _agreement_in_long(both, texts, plan, of_long),
            *_agreement_of_classes(both, texts, plan),
        ]
        operations = window_operations(both.loaded.card.folder, both.cut[0])
        fastest = peaks(both.choice.device, workspace.paths.logs / "profile.log", Part(report, "Peak"))
        roof = peak_rows(fastest, operations, speed, both.loaded.device.dtype)
        times, watched_note = _watched(both, texts, plan)
        return BenchPart(
            name="reading",
            title=f"Reading to the end, in windows of {both.cut[0]} tokens that overlap by {both.cut[1]}",
            rows=(*long, *short, *agreement, *roof, *times),
            notes=(texts.description, *_notes(both, of_long), watched_note),
            model=both.loaded.card.name,
            device=both.device,
            reference=both.against,
            details={"device": both.loaded.device.device, "why": both.loaded.device.reason},
        )


def _warm_up(both: Readers, texts: Pool, seed: int) -> None:
    """Read something first, so that kernels are compiled and memory is allocated."""
    question, document = texts.question(seed), texts.document(WARM_UP, seed - 1)
    both.ask(question, document, Part(both.report, "Warming up"))
    both.ask_each([(example.question, example.context) for example in texts.examples[:8]])
    if both.reference:
        both.refer([(question, document.text)])


def _long(both: Readers, texts: Pool, plan: BenchPlan) -> tuple[list[BenchRow], float, _Readings]:
    """Time long documents, another one each time as a cached one would be faster; with the windows a second."""
    words = plan.words or WORDS
    repeats = plan.repeats or REPEATS
    documents = [texts.document(words, plan.seed + number) for number in range(repeats)]
    results = _Readings()

    def ours(number: int) -> float:
        part = Part(both.report, f"Long document, {number + 1} of {repeats}")
        reading, seconds = both.ask(texts.question(plan.seed + number), documents[number], part)
        results.windows.append(reading.windows)
        results.readings.append(reading)
        return seconds

    def theirs(number: int) -> float:
        found = both.refer([(texts.question(plan.seed + number), documents[number].text)])
        results.windows_there.append(found.windows)
        return found.seconds

    mine, others = in_turn(ours, theirs if both.reference else None, repeats)
    each = [1000 * seconds / windows for seconds, windows in zip(mine, results.windows, strict=True)]
    each_there = [
        1000 * seconds / windows for seconds, windows in zip(others, results.windows_there, strict=True)
    ]
    speeds = [1000 / one for one in each]
    length = median(_words(document) for document in documents)
    return (
        [
            row(f"a document of {length:,.0f} words", mine, "s", others),
            row("a window of it", each, "ms", each_there),
            row("windows a second", speeds, "/s", [1000 / one for one in each_there], more_is_better=True),
        ],
        median(speeds),
        results,
    )


def _short(both: Readers, texts: Pool, plan: BenchPlan) -> tuple[list[BenchRow], _Readings]:
    """Time short texts with their questions, many together and one by one; no text is in two batches."""
    repeats = plan.repeats or REPEATS
    sets = _sets(texts, plan.questions or QUESTIONS, repeats, plan.seed)
    results = _Readings(examples=[example for each in sets for example in each])
    readings: dict[int, tuple[Reading, ...]] = {}
    answers: dict[int, tuple[tuple[ReferenceAnswer, ...], ...]] = {}

    def ours(number: int) -> float:
        readings[number], seconds = both.ask_each(_pairs(sets[number]))
        return 1000 * seconds / len(sets[number])

    def theirs(number: int) -> float:
        found = both.refer(_pairs(sets[number]))
        answers[number] = found.answers
        return 1000 * found.seconds / len(sets[number])

    mine, others = in_turn(ours, theirs if both.reference else None, len(sets))
    results.readings = [one for number in range(len(sets)) for one in readings[number]]
    results.answers = [one for number in range(len(answers)) for one in answers[number]]

    different = list({example.context: example for example in results.examples}.values())
    singles = random.Random(plan.seed).sample(different, min(SINGLE, len(different)))

    def one_of_ours(number: int) -> float:
        # With a space added it is a text that was not read before.
        example = singles[number]
        return 1000 * both.ask(example.question, Document(example.context + " "))[1]

    def one_of_theirs(number: int) -> float:
        return 1000 * both.refer(_pairs([singles[number]])).seconds

    single, single_there = in_turn(one_of_ours, one_of_theirs if both.reference else None, len(singles))
    return [
        row("a short text of many", mine, "ms", others),
        # Their spread only comes from the different texts.
        replace(row("a short text by itself", single, "ms", single_there), spread=0.0),
    ], results


def _sets(texts: Pool, count: int, repeats: int, seed: int) -> list[list[QaExample]]:
    """Return `repeats` sets of about `count` questions; those of one context are in one set, to be read only once."""
    by_context: dict[str, list[QaExample]] = {}
    for example in texts.examples:
        by_context.setdefault(example.context, []).append(example)
    groups = list(by_context.values())
    random.Random(seed).shuffle(groups)
    sets: list[list[QaExample]] = [[]]
    for group in groups:
        if len(sets[-1]) >= count:
            if len(sets) == repeats:
                break
            sets.append([])
        sets[-1] += group
    return sets


def _pairs(examples: Sequence[QaExample]) -> list[tuple[str, str]]:
    return [(example.question, example.context) for example in examples]


def _agreement(both: Readers, results: _Readings) -> list[BenchRow]:
    exact = both.workspace.engine.run_opened(
        batch_of(_pairs(results.examples)), both.choice, Part(both.report, "Agreement")
    )
    found = agreement_with_float32(results.readings, exact, results.examples)
    return found + (agreement_with_reference(results.readings, results.answers) if results.answers else [])


def _agreement_in_long(both: Readers, texts: Pool, plan: BenchPlan, results: _Readings) -> BenchRow:
    """Compare the first long document only, as reading all of them in float32 would take long."""
    document = texts.document(plan.words or WORDS, plan.seed)
    question = both.question(texts.question(plan.seed), document)
    part = Part(both.report, "Agreement in a long document")
    exact: Reading = both.workspace.engine.run_opened(question, both.choice, part)
    return span_agreement_with_float32(results.readings[0], exact)


def _agreement_of_classes(both: Readers, texts: Pool, plan: BenchPlan) -> list[BenchRow]:
    paragraphs = list(islice(texts.paragraphs(random.Random(plan.seed)), CLASSIFIED))
    part = Part(both.report, "Agreement of classes")
    return class_agreement_with_float32(both.workspace, paragraphs, both.choice.device, part)


def _notes(both: Readers, results: _Readings) -> list[str]:
    sentences = [f"The device: {both.loaded.device.reason}."]
    if results.windows_there:
        sentences.append(
            f"Windows read of a long document: {median(results.windows):,.0f}, by the reference "
            f"{median(results.windows_there):,.0f}."
        )
    return sentences


def _words(document: Document) -> int:
    return len(document.text.split())


WATCHED, _WARM_UP = 20_000, 2_000  # words
# Kinds of work below this share of the time in both are left out.
_LEAST = 0.005


def _watched(both: Readers, texts: Pool, plan: BenchPlan) -> tuple[tuple[BenchRow, ...], str]:
    """Measure ms for a thousand words by kind of work, in Spanlight and the reference, and return a note on it too.

    The document was not read before. Raises SpanlightError if a reader fails, Stopped when cancelled.
    """
    document = texts.document(min(WATCHED, plan.words or WATCHED), plan.seed - 2)
    question = texts.question(plan.seed)
    ours = profile(
        both.question(question, texts.document(_WARM_UP, plan.seed - 1)),
        both.question(question, document),
        both.choice,
        both.workspace.paths.logs / "profile.log",
        Part(both.report, "Where the time goes"),
    )
    theirs = _of_reference(both.watch_reference(question, document)) if both.reference else None
    words = len(document.text.split())
    rows = tuple(_rows(ours, theirs, 1e6 / words))
    note = f"Where the time goes was watched on {words:,} words, which took {duration(ours.seconds)}"
    if theirs:
        note += f", and the reference {duration(theirs.seconds)}"
    return rows, note + ", watching included."


def _of_reference(times: ReferenceTimes) -> Profile:
    """Return the reference's times by the same kinds; its tokeniser cuts the windows too."""
    kinds = by_operation(times.operations.items())
    rest = times.seconds - times.preparing - times.choosing - sum(kinds.values())
    kinds |= {TOKENISING: times.preparing, CHOOSING: times.choosing, MODEL: max(0.0, rest)}
    return Profile(times.seconds, tuple(kinds.items()))


def _rows(ours: Profile, theirs: Profile | None, factor: float) -> list[BenchRow]:
    there = dict(theirs.kinds) if theirs else {}
    here = dict(ours.kinds)
    kinds = sorted(here | there, key=lambda kind: -max(here.get(kind, 0.0), there.get(kind, 0.0)))
    return [
        BenchRow(
            f"a thousand words: {kind}",
            factor * here.get(kind, 0.0),
            "ms",
            factor * there.get(kind, 0.0) if theirs else None,
        )
        for kind in kinds
        if here.get(kind, 0.0) >= _LEAST * ours.seconds
        or (theirs and there.get(kind, 0.0) >= _LEAST * theirs.seconds)
    ]
