"""Measures a model on the pretraining tasks: masked words and next sentences of running text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice, PassagePairs, TextsToMask
from app.core.results import FollowOn, MaskedText
from app.core.rows import without_surrogates
from app.core.sentences import sentences
from app.core.text import RunningText
from app.flows.batches import GroupReport, groups
from app.flows.measure.plan import Plan, by_source, figures_by_name, sample_files
from app.flows.models.installed import measured_on, update_notes
from app.flows.workspace import Workspace
from app.training.running_text import read_running_text

# Sentences are added to a passage until it has this many characters; two passages are about 128 tokens.
_STRETCH = 250


@dataclass(frozen=True, slots=True)
class WordFigures:
    """The number of masked tokens, and the shares of them (0 to 1) predicted first and among the first five.

    `loss` is their mean negative natural log probability.
    """

    words: int
    top1: float
    top5: float
    loss: float


@dataclass(frozen=True, slots=True)
class PairFigures:
    """The number of pairs, each of a passage with its continuation and with a passage of another document.

    `accuracy`, 0 to 1, is the share of both kinds that is classified correctly, `ordered` the share of continuations
    that score higher than the other passage.
    """

    pairs: int
    accuracy: float
    ordered: float


@dataclass(frozen=True, slots=True)
class PretrainingEvaluation:
    """All figures, overall and by source; `pairs` is None if the model has no such head, or there are no pairs."""

    model: str
    texts: int
    words: WordFigures
    pairs: PairFigures | None
    words_by_source: dict[str, WordFigures]
    pairs_by_source: dict[str, PairFigures]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Pair:
    first: str
    follows: str
    other: str
    source: str


def evaluate_pretraining(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> PretrainingEvaluation:
    """Predict masked words of every text, and score whether its parts, and those of other documents, continue it.

    Raises SpanlightError for files that do not fit and a model without a head for masked words, Stopped when cancelled.
    """
    card = workspace.find_model(Head.MASKED_WORDS, model)
    texts = sample_files(plan, read_running_text)
    texts = [_clean(text) for text in texts if "".join(text.paragraphs).strip()]
    if not texts:
        raise SpanlightError("There is no text in the files.", "Give files with running text.")
    paired = pairs_of(texts, plan.seed) if Head.NEXT_SENTENCE in card.heads else []
    whole = GroupReport(report, len(texts) + 2 * len(paired), "texts")
    choice = ModelChoice(card.folder, device or workspace.settings.device)
    words = _mask_words(workspace, choice, texts, plan, whole)
    follow_ons = _score_pairs(workspace, choice, paired, whole)
    evaluation = PretrainingEvaluation(
        model=card.name,
        texts=len(texts),
        words=word_figures(words),
        pairs=pair_figures(follow_ons) if follow_ons else None,
        words_by_source=by_source(texts, lambda places: word_figures([words[at] for at in places])),
        pairs_by_source=by_source(paired, lambda places: pair_figures([follow_ons[at] for at in places])),
        seconds=whole.seconds,
    )
    if plan.record:
        update_notes(card, measured={measured_on(plan.files): _figures_by_name(evaluation)})
    return evaluation


def pairs_of(texts: Sequence[RunningText], seed: int) -> list[_Pair]:
    """Split each text of at least two sentences between two of them at random, and add a passage of another document.

    Returns no pairs if all texts are of one document.
    """
    split = [(text, [s.of(p) for p in text.paragraphs for s in sentences(p)]) for text in texts]
    split = [(text, found) for text, found in split if len(found) > 1]
    if len({text.document for text, _ in split}) < 2:
        return []
    pairs = []
    for number, (text, own) in enumerate(split):
        rng = random.Random(f"{seed} {number} {own[0]}")
        middle = rng.randrange(1, len(own))
        while True:
            other, theirs = split[rng.randrange(len(split))]
            if other.document != text.document:
                break
        pairs.append(
            _Pair(
                _before(own, middle),
                _after(own, middle),
                _after(theirs, rng.randrange(1, len(theirs))),
                text.source,
            )
        )
    return pairs


def word_figures(found: Sequence[MaskedText]) -> WordFigures:
    """Compute figures from the results of several texts."""
    words = sum(item.masked for item in found)
    first, five = sum(item.first for item in found), sum(item.five for item in found)
    count = max(1, words)
    return WordFigures(words, first / count, five / count, sum(item.surprise for item in found) / count)


def pair_figures(found: Sequence[tuple[FollowOn, FollowOn]]) -> PairFigures:
    """Compute figures of at least one pair, each scored with the continuation and with the other passage."""
    scores = [(_margin(true), _margin(other)) for true, other in found]
    right = sum((true > 0) + (other < 0) for true, other in scores)
    ordered = sum(true > other for true, other in scores)
    return PairFigures(len(found), right / (2 * len(found)), ordered / len(found))


def _mask_words(
    workspace: Workspace,
    choice: ModelChoice,
    texts: Sequence[RunningText],
    plan: Plan,
    whole: GroupReport,
) -> list[MaskedText]:
    found: list[MaskedText] = []
    for group in groups(("\n\n".join(text.paragraphs) for text in texts), len):
        request = TextsToMask(tuple(group), seed=plan.seed)
        found += workspace.engine.run(request, choice, whole).items
        whole.count_done(len(group))
    return found


def _score_pairs(
    workspace: Workspace, choice: ModelChoice, paired: Sequence[_Pair], whole: GroupReport
) -> list[tuple[FollowOn, FollowOn]]:
    passages = [(pair.first, second) for pair in paired for second in (pair.follows, pair.other)]
    found: list[FollowOn] = []
    for group in groups(passages, lambda pair: sum(map(len, pair))):
        found += workspace.engine.run(PassagePairs(tuple(group)), choice, whole).items
        whole.count_done(len(group))
    return list(zip(found[::2], found[1::2], strict=True))


def _clean(text: RunningText) -> RunningText:
    return replace(text, paragraphs=tuple(map(without_surrogates, text.paragraphs)))


def _before(own: Sequence[str], middle: int) -> str:
    start = middle - 1
    while start > 0 and sum(map(len, own[start:middle])) < _STRETCH:
        start -= 1
    return " ".join(own[start:middle])


def _after(own: Sequence[str], middle: int) -> str:
    end = middle + 1
    while end < len(own) and sum(map(len, own[middle:end])) < _STRETCH:
        end += 1
    return " ".join(own[middle:end])


def _margin(item: FollowOn) -> float:
    return item.logits[0] - item.logits[1]


def _figures_by_name(found: PretrainingEvaluation) -> dict[str, float]:
    words = figures_by_name(found.words, 4, "words")
    pairs = figures_by_name(found.pairs, 4, "pairs") if found.pairs else {}
    return {
        "texts": float(found.texts),
        **{f"masked {name}": value for name, value in words.items()},
        **{f"next sentence {name}": value for name, value in pairs.items()},
    }
