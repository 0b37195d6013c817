"""A question's windows through the model: each exactly, or a long text's by a quicker forward pass first."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from time import perf_counter

import numpy as np

from app.core.report import Report, Stopped
from app.tasks.batches import Runner, by_length, group_size
from app.tasks.reading import Asked, question_tokens
from app.tasks.screening import CHECKED_ON, FITTED_TO, LEAST_WINDOWS, Margin, Piece, Waiting, best_scores
from app.tasks.task import Arrays, ReadyModel, Screen
from app.tasks.windows import PairTemplate, Window

# Of so many groups the likeliest window is read before the others. 24 questions were asked about 500,000 words, for
# three seconds each: 22 had an answer that is sure enough to be lit up, in the mean after 0.22 s; with one group it was
# 0.35 s, with three 0.31 s.
_ALONE = 6
# So many windows are sorted by their length at once; at first fewer, so that what they hold soon shows.
_SORTED_AT_FIRST, _SORTED = 8, 64
# The threads of a screen wait for the slowest at a batch's end: with 8, every window took 1.05 times as long.
_SCREENED_AT_ONCE = 16

_log = logging.getLogger(__name__)


def screens(asked: Asked, model: ReadyModel) -> bool:
    """Whether a question's text is long enough to be screened, and the model can."""
    return (
        model.screen is not None
        and not asked.question.quick
        and asked.total >= LEAST_WINDOWS + FITTED_TO + CHECKED_ON
    )


class Passes:
    """Reads a question's windows; iterating goes on by one batch through the model at a time.

    The first groups are read exactly. The other windows of a long text are *screened*: the quicker pass tells each
    one's best score nearly, and only those are read exactly, the best first, whose score may be as high as that of the
    last answer that counts. So answers are made of exact logits alone, and are those of a reading of everything as
    long as no difference between the passes is beyond what `Margin` learnt of them.
    """

    def __init__(self, asked: Asked, model: ReadyModel, report: Report) -> None:
        self._asked = asked
        self._model = model
        self._report = report
        self._run = Runner(model, report)
        self._margin = Margin()
        # In less than float32 a window's logits depend on the shape of its batch: so groups stay together.
        self._keeps_groups = model.device.dtype != "float32"
        self._waiting = Waiting(self._keeps_groups)
        self._screened = 0
        self._screening = 0.0
        self._read = 0
        self._reading = 0.0
        self._will_screen = screens(asked, model)

    def __iter__(self) -> Iterator[None]:
        groups = self._groups()
        screen = self._model.screen if self._will_screen else None
        if screen is not None and not self._keeps_groups and not self._asked.question.in_order:
            groups = self._likeliest_first(groups)
        first: list[Piece] = []
        exact: list[float] = []
        for group in groups:
            arrays = self._exactly(group)
            yield
            if screen is None:
                continue
            first += group
            exact += _scores(group, arrays).tolist()
            if len(first) >= CHECKED_ON + (0 if screen.fits(self._asked.texts_hash) else FITTED_TO):
                if self._begins(screen, first, np.array(exact)):
                    yield from self._screen(screen, groups)
                screen, first, self._will_screen = None, [], False

    @property
    def teller(self) -> Asked:
        """The reading to tell of."""
        return self._asked

    @property
    def done(self) -> int:
        """How many windows are done with."""
        return self._asked.read

    @property
    def total(self) -> int:
        """How many windows are to be read."""
        return self._asked.total

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take; None for as fast as so far, inf where nothing tells yet.

        Of the windows ahead few will be read exactly: among n in an order of chance, the k-th is one of the best c with
        probability c / k, so that about c ln(n / k) of those behind it are.
        """
        asked = self._asked
        if not self._screened:
            return math.inf if self._will_screen else None
        each, ahead = self._reading / self._read, max(0, asked.total - asked.read - self._pending)
        seen = max(1, asked.total - ahead)
        likely = min(ahead, max(self._pending, asked.nbest.count) * math.log(max(1.0, asked.total / seen)))
        return ahead * self._screening / self._screened + (likely + self._pending) * each

    def _groups(self) -> Iterator[list[Piece]]:
        groups = self._asked.groups(PairTemplate.of(self._model.tokenizer))
        for number, (document, windows) in enumerate(groups):
            yield [Piece(document, window, number) for window in windows]

    def _likeliest_first(self, groups: Iterator[list[Piece]]) -> Iterator[list[Piece]]:
        """The groups, the likeliest window of each of the first ones alone before the others of these."""
        words = np.unique(question_tokens(self._asked.question.text, self._model).ids)
        others = []
        for group in islice(groups, _ALONE):
            group.sort(key=lambda piece: -_shared(piece.window, words))
            yield group[:1]
            others.append(group[1:])
        yield from filter(None, others)
        yield from groups

    def _exactly(self, pieces: Sequence[Piece]) -> Arrays:
        arrays, seconds = self._run([piece.window for piece in pieces])
        for piece, start, end in zip(pieces, arrays["start_logits"], arrays["end_logits"], strict=True):
            self._asked.take(piece.document, piece.window, start, end)
        self._read += len(pieces)
        self._reading += seconds
        return arrays

    def _begins(self, screen: Screen, first: Sequence[Piece], exact: np.ndarray) -> bool:
        """Fits the screen to some of the windows that were read, and learns from others how far it is off.

        What it was fitted to for a question before holds for the next one about the same text.
        """
        self._report.check()
        chosen = np.zeros(len(first), dtype=bool)
        if not screen.fits(self._asked.texts_hash):
            chosen[:: len(first) // FITTED_TO][:FITTED_TO] = True
            try:
                if not screen.begin(
                    self._run.inputs([first[at].window for at in np.flatnonzero(chosen).tolist()]),
                    self._asked.texts_hash,
                ):
                    return False
            except Stopped:
                raise
            except Exception:
                _log.warning("The quicker pass could not be fitted to a text", exc_info=True)
                return False
        others = np.flatnonzero(~chosen)[:CHECKED_ON]
        nearly = self._look(screen, [first[at] for at in others])
        if nearly is None:
            return False
        self._margin.take(exact[others], nearly)
        return True

    def _look(self, screen: Screen, pieces: Sequence[Piece]) -> np.ndarray | None:
        """Windows' best scores by the screen, float64[n]; None where it fails."""
        self._report.check()
        inputs = self._run.inputs([piece.window for piece in pieces])
        started = perf_counter()
        try:
            arrays = screen(inputs)
            shapes = {arrays[name].shape for name in ("start_logits", "end_logits")}
        except Stopped:
            raise
        except Exception:
            _log.warning("The quicker pass failed", exc_info=True)
            return None
        self._screening += perf_counter() - started
        if shapes != {inputs["input_ids"].shape} or not _finite(arrays, inputs["attention_mask"]):
            _log.warning("The quicker pass gave no numbers, or too many: %s", shapes)
            return None
        self._screened += len(pieces)
        return _scores(pieces, arrays)

    def _screen(self, screen: Screen, groups: Iterator[list[Piece]]) -> Iterator[None]:
        """Screens the windows of all groups, and reads of them what is to be read."""
        size = _SORTED_AT_FIRST
        while buffer := _take(groups, size):
            size = min(2 * size, _SORTED)
            left = dict.fromkeys(chain.from_iterable(buffer))
            for batch in by_length(list(left), lambda piece: piece.window, _SCREENED_AT_ONCE):
                nearly = self._look(screen, batch)
                if nearly is None:
                    buffer = [[piece for piece in group if piece in left] for group in buffer]
                    for group in chain(filter(None, buffer), groups):
                        self._exactly(group)
                        self._count()
                        yield
                    break
                for piece, score in zip(batch, nearly.tolist(), strict=True):
                    self._waiting.add(piece, score)
                    del left[piece]
                self._count()
                yield
                if not self._keeps_groups:
                    yield from self._read_soon()
            if self._keeps_groups:  # of a buffer every group is whole, of a batch perhaps not
                yield from self._read_soon()
        while self._read_waiting(group_size(self._model)):
            yield

    def _read_soon(self) -> Iterator[None]:
        """Reads what may be the answer at once, and what may be shown as soon as it fills a batch."""
        if self._asked.question.in_order:
            return
        size = group_size(self._model)
        while True:
            bounds, margin = self._asked.bounds, self._margin.usual
            answers = self._waiting.above(bounds.best - margin)
            if not answers and self._waiting.above(bounds.shown - margin) < size:
                return
            self._read_waiting(size)
            yield

    def _read_waiting(self, size: int) -> bool:
        """Reads the best of the screened windows that may matter; whether there were any."""
        pieces, nearly = self._waiting.pop(self._least, size)
        if pieces:
            self._count()
            self._margin.take(_scores(pieces, self._exactly(pieces)), nearly)
            self._count()
        return bool(pieces)

    @property
    def _least(self) -> float:
        """The screened score from which on a window may matter."""
        bounds = self._asked.bounds
        return min(bounds.shown - self._margin.wide, bounds.counted - self._margin.usual)

    @property
    def _pending(self) -> int:
        """How many of the screened windows are to be read, as things stand."""
        return self._waiting.above(self._least)

    def _count(self) -> None:
        self._asked.rule_out(len(self._waiting) - self._pending)


def _scores(pieces: Sequence[Piece], arrays: Arrays) -> np.ndarray:
    return best_scores([piece.window for piece in pieces], arrays["start_logits"], arrays["end_logits"])


def _finite(arrays: Arrays, attention_mask: np.ndarray) -> bool:
    """Whether all logits but those of padding are numbers."""
    finite = np.isfinite(arrays["start_logits"]) & np.isfinite(arrays["end_logits"])
    return bool((finite | (attention_mask == 0)).all())


def _shared(window: Window, words: np.ndarray) -> int:
    """How many of the question's tokens `words` stand among those that a window scores."""
    context = window.input_ids[window.context_at :][: len(window.starts)]
    return int(np.isin(words, context[window.scored]).sum())


def _take(groups: Iterator[list[Piece]], size: int) -> list[list[Piece]]:
    """The next groups, of `size` windows together or a few more."""
    taken: list[list[Piece]] = []
    count = 0
    for group in groups:
        taken.append(group)
        count += len(group)
        if count >= size:
            break
    return taken
