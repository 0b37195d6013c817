"""What the question's words, where they stand, say of where a long text answers: an addition to the reader's logits.

A reader judges each window by itself, and of hundreds some look like an answer that are about something else. Retrieval
and reading know different things of a passage, so their scores are added, as Yang et al. 2019 do ("End-to-End
Open-Domain Question Answering with BERTserini", section 3.3).
"""

from __future__ import annotations

import numpy as np

from app.tasks.ranking import CELL, Places

# Logits for one of BM25.
WEIGHT = 0.2
# A text of so many code points is long: about 14 windows of 384 tokens. In shorter ones nothing is added: there the
# windows' own scores find the place, and what the question's words say is the less, the fewer places there are.
LEAST_LENGTH = 32 * CELL


def lexical_scores(places: Places, document: int, starts: np.ndarray) -> np.ndarray:
    """What is added to the start logits of tokens that start at these code points of a document: float32[n], from 0."""
    return (WEIGHT * places.around(document, starts)).astype(np.float32)
