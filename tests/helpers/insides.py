"""Opened models' results made by hand: of the right shape for any subject, and the same every time."""

from __future__ import annotations

import math
import re
import zlib
from array import array
from collections.abc import Sequence
from typing import Any

from app.core.inside import (
    Attention,
    Attribution,
    HeadPicture,
    InputToken,
    InputWindow,
    Losses,
    LossTerm,
    ModelPicture,
    ModuleRow,
    Part,
    Pooling,
    Removal,
    Removals,
    SpanScore,
    SpanScores,
    Stage,
)
from app.core.inspection import (
    LookAtAttention,
    LookAtLoss,
    LookAtModel,
    LookAtPooling,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Method,
    Subject,
    Visit,
)
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, PassagePairs, Question, TextsToClassify, TextsToTag, TextToFill
from app.core.results import (
    Answer,
    Classification,
    Classifications,
    ClassScore,
    Entity,
    FilledBlank,
    FilledText,
    FollowOn,
    FollowOns,
    Guess,
    Reading,
    Tagged,
    TaggedTexts,
)
from app.core.text import Span

WIDTH, LAYERS, VOCABULARY = 384, 6, 30522

QUESTION = "What causes the tides?"
TEXT = (
    "On most coasts the sea comes up the beach twice a day and goes down again twice a day. The tides are caused"
    " mainly by the pull of the Moon. As the Earth turns, each place passes through both bulges."
)
ANSWER = Span(TEXT.index("the pull"), TEXT.index(" Moon") + 5)
ASKED = Subject(Head.QUESTION_ANSWERING, TEXT, QUESTION, focus=ANSWER)
REVIEW = Subject(
    Head.CLASSIFICATION, "The kettle is quick and quiet. The lid leaks, though. I would buy it again."
)
BLANKED = Subject(Head.MASKED_WORDS, "Paris is the capital of ___.", blanks=(Span(24, 27),))
FOLLOWED = Subject(Head.NEXT_SENTENCE, "The tide was out.", "So we walked across the sand to the island.")
NAMED = Subject(Head.TOKEN_CLASSIFICATION, "Ada Lovelace met Charles Babbage in London.")
SUBJECTS = (ASKED, REVIEW, BLANKED, FOLLOWED, NAMED)

LABELS = ("negative", "positive")
READER = ModelCard(
    "reader-quick", "/models/reader-quick", "bert", (Head.QUESTION_ANSWERING,), parameters=22_566_146
)
OTHER_READER = ModelCard("other-qa", "/models/other-qa", "distilbert", (Head.QUESTION_ANSWERING,))
MOODS = ModelCard(
    "starter-sentiment", "/models/moods", "bert", (Head.CLASSIFICATION,), labels=LABELS, parameters=22_713_986
)
PRETRAINED = ModelCard(
    "starter-pretraining", "/models/pretraining", "bert", (Head.MASKED_WORDS, Head.NEXT_SENTENCE)
)
NAMER = ModelCard(
    "starter-entities",
    "/models/entities",
    "bert",
    (Head.TOKEN_CLASSIFICATION,),
    labels=("O", "B-PER", "I-PER"),
)
CARDS = (READER, OTHER_READER, MOODS, PRETRAINED, NAMER)


def visit(subject: Subject = ASKED, model: str = "") -> Visit:
    """A visit as another page would hand it over."""
    return Visit(subject, model, subject.pair or subject.text[:40])


def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
    """What a FakeEngine answers to every look."""
    report.check()
    model = choice.folder.rsplit("/", 1)[-1] if choice else ""
    match request:
        case LookAtModel():
            return picture(request.subject, model)
        case LookAtSpans():
            return span_scores(request.subject, model)
        case LookAtPooling():
            return pooling(request.subject, model)
        case LookAtLoss():
            return losses(request, model)
        case LookAtReasons():
            report.progress(Progress(1, 2, "Following the gradients"))
            return attribution(request, model)
        case LookAtAttention():
            return attention(request.subject, request.layer, model)
        case LookWithout():
            return removals(request, model)
        case Question() | TextsToClassify() | TextToFill() | PassagePairs() | TextsToTag():
            return plain_result(request, model)
    raise AssertionError(request)


def plain_result(request: Any, model: str) -> Any:
    """What the pages themselves would be answered; each model is a little less sure than the one before it."""
    sure = 0.9 - 0.1 * (len(model) % 3)
    seconds = len(model) / 20
    match request:
        case Question():
            text = request.documents[0].text
            best = Answer(0, ANSWER, ANSWER.of(text), sure, 9.0, 1.0)
            return Reading((best,), True, 1 - sure, 0.5, 1, 1, seconds, model=model, device="CPU")
        case TextsToClassify():
            scores = (ClassScore("negative", 1 - sure), ClassScore("positive", sure))
            return Classifications(
                (Classification(scores, "positive", 1, 20),), seconds, model=model, device="CPU"
            )
        case TextToFill():
            guesses = (Guess("France", sure, 1), Guess("Europe", 0.9 - sure, 2))
            return FilledText(
                tuple(FilledBlank(blank, guesses) for blank in request.blanks), seconds, 1, model, "CPU"
            )
        case PassagePairs():
            return FollowOns((FollowOn(sure, (2.0, -1.0), (6, 11)),), seconds, model, "CPU")
    text = request.texts[0]
    names = (Entity(Span(0, 12), text[:12], "PER", sure),)
    return TaggedTexts((Tagged(names, (), 1),), ("PER",), seconds, True, model, "CPU")


def noise(*seeds: object) -> float:
    """A number from -1 to 1, the same for the same seeds."""
    return zlib.crc32(repr(seeds).encode()) / 0x7FFFFFFF - 1


def softmax(values: Sequence[float]) -> tuple[float, ...]:
    high = max(values)
    powers = [math.exp(value - high) for value in values]
    return tuple(power / sum(powers) for power in powers)


def window_of(subject: Subject) -> InputWindow:
    """The subject's tokens as a WordPiece tokenizer might cut them; long words in two pieces."""
    tokens = [InputToken("[CLS]", 101, 0, Part.SPECIAL)]
    second = subject.pair
    if subject.head is Head.QUESTION_ANSWERING:
        tokens += [*_pieces(second, 0, Part.PAIR), InputToken("[SEP]", 102, 0, Part.SPECIAL)]
        tokens += _pieces(subject.text, 1, Part.TEXT)
        tokens.append(InputToken("[SEP]", 102, 1, Part.SPECIAL))
    else:
        tokens += [*_blanked(subject), InputToken("[SEP]", 102, 0, Part.SPECIAL)]
        if second:
            tokens += [*_pieces(second, 1, Part.PAIR), InputToken("[SEP]", 102, 1, Part.SPECIAL)]
    return InputWindow(tuple(tokens[:384]), 0, 1 + len(tokens) // 384)


def _pieces(text: str, kind: int, part: Part) -> list[InputToken]:
    found = []
    for match in re.finditer(r"\w+|[^\w\s]", text):
        start, end, word = match.start(), match.end(), match[0].lower()
        cut = 5 if len(word) > 8 else len(word)
        found.append(InputToken(word[:cut], 1000 + len(word), kind, part, Span(start, start + cut)))
        if cut < len(word):
            found.append(InputToken("##" + word[cut:], 2000 + len(word), kind, part, Span(start + cut, end)))
    return found


def _blanked(subject: Subject) -> list[InputToken]:
    tokens: list[InputToken] = []
    for token in _pieces(subject.text, 0, Part.TEXT):
        blank = next((b for b in subject.blanks if token.span and b.overlaps(token.span)), None)
        if blank is None:
            tokens.append(token)
        elif not tokens or tokens[-1].span != blank:
            tokens.append(InputToken("[MASK]", 103, 0, Part.TEXT, blank))
    return tokens


def picture(subject: Subject, model: str = "reader-quick", held: Sequence[Head] = ()) -> ModelPicture:
    """A BERT of six layers with the subject's head at work."""
    window = window_of(subject)
    long = len(window.tokens)
    states = (1, long, WIDTH)
    trunk = (
        Stage(
            Message("Each token becomes a row of numbers"), Message("embeddings"), "bert.embeddings",
            "BertEmbeddings", Message("30,522 words, 512 places, 2 parts"), ((1, long),), states, 11_918_592,
        ),
        Stage(
            Message("Every token looks at every other"), Message("encoder layer"), "bert.encoder.layer",
            "BertLayer", Message("12 attention heads, 384 → 1,536 → 384"), (states,), states, 10_646_784, LAYERS,
        ),
    )  # fmt: skip
    heads = tuple(
        HeadPicture(
            head,
            kind,
            Message(title),
            takes,
            stages,
            head is subject.head or head in held,
            head is subject.head,
        )
        for head, kind, title, takes, stages in _heads(states)
    )
    heads = tuple(sorted(heads, key=lambda one: not one.in_use))
    rows = (
        ModuleRow(0, "", "", heads[0].kind, "", 22_566_146),
        ModuleRow(1, "bert", "bert", "BertModel", "", 22_565_376),
        ModuleRow(2, "bert.embeddings", "embeddings", "BertEmbeddings", "", 11_918_592),
        ModuleRow(2, "bert.encoder", "encoder", "BertEncoder", "", 10_646_784),
        *(
            ModuleRow(3, f"bert.encoder.layer.{at}", str(at), "BertLayer", "", 1_774_464)
            for at in range(LAYERS)
        ),
        ModuleRow(1, "qa_outputs", "qa_outputs", "Linear", "384 → 2", 770),
    )
    printed = "\n".join(f"{'  ' * row.depth}({row.name}): {row.kind}({row.detail})" for row in rows)
    return ModelPicture(window, trunk, heads, rows, printed, 22_566_146, model, "BERT", "CPU")


def _heads(states: tuple[int, ...]) -> list[tuple[Head, str, str, str, tuple[Stage, ...]]]:
    one, long = (1, WIDTH), states[1]
    pooler = Stage(
        Message("The first token, mixed anew"), Message("pooler: dense, tanh"), "bert.pooler", "BertPooler",
        Message("384 → 384, tanh"),
        (states,), one, 147_840,
    )  # fmt: skip
    drop = Stage(
        Message("Some numbers left out"),
        Message("dropout"),
        "dropout",
        "Dropout",
        "p = 0.1",
        training_only=True,
    )

    def linear(path: str, inside: tuple[int, ...], out: int, title: str, term: str) -> Stage:
        weights = (WIDTH + 1) * out
        detail, output = f"384 → {out:,}", (*inside[:-1], out)
        return Stage(Message(title), Message(term), path, "Linear", detail, (inside,), output, weights)

    every, pooled = "every token's state", "the pooled output"
    split = Stage(
        Message("Two scores for each token"),
        Message("start and end logits"),
        output=(2, 1, long),
        inputs=((1, long, 2),),
    )
    return [
        (
            Head.QUESTION_ANSWERING, "BertForQuestionAnswering", "Where the answer starts and ends", every,
            (linear("qa_outputs", states, 2, "Two numbers for each token", "linear"), split),
        ),
        (
            Head.CLASSIFICATION, "BertForSequenceClassification", "Which class the text is of", pooled,
            (pooler, drop, linear("classifier", one, 2, "A score for each class", "classifier logits")),
        ),
        (
            Head.MASKED_WORDS, "BertForMaskedLM", "Which word is hidden", every,
            (
                Stage(
                    Message("Each state, turned towards words"), Message("transform: dense, GELU, LayerNorm"),
                    "cls.predictions.transform", "BertPredictionHeadTransform", "384 → 384", (states,), states,
                    148_608,
                ),
                linear("cls.predictions.decoder", states, VOCABULARY, "A score for each word", "decoder"),
            ),
        ),
        (
            Head.NEXT_SENTENCE, "BertForNextSentencePrediction", "Whether the second text follows", pooled,
            (pooler, linear("cls.seq_relationship", one, 2, "Follows, or does not", "seq_relationship")),
        ),
        (
            Head.TOKEN_CLASSIFICATION, "BertForTokenClassification", "What each word names", every,
            (drop, linear("classifier", states, 9, "A score for each tag", "token classifier logits")),
        ),
    ]  # fmt: skip


def span_scores(subject: Subject, model: str = "reader-quick") -> SpanScores:
    """The subject's focus (else the middle) is the best span, by far."""
    window = window_of(subject)
    candidates = tuple(token.part is Part.TEXT for token in window.tokens)
    first, last = _focus_tokens(subject, window)
    start = [4 * noise("start", at) - 4 for at in range(len(candidates))]
    end = [4 * noise("end", at) - 4 for at in range(len(candidates))]
    start[first], end[last], start[0], end[0] = 7.25, 6.5, 1.5, 1.0
    found = sorted(
        ((start[i] + end[j], i, j) for i in range(len(start)) if candidates[i]
         for j in range(i, min(len(end), i + 30)) if candidates[j]),
        reverse=True,
    )  # fmt: skip
    null = start[0] + end[0]
    shares = softmax([null, *(score for score, _, _ in found)])
    spans = []
    for (score, i, j), share in list(zip(found, shares[1:], strict=True))[:20]:
        a, b = window.tokens[i].span, window.tokens[j].span
        assert a is not None and b is not None
        span = Span(a.start, b.end)
        spans.append(SpanScore(i, j, span, span.of(subject.text), score, share))
    return SpanScores(
        window, tuple(start), tuple(end), softmax(start), softmax(end), candidates, tuple(spans), null, shares[0],
        model,
    )  # fmt: skip


def _focus_tokens(subject: Subject, window: InputWindow) -> tuple[int, int]:
    inside = [
        at for at, token in enumerate(window.tokens)
        if token.part is Part.TEXT and token.span and subject.focus and token.span.overlaps(subject.focus)
    ]  # fmt: skip
    middle = len(window.tokens) // 2
    return (inside[0], inside[-1]) if inside else (middle, middle)


def pooling(subject: Subject, model: str = "reader-quick") -> Pooling:
    """A first state and a pooled output, both of the model's width, whose figures are true of them."""
    first = tuple(1.5 * noise("first", at) for at in range(WIDTH))
    pooled = tuple(math.tanh(2 * noise("pooled", at)) for at in range(WIDTH))
    lengths = math.hypot(*first) * math.hypot(*pooled)
    cosine = sum(a * b for a, b in zip(first, pooled, strict=True)) / lengths
    recomputed = tuple(value + 1e-7 * noise("error", at) for at, value in enumerate(pooled))
    return Pooling(
        window_of(subject), first, pooled, recomputed, "bert.pooler.dense", "tanh", True, cosine,
        max(abs(a - b) for a, b in zip(first, pooled, strict=True)),
        max(abs(a - b) for a, b in zip(recomputed, pooled, strict=True)),
        subject.head in (Head.CLASSIFICATION, Head.NEXT_SENTENCE), model,
    )  # fmt: skip


def losses(request: LookAtLoss, model: str = "reader-quick") -> Losses:
    """Two terms for a question (both ignored for an answer outside the window), else one."""
    subject, example = request.subject, request.example
    window = window_of(subject)

    def term(name: str, target: str, counted: bool = True) -> LossTerm:
        probability = 0.5 + 0.45 * noise(name, target)
        return LossTerm(
            Message(name), Message(target), probability, -math.log(probability) if counted else 0.0, counted
        )

    match subject.head:
        case Head.QUESTION_ANSWERING:
            ends = [token.span.end for token in window.tokens if token.span and token.part is Part.TEXT]
            away = example.answer is not None and example.answer.start >= max(ends)
            said = "token 0, “[CLS]”" if example.answer is None else f"“{example.answer.of(subject.text)}”"
            said = f"token {len(window.tokens)}, outside the window" if away else said
            terms = (term("Start", said, not away), term("End", said, not away))
            formula = "½ · (−log p(start) − log p(end))"
        case Head.CLASSIFICATION:
            terms, formula = (term("Class", example.labels[0]),), "−log p(class)"
        case Head.MASKED_WORDS:
            terms = tuple(term(f"Blank {at}", word) for at, word in enumerate(example.words, start=1))
            formula = "mean of −log p(word) over the blanks"
        case Head.NEXT_SENTENCE:
            terms, formula = (term("Order", "follows" if example.follows else "other"),), "−log p(order)"
        case Head.TOKEN_CLASSIFICATION:
            words = [token.piece for token in window.tokens[1:-1]]
            terms, formula = tuple(term(word, "O") for word in words), "mean of −log p(tag) over the words"
    values = [one.value for one in terms if one.counted]
    total = sum(values) / len(values) if values else math.nan
    return Losses(window, terms, Message(formula), total, total, total if values else 0.0, model)


def attribution(request: LookAtReasons, model: str = "reader-quick") -> Attribution:
    """Shares that grow towards the focus."""
    window = window_of(request.subject)
    first, last = _focus_tokens(request.subject, window)
    shares = tuple(
        0.4 * noise("share", at) + 3 / (1 + min(abs(at - first), abs(at - last)))
        for at in range(len(window.tokens))
    )
    whole = request.method is Method.INTEGRATED_GRADIENTS
    target = request.target.label or (
        "no answer"
        if request.target.null
        else "“the pull of the Moon”"
        if request.subject.pair
        else "positive"
    )
    score = sum(shares) - 2.0
    return Attribution(
        window, shares, Message(target), request.method, score, -2.0 if whole else 0.0, 0.004 if whole else 0.0,
        50 if whole else 1, model,
    )  # fmt: skip


def attention(subject: Subject, layer: int = 0, model: str = "reader-quick", heads: int = 12) -> Attention:
    """Rows that each sum to 1; every head has a habit of its own."""
    window = window_of(subject)
    long = len(window.tokens)
    weights = array("f")
    for head in range(heads):
        for token in range(long):
            at = (token + head - 4) % long
            weights.extend(
                softmax([5 * (other == at) + 1.5 * noise(layer, head, other) for other in range(long)])
            )
    return Attention(window, layer, LAYERS, heads, weights, model)


def removals(request: LookWithout, model: str = "reader-quick") -> Removals:
    """The sentence with the focus holds the score up; without it the null score wins."""
    subject = request.subject
    window = window_of(subject)
    found = []
    for match in re.finditer(r"[^.!?]+[.!?]*", subject.text):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        span = Span(start, match.end())
        holds = subject.focus is not None and span.overlaps(subject.focus)
        score = 2.0 if holds else 12.0 + noise("without", start)
        found.append(Removal(span, span.of(subject.text), score, 0.03 if holds else 0.9, holds))
    target = request.target.label or "the answer"
    return Removals(window, Message(target), 13.75, 0.91, tuple(found), model)
