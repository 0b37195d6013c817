"""Transformers' model classes, one for each family and head."""

from __future__ import annotations

from typing import Any

from app.core.models import Head
from app.models.families import Family


def model_class(family: Family, head: Head) -> Any:
    """Transformers' class for a family's head.

    Only the family's own module is imported, not transformers' table of all models.
    """
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    match family.module:
        case "bert":
            from transformers.models.bert import modeling_bert as module
        case "distilbert":
            from transformers.models.distilbert import modeling_distilbert as module
        case "roberta":
            from transformers.models.roberta import modeling_roberta as module
        case "xlm_roberta":
            from transformers.models.xlm_roberta import modeling_xlm_roberta as module
        case "mpnet":
            from transformers.models.mpnet import modeling_mpnet as module
        case "electra":
            from transformers.models.electra import modeling_electra as module
        case "albert":
            from transformers.models.albert import modeling_albert as module
        case "mobilebert":
            from transformers.models.mobilebert import modeling_mobilebert as module
        case "deberta":
            from transformers.models.deberta import modeling_deberta as module
        case "deberta_v2":
            from transformers.models.deberta_v2 import modeling_deberta_v2 as module
        case unknown:
            raise ValueError(f"no module for the family {unknown}")
    return getattr(module, family.class_name(head))
