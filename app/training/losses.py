"""The losses of the heads' papers."""

from __future__ import annotations

from torch import Tensor, float32
from torch.nn.functional import cross_entropy, kl_div

# The target of what the loss ignores.
IGNORED = -100
_MASKED = -1e9  # finite, as 0 times the difference of two infinities is NaN


def span_loss(start_logits: Tensor, end_logits: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """Mean of start and end cross-entropy (BERT, Devlin et al. 2019, section 4.2).

    Logits are batch × length; positions (batch) are clamped to 0 … length, and those at length are ignored. If all are
    ignored the loss is 0, not NaN. An unanswerable window's positions are (0, 0).
    """
    length = start_logits.size(1)
    start, end = (
        mean_loss(logits, positions.clamp(0, length), length)
        for logits, positions in ((start_logits, starts), (end_logits, ends))
    )
    return (start + end) / 2


def shared_loss(
    start_logits: Tensor, end_logits: Tensor, starts: Tensor, ends: Tensor, pairs: Tensor
) -> Tensor:
    """The loss of an answer among all windows of its question (shared normalisation, Clark and Gardner 2018).

    Arguments as for `span_loss`; `pairs` (batch) is the same number for windows of one question. All their positions
    but [CLS] share one softmax. The loss is the mean of start and end cross-entropy over the windows that hold an
    answer and have a partner, times the share of the batch that these are.
    """
    length = start_logits.size(1)
    same = pairs[:, None] == pairs[None, :]
    answers = (starts > 0) & (starts < length) & (ends < length) & (same.sum(1) > 1)
    if not answers.any():
        return start_logits.sum() * 0.0
    total = start_logits.new_zeros((), dtype=float32)
    for logits, positions in ((start_logits, starts), (end_logits, ends)):
        of_window = logits[:, 1:].float().logsumexp(1)
        of_question = of_window[None, :].masked_fill(~same, float("-inf")).logsumexp(1)
        gold = logits.float().gather(1, positions.clamp(0, length - 1)[:, None])[:, 0]
        total = total + (of_question - gold)[answers].sum()
    return total / (2 * len(pairs))


def imitation_loss(
    logits: Tensor, teacher_logits: Tensor, teacher_positions: Tensor, temperature: float
) -> Tensor:
    """The divergence of a student's distribution over positions from its teacher's (Hinton et al. 2015, section 2).

    `logits` are batch × length, `teacher_logits` batch × the teacher's own length. `teacher_positions` (batch × length)
    is where the teacher has each of the student's tokens, -1 for a token that is left out. The loss is
    KL(teacher || student) of the softmaxes at `temperature`, times its square, averaged over the batch.
    """
    student, teacher = (
        (each.float() / temperature).masked_fill(teacher_positions < 0, _MASKED).log_softmax(1)
        for each in (logits, teacher_logits.gather(1, teacher_positions.clamp(min=0)))
    )
    return kl_div(student, teacher, reduction="batchmean", log_target=True) * temperature**2


def mean_loss(logits: Tensor, targets: Tensor, ignored: int = IGNORED) -> Tensor:
    """Mean cross-entropy over the targets (n) that are not `ignored`, 0 where all are; logits are n × labels."""
    counted = (targets != ignored).sum().clamp(min=1)
    return cross_entropy(logits.float(), targets, ignore_index=ignored, reduction="sum") / counted
