"""A SentencePiece file read by its format splits texts as transformers' classes do with the same pieces."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AlbertTokenizer, DebertaV2Tokenizer, XLMRobertaTokenizer

from app.core.errors import SpanlightError
from app.models.disk.sentence_pieces import read_sentence_pieces
from app.models.disk.vocabulary_files import make_tokenizer

SAMPLE = [
    "The Queen of Hearts, she made some tarts, all on a summer day.",
    "The Knave of Hearts, he stole those tarts, and took them quite away!",
    "Пойте, дети: в Токио 東京 и в Zürich.",
] * 4
TEXT = st.lists(
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


def made(folder: Path, family: str, name: str, content: bytes, **said: object) -> Tokenizer:
    folder.mkdir()
    (folder / name).write_bytes(content)
    if said:
        (folder / "tokenizer_config.json").write_text(json.dumps(said))
    return Tokenizer.from_str(make_tokenizer(folder, family).decode())


def check(ours: Tokenizer, theirs: Tokenizer) -> None:
    @given(TEXT, TEXT)
    @settings(max_examples=150, deadline=None)
    def same(first: str, second: str) -> None:
        for pair in ((first,), (first, second)):
            mine, other = ours.encode(*pair), theirs.encode(*pair)
            assert mine.tokens == other.tokens
            assert (mine.ids, mine.offsets, mine.type_ids) == (other.ids, other.offsets, other.type_ids)

    same()


def test_xlm_roberta(tmp_path: Path, learnt: Pieces) -> None:
    file = model_file([("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *learnt])
    ours = made(tmp_path / "m", "xlm-roberta", "sentencepiece.bpe.model", file)
    first = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    check(ours, XLMRobertaTokenizer(vocab=[*first, *learnt, ("<mask>", 0.0)]).backend_tokenizer)


@pytest.mark.parametrize("lower", [True, False])
def test_albert(tmp_path: Path, learnt: Pieces, lower: bool) -> None:
    first = [("<pad>", 0.0), ("<unk>", 0.0), ("[CLS]", 0.0), ("[SEP]", 0.0), ("[MASK]", 0.0)]
    file = model_file([*first, *learnt], unknown=1)
    ours = made(tmp_path / "m", "albert", "spiece.model", file, do_lower_case=lower)
    check(ours, AlbertTokenizer(vocab=[*first, *learnt], do_lower_case=lower).backend_tokenizer)


def test_deberta(tmp_path: Path, learnt: Pieces) -> None:
    first = [("[PAD]", 0.0), ("[CLS]", 0.0), ("[SEP]", 0.0), ("[UNK]", 0.0)]
    ours = made(tmp_path / "m", "deberta-v2", "spm.model", model_file([*first, *learnt], unknown=3))
    assert ours.token_to_id("[MASK]") == len(first) + len(learnt)
    check(ours, DebertaV2Tokenizer(vocab=[*first, *learnt], unk_id=3).backend_tokenizer)


def test_the_normalisers_map_is_handed_on(tmp_path: Path, learnt: Pieces) -> None:
    file = model_file([("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *learnt], charsmap=b"\4\0\0\0\0\0\0\0")
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "sentencepiece.bpe.model").write_bytes(file)
    steps = json.loads(make_tokenizer(folder, "xlm-roberta"))["normalizer"]["normalizers"]
    assert steps == [{"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAA="}]


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.model"
    path.write_bytes(data)
    try:
        assert read_sentence_pieces(path).pieces
    except SpanlightError as fault:
        assert fault.hint


def test_a_cut_file_and_one_of_another_kind_are_refused(tmp_path: Path, learnt: Pieces) -> None:
    path = tmp_path / "spm.model"
    whole = model_file(learnt)
    for data in (
        b"",
        whole[:-1],
        whole[: len(whole) // 2],
        model_file(learnt, kind=2),
        model_file([], unknown=0),
    ):
        path.write_bytes(data)
        with pytest.raises(SpanlightError):
            read_sentence_pieces(path)
    path.write_bytes(model_file([("a", float("nan"))]))
    with pytest.raises(SpanlightError):
        read_sentence_pieces(path)
