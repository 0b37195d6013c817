"""What the question's words, where they stand, say of where a long text answers: an addition to the reader's logits.

A reader judges each window by itself, and of hundreds some look like an answer that are about something else. Retrieval
and reading know different things of a passage, so their scores are added, as Yang et al. 2019 do ("End-to-End
Open-Domain Question Answering with BERTserini", section 3.3).
"""

from __future__ import annotations

import numpy as np

from app.tasks.qa.ranking import CELL, Places

# Logits for one of BM25. Of 100 questions of `docqa` about 250,000 characters each the best span is right for 66.9
# without, 67.5 with 0.1 or 0.15, 66.2 with 0.2; of SQuAD's about 120,000 for 78.9 without, 80.0 with any of these.
WEIGHT = 0.15
# Texts of so many code points together are long: about 14 windows of 384 tokens. In shorter ones nothing is added:
# there the windows' own scores find the place (of those questions, in all but 5 of 90 among 10 windows).
LEAST_LENGTH = 32 * CELL


def lexical_scores(places: Places, document: int, starts: np.ndarray) -> np.ndarray:
    """What is added to the start logits of tokens that start at these code points of a document, float32[n].

    It is `WEIGHT` times what a place's BM25 lacks beside the best place's, so never more than 0: words that they share
    say where a question may be answered, and not whether it is.
    """
    return (WEIGHT * (places.around(document, starts) - places.most)).astype(np.float32)
