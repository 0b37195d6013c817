"""Trials with a tiny model of every family, imported and used as a user's own would be, and one trained."""

from __future__ import annotations

import json
import string
import struct
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from app.core.inspection import LookAtAttention, Subject
from app.core.models import Head, family_title
from app.core.requests import TextsToClassify, TrainingRequest
from app.flows.check.trial import Trial, require
from app.flows.heads.classify import classify
from app.flows.heads.inspect import look
from app.flows.models.installed import installed
from app.flows.models.installing import complete
from app.flows.models.take_in import import_model
from app.flows.train import CLASSIFICATION, train
from app.flows.workspace import Workspace
from app.models.disk.vocabulary_files import (
    BYTE_LEVEL,
    MERGES,
    PIECES,
    SENTENCE_PIECES,
    WORD_PIECE,
    WORDS,
    make_tokenizer,
)
from app.models.families import FAMILIES

TEXT, QUESTION = "The lamp is lit every evening at dusk.", "When is it lit?"
GOOD, BAD = "good", "bad"
ROWS = tuple((f"{word} number {number}", word) for number in range(8) for word in (GOOD, BAD))
_LETTERS = string.ascii_lowercase + string.ascii_uppercase + string.digits + string.punctuation
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MPNET = ("<s>", "<pad>", "</s>", "[UNK]", "<mask>")
_BLANK = "▁"
# The types of pieces in a SentencePiece file: normal, unknown, control.
_USUAL, _UNKNOWN, _CONTROL = 1, 2, 3


def write_vocabulary(folder: Path, family: str) -> tuple[int, int]:
    """Write the files that a family's tokenizer is made from; the number of tokens, and the id of padding.

    A family whose vocabulary comes in no file of its own gets the tokenizer.json of one with word pieces.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if family in SENTENCE_PIECES:
        return _sentence_pieces(folder / SENTENCE_PIECES[family], family)
    if family in BYTE_LEVEL:
        return _bytes(folder)
    special, padding = (_MPNET, 1) if family == "mpnet" else (_SPECIAL, 0)
    words = [*special, *_LETTERS, *("##" + letter for letter in _LETTERS)]
    (folder / WORDS).write_text("\n".join(words) + "\n", encoding="utf-8")
    if family not in WORD_PIECE:
        (folder / "tokenizer.json").write_bytes(make_tokenizer(folder, "bert"))
        (folder / WORDS).unlink()
    return len(words), padding


def _bytes(folder: Path) -> tuple[int, int]:
    """Byte-level BPE (Radford et al. 2019): each byte is a character, bytes without a printable one from 256 on."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = (chr(256 + number) for number in range(256 - len(plain)))
    letters = [chr(byte) if byte in plain else next(others) for byte in range(256)]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters, "th"]
    (folder / PIECES).write_text(json.dumps({token: i for i, token in enumerate(tokens)}), encoding="utf-8")
    (folder / MERGES).write_text("#version: 0.2\nt h\n", encoding="utf-8")
    return len(tokens), tokens.index("<pad>")


def _sentence_pieces(path: Path, family: str) -> tuple[int, int]:
    """A file as app.models.disk.sentence_pieces describes it."""
    # fairseq puts XLM-RoBERTa's own tokens in the place of the first three.
    special = {"xlm-roberta": ("<unk>", "<s>", "</s>"), "albert": ("<pad>", "<unk>", *_SPECIAL[2:])}
    names = special.get(family, _SPECIAL)
    pieces = [(name, 0.0, _UNKNOWN if "unk" in name.lower() else _CONTROL) for name in names]
    pieces += [(_BLANK, -2.0, _USUAL), *((letter, -4.0, _USUAL) for letter in _LETTERS)]
    data = b"".join(_field(1, _piece(*piece)) for piece in pieces)
    unknown = next(number for number, piece in enumerate(pieces) if piece[2] == _UNKNOWN)
    trained = _key(3, 0) + _varint(1) + _key(40, 0) + _varint(unknown)
    path.write_bytes(data + _field(2, trained))
    return (len(pieces) + 2, 1) if family == "xlm-roberta" else (len(pieces), 0)


def _piece(text: str, score: float, kind: int) -> bytes:
    return _field(1, text.encode()) + _key(2, 5) + struct.pack("<f", score) + _key(3, 0) + _varint(kind)


def _field(number: int, content: bytes) -> bytes:
    return _key(number, 2) + _varint(len(content)) + content


def _key(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _varint(value: int) -> bytes:
    data: Iterable[int] = ()
    while value > 127:
        data, value = (*data, value & 127 | 128), value >> 7
    return bytes((*data, value))


def try_families(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Try every family, and import one model as a user does; files are written into the folder."""
    for family in FAMILIES:
        action = partial(_read, trial, workspace, folder / f"tiny-{family}", family)
        trial.run(f"{family_title(family)}: a model made, read and looked into", action)
    action = partial(_take_in, trial, workspace, folder / "someones-own")
    trial.run("Models: one from a folder added", action)


def _read(trial: Trial, workspace: Workspace, folder: Path, family: str) -> None:
    workspace.engine.make_model(folder, family, *write_vocabulary(folder, family), trial.report)
    complete(folder)
    card = workspace.engine.try_model(str(folder), trial.report)
    require(Head.QUESTION_ANSWERING in card.heads, f"{card.name} is said to answer no questions.")
    subject = Subject(Head.QUESTION_ANSWERING, TEXT, QUESTION)
    seen = look(workspace, LookAtAttention(subject), trial.report, model=str(folder))
    require(bool(seen.weights), "There are no attentions.")


def _take_in(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """An import tries the model in a process of its own."""
    workspace.engine.make_model(folder, "bert", *write_vocabulary(folder, "bert"), trial.report)
    card = import_model(workspace, folder, trial.report)
    found = {one.name for one in installed(workspace)}
    require(card.name in found, f"{card.name} is not among the models.")


def try_training(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Train a tiny model for some steps, and classify with it; files are written into the folder."""
    trial.run(
        "Teach: some steps, and the model opened", partial(_teach, trial, workspace, folder / "teaching")
    )


def _teach(trial: Trial, workspace: Workspace, folder: Path) -> None:
    base = folder / "base"
    tokens, padding = write_vocabulary(base, "deberta")  # the tokenizer.json that training begins with
    workspace.engine.make_model(base, "bert", tokens, padding, trial.report)
    rows = folder / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in ROWS), encoding="utf-8"
    )
    request = TrainingRequest(
        CLASSIFICATION,
        str(base),
        (str(rows),),
        (str(rows),),
        str(folder / "taught"),
        epochs=2,
        batch_size=4,
        max_length=64,
        evaluate_every=4,
        device="cpu",
    )
    training = train(workspace, request, trial.report)
    require(training.steps == 2 * len(ROWS) // 4, f"{training.steps} steps were taken.")
    found = classify(workspace, TextsToClassify((ROWS[0][0],)), trial.report, model=training.folder)
    labels = {score.label for score in found.items[0].scores}
    require(labels == {GOOD, BAD}, f"It knows the classes {', '.join(sorted(labels))}.")
