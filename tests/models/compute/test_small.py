import json
from pathlib import Path

import pytest

from app.engine.checking import write_small
from app.flows.check.families import write_vocabulary
from app.flows.models.installing import complete
from app.models.disk.card import read_card
from app.models.families import FAMILIES


@pytest.mark.parametrize("family", ["bert", "xlm-roberta", "mpnet", "deberta"])
def test_a_card_can_be_read_of_it(tmp_path: Path, family: str) -> None:
    folder = tmp_path / "tiny"
    write_small(folder, family, *write_vocabulary(folder, family))
    complete(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    assert config["model_type"] == family
    card = read_card(folder)
    assert card.heads[0] is FAMILIES[family].heads_known[0] and card.max_length == 512


def test_weights_begin_by_chance_and_are_the_same_again(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("other", 8)):
        write_small(tmp_path / name, "bert", 200, 0, seed=seed)
    one, two, other = (
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two", "other")
    )
    assert one == two != other
