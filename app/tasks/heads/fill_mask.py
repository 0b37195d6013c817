"""Fills the blanks of a text by a masked-word head (BERT, Devlin et al. 2019, section 3.1, Task #1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.core.requests import TextToFill
from app.core.results import FilledBlank, FilledText, Guess
from app.core.text import Span
from app.tasks.batches import Pace, Runner, batch_size, positions_of, require_finite
from app.tasks.scores import softmax
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import Tokens, checked, join, part, tokenise
from app.tasks.text.vocabulary import LeftContext, Vocabulary, mask_id
from app.tasks.text.windows import PairTemplate, Window, single_window

# Logits over a whole vocabulary are large: at most so many positions per batch, unless one window has more blanks.
_MOST_POSITIONS = 64
# Blanks that share a window span at most this share of it, so that each has context on both sides.
_MOST_SPANNED = 0.5


def fill(request: TextToFill, model: ReadyModel, report: Report) -> FilledText:
    """Give every blank its likeliest words, each read with as much of the text on both sides as fits the window.

    Probabilities are a softmax over the whole vocabulary. Only whole words are listed, as they would be written there,
    each spelling once; where the model does not distinguish capitals, a word that opens a sentence is given its
    capital. The word asked about is split as the tokenizer splits it; one of several pieces is read with as many mask
    tokens, and its probability is the product of each piece's given those before it, so not comparable to the listed
    words'. Reports progress in windows. Raises SpanlightError for a text without blanks, a tokenizer without a mask
    token, and a word asked about that is too long; Stopped when the work is to stop.
    """
    request.require_blanks()
    pace = Pace(report, Message("windows"))
    blanked = _BlankedText(request, model, report)
    rows = list(blanked.rows())
    spelled = list(blanked.rows_of_spelled_words())
    blanks: dict[int, FilledBlank] = {}
    runner = Runner(model, report)
    done = 0
    for batch in _batches(rows, batch_size(model)):
        for row, logits in _read(batch, runner, model):
            for at, number in enumerate(row.blanks):
                blanks[number] = blanked.fill(number, logits[at])
        done += len(batch)
        if pace.due():
            pace.report(done, len(rows) + len(spelled))
    for number, piece_rows in spelled:
        probabilities = [
            float(softmax(logits[0])[row.piece])
            for batch in _batches(piece_rows, batch_size(model))
            for row, logits in _read(batch, runner, model)
        ]
        asked = Guess(request.asked[number], float(np.prod(probabilities)), 0, len(probabilities))
        blanks[number] = replace(blanks[number], asked=asked)
        done += 1
        pace.report(done, len(rows) + len(spelled))
    return FilledText(
        tuple(blanks[number] for number in range(len(request.blanks))),
        pace.seconds,
        len(rows),
        model.card.name,
        model.device.title,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A window, the positions of its logits and the numbers of their blanks.

    Of a word that is read piece by piece, `piece` is the vocabulary entry whose probability is needed.
    """

    window: Window
    positions: tuple[int, ...]
    blanks: tuple[int, ...]
    piece: int = 0


class _BlankedText:
    """A text with blanks: makes its windows, and words from their logits."""

    def __init__(self, request: TextToFill, model: ReadyModel, report: Report) -> None:
        self._request = request
        self._model = model
        self._report = report
        self._vocabulary = Vocabulary(model.tokenizer)
        self._lefts = [
            self._vocabulary.left_of_blank(request.text, request.blanks, number)
            for number in range(len(request.blanks))
        ]
        self._asked_pieces = [
            self._vocabulary.pieces(word, left) if word.strip() else None
            for word, left in zip(request.asked or [""] * len(self._lefts), self._lefts, strict=True)
        ]

    def rows(self) -> Iterator[_Row]:
        """The windows in which every blank is read once."""
        numbers = iter(range(len(self._request.blanks)))
        text, blanks = self._request.text, self._request.blanks
        for window in masked_windows(text, blanks, self._model, self._report):
            positions = np.flatnonzero(window.scored) + window.context_at
            yield _Row(window, tuple(map(int, positions)), tuple(next(numbers) for _ in positions))

    def rows_of_spelled_words(self) -> Iterator[tuple[int, list[_Row]]]:
        """The blanks whose word asked about has several pieces, each with a row for every piece."""
        several = [number for number, pieces in enumerate(self._asked_pieces) if pieces and len(pieces) > 1]
        if not several:
            return
        text, blanks = self._request.text, self._request.blanks
        tokens, masks = masked_tokens(text, blanks, self._model, self._report)
        template = PairTemplate.of(self._model.tokenizer)
        room = self._model.card.window - template.single_overhead
        for number in several:
            pieces = self._asked_pieces[number] or ()
            if len(pieces) > room // 2:
                raise SpanlightError(
                    Message(
                        "“{beginning}…” is too long to ask about.", beginning=self._request.asked[number][:30]
                    ),
                    Message("Ask about one word."),
                )
            yield number, list(self._piece_rows(template, tokens, int(masks[number]), number, pieces, room))

    def _piece_rows(
        self,
        template: PairTemplate,
        tokens: Tokens,
        at: int,
        number: int,
        pieces: tuple[int, ...],
        room: int,
    ) -> Iterator[_Row]:
        mask, blank = mask_id(self._model.tokenizer), self._request.blanks[number]
        before, after = part(tokens, 0, at), part(tokens, at + 1, len(tokens))
        for known, piece in enumerate(pieces):
            ids = np.array([*pieces[:known], *[mask] * (len(pieces) - known)], dtype=np.int32)
            starts, ends = (np.full(len(ids), bound, np.int32) for bound in (blank.start, blank.end))
            whole = join((before, Tokens(ids, starts, ends), after))
            first, last = window_around(at, at + len(pieces) - 1, len(whole), room)
            scored = np.zeros(last - first, dtype=bool)
            scored[at + known - first] = True
            window = single_window(template, first, part(whole, first, last), scored)
            yield _Row(window, (window.context_at + at + known - first,), (number,), piece)

    def fill(self, number: int, logits: np.ndarray) -> FilledBlank:
        """A blank with its words by its logits, float[vocabulary]."""
        probabilities, start = softmax(logits), self._request.blanks[number].start
        # An uncased model gives no capitals.
        needs_capital = (
            not self._vocabulary.cased
            and self._lefts[number] is not LeftContext.LETTERS
            and self._vocabulary.opens_sentence(self._request.text, start)
        )
        guesses: dict[str, Guess] = {}
        for rank, entry in enumerate(np.argsort(-logits, kind="stable"), start=1):
            word = self._vocabulary.word(int(entry), self._lefts[number])
            word = word[:1].upper() + word[1:] if needs_capital else word
            if word and word not in guesses:
                guesses[word] = Guess(word, float(probabilities[entry]), rank)
                if len(guesses) >= self._request.top_k:
                    break
        asked, pieces = None, self._asked_pieces[number]
        if pieces is not None:
            word = self._request.asked[number]
            if len(pieces) == 1:
                rank = 1 + int((logits > logits[pieces[0]]).sum())
                asked = Guess(word, float(probabilities[pieces[0]]), rank)
            else:
                asked = Guess(word, 0.0, 0, len(pieces))
        return FilledBlank(self._request.blanks[number], tuple(guesses.values()), asked)


def _batches(rows: Iterable[_Row], size: int) -> Iterator[list[_Row]]:
    batch: list[_Row] = []
    for row in rows:
        # Each row is padded to the one with the most positions.
        positions = (len(batch) + 1) * max(len(each.positions) for each in (*batch, row))
        if batch and (len(batch) >= size or positions > _MOST_POSITIONS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _read(batch: list[_Row], runner: Runner, model: ReadyModel) -> Iterator[tuple[_Row, np.ndarray]]:
    """Each row of a batch with its logits, float[positions, vocabulary]."""
    arrays, _ = runner([row.window for row in batch], positions_of([row.positions for row in batch]))
    for row, padded in zip(batch, arrays["logits"], strict=True):
        logits = padded[: len(row.positions)]
        require_finite(model, logits)
        yield row, logits


def masked_tokens(
    text: str, blanks: Sequence[Span], model: ReadyModel, report: Report
) -> tuple[Tokens, np.ndarray]:
    """A text's tokens without special tokens, but with a mask token for each blank, and the masks' indices (int64[m]).

    They are tokenised together, with the mask's name for each blank; starts and ends are code points of the text as it
    is, a mask's those of its blank. Raises SpanlightError where the tokenizer has no mask token, or loses one; Stopped
    when the work is to stop.
    """
    mask = mask_id(model.tokenizer)
    name = str(model.tokenizer.id_to_token(mask))
    parts, at, names = [], 0, []
    length = 0
    for blank in blanks:
        parts += [text[at : blank.start], name]
        length += blank.start - at + len(name)
        names.append(Span(length - len(name), length))
        at = blank.end
    parts.append(text[at:])
    tokens = join(checked(tokenise(model.tokenizer, "".join(parts), special_at=names), report.check))
    # Some tokenizers also read "[mask]" in the text as the mask token.
    at_blank = np.isin(tokens.starts, [each.start for each in names])
    masks = np.flatnonzero((tokens.ids == mask) & at_blank)
    if len(masks) != len(blanks):
        raise SpanlightError(
            Message("The model's tokenizer does not keep a blank apart from the words beside it."),
            Message("Choose another model for filling in words."),
        )
    # How much further on the text is after the n-th blank than what was tokenised.
    shifts = np.array([0, *(b.end - n.end for b, n in zip(blanks, names, strict=True))], dtype=np.int32)
    shift = shifts[np.searchsorted(np.array([each.end for each in names]), tokens.starts, side="right")]
    starts, ends = tokens.starts + shift, tokens.ends + shift
    starts[masks] = [blank.start for blank in blanks]
    ends[masks] = [blank.end for blank in blanks]
    return Tokens(tokens.ids, starts, ends), masks


def masked_windows(text: str, blanks: Sequence[Span], model: ReadyModel, report: Report) -> Iterator[Window]:
    """Windows of a text in which every blank is read once, with as much context on both sides as fits.

    A blank is one mask token, also where another window reads it; `scored` is True for those read here. Blanks share a
    window where they span at most half of it, or where the text fits whole. Raises as `masked_tokens` does.
    """
    tokens, masks = masked_tokens(text, blanks, model, report)
    template = PairTemplate.of(model.tokenizer)
    room = model.card.window - template.single_overhead
    for group in group_by_window(masks.tolist(), len(tokens), room):
        first, last = window_around(group[0], group[-1], len(tokens), room)
        scored = np.zeros(last - first, dtype=bool)
        scored[np.array(group) - first] = True
        yield single_window(template, first, part(tokens, first, last), scored)


def group_by_window(masks: Sequence[int], count: int, room: int) -> list[list[int]]:
    """The indices of mask tokens, from left to right, grouped by window: `room` of the text's `count` tokens each."""
    groups: list[list[int]] = []
    for mask in masks:
        if groups and (count <= room or mask - groups[-1][0] < room * _MOST_SPANNED):
            groups[-1].append(mask)
        else:
            groups.append([mask])
    return groups


def window_around(first: int, last: int, count: int, room: int) -> tuple[int, int]:
    """The first token of a window around tokens `first` to `last`, and the one after its last.

    It has `room` of the text's `count` tokens. Those are in its middle, unless the text begins or ends near them: then
    the other side is longer.
    """
    spare = room - (last - first + 1)
    start = max(0, min(first - spare // 2, count - room))
    return start, min(count, start + room)
