"""Measure what pretraining teaches, on running text: masked words, and whether one stretch continues another."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, PassagePairs, TextsToMask
from app.core.results import FollowOn, MaskedText
from app.core.sentences import sentences
from app.core.text import RunningText
from app.flows.groups import GroupReport, groups
from app.flows.joining import sample
from app.flows.models.installed import keep_beside, measured_on
from app.flows.rows import LONE_SURROGATE
from app.flows.workspace import Workspace
from app.training.running_text import read_running_text

# Characters of a stretch from which on no more sentences are taken: two make up about 128 tokens.
_STRETCH = 250


@dataclass(frozen=True, slots=True)
class PretrainingPlan:
    """What to measure on: files, how many texts of each (0 for all). `record` keeps the figures with the model."""

    files: tuple[Path, ...]
    limit: int = 0
    seed: int = 13
    record: bool = False


@dataclass(frozen=True, slots=True)
class WordFigures:
    """Masked tokens, and the shares of them (0 to 1) named first and among the first five; `loss` is their mean
    negative log probability (natural).
    """

    words: int
    top1: float
    top5: float
    loss: float


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Pairs of a stretch with what follows it, each held against the same stretch with one of another document.

    0 to 1: `accuracy` is the share of both kinds told right, `ordered` that of the true follow-ups that score higher
    than the other.
    """

    pairs: int
    accuracy: float
    ordered: float


@dataclass(frozen=True, slots=True)
class PretrainingEvaluation:
    """All that was measured, over all and by source; no pairs where the model has no such head, or no text has two
    sentences.
    """

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
    workspace: Workspace, plan: PretrainingPlan, report: Report, *, model: str = "", device: str = ""
) -> PretrainingEvaluation:
    """Mask words of every text, and ask of every text that has two sentences whether its second part continues the
    first, and whether a part of another document does.

    Raises SpanlightError for files that do not fit and a model without a head over words, Stopped when the report says
    so.
    """
    card = workspace.find_model(Head.MASKED_WORDS, model)
    texts = [text for path in plan.files for text in sample(read_running_text(path), plan.limit, plan.seed)]
    texts = [_clean(text) for text in texts if "".join(text.paragraphs).strip()]
    if not texts:
        raise SpanlightError("There is no text in the files.", "Give files with running text.")
    paired = pairs_of(texts, plan.seed) if Head.NEXT_SENTENCE in card.heads else []
    whole = GroupReport(report, len(texts) + 2 * len(paired), "texts")
    words = _words(workspace, card, texts, plan, whole, device)
    told = _pairs(workspace, card, paired, whole, device)
    sources = sorted({text.source for text in texts})
    evaluation = PretrainingEvaluation(
        model=card.name,
        texts=len(texts),
        words=word_figures(words),
        pairs=pair_figures(told) if told else None,
        words_by_source={
            s: word_figures([w for t, w in zip(texts, words, strict=True) if t.source == s]) for s in sources
        },
        pairs_by_source={
            s: pair_figures(own)
            for s in sources
            if (own := [t for p, t in zip(paired, told, strict=True) if p.source == s])
        },
        seconds=whole.seconds,
    )
    if plan.record:
        keep_beside(card, measured={measured_on(plan.files): _recorded(evaluation)})
    return evaluation


def pairs_of(texts: Sequence[RunningText], seed: int) -> list[_Pair]:
    """A pair of each text that has two sentences, cut between two of them by chance, and of another document's text
    a stretch from between two of its sentences. None where all are of one document.
    """
    held = [(text, [s.of(p) for p in text.paragraphs for s in sentences(p)]) for text in texts]
    held = [(text, found) for text, found in held if len(found) > 1]
    if len({text.document for text, _ in held}) < 2:
        return []
    made = []
    for number, (text, own) in enumerate(held):
        dice = random.Random(f"{seed} {number} {own[0]}")
        middle = dice.randrange(1, len(own))
        while True:
            other, theirs = held[dice.randrange(len(held))]
            if other.document != text.document:
                break
        made.append(
            _Pair(
                _before(own, middle),
                _after(own, middle),
                _after(theirs, dice.randrange(1, len(theirs))),
                text.source,
            )
        )
    return made


def word_figures(found: Sequence[MaskedText]) -> WordFigures:
    """Figures over what several texts brought."""
    words = sum(item.masked for item in found)
    first, five = sum(item.first for item in found), sum(item.five for item in found)
    count = max(1, words)
    return WordFigures(words, first / count, five / count, sum(item.surprise for item in found) / count)


def pair_figures(found: Sequence[tuple[FollowOn, FollowOn]]) -> PairFigures:
    """Figures over pairs, each told of with the true follow-up and with the other one; at least one."""
    scores = [(_margin(true), _margin(other)) for true, other in found]
    right = sum((true > 0) + (other < 0) for true, other in scores)
    ordered = sum(true > other for true, other in scores)
    return PairFigures(len(found), right / (2 * len(found)), ordered / len(found))


def _words(
    workspace: Workspace,
    card: ModelCard,
    texts: Sequence[RunningText],
    plan: PretrainingPlan,
    whole: GroupReport,
    device: str,
) -> list[MaskedText]:
    choice = ModelChoice(card.folder, device or workspace.settings.device)
    found: list[MaskedText] = []
    for group in groups(("\n\n".join(text.paragraphs) for text in texts), len):
        request = TextsToMask(tuple(group), seed=plan.seed)
        found += workspace.engine.run(request, choice, whole).items
        whole.finished(len(group))
    return found


def _pairs(
    workspace: Workspace, card: ModelCard, paired: Sequence[_Pair], whole: GroupReport, device: str
) -> list[tuple[FollowOn, FollowOn]]:
    if not paired:
        return []
    choice = ModelChoice(card.folder, device or workspace.settings.device)
    asked = [(pair.first, second) for pair in paired for second in (pair.follows, pair.other)]
    found: list[FollowOn] = []
    for group in groups(asked, lambda pair: sum(map(len, pair))):
        found += workspace.engine.run(PassagePairs(tuple(group)), choice, whole).items
        whole.finished(len(group))
    return list(zip(found[::2], found[1::2], strict=True))


def _clean(text: RunningText) -> RunningText:
    return replace(text, paragraphs=tuple(LONE_SURROGATE.sub("\ufffd", p) for p in text.paragraphs))


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


def _recorded(found: PretrainingEvaluation) -> dict[str, float]:
    told = {f"masked {name}": value for name, value in asdict(found.words).items() if name != "words"}
    if found.pairs:
        told |= {
            f"next sentence {name}": value for name, value in asdict(found.pairs).items() if name != "pairs"
        }
    return {"texts": float(found.texts)} | {name: round(value, 4) for name, value in told.items()}
