"""Measure very long documents: memory, how time grows with the length, and a second question."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from app.bench.machine import peak_memory
from app.bench.plan import BenchPlan
from app.bench.readers import Part, Readers, readers
from app.bench.results import BenchPart, BenchRow, in_turn, row
from app.bench.texts import Pool, pool
from app.cli.terminal import count
from app.core.report import Progress, Report
from app.core.text import Document
from app.core.wording import duration
from app.flows.workspace import Workspace

WORDS = 500_000
# Lengths as shares of the longest, and how often each is read: the longest may take the reference minutes.
SHARES = {0.1: 3, 0.3: 1, 1.0: 1}
OTHER_QUESTIONS = 2  # the number of further questions to Spanlight about the longest
WARM_UP = 2_000
MB = 1e6
_LONG = 30.0  # seconds; a reading that will take longer is announced


@dataclass(slots=True)
class _Length:
    """Documents of about one length with their word counts, and each reader's seconds for them."""

    documents: list[Document]
    counts: list[int] = field(init=False)
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [len(document.text.split()) for document in self.documents]

    @property
    def words(self) -> str:
        """The median number of words, as text."""
        return f"{median(self.counts):,.0f}"


def measure(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
    """Read documents of growing length whole, with Spanlight and with the reference, each in a process of its own.

    Raises SpanlightError if the model or the texts are not available, Stopped when cancelled.
    """
    texts = pool(plan.data, workspace.paths)
    most = plan.words or WORDS
    lengths = [
        _Length(
            [
                texts.document(round(most * share), plan.seed + number)
                for number in range(plan.repeats or repeats)
            ]
        )
        for share, repeats in SHARES.items()
    ]
    workspace.engine.end()  # so that the process's memory is only that of this work
    with readers(workspace, plan, report) as both:
        question = texts.question(plan.seed)
        _warm_up(both, question, texts.document(WARM_UP, plan.seed - 1))
        reads = _Reads(both)
        reads.each(question, lengths)
        longest = lengths[-1]
        second = reads.again(_others(texts, question, plan.seed), longest.documents[-1])
        peak, asking, peak_there = peak_memory(workspace.engine.pid), peak_memory(os.getpid()), reads.peak
        rows = [
            *(row(f"{one.words} words, whole", one.ours, "s", one.theirs) for one in reversed(lengths)),
            row("second question about the longest", second.ours, "s", second.theirs),
            _speedup_row(longest, second),
            *(_per_thousand_words(one) for one in lengths),
            *_growth(lengths),
        ]
        if peak is not None:
            rows.append(BenchRow("most memory of the model process", peak / MB, "MB", _megabytes(peak_there)))
        if peak is not None and asking is not None:
            rows.append(
                BenchRow("with the program that asks", (peak + asking) / MB, "MB", _megabytes(peak_there))
            )
        return BenchPart(
            name="memory",
            title=f"A document of {longest.words} words, read whole",
            rows=tuple(rows),
            notes=(texts.description, _note(lengths, len(second.ours), bool(both.reference))),
            model=both.loaded.card.name,
            device=both.device,
            reference=both.against,
        )


def _warm_up(both: Readers, question: str, document: Document) -> None:
    both.ask(question, document, Part(both.report, "Warming up"))
    if both.reference:
        both.refer([(question, document.text)])


class _Reads:
    """Readings by both in turn; `peak` is the reference's peak memory in bytes, None if unknown."""

    def __init__(self, both: Readers) -> None:
        self._both = both
        self._pace = 0.0  # the reference's seconds for a word, last time
        self._warned = 0
        self.peak: int | None = None

    def each(self, question: str, lengths: Sequence[_Length]) -> None:
        """Read every document, shorter ones first; the two take turns in reading first."""
        order = [
            (one, document, words)
            for one in lengths
            for document, words in zip(one.documents, one.counts, strict=True)
        ]

        def ours(number: int) -> float:
            one, document, words = order[number]
            one.ours.append(self._ours(question, document, f"A document of {words:,} words"))
            return one.ours[-1]

        def theirs(number: int) -> float:
            one, document, words = order[number]
            one.theirs.append(self._theirs(question, document, words))
            return one.theirs[-1]

        in_turn(ours, theirs if self._both.reference else None, len(order))

    def again(self, questions: Sequence[str], document: Document) -> _Length:
        """Ask about a document that both have read: Spanlight every question, the reference only the first one."""
        second = _Length([document])
        for number, question in enumerate(questions):
            second.ours.append(self._ours(question, document, "Second question"))
            if self._both.reference and not number:
                self._warned = 0
                second.theirs.append(self._theirs(question, document, second.counts[0]))
        return second

    def _ours(self, question: str, document: Document, what: str) -> float:
        return self._both.ask(question, document, Part(self._both.report, what))[1]

    def _theirs(self, question: str, document: Document, words: int) -> float:
        self._warn(words)
        self._both.report.progress(Progress(0, 0, f"The reference reads {words:,} words"))
        found = self._both.refer([(question, document.text)])
        self.peak = found.peak or None
        self._pace = found.seconds / words
        return found.seconds

    def _warn(self, words: int) -> None:
        """Announce, once for each length, how long the reference will take, as it reports no progress."""
        left = words * self._pace
        if left > _LONG and words > 1.5 * self._warned:
            self._warned = words
            self._both.report.notice(
                f"The reference now reads {words:,} words, which takes it about {duration(left)}; "
                "--words makes it less."
            )


def _per_thousand_words(one: _Length) -> BenchRow:
    here, there = (
        [1e6 * seconds / words for seconds, words in zip(spent, one.counts, strict=bool(spent))]
        for spent in (one.ours, one.theirs)
    )
    return row(f"for a thousand of {one.words} words", here, "ms", there)


def _speedup_row(first: _Length, second: _Length) -> BenchRow:
    """Return how much faster a second question about a document is than the first."""
    here, there = (
        median(before) / median(after) if before and after else None
        for before, after in ((first.ours, second.ours), (first.theirs, second.theirs))
    )
    assert here is not None
    what = "the second question is so many times as fast as the first"
    return BenchRow(what, here, "x", there, more_is_better=True)


def _growth(lengths: Sequence[_Length]) -> list[BenchRow]:
    """Return by how much longer, in per cent, a word of the longest document takes than one of the shortest."""
    what = "more time for a word in the longest than in the shortest"
    first, last = (_per_thousand_words(lengths[at]) for at in (0, -1))
    rows = [BenchRow(what, 100 * (last.value / first.value - 1), "%")]
    if first.against and last.against:
        rows.append(BenchRow("the same of the reference", 100 * (last.against / first.against - 1), "%"))
    return rows


def _note(lengths: Sequence[_Length], again: int, reference: bool) -> str:
    """Say how often each length was read."""
    reads = ", ".join(f"{one.words} words {count(len(one.documents), 'time')}" for one in lengths)
    note = f"Read from a document of its own each time: {reads}. --repeats says how often."
    if len(lengths[-1].documents) == 1:
        note += " The longest is read once by default, as that may take the reference minutes."
    note += f" The second question was asked {count(again, 'time')}, another one each time"
    return f"{note}{'; the reference was asked once' if reference else ''}."


def _others(texts: Pool, question: str, seed: int) -> list[str]:
    """Return random questions other than this one, or this one if there are none."""
    questions = dict.fromkeys(example.question for example in texts.answerable)
    questions.pop(question, None)
    found = list(questions)
    return random.Random(seed).sample(found, min(OTHER_QUESTIONS, len(found))) or [question]


def _megabytes(count: int | None) -> float | None:
    return None if count is None else count / MB
