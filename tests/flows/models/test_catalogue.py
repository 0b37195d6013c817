from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.measures import Measure
from app.core.models import SHOWN_HEADS, Head, ModelCard
from app.core.offers import OfferedModel
from app.core.report import Silent
from app.flows.models import catalogue
from app.flows.models.catalogue import (
    EASILY,
    LARGE,
    TOO_LARGE,
    WELL,
    Stronger,
    free_licence,
    memory_fit,
    offered,
    page_seconds,
    read_catalogue,
    recommended,
    search,
    stronger,
    stronger_readers,
    suits,
    summary,
)
from app.flows.workspace import Workspace
from app.models.families import FAMILIES
from tests.conftest import ROOT
from tests.flows.fake_engine import READER, fake_workspace

GB = 10**9
SHIPPED = ROOT / "resources" / "models.json"
ENTRIES: list[dict[str, Any]] = json.loads(SHIPPED.read_bytes())["models"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return fake_workspace(tmp_path)


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the computer's memory, 8 GB at first."""

    def put(size: int) -> None:
        monkeypatch.setattr(catalogue, "computer", lambda: (size, size))

    put(8 * GB)
    return put


@pytest.fixture
def models(workspace: Workspace) -> tuple[OfferedModel, ...]:
    return offered(workspace, Silent())


def names(models: tuple[OfferedModel, ...]) -> set[str]:
    return {model.repository for model in models}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("squad2", "deepset/tinyroberta-squad2"),
        ("SQuAD 2.0 tinyRoberta", "deepset/tinyroberta-squad2"),
        ("stars", "nlptown/bert-base-multilingual-uncased-sentiment"),
        ("spanish reader", "nlp-en-es/roberta-base-bne-finetuned-sqac"),
        ("gratitude", "SamLowe/roberta-base-go_emotions"),
        ("names german", "Davlan/distilbert-base-multilingual-cased-ner-hrl"),
        ("ask de", "deepset/gelectra-base-germanquad-distilled"),
    ],
)
def test_words_are_found_wherever_they_stand(
    words: str, found: str, models: tuple[OfferedModel, ...]
) -> None:
    assert found in names(search(models, words))
    assert len(search(models, words)) < len(models)


def test_filters(models: tuple[OfferedModel, ...]) -> None:
    assert search(models) == models and not search(models, "tinyroberta unicorn")
    for head in SHOWN_HEADS:
        assert {head} == {head for model in search(models, head=head) if head in model.heads}
    german = search(models, language="German", head=Head.QUESTION_ANSWERING)
    assert german == search(models, language="de", head=Head.QUESTION_ANSWERING)
    assert names(german) == {
        "deepset/gelectra-base-germanquad-distilled",
        "timpal0l/mdeberta-v3-base-squad2",  # of many languages
    }
    assert all(model.size <= 10**8 for model in search(models, largest=10**8))
    free, restricted = search(models, licence="free"), search(models, licence="restricted")
    assert names(free) | names(restricted) == names(models)
    assert not names(free) & names(restricted)
    assert "tabularisai/multilingual-sentiment-analysis" in names(restricted)
    assert "google-bert/bert-base-uncased" in names(free)


@pytest.mark.parametrize(
    ("licence", "free"),
    [
        ("apache-2.0", True),
        ("MIT", True),
        ("cc-by-4.0", True),
        ("CC-BY-SA-4.0", True),
        ("cc-by-nc-4.0", False),
        ("cc-by-nc-sa-4.0", False),
        ("cc-by-nd-4.0", False),
        ("openrail++", False),
        ("other", None),
        ("", None),
        ("gpl-3.0", None),
    ],
)
def test_what_licences_allow(licence: str, free: bool | None) -> None:
    assert free_licence(licence) is free


def model(parameters: int) -> ModelCard:
    return ModelCard("m", "/m", "bert", (Head.QUESTION_ANSWERING,), parameters=parameters)


@pytest.mark.parametrize(
    ("parameters", "level", "said"),
    [
        (25_000_000, EASILY, "Fits easily: takes 100 MB of this computer's 8.0 GB of memory."),
        (250_000_000, EASILY, "Fits easily: takes 1.0 GB of this computer's 8.0 GB of memory."),
        (350_000_000, WELL, "Fits: takes 1.4 GB of this computer's 8.0 GB of memory."),
        (1_000_000_000, LARGE, "Large for this computer: takes 4.0 GB of its 8.0 GB."),
        (2_000_000_000, TOO_LARGE, "Too large for this computer: takes 8.0 GB of its 8.0 GB."),
    ],
)
def test_how_a_model_fits_the_memory(parameters: int, level: str, said: str, workspace: Workspace) -> None:
    assert memory_fit(model(parameters)) == level
    assert suits(model(parameters), workspace) == said


def test_nothing_is_said_of_what_is_not_known(workspace: Workspace, memory: Callable[[int], None]) -> None:
    assert suits(None, workspace) == suits(model(0), workspace) == ""
    assert suits(model(10**9), workspace)
    memory(0)
    assert suits(model(10**9), workspace) == ""


def measure(folder: str, head: Head = Head.QUESTION_ANSWERING, seconds: float = 10.0) -> Measure:
    return Measure(
        "m", folder, head, "set", "d", 200, {}, seconds, "CPU", "1" * 200, "2026-11-22T00:00:00+00:00"
    )


def test_speed_is_told_only_where_a_like_model_was_measured(tmp_path: Path) -> None:
    small = replace(READER, folder="/small", parameters=10_000_000)
    workspace = fake_workspace(tmp_path, None, None, small)
    large = model(100_000_000)

    def said(*measures: Measure) -> str:
        return suits(large, workspace, measures=measures)

    plain = "Fits easily: takes 400 MB of this computer's 8.0 GB of memory."
    assert said() == plain
    assert said(measure("/gone")) == plain
    assert said(measure("/small", Head.CLASSIFICATION)) == plain
    assert (
        said(measure("/small")) == f"{plain} Roughly 2.0 questions a second, going by reader measured here."
    )
    assert said(measure("/small", seconds=0.0)) == plain
    own = suits(small, workspace, measures=[measure("/small")])
    assert (
        own
        == "Fits easily: takes 40 MB of this computer's 8.0 GB of memory. Measured here: 20 questions a second."
    )


def test_stronger_readers_are_those_with_more_f1_in_the_same_language(
    models: tuple[OfferedModel, ...],
) -> None:
    reader = replace(READER, languages=("en",), measured={"qa_dev-squad2": {"f1": 61.0}})
    found = stronger(models, reader)
    assert len(found) > 2 and all(model.squad2_f1 > 61 for model in found)
    assert [model.squad2_f1 for model in found] == sorted((m.squad2_f1 for m in found), reverse=True)
    assert not stronger(models, replace(reader, measured={"qa_dev-squad2": {"f1": 99.0}}))
    own = stronger(models, replace(reader, repository=found[0].repository))
    assert not own, "by its authors' own figure"
    several = tuple(
        replace(model, squad2_f1=84.0) if "multi" in model.languages else model for model in models
    )
    german = stronger(several, replace(reader, languages=("de",)))
    assert german and all(model.languages == ("multi",) for model in german)


def test_nothing_large_or_slow_is_recommended(
    models: tuple[OfferedModel, ...], memory: Callable[[int], None]
) -> None:
    found = stronger(models, READER)
    best = recommended(found, 0.0)
    assert best is not None and found[0].parameters > 200e6 >= best.parameters
    speed = 1000 * best.parameters / 20  # a page of it takes 20 seconds
    assert page_seconds(best.parameters, speed) == pytest.approx(20)
    assert recommended(found, 1.01 * speed) == best
    assert recommended(found, 0.99 * speed) not in (best, None)
    assert recommended(found, 1.0) is None
    memory(GB // 2)
    assert recommended(found, 0.0) is None, "nothing fits well"


def test_what_is_installed_is_not_recommended(workspace: Workspace, models: tuple[OfferedModel, ...]) -> None:
    told = stronger_readers(workspace, Silent())
    assert (told.reader, told.reader_f1) == (READER, 0.0)
    found = told.to_have
    assert found == stronger(models, READER)
    there = replace(READER, repository=found[1].repository)
    workspace.shelf.cards = lambda: (READER, there)  # type: ignore[method-assign]
    assert stronger_readers(workspace, Silent()).to_have == (found[0], *found[2:])


def test_the_strongest_installed_reader_of_the_language_is_told(tmp_path: Path) -> None:
    def reader(name: str, f1: float, *languages: str) -> ModelCard:
        measured = {"qa_dev-squad2": {"f1": f1}} if f1 else {}
        return replace(READER, name=name, folder=name, measured=measured, languages=languages or ("en",))

    def strongest(*cards: ModelCard) -> ModelCard | None:
        return stronger_readers(fake_workspace(tmp_path, None, None, *cards), Silent()).installed

    quick, careful, german = reader("quick", 62.0), reader("careful", 69.0), reader("deutsch", 80.0, "de")
    assert strongest(quick, reader("other", 65.0), careful, german) == careful, "the first is in use"
    assert strongest(careful, quick, german) is None
    assert strongest(reader("taught", 0.0), careful) is None, "it is not known to be weaker"


def test_for_a_text_in_another_language_only_readers_of_it_are_told(
    tmp_path: Path, models: tuple[OfferedModel, ...]
) -> None:
    def reader(name: str, f1: float, *languages: str) -> ModelCard:
        return replace(READER, name=name, folder=name, measured={"x-squad2": {"f1": f1}}, languages=languages)

    quick, careful = reader("quick", 62.0, "en"), reader("careful", 69.0, "en")
    german, many = reader("deutsch", 65.0, "de"), reader("many", 64.0, "multi")

    def told(*cards: ModelCard) -> Stronger:
        return stronger_readers(fake_workspace(tmp_path, None, None, *cards), Silent(), language="de")

    found = told(quick, careful, reader("unstated", 80.0))
    assert found.installed is None
    assert all({"de", "multi"} & set(model.languages) for model in found.to_have)
    assert told(quick, careful, many, german).installed == german
    assert told(reader("both", 62.0, "en", "de"), careful, german).installed is None, "it reads English too"
    both = told(reader("both", 62.0, "en", "de"), careful)
    assert all({"de", "multi"} & set(model.languages) for model in both.to_have)


def test_a_reader_is_told_with_its_time_for_a_page_the_same_everywhere(
    models: tuple[OfferedModel, ...], workspace: Workspace
) -> None:
    model = next(each for each in models if each.repository == "deepset/roberta-base-squad2")
    said = "RoBERTa base reader, F1 82.9 on SQuAD 2.0 as its authors report, 498 MB"
    assert summary(model, 0.0) == said, "nobody has read yet"
    workspace.settings.reading_speed = 500.0 * model.parameters
    page = "oughly 2 seconds a page on this computer"
    assert summary(model, workspace.settings.reading_speed) == f"{said}, r{page}"
    assert suits(model, workspace).endswith(f" of memory. R{page}.")
    names = next(each for each in models if Head.QUESTION_ANSWERING not in each.heads)
    assert "a page" not in suits(names, workspace)


# The catalogue that comes along


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["repository"])
def test_what_is_shipped_is_valid(entry: dict[str, Any]) -> None:
    assert entry.keys() <= OfferedModel.__dataclass_fields__.keys()
    (model,) = (each for each in read_catalogue(SHIPPED) if each.repository == entry["repository"])
    assert re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", model.repository)
    assert re.fullmatch(r"[0-9a-f]{40}|", model.commit)
    assert model.heads and set(model.heads) <= set(FAMILIES[model.family].heads_known)
    assert model.languages and all(re.fullmatch(r"[a-z]{2,3}|multi", each) for each in model.languages)
    assert (Head.QUESTION_ANSWERING in model.heads) == (model.no_answer is not None)
    lines = (model.title, model.line, model.licence, *model.labels)
    assert all(line and line.isprintable() and line == " ".join(line.split()) for line in lines)
    assert type(model.size) is type(model.max_length) is int and model.max_length > 0
    assert model.source == f"https://huggingface.co/{model.repository}"
    assert date(2026, 1, 1) <= date.fromisoformat(model.checked)
    assert 4e6 <= model.parameters <= 6e8
    # Weights of four bytes each, or of two, and a tokenizer of at most 20 MB.
    assert any(0 <= model.size - width * model.parameters <= 20e6 for width in (4, 2))
    assert len(model.line) <= 140
    assert model.line.endswith(".")
    assert len(model.labels) == len(set(model.labels))
    assert model.squad2_f1 == 0 or (model.no_answer and 60 <= model.squad2_f1 <= 95)


def test_the_shipped_catalogue_is_in_order_and_has_something_for_everyone() -> None:
    models = read_catalogue(SHIPPED)
    assert [model.repository for model in models] == [entry["repository"] for entry in ENTRIES]
    assert 25 <= len(models) <= 40
    assert len({model.repository.casefold() for model in models}) == len(models)
    keys = [(list(Head).index(model.heads[0]), model.size) for model in models]
    assert keys == sorted(keys)
    for head in SHOWN_HEADS:
        assert [model for model in models if head in model.heads], head
    readers = [model for model in models if Head.QUESTION_ANSWERING in model.heads]
    assert {model.no_answer for model in readers} == {True, False}
    assert min(model.size for model in readers) < 1e8 < 1e9 < max(model.size for model in readers)
    for head in (Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS, Head.TOKEN_CLASSIFICATION):
        spoken = [model.languages for model in models if head in model.heads]
        assert ("en",) in spoken, head
        assert any(languages == ("multi",) or len(languages) > 3 for languages in spoken), head


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"models": [{"heads": ["next-word"]}]}', b"\xff", b"[" * 100_000, None]
)
def test_a_file_that_is_no_catalogue_is_told(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpanlightError, match=r"The catalogue models\.json cannot be read\."):
        read_catalogue(file)
