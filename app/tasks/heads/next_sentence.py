"""Tells whether one passage continues another, by a head over the pooled output.

BERT, Devlin et al. 2019, section 3.1, Task #2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from app.core.message import Message
from app.core.report import Report
from app.core.requests import PassagePairs
from app.core.results import FollowOn, FollowOns
from app.tasks.batches import Pace, Runner, batch_size, by_length, require_finite
from app.tasks.heads.texts import OrderedResults
from app.tasks.scores import softmax
from app.tasks.task import ReadyModel
from app.tasks.text.tokens import CHUNK, Tokens, checked, chunk_end, first_tokens, join, moved, part, tokenise
from app.tasks.text.windows import PairTemplate


@dataclass(frozen=True, slots=True)
class PairWindow:
    """Two passages as one input of the model.

    `input_ids` and `token_type_ids` are int64[L]. `passages` are the tokens read of each, with code points of its own
    text; `at` is where in the input each begins, `cut` whether it was shortened: the first at its beginning, the second
    at its end.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    passages: tuple[Tokens, Tokens]
    at: tuple[int, int]
    cut: tuple[bool, bool]

    def __len__(self) -> int:
        return len(self.input_ids)


def follow(request: PassagePairs, model: ReadyModel, report: Report) -> FollowOns:
    """The probability that the second passage of each pair continues the first: a softmax over both logits.

    A pair is read in one window; see `pair_window`. Reports progress in pairs; partial results are the pairs done so
    far, from the first one on. Raises SpanlightError when there is no pair or a passage is blank, naming it;
    Stopped when the work is to stop.
    """
    request.require_words()
    pace = Pace(report, Message("pairs"))
    items: OrderedResults[FollowOn] = OrderedResults(len(request.pairs))
    for index, item in _read(request.pairs, model, report):
        items.put(index, item)
        if pace.due() or items.complete:
            pace.report(items.done, len(request.pairs))
            if items.worth_reporting(items.ready):
                report.partial(_result(items.prefix(), pace.seconds, model))
    return _result(items.prefix(), pace.seconds, model)


def pair_window(first: str, second: str, model: ReadyModel, check: Callable[[], None]) -> PairWindow:
    """Both passages as one input of at most the model's window.

    Where they do not fit, the longer one is shortened until they do or both are equally long: the first at its
    beginning, the second at its end, so that the text where they meet is read. `check` is called between the chunks of
    a long text, and may raise.
    """
    template = PairTemplate.of(model.tokenizer)
    room = model.card.window - template.pair_overhead
    before, starts_later = _last_tokens(first, room, model, check)
    after = first_tokens(model.tokenizer, second, room, check)
    sizes = shared_room(len(before), len(after), room)
    cut = (starts_later or sizes[0] < len(before), sizes[1] < len(after))
    before, after = part(before, len(before) - sizes[0], len(before)), part(after, 0, sizes[1])
    ids, types = template.pair(before.ids, after.ids)
    at = (len(template.pair_parts[0]), template.context_at(len(before)))
    return PairWindow(ids, types, (before, after), at, cut)


def shared_room(first: int, second: int, room: int) -> tuple[int, int]:
    """The numbers of tokens to read of two passages of these lengths, both together at most `room`.

    The longer one is shortened first; where both have more than half, the second gets the odd token.
    """
    half = room // 2
    if first + second <= room:
        return first, second
    if first <= half:
        return first, room - first
    if second <= room - half:
        return room - second, second
    return half, room - half


def _last_tokens(text: str, least: int, model: ReadyModel, check: Callable[[], None]) -> tuple[Tokens, bool]:
    """The last tokens of a text, at least `least` where it has as many, and whether there are words before them.

    A long text is tokenised near its end, and again from further back while there are too few.
    """
    reach = 2 * CHUNK
    while True:
        at = chunk_end(text, len(text) - reach, CHUNK) if len(text) > reach else 0
        tokens = moved(join(checked(tokenise(model.tokenizer, text[at:]), check)), at)
        if len(tokens) >= least or at == 0:
            return tokens, bool(text[:at].strip())
        reach *= 4


def _read(
    pairs: tuple[tuple[str, str], ...], model: ReadyModel, report: Report
) -> Iterator[tuple[int, FollowOn]]:
    runner = Runner(model, report)
    windows = ((index, pair_window(*pair, model, report.check)) for index, pair in enumerate(pairs))
    for batch in by_length(windows, lambda numbered: numbered[1], batch_size(model)):
        arrays, _ = runner([window for _, window in batch])
        logits = arrays["logits"]
        require_finite(model, logits)
        for row, (index, window) in enumerate(batch):
            continues, does_not = (float(value) for value in logits[row])
            lengths = len(window.passages[0]), len(window.passages[1])
            probability = float(softmax(logits[row])[0])
            yield index, FollowOn(probability, (continues, does_not), lengths, window.cut)


def _result(items: list[FollowOn], seconds: float, model: ReadyModel) -> FollowOns:
    return FollowOns(tuple(items), seconds, model.card.name, model.device.title)
