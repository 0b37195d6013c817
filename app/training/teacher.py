"""Distillation: a model that answers questions already, and the loss of imitating it (Hinton et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.config import read_config
from app.tasks.text.windows import PairTemplate, pad, padding_id
from app.training.features import Feature, collate, with_paired
from app.training.folder import load_base, load_tokenizer, require_checkpoint, weight_names
from app.training.losses import imitation_loss

PREFIX = "teacher_"


class Teacher:
    """A question answering checkpoint whose `model` reads the student's inputs, token by token.

    `student` is the student's tokenizer, `max_length` its longest input. `imitate` is the weight of the imitation loss,
    the labels' loss has the rest; `temperature` divides the logits of both models. Raises SpanlightError where the
    folder is no such checkpoint, its windows are shorter, or it lacks a word piece.
    """

    def __init__(
        self,
        folder: Path,
        student: Tokenizer,
        max_length: int,
        imitate: float = 0.7,
        temperature: float = 2.0,
    ) -> None:
        if not (0 <= imitate <= 1 and temperature > 0):
            raise SpanlightError(
                Message("A teacher cannot be imitated so."),
                Message("imitate is from 0 to 1, temperature above 0."),
            )
        require_checkpoint(folder, is_teacher=True)
        tokenizer = load_tokenizer(folder)
        self._imitate, self._temperature = imitate, temperature
        self._ids = token_mapping(student, tokenizer)
        self._student, self._own = PairTemplate.of(student), PairTemplate.of(tokenizer)
        self._pad_id = padding_id(tokenizer)
        longest = read_config(folder, folder.name).longest
        needed = max_length - self._student.pair_overhead + self._own.pair_overhead
        if needed > longest:
            raise SpanlightError(
                Message(
                    "{name} reads at most {longest} tokens at a time, and would need {needed}.",
                    name=folder.name,
                    longest=longest,
                    needed=needed,
                ),
                Message("Give a smaller length."),
            )
        self.model = load_base(folder, "qa", (), 0.0, 0).eval().requires_grad_(False)
        if "qa_outputs.weight" not in weight_names(folder):
            raise SpanlightError(
                Message("{name} cannot answer questions.", name=folder.name),
                Message("Choose another teacher."),
            )

    def collate(self, features: Sequence[Feature], pad_id: int) -> dict[str, np.ndarray]:
        """The student's arrays; the teacher's inputs, their names prefixed by `PREFIX`; and `teacher_positions`.

        These (see imitation_loss) are -1 but for [CLS], titles and contexts. All are int64.
        """
        arrays = collate(features, pad_id)
        teacher_positions = np.full(arrays["input_ids"].shape, -1, dtype=np.int64)
        teacher_positions[:, 0] = 0
        rows = []
        for row, f in zip(teacher_positions, with_paired(features), strict=True):
            before, between, after = map(len, self._student.pair_parts)
            question = self._ids[f.input_ids[before : f.context_at - between]]
            context = self._ids[f.input_ids[f.context_at : len(f) - after]]
            at = self._own.context_at(len(question))
            row[f.context_at : len(f) - after] = np.arange(at, at + len(context))
            rows.append(Feature(*self._own.pair(question, context), (), context_at=at))
        return {
            **arrays,
            **{PREFIX + name: array for name, array in pad(rows, self._pad_id).items()},
            "teacher_positions": teacher_positions,
        }

    def loss(self, label_loss: Tensor, output: Any, teacher_output: Any, teacher_positions: Tensor) -> Tensor:
        """The weighted sum of the labels' loss and the imitation loss, which is the mean of start's and end's.

        `output` is the student's, `teacher_output` the teacher's on the same rows.
        """
        starts, ends = (
            imitation_loss(output[name], teacher_output[name], teacher_positions, self._temperature)
            for name in ("start_logits", "end_logits")
        )
        return (1 - self._imitate) * label_loss + self._imitate * (starts + ends) / 2


def token_mapping(student: Tokenizer, teacher: Tokenizer) -> np.ndarray:
    """The teacher's id of each of the student's tokens, int64[student's ids].

    A special token that the teacher does not have becomes its unknown token. Raises SpanlightError where it does not
    have a word piece.
    """
    unknown = teacher.token_to_id(getattr(teacher.model, "unk_token", None) or "")
    special = {token.content for token in student.get_added_tokens_decoder().values() if token.special}
    special.add(getattr(student.model, "unk_token", None) or "")
    from_entries, to_entries = student.get_vocab(), teacher.get_vocab()
    if unknown is not None:
        to_entries = dict.fromkeys(special, unknown) | to_entries
    missing = sorted(from_entries.keys() - to_entries.keys())
    if missing:
        raise SpanlightError(
            Message(
                "Student and teacher do not share their word pieces: the teacher lacks {missing:,} of"
                " {pieces:,}, such as “{piece}”.",
                missing=len(missing),
                pieces=len(from_entries),
                piece=missing[0],
            ),
            Message("Choose a teacher whose tokenizer has the same."),
        )
    ids = np.zeros(max(from_entries.values()) + 1, dtype=np.int64)
    for token, number in from_entries.items():
        ids[number] = to_entries[token]
    return ids
