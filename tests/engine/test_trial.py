"""Models are tried in the real model process: hostile ones are refused, and the process carries on."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine import trial
from app.engine.client import Engine
from app.engine.trial import try_model
from app.models.families import FAMILIES as KNOWN
from tests.helpers.hostile import ALL, MARKER, everything_below, pickled, set_to, tokenizer, with_normalizer
from tests.helpers.refusals import check_refusal
from tests.helpers.small_models import FAMILIES, small_checkpoint

QUESTION = Question("Who stole the tarts?", (Document("The knave of hearts stole the tarts."),))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(log=tmp_path_factory.mktemp("log") / "engine.log")
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "reader")


@pytest.fixture
def reader(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "reader"))


def test_one_process_outlives_every_hostile_checkpoint(engine: Engine, whole: Path, tmp_path: Path) -> None:
    assert engine.try_model(str(whole), Silent()).heads == (Head.QUESTION_ANSWERING,)
    pid = engine.pid
    assert pid is not None
    for number, (case, (edit, said)) in enumerate(ALL.items()):
        folder = Path(shutil.copytree(whole, tmp_path / str(number) / "reader"))
        edit(folder)
        before = everything_below(folder.parent)
        for ask in (
            lambda folder=folder: engine.try_model(str(folder), Silent()),
            lambda folder=folder: engine.run(QUESTION, ModelChoice(str(folder), "cpu"), Silent()),
        ):
            try:
                ask()
            except SpanlightError as fault:
                check_refusal(fault, folder)
                refused = fault
            else:
                # Asking does not look at every score.
                assert case.startswith("run: "), f"{case} was not refused"
        with pytest.raises(SpanlightError) as caught:
            engine.try_model(str(folder), Silent())
        check_refusal(caught.value, folder, said)
        assert refused.hint
        assert everything_below(folder.parent) == before, case
        assert not (folder.parent / MARKER).exists()
        assert engine.pid == pid, f"the process ended at {case}"
        shutil.rmtree(folder.parent)
    assert engine.run(QUESTION, ModelChoice(str(whole), "cpu"), Silent()).answers


def test_a_confined_process_tries_what_it_is_for_and_reads_nothing_else(reader: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(reader, tmp_path / "other"))
    # As in a cache: the weights lie elsewhere.
    (reader / "model.safetensors").rename(tmp_path / "blob")
    (reader / "model.safetensors").symlink_to(tmp_path / "blob")
    engine = Engine(log=tmp_path / "engine.log", only=reader)
    try:
        assert engine.try_model(str(reader), Silent()).heads == (Head.QUESTION_ANSWERING,)
        if engine.confined is None or not engine.confined.files_blocked:
            pytest.skip("this system has no Landlock")
        with pytest.raises(SpanlightError):
            engine.try_model(str(other), Silent())
    finally:
        engine.close()


def test_a_tokenizer_that_never_ends_is_broken_off(reader: Path, tmp_path: Path) -> None:
    engine = Engine(log=tmp_path / "engine.log")
    try:
        engine.try_model(str(reader), Silent())
        slow = {"type": "Replace", "pattern": {"Regex": "(?<= )(a+)+b"}, "content": ""}
        with_normalizer(*[slow] * 20)(reader)
        began = time.monotonic()
        with pytest.raises(SpanlightError) as caught:
            engine.try_model(str(reader), Silent(), seconds=1)
        assert time.monotonic() - began < 30
        check_refusal(caught.value, reader, "Trying reader took too long")
    finally:
        engine.close()


def test_a_tokenizer_that_is_slow_is_refused(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "MOST_SECONDS", 0.2)
    slow = {"type": "Replace", "pattern": {"Regex": "(?<= )(a+)+b"}, "content": "c"}
    with_normalizer(slow)(reader)
    with pytest.raises(SpanlightError) as caught:
        try_model(reader, Silent())
    check_refusal(caught.value, reader, "takes too long for a page of text")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_whole_model_of_every_family_and_head_passes(family: str, tmp_path: Path) -> None:
    for head in (*KNOWN[family].heads_known, Head.EMBEDDINGS):
        folder = small_checkpoint(tmp_path / head, family, head, ("a", "b", "c"))
        card = try_model(folder, Silent())
        assert card.heads == (head,)
        assert card.folder == str(folder)


def test_every_head_of_a_checkpoint_is_tried(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "taught", head=(Head.MASKED_WORDS, Head.NEXT_SENTENCE))
    assert len(try_model(folder, Silent()).heads) == 2
    set_to(folder, "cls.seq_relationship.bias", float("nan"))
    with pytest.raises(SpanlightError, match=r"cls\.seq_relationship\.bias of taught are not all finite"):
        try_model(folder, Silent())


def test_a_folder_of_links_into_a_cache_is_tried_like_any_other(reader: Path) -> None:
    blobs = reader.parent / "cache" / "blobs"
    blobs.mkdir(parents=True)
    for number, file in enumerate(sorted(reader.iterdir())):
        file.rename(blobs / str(number))
        file.symlink_to(blobs / str(number))
    card = try_model(reader, Silent())
    assert card.heads == (Head.QUESTION_ANSWERING,)
    assert card.size > 100_000


def test_only_the_files_that_count_are_opened(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other files of the folder are never read, whatever their names promise to the libraries."""
    for name in (
        "pytorch_model.bin",
        "adapter_model.bin",
        "tf_model.h5",
        "flax_model.msgpack",
        "training_args.bin",
    ):
        pickled(reader, name)
    for name in ("modeling_bert.py", "tokenization_bert.py", "custom_generate.py"):
        (reader / name).write_text(f"open({str(reader.parent / MARKER)!r}, 'w')")
    (reader / "adapter_config.json").write_text('{"base_model_name_or_path": "../evil", "peft_type": "LORA"}')
    (reader / "generation_config.json").write_text('{"custom_generate": "evil"}')
    (reader / "chat_template.jinja").write_text("{{ evil() }}")
    (reader / "tokenizer_config.json").write_text(
        '{"auto_map": {"AutoTokenizer": ["evil.T", null]}, "tokenizer_class": "Evil", "model_max_length": 64}'
    )
    opened: set[str] = set()
    watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(arguments[0]).startswith(str(reader)):
            opened.add(Path(str(arguments[0])).name)

    sys.addaudithook(watch)
    card = try_model(reader, Silent())
    watching = False
    assert card.max_length == 64
    assert opened <= {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert not (reader.parent / MARKER).exists()


def test_a_tokenizer_without_room_in_its_windows_is_refused(reader: Path) -> None:
    def crowd(stored: dict[str, Any]) -> None:
        stored["post_processor"]["pair"][0:1] *= 5

    tokenizer(reader, crowd)
    (reader / "tokenizer_config.json").write_text('{"model_max_length": 16}')
    with pytest.raises(SpanlightError, match="windows are too short") as caught:
        try_model(reader, Silent())
    check_refusal(caught.value, reader)


def test_scores_of_a_wrong_shape_are_refused(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def narrowed(*arguments: Any, **named: Any) -> Any:
        loaded = real(*arguments, **named)
        object.__setattr__(loaded, "forward", lambda arrays: {"start_logits": np.zeros((1, 3), np.float32)})
        return loaded

    real = trial.load
    monkeypatch.setattr(trial, "load", narrowed)
    with pytest.raises(SpanlightError, match="scores of a wrong shape"):
        try_model(reader, Silent())


def test_a_tokenizer_that_gives_up_on_a_text_is_told_in_a_sentence(engine: Engine, reader: Path) -> None:
    with_normalizer({"type": "Replace", "pattern": {"Regex": "(a+)+b"}, "content": "c"})(reader)
    asked = Question("Who?", (Document("a" * 100),))
    with pytest.raises(SpanlightError, match="tokenizer failed on this text") as caught:
        engine.run(asked, ModelChoice(str(reader), "cpu"), Silent())
    check_refusal(caught.value, reader)
    with pytest.raises(SpanlightError, match="The tokenizer of reader fails on some texts"):
        engine.try_model(str(reader), Silent())
