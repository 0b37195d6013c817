"""Words for blanks by a masked-word head (BERT, Devlin et al. 2019, section 3.1, Task #1)."""

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
from app.tasks.text.vocabulary import Seam, Vocabulary, mask_id
from app.tasks.text.windows import PairTemplate, Window, single_window

# Logits over a whole vocabulary are large: at most so many places per batch, unless one window has more blanks.
_MOST_PLACES = 64


def fill(request: TextToFill, model: ReadyModel, report: Report) -> FilledText:
    """Gives every blank its likeliest words, each read with as much of the text on both sides as fits the window.

    Probabilities are a softmax over the whole vocabulary. Only whole words are listed, as they would be written there,
    each spelling once; where the model does not distinguish capitals, a word that opens a sentence is given its
    capital. The word asked about is split as the tokenizer splits it; one of several pieces is read with as many mask
    tokens, and its probability is the product of each piece's given those before it, so not comparable to the listed
    words'. Reports progress in windows. Raises SpanlightError for a text without blanks, a tokenizer without a mask
    token, and a word asked about that is too long; Stopped when the work is to stop.
    """
    request.require_blanks()
    pace = Pace(report, Message("windows"))
    reader = _Reader(request, model, report)
    rows = list(reader.rows())
    words = list(reader.spelled())
    blanks: dict[int, FilledBlank] = {}
    run = Runner(model, report)
    done = 0
    for batch in _batches(rows, batch_size(model)):
        for row, logits in _read(batch, run, model):
            for at, number in enumerate(row.blanks):
                blanks[number] = reader.filled(number, logits[at])
        done += len(batch)
        if pace.due():
            pace.report(done, len(rows) + len(words))
    for number, piece_rows in words:
        chances = [
            float(softmax(logits[0])[row.wanted])
            for batch in _batches(piece_rows, batch_size(model))
            for row, logits in _read(batch, run, model)
        ]
        asked = Guess(request.asked[number], float(np.prod(chances)), 0, len(chances))
        blanks[number] = replace(blanks[number], asked=asked)
        done += 1
        pace.report(done, len(rows) + len(words))
    return FilledText(
        tuple(blanks[number] for number in range(len(request.blanks))),
        pace.seconds,
        len(rows),
        model.card.name,
        model.device.title,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A window, the positions of its logits and their blanks; `wanted` is the piece whose probability is needed."""

    window: Window
    positions: tuple[int, ...]
    blanks: tuple[int, ...]
    wanted: int = 0

    def __len__(self) -> int:
        return len(self.window)


class _Reader:
    """One text with blanks: makes its windows, and words from logits."""

    def __init__(self, request: TextToFill, model: ReadyModel, report: Report) -> None:
        self._request = request
        self._model = model
        self._report = report
        self._vocabulary = Vocabulary(model.tokenizer)
        self._seams = [
            self._vocabulary.blank_seam(request.text, request.blanks, number)
            for number in range(len(request.blanks))
        ]
        self._capitals = not self._vocabulary.cased
        self._asked = [
            self._vocabulary.pieces(word, seam) if word.strip() else None
            for word, seam in zip(request.asked or [""] * len(self._seams), self._seams, strict=True)
        ]

    def rows(self) -> Iterator[_Row]:
        """The windows in which every blank is read once."""
        numbers = iter(range(len(self._request.blanks)))
        text, blanks = self._request.text, self._request.blanks
        for each in masked_windows(text, blanks, self._model, self._report):
            places = np.flatnonzero(each.scored) + each.context_at
            yield _Row(each, tuple(map(int, places)), tuple(next(numbers) for _ in places))

    def spelled(self) -> Iterator[tuple[int, list[_Row]]]:
        """The blanks whose word asked about has several pieces, with a row for each piece."""
        several = [number for number, pieces in enumerate(self._asked) if pieces and len(pieces) > 1]
        if not several:
            return
        text, blanks = self._request.text, self._request.blanks
        tokens, places = masked_tokens(text, blanks, self._model, self._report)
        template = PairTemplate.of(self._model.tokenizer)
        room = self._model.card.window - template.single_overhead
        for number in several:
            pieces = self._asked[number] or ()
            if len(pieces) > room // 2:
                raise SpanlightError(
                    Message(
                        "“{beginning}…” is too long to ask about.", beginning=self._request.asked[number][:30]
                    ),
                    Message("Ask about one word."),
                )
            yield number, list(self._piece_rows(template, tokens, int(places[number]), number, pieces, room))

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
            whole = join((before, _at(ids, blank), after))
            first, last = stretch(at, at + len(pieces) - 1, len(whole), room)
            scored = np.zeros(last - first, dtype=bool)
            scored[at + known - first] = True
            read = single_window(template, first, part(whole, first, last), scored)
            yield _Row(read, (read.context_at + at + known - first,), (number,), piece)

    def filled(self, number: int, logits: np.ndarray) -> FilledBlank:
        """A blank's words from its logits, float[vocabulary]."""
        chances, start = softmax(logits), self._request.blanks[number].start
        # A capital that the model does not know.
        opens = (
            self._capitals
            and self._seams[number] is not Seam.LETTERS
            and self._vocabulary.opens_sentence(self._request.text, start)
        )
        guesses: dict[str, Guess] = {}
        for rank, entry in enumerate(np.argsort(-logits, kind="stable"), start=1):
            word = self._vocabulary.word(int(entry), self._seams[number])
            word = word[:1].upper() + word[1:] if opens else word
            if word and word not in guesses:
                guesses[word] = Guess(word, float(chances[entry]), rank)
                if len(guesses) >= self._request.top_k:
                    break
        asked, pieces = None, self._asked[number]
        if pieces is not None:
            word = self._request.asked[number]
            if len(pieces) == 1:
                rank = 1 + int((logits > logits[pieces[0]]).sum())
                asked = Guess(word, float(chances[pieces[0]]), rank)
            else:
                asked = Guess(word, 0.0, 0, len(pieces))
        return FilledBlank(self._request.blanks[number], tuple(guesses.values()), asked)


def _at(ids: np.ndarray, blank: Span) -> Tokens:
    return Tokens(ids, np.full(len(ids), blank.start, np.int32), np.full(len(ids), blank.end, np.int32))


def _batches(rows: Iterable[_Row], size: int) -> Iterator[list[_Row]]:
    batch: list[_Row] = []
    for row in rows:
        # Each row is padded to the one with the most places.
        places = (len(batch) + 1) * max(len(one.positions) for one in (*batch, row))
        if batch and (len(batch) >= size or places > _MOST_PLACES):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _read(batch: list[_Row], run: Runner, model: ReadyModel) -> Iterator[tuple[_Row, np.ndarray]]:
    arrays, _ = run([row.window for row in batch], positions_of([row.positions for row in batch]))
    logits = arrays["logits"]
    for number, row in enumerate(batch):
        own = logits[number, : len(row.positions)]
        require_finite(model, own)
        yield row, own


# Blanks that share a window span at most this share of it, so that each has context on both sides.
_SHARED = 0.5


def masked_tokens(
    text: str, blanks: Sequence[Span], model: ReadyModel, report: Report
) -> tuple[Tokens, np.ndarray]:
    """The tokens of a text without special tokens, with a mask token for each blank, and those masks' numbers.

    The masks' places are the blanks'; the other tokens are those of the text with mask tokens in it, and their places
    count in the text as it is. Numbers are int64[blanks]. Raises SpanlightError where the tokenizer has no mask token,
    or loses one; Stopped when the work is to stop.
    """
    mask = mask_id(model.tokenizer)
    name = str(model.tokenizer.id_to_token(mask))
    parts, at, masks, ends = [], 0, [], []
    length = 0
    for blank in blanks:
        parts += [text[at : blank.start], name]
        length += blank.start - at + len(name)
        masks.append(Span(length - len(name), length))
        ends.append(length)
        at = blank.end
    parts.append(text[at:])
    tokens = join(checked(tokenise(model.tokenizer, "".join(parts), special_at=masks), report.check))
    # Some tokenizers also read "[mask]" in the text as the mask token.
    at_blank = np.isin(tokens.starts, [place.start for place in masks])
    places = np.flatnonzero((tokens.ids == mask) & at_blank)
    if len(places) != len(blanks):
        raise SpanlightError(
            Message("The model's tokenizer does not keep a blank apart from the words beside it."),
            Message("Choose another model for filling in words."),
        )
    # How much further on the text is behind the n-th mask than in what was tokenised.
    moved = np.array([0, *(b.end - end for b, end in zip(blanks, ends, strict=True))], dtype=np.int32)
    shift = moved[np.searchsorted(np.array(ends), tokens.starts, side="right")]
    starts, finish = tokens.starts + shift, tokens.ends + shift
    starts[places] = [blank.start for blank in blanks]
    finish[places] = [blank.end for blank in blanks]
    return Tokens(tokens.ids, starts, finish), places


def masked_windows(text: str, blanks: Sequence[Span], model: ReadyModel, report: Report) -> Iterator[Window]:
    """Windows of a text in which every blank is read once, with as much context on both sides as fits.

    A blank is one mask token, also where another window reads it; `scored` is True for those read here. Blanks share a
    window where they span at most half of it, or where the text fits whole. Raises as `masked_tokens` does.
    """
    tokens, places = masked_tokens(text, blanks, model, report)
    template = PairTemplate.of(model.tokenizer)
    room = model.card.window - template.single_overhead
    for group in groups([int(place) for place in places], len(tokens), room):
        first, last = stretch(group[0], group[-1], len(tokens), room)
        scored = np.zeros(last - first, dtype=bool)
        scored[np.array(group) - first] = True
        yield single_window(template, first, part(tokens, first, last), scored)


def groups(places: Sequence[int], count: int, room: int) -> list[list[int]]:
    """Groups the numbers of mask tokens, from left to right, by window: `room` of the text's `count` tokens each."""
    found: list[list[int]] = []
    for place in places:
        if found and (count <= room or place - found[-1][0] < room * _SHARED):
            found[-1].append(place)
        else:
            found.append([place])
    return found


def stretch(first: int, last: int, count: int, room: int) -> tuple[int, int]:
    """The first token of a window of `room` tokens around tokens `first` to `last`, and the one behind its last.

    They are in its middle, unless the text begins or ends near them: then the other side is longer.
    """
    spare = room - (last - first + 1)
    start = max(0, min(first - spare // 2, count - room))
    return start, min(count, start + room)
