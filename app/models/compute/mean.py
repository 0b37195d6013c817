"""Mean pooling over transformers' models (Sentence-BERT, Reimers and Gurevych 2019)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional
from transformers.modeling_outputs import SequenceClassifierOutput

_LOSSES: dict[str | None, Callable[[Tensor, Tensor], Tensor]] = {
    "multi_label_classification": functional.binary_cross_entropy_with_logits,
    "regression": lambda logits, targets: functional.mse_loss(logits.squeeze(), targets.squeeze()),
}


def mean_of(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of each text's states without padding, as unit vectors: [batch, length, width] to [batch, width]."""
    kept = mask[..., None]
    return functional.normalize((states.float() * kept).sum(1) / kept.sum(1), dim=-1)


class MeanModel(nn.Module):
    """A model without a head and mean pooling: its output is `embeddings`, unit vectors [batch, width].

    With a `classifier`, a linear over these, it is `logits` [batch, labels] instead, and the loss of `labels` as
    transformers' classes for texts compute it.
    """

    def __init__(self, base: Any, classifier: nn.Linear | None = None) -> None:
        super().__init__()
        self.base_model = base
        self.classifier = classifier
        self.config = base.config

    def get_input_embeddings(self) -> nn.Module:
        """The word embeddings."""
        found: nn.Module = self.base_model.get_input_embeddings()
        return found

    def forward(self, *, attention_mask: Tensor, labels: Tensor | None = None, **inputs: Any) -> Any:
        """The outputs by name; with `output_attentions` each layer's attention weights too."""
        found = self.base_model(attention_mask=attention_mask, **inputs)
        mean = mean_of(found["last_hidden_state"], attention_mask)
        if self.classifier is None:
            return {"embeddings": mean}
        logits = self.classifier(mean)
        loss = None
        if labels is not None:
            loss = _LOSSES.get(self.config.problem_type, functional.cross_entropy)(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits, attentions=found.get("attentions"))
