"""Measure how soon a long document yields an answer, and what reading only the best passages costs.

The reference has no answer before it has read every window, which takes half an hour for half a million words: so it
reads only some of them, and its seconds are scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import mean, median

from app.bench.machine import peak_memory
from app.bench.plan import BenchPlan
from app.bench.readers import Readers, readers
from app.bench.results import BenchPart, BenchRow
from app.bench.texts import PlacedQuestion, long_questions, pool
from app.cli.terminal import count
from app.core.report import Progress, Relay, Report
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document
from app.flows.ask.question import ask, load_reader
from app.flows.workspace import Workspace

SHORTER, WORDS, QUESTIONS = 30_000, 500_000, 8
# The number of words of a document that the reference reads.
SAMPLE = 4_000
_SCALED = (
    "The reference reads every window before it has an answer, its first and its final one. "
    f"Its seconds are those of a document's first {SAMPLE:,} words, scaled up to all of them."
)
# How the first and the quick answer may agree with the final answer, and with a known one.
_HOW = {"same": "is the final one", "overlaps": "shares words with the final one", "right": "is right"}
_WARM_UP = "The quick brown fox jumps over the lazy dog. " * 500


@dataclass(frozen=True, slots=True)
class Timed:
    """The readings of a question; seconds count from the question on, with a warm model process.

    `settled` is when the best answer became the final one; `quick` is the duration of the quick reading. An answer is
    the same as the final one if their spans are equal, overlaps it if the spans overlap, and is right if it shares code
    points with a known answer.
    """

    question: str
    words: int
    windows: int
    windows_quick: int
    first: float
    settled: float
    final: float
    quick: float
    first_same: bool
    first_overlaps: bool
    quick_same: bool
    quick_overlaps: bool
    first_right: bool
    quick_right: bool
    final_right: bool


@dataclass(frozen=True, slots=True)
class AnytimeBench:
    """All figures, with the model and the device; `memory` is the model process's peak bytes, None if unknown.

    `figures` are, by the names of `Timed`, medians and maxima over the questions in seconds, and shares of questions, 0
    to 1. `texts` describes the texts. `reference` has the reference's seconds for each question's document, empty
    without a reference.
    """

    model: str
    device: str
    figures: dict[str, float]
    timed: tuple[Timed, ...]
    memory: int | None
    texts: str = ""
    reference: tuple[float, ...] = ()


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Measure the time to the first answers; without a given length, in a shorter document too.

    Raises as `bench_anytime` does, and SpanlightError if the reference is not available.
    """
    lengths = (plan.words,) if plan.words else (SHORTER, WORDS)
    with readers(workspace, plan, report) as both:
        *shorter, found = (
            bench_anytime(workspace, replace(plan, words=words), report, both) for words in lengths
        )
        against = both.against
    figures = found.figures
    said = [(which, words, f"{which}_{how}") for which in ("first", "quick") for how, words in _HOW.items()]
    shares = [
        BenchRow(f"{which} answer {words}", 100 * figures[name], "%", more_is_better=True)
        for which, words, name in (*said, ("final", _HOW["right"], "final_right"))
    ]
    times = [_time(found, name) for name in ("first", "settled", "quick", "final")]
    times += [
        replace(row, what=f"{row.what} in {one.figures['words']:,} words")
        for one in shorter
        for row in (_time(one, "first"), _time(one, "final"))
    ]
    memory = [BenchRow("most memory of the model process", found.memory / 1e6, "MB")] if found.memory else []
    about = f"{count(len(found.timed), 'question')}, each about a document of {figures['words']:,} words"
    return BenchPart(
        name="anytime",
        title=f"How soon answers are there: {about}",
        rows=(*times, *shares, *memory),
        notes=(
            found.texts,
            "Seconds from the question on, on a warm model process to which the text is new; the window prepares it "
            "when it is opened. Settled: the best answer has become what it is "
            "at the end. Right: shares words with a known answer, at its place.",
            *([_SCALED] if against else []),
        ),
        model=found.model,
        device=found.device,
        reference=against,
        details=asdict(found),
    )


def _time(found: AnytimeBench, name: str) -> BenchRow:
    """Return the row of one kind of answer; the reference's only answer is both its first and its final one."""
    against = median(found.reference) if found.reference and name in ("first", "final") else None
    figures = found.figures
    return BenchRow(f"{name} answer", figures[name], "s", against, worst=figures[f"{name}_worst"])


def bench_anytime(
    workspace: Workspace, plan: BenchPlan, report: Report, both: Readers | None = None
) -> AnytimeBench:
    """Ask every question of the plan twice, in full and quickly, each time about a text new to the model process.

    In the window answers come sooner, as it prepares a document when it is opened. The reference of `both`, if any, is
    asked in turn. Raises SpanlightError for a folder without the data, Stopped when cancelled.
    """
    texts = pool(plan.data, workspace.paths)
    words, questions = plan.words or WORDS, plan.questions or QUESTIONS
    questions = min(questions, len(texts.answerable))
    named = {"model": plan.model, "device": plan.device}
    load_reader(workspace, report, **named)
    warm_up = Question("What does the fox jump over?", (Document(_WARM_UP),))
    ask(workspace, warm_up, _Clock(report, 0, 0), **named)
    reference = both if both is not None and both.reference else None
    if reference:
        reference.refer([(warm_up.text, _WARM_UP[:1000])])
    timed: list[Timed] = []
    theirs: list[float] = []
    final: Reading | None = None
    for number, each in enumerate(long_questions(texts, words, questions, plan.seed)):
        question = Question(each.question, (each.document,))
        clock = _Clock(report, number, questions)
        final = ask(workspace, question, clock, **named)
        clock.end(final)
        quick_clock = _Clock(report, number, questions)
        # A different text, as the model process would not have to tokenise a known one again.
        again = replace(each.document, text=each.document.text + "\n\nThe end.")
        asked_quickly = Question(each.question, (again,), quick=True)
        quick = ask(workspace, asked_quickly, quick_clock, **named)
        timed.append(_timed(each, clock, final, quick, quick_clock.seconds))
        if reference:
            theirs.append(_refer(reference, each))
        report.progress(Progress(number + 1, questions, "questions"))
    title, where = (final.model, final.device) if final else ("", "")
    memory = peak_memory(workspace.engine.pid)
    return AnytimeBench(title, where, _figures(timed), tuple(timed), memory, texts.description, tuple(theirs))


def _refer(both: Readers, placed: PlacedQuestion) -> float:
    """Estimate the reference's seconds for a document from those for its first `SAMPLE` words."""
    words = placed.document.text.split()
    some = words[:SAMPLE]
    both.report.progress(Progress(0, 0, f"The reference reads {len(some):,} words"))
    return both.refer([(placed.question, " ".join(some))]).seconds * len(words) / len(some)


class _Clock(Relay):
    """The Report of one question, which notes the time of each best answer, and of the end."""

    def __init__(self, report: Report, number: int, total: int) -> None:
        super().__init__(report)
        self._number, self._total = number, total
        self._started = time.perf_counter()
        self.bests: list[tuple[float, Answer]] = []
        self.ended = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def progress(self, progress: Progress) -> None:
        if self._total:
            super().progress(
                replace(progress, what=f"windows of question {self._number + 1} of {self._total}")
            )

    def partial(self, result: object) -> None:
        if isinstance(result, Reading) and result.answers:
            self.bests.append((self.seconds, result.answers[0]))

    def end(self, reading: Reading) -> None:
        """Note the end of the reading, and its best answer."""
        self.ended = self.seconds
        if reading.answers:
            self.bests.append((self.ended, reading.answers[0]))


def _timed(
    placed: PlacedQuestion, clock: _Clock, final: Reading, quick: Reading, quick_seconds: float
) -> Timed:
    last = final.answers[0] if final.answers else None
    first_at, first = clock.bests[0] if clock.bests else (clock.ended, None)
    settled = clock.ended
    for at, best in reversed(clock.bests):
        if not _same(best, last):
            break
        settled = at
    fast = quick.answers[0] if quick.answers else None
    return Timed(
        question=placed.question,
        words=placed.words,
        windows=final.windows,
        windows_quick=quick.windows,
        first=first_at,
        settled=settled,
        final=clock.ended,
        quick=quick_seconds,
        first_same=_same(first, last),
        first_overlaps=_overlap(first, last),
        quick_same=_same(fast, last),
        quick_overlaps=_overlap(fast, last),
        first_right=_right(first, placed),
        quick_right=_right(fast, placed),
        final_right=_right(last, placed),
    )


def _same(one: Answer | None, other: Answer | None) -> bool:
    return one is not None and other is not None and one.span == other.span


def _overlap(one: Answer | None, other: Answer | None) -> bool:
    return one is not None and other is not None and one.span.overlaps(other.span)


def _right(answer: Answer | None, placed: PlacedQuestion) -> bool:
    return answer is not None and any(answer.span.overlaps(place) for place in placed.answers)


def _figures(timed: Sequence[Timed]) -> dict[str, float]:
    figures: dict[str, float] = {
        "questions": len(timed),
        "words": round(median(each.words for each in timed)),
        "first_share": median(each.first / each.final for each in timed),
        "quick_share": median(each.quick / each.final for each in timed),
    }
    for name in ("first", "settled", "final", "quick"):
        seconds = [getattr(each, name) for each in timed]
        figures |= {name: median(seconds), f"{name}_worst": max(seconds)}
    for name in (*(f"{which}_{how}" for which in ("first", "quick") for how in _HOW), "final_right"):
        figures[name] = mean(float(getattr(each, name)) for each in timed)
    return figures
