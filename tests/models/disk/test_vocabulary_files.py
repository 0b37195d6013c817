"""A tokenizer.json made from vocabulary files splits texts as transformers' own classes do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel
from transformers import BertTokenizer, MPNetTokenizer, RobertaTokenizer

from app.core.errors import SpanlightError
from app.models.disk.vocabulary_files import can_make, make_tokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MPNET = ["<s>", "<pad>", "</s>", "<unk>", "[PAD]", "[UNK]", "[MASK]", "<mask>"]
WORDS = [*"abcdeinorstuz.,!?'éÄ", "##s", "##ing", "##e", "##n", "the", "The", "tart", "tea", "东", "京", "ae"]
TEXT = st.text(st.sampled_from("abtehTHEsing ,.'\n\t东京éÄ\u0301🙂[]<>mask"), max_size=60)


def word_folder(folder: Path, special: Sequence[str] = SPECIAL, /, **said: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*special, *WORDS]) + "\n", encoding="utf-8")
    if said:
        (folder / "tokenizer_config.json").write_text(json.dumps(said))
    return folder


def byte_folder(folder: Path, **said: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    merges = ["t h", "Ġ t", "Ġt h", "Ġth e", "th e", "a r", "ar t"]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *sorted(ByteLevel.alphabet())]
    pieces += [merge.replace(" ", "") for merge in merges] + ["<mask>"]
    (folder / "vocab.json").write_text(json.dumps({piece: at for at, piece in enumerate(pieces)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n", encoding="utf-8")
    if said:
        (folder / "tokenizer_config.json").write_text(json.dumps(said))
    return folder


def made(folder: Path, family: str) -> Tokenizer:
    return Tokenizer.from_str(make_tokenizer(folder, family).decode())


def same(ours: Tokenizer, theirs: Tokenizer, first: str, second: str) -> None:
    for pair in ((first,), (first, second)):
        mine, other = ours.encode(*pair), theirs.encode(*pair)
        assert (mine.ids, mine.offsets, mine.type_ids) == (other.ids, other.offsets, other.type_ids)
        assert mine.special_tokens_mask == other.special_tokens_mask


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vocabularies")


@pytest.mark.parametrize(
    "said",
    [
        {"do_lower_case": True},
        {"do_lower_case": False},
        {"do_lower_case": False, "tokenize_chinese_chars": False},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": False, "cls_token": {"__type": "AddedToken", "content": "[CLS]", "lstrip": False}},
    ],
)
def test_word_pieces_are_those_of_transformers(folders: Path, said: dict[str, object]) -> None:
    folder = word_folder(folders / str(abs(hash(json.dumps(said)))), **said)
    ours, theirs = made(folder, "bert"), BertTokenizer.from_pretrained(folder).backend_tokenizer

    @given(TEXT, TEXT)
    @settings(max_examples=150, deadline=None)
    def check(first: str, second: str) -> None:
        same(ours, theirs, first, second)

    check()


@pytest.mark.parametrize("lower", [False, True])
def test_mpnets_word_pieces_are_those_of_transformers(folders: Path, lower: bool) -> None:
    folder = word_folder(folders / f"mpnet-{lower}", MPNET, do_lower_case=lower)
    ours, theirs = made(folder, "mpnet"), MPNetTokenizer.from_pretrained(folder).backend_tokenizer

    @given(TEXT, TEXT)
    @settings(max_examples=150, deadline=None)
    def check(first: str, second: str) -> None:
        same(ours, theirs, first, second)

    check()
    same(ours, theirs, "the <mask> art", "tea")


@pytest.mark.parametrize("spaced", [False, True])
def test_bytes_are_those_of_transformers(folders: Path, spaced: bool) -> None:
    folder = byte_folder(folders / f"bytes-{spaced}", add_prefix_space=spaced)
    ours, theirs = made(folder, "roberta"), RobertaTokenizer.from_pretrained(folder).backend_tokenizer

    @given(TEXT, TEXT)
    @settings(max_examples=150, deadline=None)
    def check(first: str, second: str) -> None:
        if "<mask>" not in first + second:
            same(ours, theirs, first, second)

    check()


def test_robertas_mask_takes_the_blank_before_it(folders: Path) -> None:
    tokenizer = made(byte_folder(folders / "mask"), "roberta")
    encoded = tokenizer.encode("the <mask> art", add_special_tokens=False)
    assert encoded.ids[:2] == [tokenizer.token_to_id("the"), tokenizer.token_to_id("<mask>")]
    assert encoded.offsets[1] == (4, 10)


def test_a_vocabulary_with_capitals_keeps_them_where_nothing_is_said(tmp_path: Path) -> None:
    assert "The" in made(word_folder(tmp_path / "cased"), "bert").encode("The tart").tokens
    small = tmp_path / "small"
    word_folder(small)
    (small / "vocab.txt").write_text("\n".join([*SPECIAL, "the", "tart"]), encoding="utf-8")
    assert made(small, "electra").encode("The tart").tokens == ["[CLS]", "the", "tart", "[SEP]"]
    (small / "vocab.txt").write_text("\n".join([*MPNET, "the", "tart"]), encoding="utf-8")
    assert made(small, "mpnet").encode("The tart").tokens == ["<s>", "the", "tart", "</s>"]


def test_words_added_later_stand_for_themselves(tmp_path: Path) -> None:
    folder = word_folder(tmp_path / "added")
    (folder / "added_tokens.json").write_text(json.dumps({"Knave of Hearts": len(SPECIAL + WORDS)}))
    assert "Knave of Hearts" in made(folder, "bert").encode("the Knave of Hearts").tokens


def test_what_is_enough() -> None:
    assert can_make({"vocab.txt"}, "distilbert")
    assert can_make({"vocab.txt"}, "mpnet")
    assert can_make({"vocab.json", "merges.txt"}, "roberta")
    assert not can_make({"vocab.json"}, "roberta")
    assert not can_make({"vocab.txt"}, "roberta")
    assert can_make({"spiece.model"}, "albert")
    assert not can_make({"spiece.model"}, "deberta-v2")
    assert not can_make({"vocab.txt"}, "deberta")


@pytest.mark.parametrize(
    ("family", "name", "content"),
    [
        ("bert", "vocab.txt", b""),
        ("bert", "vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n"),
        ("bert", "vocab.txt", b"\xff\xfe"),
        ("bert", "tokenizer_config.json", b"[]"),
        ("bert", "added_tokens.json", b'{"a": -1}'),
        ("bert", "added_tokens.json", b'{"a": "b"}'),
        ("roberta", "vocab.json", b"{}"),
        ("roberta", "vocab.json", b'{"<s>": -1}'),
        ("roberta", "vocab.json", b'{"<s>": true}'),
        ("roberta", "merges.txt", b"only\n"),
        ("roberta", "merges.txt", b"q q\n"),
        ("roberta", "merges.txt", b"\xff"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, family: str, name: str, content: bytes) -> None:
    folder = (word_folder if family == "bert" else byte_folder)(tmp_path / "broken")
    (folder / name).write_bytes(content)
    with pytest.raises(SpanlightError) as caught:
        make_tokenizer(folder, family)
    assert caught.value.hint and caught.value.message.endswith(".")


def test_a_folder_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="has no tokenizer"):
        make_tokenizer(tmp_path, "bert")
