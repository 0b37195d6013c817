"""Tries a model before it is accepted: loads every head on the CPU and runs its task on a small input."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import DeviceChoice, Head, ModelCard
from app.core.report import Progress, Quiet, Report, Stopped
from app.core.requests import PassagePairs, Question, TextsToClassify, TextsToEmbed, TextsToTag, TextToFill
from app.core.text import Document, Span
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.table import task_for
from app.tasks.task import Arrays, Forward, ReadyModel

_log = logging.getLogger(__name__)

TEXT = "The knave of hearts stole the tarts in 1865, and the king called for him at once."
WHO = "Who stole the tarts?"
REQUESTS: dict[Head, object] = {
    Head.QUESTION_ANSWERING: Question(WHO, (Document(TEXT),), threshold=0.0),
    Head.CLASSIFICATION: TextsToClassify((TEXT, WHO)),
    Head.MASKED_WORDS: TextToFill(TEXT, (Span(4, 9),)),
    Head.NEXT_SENTENCE: PassagePairs(((WHO, TEXT),)),
    Head.TOKEN_CLASSIFICATION: TextsToTag((TEXT,)),
    Head.EMBEDDINGS: TextsToEmbed((TEXT, WHO)),
}
# Texts that a tokenizer may fail on: long runs, no spaces, many scripts and signs, nothing at all.
HARD_TEXTS = (
    "",
    " " * 2000,
    "a" * 2000,
    ("a" * 18 + " ") * 100,
    "aA1! " * 400,
    "ἀρχή 漢字仮名 नमस्ते שלום 🏳️‍🌈 é́́" * 40,
    "\t\n\r" * 200,
)
# The most tokens of a text: this many for each character, and some more for the special ones.
MOST_TOKENS_A_CHARACTER, MOST_EXTRA_TOKENS = 16, 64
# For a page of text, which usually takes a few thousandths of this.
MOST_SECONDS = 5.0
FLAWED = Message("Fetch a whole copy of this model, or choose another.")


def most_memory(card: ModelCard) -> int:
    """Return the bytes that a trial may take: float32 weights for this head, for the next one, and while they load."""
    return 2_000_000_000 + 3 * max(4 * card.parameters, card.size)


def try_model(folder: Path | str, report: Report) -> ModelCard:
    """Try a model's tokenizer and every head, whose scores must be finite and of the right shape; returns its card.

    Raises SpanlightError for a model that does not work, Stopped when the work is to stop.
    """
    card = read_card(folder)
    if not card.heads:
        raise SpanlightError(
            Message("{name} holds no head that Spanlight can use.", name=card.name),
            Message(
                "Choose a model that was tuned for a task: to answer, classify, find names or fill in words."
            ),
        )
    for number, head in enumerate(card.heads):
        report.check()
        report.progress(Progress(number, len(card.heads), Message("Trying {name}", name=card.name)))
        loaded = load(card, head, DeviceChoice("cpu", "float32", Message("the trial")), report.check)
        if number == 0:
            _try_tokenizer(loaded.tokenizer, card, report.check)
        rows = loaded.tokenizer.get_vocab_size()
        forward = _checked(loaded.forward, card, head, rows)
        request = REQUESTS[head]
        task = task_for(request)
        assert task is not None
        model = ReadyModel(card, loaded.device, loaded.tokenizer, forward)
        try:
            task.run(request, model, Quiet(report))
        except (SpanlightError, Stopped, MemoryError):
            raise
        except Exception as error:
            # The input is sound, so whatever is raised is the checkpoint's fault.
            _log.warning("the trial of %s failed", card.name, exc_info=error)
            raise SpanlightError(_does_not_work(card.name, head), FLAWED) from error
    return card


def _does_not_work(name: str, head: Head) -> str:
    match head:
        case Head.QUESTION_ANSWERING:
            return Message("{name} does not work when it is to answer questions.", name=name)
        case Head.CLASSIFICATION:
            return Message("{name} does not work when it is to classify texts.", name=name)
        case Head.MASKED_WORDS:
            return Message("{name} does not work when it is to fill in words.", name=name)
        case Head.NEXT_SENTENCE:
            return Message("{name} does not work when it is to tell what follows.", name=name)
        case Head.TOKEN_CLASSIFICATION:
            return Message("{name} does not work when it is to find names.", name=name)
        case Head.EMBEDDINGS:
            return Message("{name} does not work when it is to find passages by meaning.", name=name)


def _try_tokenizer(tokenizer: Tokenizer, card: ModelCard, check: Callable[[], None]) -> None:
    for text in HARD_TEXTS:
        check()
        began = time.perf_counter()
        try:
            encoded = tokenizer.encode(text)
        # The library raises plain Exception, and a BaseException where it panics.
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            raise SpanlightError(
                Message("The tokenizer of {name} fails on some texts.", name=card.name), FLAWED
            ) from error
        if time.perf_counter() - began > MOST_SECONDS:
            raise SpanlightError(
                Message("The tokenizer of {name} takes too long for a page of text.", name=card.name), FLAWED
            )
        if len(encoded) > MOST_EXTRA_TOKENS + MOST_TOKENS_A_CHARACTER * len(text):
            raise SpanlightError(
                Message("The tokenizer of {name} makes texts longer without end.", name=card.name), FLAWED
            )
        if any(not 0 <= first <= last <= len(text) for first, last in encoded.offsets):
            raise SpanlightError(
                Message(
                    "The tokenizer of {name} does not tell where in a text its tokens stand.", name=card.name
                ),
                FLAWED,
            )


def _checked(forward: Forward, card: ModelCard, head: Head, words: int) -> Forward:
    """Wrap a forward pass so that it raises SpanlightError for scores of a wrong shape or not finite."""

    def run(arrays: Arrays) -> Arrays:
        found = forward(arrays)
        rows, length = arrays["input_ids"].shape
        for scores in found.values():
            match head:
                case Head.QUESTION_ANSWERING:
                    is_right = scores.shape == (rows, length)
                case Head.CLASSIFICATION:
                    is_right = scores.shape == (rows, len(card.labels))
                case Head.NEXT_SENTENCE:
                    is_right = scores.shape == (rows, 2)
                case Head.TOKEN_CLASSIFICATION:
                    is_right = scores.shape == (rows, length, len(card.labels))
                case Head.EMBEDDINGS:
                    is_right = scores.shape == (rows, card.width)
                case Head.MASKED_WORDS:
                    is_right = scores.shape[:2] == arrays["positions"].shape and scores.shape[-1] >= words
            if not is_right:
                raise SpanlightError(Message("{name} gives scores of a wrong shape.", name=card.name), FLAWED)
            if not np.isfinite(scores).all():
                raise SpanlightError(
                    Message("{name} gives scores that are no finite numbers.", name=card.name), FLAWED
                )
        return found

    return run
