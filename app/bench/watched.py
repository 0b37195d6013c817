"""The time by kind of work while a long document is read, by Spanlight and by the reference."""

from __future__ import annotations

from app.bench.against import ReferenceTimes
from app.bench.plan import BenchPlan
from app.bench.profiling import CHOOSING, MODEL, TOKENISING, Profile, by_operation, profile
from app.bench.readers import Part, Readers
from app.bench.results import BenchRow
from app.bench.texts import Pool
from app.core.wording import duration

WATCHED, _WARM_UP = 20_000, 2_000  # words
# Kinds with less than this share of the time, in both, are left out.
_LEAST = 0.005


def measure(both: Readers, texts: Pool, plan: BenchPlan) -> tuple[tuple[BenchRow, ...], str]:
    """Milliseconds for a thousand words by kind of work, and a note on the method.

    The document has not been read before. Raises SpanlightError where a reader fails, Stopped.
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
    """The reference's times by the same kinds; its tokeniser cuts the windows too."""
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
