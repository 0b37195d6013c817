from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from app.core.stop_words import ENGLISH, stop_words_for


def words_of(question: str) -> list[str]:
    return re.findall(r"\w+", question.lower())


def content(question: str) -> str:
    words = words_of(question)
    stop_words = stop_words_for(words)
    return " ".join(word for word in words if word not in stop_words)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("When did the war end?", "war end"),
        ("Who was the first man to die at the door?", "first man die door"),
        ("Does the son of Van Dyck come to Los Angeles in May?", "son van dyck come los angeles may"),
        ("war casualties", "war casualties"),
        ("Wann war der Krieg zu Ende?", "krieg ende"),
        ("Qui a été tué pendant la guerre, et par qui ?", "tué pendant guerre"),
        ("¿Cuáles son las causas de la guerra?", "causas guerra"),
        ("Quando è finita la guerra?", "finita guerra"),
        ("Quem foi morto pela guerra?", "morto guerra"),
        ("Wanneer was de oorlog met het leger?", "oorlog leger"),
        ("Когда закончилась война?", "когда закончилась война"),
        ("", ""),
    ],
)
def test_only_the_stop_words_of_the_questions_language_are_left_out(question: str, left: str) -> None:
    assert content(question) == left


def test_english_questions_lose_english_words_only(shared_data: Path) -> None:
    questions: list[str] = []
    for name in ("docqa/questions_dev.jsonl.xz", "qa/qa_dev.jsonl.xz", "qa/qa_dev2.jsonl.xz"):
        with lzma.open(shared_data / name, "rt", encoding="utf-8") as lines:
            questions += [json.loads(line)["question"] for line in lines]
    others = [one for one in questions if stop_words_for(words_of(one)) is not ENGLISH]
    assert len(others) <= len(questions) // 1000, others
