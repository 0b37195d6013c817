"""Whatever a model's folder holds, it is a model or is refused in a sentence, and never hinders the others."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, ModelCard
from app.core.report import Silent
from app.engine.client import Engine
from app.flows.models.installed import origin_of
from app.models.disk.card import read_card
from app.models.disk.installed import Shelf
from tests.helpers.hostile import replacing, with_normalizer
from tests.helpers.refusals import check_refusal
from tests.helpers.small_models import small_checkpoint
from tests.hostile import models
from tests.hostile.models import FILES, Case, Raw, changed, dumped, places, read, without, write

# Every so manieth case is run always, all of them by `--all`.
SAMPLE, SAMPLE_OF_TRIALS = 41, 1_009
LONG = [pytest.mark.long, pytest.mark.timeout(7200)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader that also has notes, a mark and what else may lie in a folder."""
    folder = small_checkpoint(tmp_path_factory.mktemp("sound") / "reader")
    for name in (models.NOTES, models.MODULES, models.POOLING):
        write(folder, name, dumped(models.EXAMPLES[name]))
    assert isinstance(outcome(folder), ModelCard)
    return folder


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(log=tmp_path / "engine.log")
    yield engine
    engine.close()


def outcome(folder: Path) -> ModelCard | SpanlightError:
    """The card of a folder, or its refusal, which must be a sentence; anything else that is raised fails the test."""
    try:
        card = read_card(folder)
    except SpanlightError as fault:
        check_refusal(fault, folder)
        return fault
    json.dumps(asdict(card), allow_nan=False).encode("utf-8")
    return card


def copy_of(sound: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(sound, place))


def check(case: Case, sound: Path, place: Path) -> ModelCard | SpanlightError:
    """Change a copy of the sound folder, and read it in every way in which Spanlight does."""
    folder = copy_of(sound, place)
    case.edit(folder)
    began = time.perf_counter()
    found = outcome(folder)
    origin_of(str(folder))
    assert time.perf_counter() - began < 10
    return found


@pytest.mark.parametrize("step", [SAMPLE, pytest.param(1, marks=LONG)])
def test_every_change_of_a_sound_folder_ends_in_a_card_or_a_sentence(
    sound: Path, tmp_path: Path, step: int
) -> None:
    refused = number = 0
    for number, case in enumerate(models.cases(sound)):
        if number % step == 0:
            try:
                refused += isinstance(check(case, sound, tmp_path / "reader"), SpanlightError)
            except BaseException as fault:
                fault.add_note(f"in case {number}: {case.name}")
                raise
    assert number > 5_000
    assert refused > number / step / 2


@pytest.mark.parametrize("step", [SAMPLE_OF_TRIALS, pytest.param(17, marks=LONG)])
def test_what_reading_lets_pass_works_or_is_refused_by_the_trial(
    sound: Path, tmp_path: Path, engine: Engine, step: int
) -> None:
    tried = 0
    for number, case in enumerate(models.cases(sound)):
        if number % step:
            continue
        folder = copy_of(sound, tmp_path / "reader")
        case.edit(folder)
        try:
            read_card(folder)
        except SpanlightError:
            continue
        tried += 1
        try:
            engine.try_model(str(folder), Silent())
        except SpanlightError as fault:
            check_refusal(fault, folder)
        except BaseException as fault:
            fault.add_note(f"in case {number}: {case.name}")
            raise
    assert tried


@pytest.mark.long
@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the process is watched, which takes more memory"
)
def test_a_tokenizer_that_takes_all_memory_ends_its_own_trial(
    sound: Path, tmp_path: Path, engine: Engine
) -> None:
    folder = copy_of(sound, tmp_path / "reader")
    with_normalizer(replacing("a", "b" * 60), replacing("b", "c " * 34))(folder)
    assert isinstance(outcome(folder), ModelCard), "as much as may be let pass"
    with pytest.raises(EngineLost):
        engine.try_model(str(folder), Silent())
    assert engine.try_model(str(sound), Silent()).heads == (Head.QUESTION_ANSWERING, Head.EMBEDDINGS)


def test_no_folder_hinders_the_others(sound: Path, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    for number, case in enumerate(models.cases(sound)):
        if number % 211 == 0:
            case.edit(copy_of(sound, shelf / f"odd-{number}"))
    copy_of(sound, shelf / "sound")
    installed = Shelf([shelf])
    names = {card.name for card in installed.cards()}
    assert "sound" in names
    assert len(names) + len(installed.refused) == len([*shelf.iterdir()])
    for folder, fault in installed.refused.items():
        check_refusal(fault, Path(folder))


NUMBERS = (
    st.integers() | st.integers(10**300, 10**310) | st.floats() | st.sampled_from(models.ODD_NUMBERS).map(Raw)
)
TEXTS = (
    st.text(max_size=20) | st.text(st.characters(), max_size=5) | st.sampled_from(["\ud800", "../x", "a\0"])
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def spoilt(folder: Path, name: str, at: int, new: Any, *, leave_out: bool) -> None:
    """Put a value at one of a file's places, or leave out what stands there."""
    value = read(folder, name)
    paths = [*places(value, most=1_000)]
    path = paths[at % len(paths)]
    write(folder, name, dumped(without(value, path) if leave_out and path else changed(value, path, new)))


CHANGES = st.lists(
    st.tuples(st.sampled_from(FILES[:-1]), st.integers(0, 10**6), JSON, st.booleans()), min_size=1, max_size=3
)


@pytest.mark.parametrize(
    "more", [{}, pytest.param({"max_examples": 5_000, "derandomize": False}, marks=LONG)], ids=["few", "many"]
)
def test_any_values_at_any_places_end_in_a_card_or_a_sentence(
    sound: Path, tmp_path: Path, more: dict[str, Any]
) -> None:
    @settings(**more)
    @given(CHANGES)
    @example(
        [("config.json", 0, Raw('{"model_type": "bert", "hidden_dropout_prob": 1' + "0" * 400 + "}"), False)]
    )
    @example([("spanlight.json", 0, {"calibration": {"temperature": 5e-324}}, False)])
    @example([("spanlight.json", 0, {"finder": ".."}, False)])
    @example([("origin.json", 0, {"source": "hub", "sizes": {"a\0": Raw("1" + "0" * 400)}}, False)])
    def check(changes: list[tuple[str, int, Any, bool]]) -> None:
        folder = copy_of(sound, tmp_path / "reader")
        for name, at, new, leave_out in changes:
            # An earlier change of the same file may have left no JSON to change.
            with suppress(ValueError):
                spoilt(folder, name, at, new, leave_out=leave_out)
        outcome(folder)
        origin_of(str(folder))

    check()
