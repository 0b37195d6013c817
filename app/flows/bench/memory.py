"""Measure what a very long document costs: its memory, how the time grows with the length, and a second question."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.benches import BenchPart, BenchRow
from app.core.report import Progress, Report
from app.core.text import Document
from app.core.wording import duration
from app.flows.bench.peak import own_peak, peak_memory
from app.flows.bench.plan import BenchPlan
from app.flows.bench.readers import Part, Readers, readers
from app.flows.bench.texts import pool
from app.flows.workspace import Workspace

WORDS = 500_000
# Lengths as shares of the longest: a tenth of it, and one between.
SHARES = (0.1, 0.3, 1.0)
WARM_UP = 2_000
MB = 1e6


@dataclass(frozen=True, slots=True)
class _Length:
    """One length read: its words, and the seconds that each reader took; None without a reference."""

    words: int
    ours: float
    theirs: float | None


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Read documents of growing length whole, by Spanlight and by the reference, each in a process of its own.

    Raises SpanlightError for a model or texts that cannot be had, Stopped when the report says so.
    """
    texts = pool(plan.data, workspace.paths)
    most = plan.words or WORDS
    documents = [texts.document(round(most * share), plan.seed + at) for at, share in enumerate(SHARES)]
    workspace.engine.end()  # its memory is to be that of this work alone
    with readers(workspace, plan, report) as both:
        question, another = texts.question(plan.seed), texts.question(plan.seed + 1)
        _warm_up(both, question, texts.document(WARM_UP, plan.seed - 1))
        found: list[_Length] = []
        peak_there = None
        for document in documents:
            length, peak_there = _read(both, question, document, found)
            found.append(length)
        second = both.ask(another, documents[-1], Part(report, "Second question"))[1]
        peak, asking = peak_memory(workspace.engine.pid), own_peak()
        longest = found[-1]
        rows = [
            *(BenchRow(f"{one.words:,} words, whole", one.ours, "s", one.theirs) for one in reversed(found)),
            BenchRow("second question about the longest", second, "s"),
            BenchRow("its speed, against the first's", longest.ours / second, "x", more_is_better=True),
            *(BenchRow(f"for a thousand of {one.words:,} words", *_for_a_thousand(one)) for one in found),
            *_growth(found),
        ]
        if peak is not None:
            rows.append(BenchRow("most memory of the model process", peak / MB, "MB", _in_mb(peak_there)))
        if peak is not None and asking is not None:
            rows.append(
                BenchRow("with the program that asks", (peak + asking) / MB, "MB", _in_mb(peak_there))
            )
        return BenchPart(
            name="memory",
            title=f"A document of {longest.words:,} words, read whole",
            rows=tuple(rows),
            notes=(texts.said, "Each length is read once, from a document of its own."),
            model=both.loaded.card.name,
            device=both.device,
            reference=both.against,
        )


def _warm_up(both: Readers, question: str, document: Document) -> None:
    both.ask(question, document, Part(both.report, "Warming up"))
    if both.reference:
        both.refer([(question, document.text)])


def _read(
    both: Readers, question: str, document: Document, before: list[_Length]
) -> tuple[_Length, int | None]:
    """One document read by both; the reference's most memory so far as well."""
    words = len(document.text.split())
    ours = both.ask(question, document, Part(both.report, f"A document of {words:,} words"))[1]
    if both.reference is None:
        return _Length(words, ours, None), None
    _warn(both.report, words, before)
    both.report.progress(Progress(0, 0, f"The reference reads {words:,} words"))
    found = both.refer([(question, document.text)])
    return _Length(words, ours, found.seconds), found.peak or None


def _warn(report: Report, words: int, before: list[_Length]) -> None:
    """Say how long the reference will take, from its last length: it tells nothing itself until it is done."""
    last = before[-1] if before else None
    if last and last.theirs and (left := words * last.theirs / last.words) > 30:
        report.notice(
            f"The reference now reads {words:,} words, which takes it about {duration(left)}; --words makes it less."
        )


def _for_a_thousand(one: _Length) -> tuple[float, str, float | None]:
    theirs = None if one.theirs is None else 1e6 * one.theirs / one.words
    return 1e6 * one.ours / one.words, "ms", theirs


def _growth(found: list[_Length]) -> list[BenchRow]:
    """How much longer a word of the longest document takes than one of the shortest: 1 where both take as long."""
    what = "time for a word, longest against shortest"
    first, last = found[0], found[-1]
    rows = [BenchRow(what, (last.ours / last.words) / (first.ours / first.words), "x")]
    if first.theirs and last.theirs:
        there = (last.theirs / last.words) / (first.theirs / first.words)
        rows.append(BenchRow("the same of the reference", there, "x"))
    return rows


def _in_mb(count: int | None) -> float | None:
    return None if count is None else count / MB
