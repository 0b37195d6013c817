"""A tokenizer.json made from vocabulary files splits texts as transformers' own classes do."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    AlbertTokenizer,
    BertTokenizer,
    DebertaV2Tokenizer,
    MPNetTokenizer,
    RobertaTokenizer,
    XLMRobertaTokenizer,
)

from app.core.errors import SpanlightError
from app.models.disk.sentence_pieces import read_sentence_pieces
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


def same(ours: Tokenizer, theirs: Tokenizer, text: st.SearchStrategy[str]) -> None:
    """Assert that two tokenizers split texts and pairs alike."""

    @given(text, text)
    def check(first: str, second: str) -> None:
        for pair in ((first,), (first, second)):
            mine, other = ours.encode(*pair), theirs.encode(*pair)
            assert mine.tokens == other.tokens
            assert (mine.ids, mine.offsets, mine.type_ids) == (other.ids, other.offsets, other.type_ids)
            assert mine.special_tokens_mask == other.special_tokens_mask

    check()


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
def test_word_pieces_are_those_of_transformers(tmp_path: Path, said: dict[str, object]) -> None:
    folder = word_folder(tmp_path, **said)
    same(made(folder, "bert"), BertTokenizer.from_pretrained(folder).backend_tokenizer, TEXT)


@pytest.mark.parametrize("lower", [False, True])
def test_mpnets_word_pieces_are_those_of_transformers(tmp_path: Path, lower: bool) -> None:
    folder = word_folder(tmp_path, MPNET, do_lower_case=lower)
    text = TEXT | st.just("the <mask> art")
    same(made(folder, "mpnet"), MPNetTokenizer.from_pretrained(folder).backend_tokenizer, text)


@pytest.mark.parametrize("spaced", [False, True])
def test_bytes_are_those_of_transformers(tmp_path: Path, spaced: bool) -> None:
    folder = byte_folder(tmp_path, add_prefix_space=spaced)
    text = TEXT.filter(lambda text: "<mask>" not in text)
    same(made(folder, "roberta"), RobertaTokenizer.from_pretrained(folder).backend_tokenizer, text)


def test_robertas_mask_takes_the_blank_before_it(tmp_path: Path) -> None:
    tokenizer = made(byte_folder(tmp_path), "roberta")
    encoded = tokenizer.encode("the <mask> art", add_special_tokens=False)
    assert encoded.ids[:2] == [tokenizer.token_to_id("the"), tokenizer.token_to_id("<mask>")]
    assert encoded.offsets[1] == (4, 10)


def test_a_vocabulary_with_capitals_means_a_cased_model(tmp_path: Path) -> None:
    assert "The" in made(word_folder(tmp_path / "cased"), "bert").encode("The tart").tokens
    small = tmp_path / "small"
    word_folder(small)
    (small / "vocab.txt").write_text("\n".join([*SPECIAL, "the", "tart"]), encoding="utf-8")
    assert made(small, "electra").encode("The tart").tokens == ["[CLS]", "the", "tart", "[SEP]"]
    (small / "vocab.txt").write_text("\n".join([*MPNET, "the", "tart"]), encoding="utf-8")
    assert made(small, "mpnet").encode("The tart").tokens == ["<s>", "the", "tart", "</s>"]


def test_added_words_are_tokens_of_their_own(tmp_path: Path) -> None:
    folder = word_folder(tmp_path / "added")
    (folder / "added_tokens.json").write_text(json.dumps({"Knave of Hearts": len(SPECIAL + WORDS)}))
    assert "Knave of Hearts" in made(folder, "bert").encode("the Knave of Hearts").tokens


def test_which_files_are_enough(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="has no tokenizer"):
        make_tokenizer(tmp_path, "bert")
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


# SentencePiece files


SAMPLE = [
    "The Queen of Hearts, she made some tarts, all on a summer day.",
    "The Knave of Hearts, he stole those tarts, and took them quite away!",
    "Пойте, дети: в Токио 東京 и в Zürich.",
] * 4
RHYME = st.lists(
    st.sampled_from(
        [*"The Knave of Hearts tarts ``quoted'' Zürich 東京 1,234 don't ÀÉ 🙂".split(" "), "xyz"]
    ),
    max_size=12,
).map(" ".join)
Pieces = list[tuple[str, float]]


@pytest.fixture(scope="module")
def learnt() -> Pieces:
    """Pieces with scores that a unigram trainer finds."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(SAMPLE, trainers.UnigramTrainer(vocab_size=120, show_progress=False))
    # A file keeps scores as 32-bit floats.
    vocabulary = json.loads(tokenizer.to_str())["model"]["vocab"]
    return [(text, struct.unpack("<f", struct.pack("<f", score))[0]) for text, score in vocabulary]


def varint(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 127
        out.append(low | (128 if value else 0))
        if not value:
            return bytes(out)


def field(number: int, value: bytes | int | float) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def model_file(pieces: Pieces, *, unknown: int = 0, kind: int = 1, charsmap: bytes = b"") -> bytes:
    parts = [
        field(1, field(1, text.encode()) + field(2, score) + field(3, 2 if at == unknown else 1))
        for at, (text, score) in enumerate(pieces)
    ]
    trained = field(1, b"input.txt") + field(3, kind) + field(40, unknown) + varint(10 << 3 | 5) + b"\0\0\0\0"
    normal = field(1, b"nmt_nfkc") + (field(2, charsmap) if charsmap else b"")
    return b"".join(parts) + field(2, trained) + field(3, normal)


def piece_folder(folder: Path, name: str, content: bytes, **said: object) -> Path:
    (folder / name).write_bytes(content)
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    return folder


def test_xlm_roberta(tmp_path: Path, learnt: Pieces) -> None:
    file = model_file([("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *learnt])
    ours = made(piece_folder(tmp_path, "sentencepiece.bpe.model", file), "xlm-roberta")
    first = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    same(ours, XLMRobertaTokenizer(vocab=[*first, *learnt, ("<mask>", 0.0)]).backend_tokenizer, RHYME)


@pytest.mark.parametrize("lower", [True, False])
def test_albert(tmp_path: Path, learnt: Pieces, lower: bool) -> None:
    pieces = [*((name, 0.0) for name in ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")), *learnt]
    file = model_file(pieces, unknown=1)
    ours = made(piece_folder(tmp_path, "spiece.model", file, do_lower_case=lower), "albert")
    same(ours, AlbertTokenizer(vocab=pieces, do_lower_case=lower).backend_tokenizer, RHYME)


def test_deberta(tmp_path: Path, learnt: Pieces) -> None:
    pieces = [*((name, 0.0) for name in ("[PAD]", "[CLS]", "[SEP]", "[UNK]")), *learnt]
    ours = made(piece_folder(tmp_path, "spm.model", model_file(pieces, unknown=3)), "deberta-v2")
    assert ours.token_to_id("[MASK]") == len(pieces)
    same(ours, DebertaV2Tokenizer(vocab=pieces, unk_id=3).backend_tokenizer, RHYME)


def test_the_normalisers_map_is_kept(tmp_path: Path, learnt: Pieces) -> None:
    file = model_file([("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *learnt], charsmap=b"\4\0\0\0\0\0\0\0")
    folder = piece_folder(tmp_path, "sentencepiece.bpe.model", file)
    steps = json.loads(make_tokenizer(folder, "xlm-roberta"))["normalizer"]["normalizers"]
    assert steps == [{"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}]


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.model"
    path.write_bytes(data)
    try:
        assert read_sentence_pieces(path).pieces
    except SpanlightError as fault:
        assert fault.hint


def test_a_cut_file_and_one_of_another_kind_are_refused(tmp_path: Path, learnt: Pieces) -> None:
    path, whole = tmp_path / "spm.model", model_file(learnt)
    broken = (b"", whole[:-1], whole[: len(whole) // 2])
    for data in (*broken, model_file(learnt, kind=2), model_file([]), model_file([("a", float("nan"))])):
        path.write_bytes(data)
        with pytest.raises(SpanlightError):
            read_sentence_pieces(path)
