from __future__ import annotations

from pathlib import Path

import pytest

from app.bench.texts import QUESTIONS_FILE, Pool, long_questions, pool
from app.core.errors import SpanlightError
from app.settings.paths import default_paths


@pytest.fixture(scope="module")
def along(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    return pool("", default_paths({"SPANLIGHT_HOME": str(tmp_path_factory.mktemp("home"))}))


def test_what_comes_along_makes_documents_of_any_length(along: Pool) -> None:
    assert len(along.answerable) > 50
    for words in (50, 3_000, 60_000):
        text = along.document(words, 1).text
        assert words <= len(text.split()) < words + 1_000
    assert along.document(3_000, 1) == along.document(3_000, 1)
    assert along.document(3_000, 1).text != along.document(3_000, 2).text


def test_an_answer_stands_nowhere_else_but_by_chance(along: Pool) -> None:
    """The question's own paragraph and its sentences appear only once."""
    for each in long_questions(along, 20_000, 3, 5):
        example = next(one for one in along.answerable if one.question == each.question)
        assert each.document.text.count(example.context) == 1
        first = example.context.split(". ")[0]
        assert each.document.text.count(first) == 1
        assert {each.document.text[a.start : a.end] for a in each.answers} == {t for t, _ in example.answers}


def test_a_folder_without_the_questions_is_said(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path)})
    for folder, said in ((tmp_path / "nowhere", "no folder"), (tmp_path, QUESTIONS_FILE)):
        with pytest.raises(SpanlightError, match=said):
            pool(str(folder), paths)
