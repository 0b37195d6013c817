"""Detects the language of a text from a few stretches of it, or none where that is unsure."""

from __future__ import annotations

import logging
import lzma
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from app.core.languages import is_named

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
# From all over a text: its title page or its appendix may be in another language, or numbers.
_STRETCHES, _LENGTH = 8, 600
# Shorter ones are names, single words, or an English phrase with a foreign name ("société générale profit"). A letter
# of another script counts as two, an ideograph, a kana or a syllable of Korean as three and as half a word.
_LEAST_WORDS, _LEAST_LETTERS = 3, 24
_LEAST_PROBABILITY = 0.6
# The least share of a language among the stretches whose language is detected, and of these among all.
_LEAST_AGREEMENT, _LEAST_DETECTED = 0.75, 1 / 3
# A fifth of the words of English are these (sentences have at least one in twelve), and hardly one of any other
# language: so no English question counts as another because of the names in it, and English, the usual case, needs no
# detector, which takes half a second to load and 80 MB.
_ENGLISH_WORDS = frozenset(
    "and are been but can could did does from has have how if its not of our should such than that the their them then"
    " there these they this those were what when where which who whose why with would you your".split()
)
_LEAST_ENGLISH = 0.08
_WORD = re.compile(r"[^\W\d_]+")
_NOT_LATIN = re.compile(r"[^\W\d_\u0000-\u036f]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")

_log = logging.getLogger(__name__)


def stretches(text: str) -> tuple[str, ...]:
    """The stretches of a text from which its language is detected; none for a text with too few words."""
    number = min(_STRETCHES, max(1, len(text) // _LENGTH))
    step = len(text) // number
    parts = (text[at * step : at * step + _LENGTH] for at in range(number))
    return tuple(part for part in parts if _is_long(part))


def is_english(parts: Sequence[str]) -> bool:
    """Whether a text is English, judged by the commonest English words in its `stretches`."""
    return bool(parts) and sum(map(_has_english_words, parts)) >= _LEAST_AGREEMENT * len(parts)


def language_of(parts: Sequence[str]) -> str:
    """The ISO 639 code of the language of a text's `stretches`, as core.languages names it; empty where unsure."""
    if is_english(parts):
        return ENGLISH
    votes = Counter(ENGLISH if _has_english_words(part) else _detected(part) for part in parts)
    votes.pop("", None)
    voting = votes.total()
    language, most = max(votes.items(), key=lambda vote: vote[1], default=("", 0))
    return language if most >= _LEAST_AGREEMENT * voting and voting >= _LEAST_DETECTED * len(parts) else ""


def _is_long(part: str) -> bool:
    words, ideographs = _WORD.findall(part), len(_IDEOGRAPH.findall(part))
    # Names begin with a capital.
    uncapitalised = sum(not word[0].isupper() for word in words)
    letters = sum(map(len, words)) + len(_NOT_LATIN.findall(part)) + ideographs
    return uncapitalised + ideographs // 2 >= _LEAST_WORDS and letters >= _LEAST_LETTERS


def _has_english_words(part: str) -> bool:
    words = _WORD.findall(part.lower())
    return sum(word in _ENGLISH_WORDS for word in words) >= _LEAST_ENGLISH * len(words)


def _detected(part: str) -> str:
    detector = _detector()
    if detector is None:
        return ""
    language, probability = detector.classify(part)
    return language if probability >= _LEAST_PROBABILITY and is_named(language) else ""


@cache
def _detector() -> LanguageIdentifier | None:
    """The detector (langid.py, Lui and Baldwin 2012); None where it cannot be loaded, which keeps no file closed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except (OSError, EOFError, ValueError, MemoryError, lzma.LZMAError) as fault:
        _log.warning("languages cannot be detected: %r", fault)
        return None
