"""The int8 screen: near the exact pass, refused where it is not worth it, and broken off like it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Stopped
from app.models import device as devices
from app.models.card import read_card
from app.models.encoder import screen as screens
from app.models.encoder.screen import Int8Screen
from app.models.encoder.screen_probe import highest_level
from app.models.forward import Arrays
from app.models.loader import Loaded, load
from tests.conftest import ROOT
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING
NAMES = ("start_logits", "end_logits")
STARTER = ROOT / "resources" / "models" / "starter-qa"
OWN = ("bert", "roberta", "xlm-roberta", "mpnet", "electra", "distilbert")

pytestmark = pytest.mark.skipif(not highest_level(32, 64, "gelu"), reason="no int8 linears on this CPU")


@pytest.fixture(autouse=True)
def at_any_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of these sizes have nothing to gain."""
    monkeypatch.setattr(screens, "LEAST_GAIN", 0.0)


def loaded(folder: Path, check: Callable[[], None] = lambda: None) -> Loaded:
    return load(read_card(folder), QA, devices.cpu("", "float32"), check)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return loaded(small_checkpoint(tmp_path_factory.mktemp("small")))


def rows(model: Loaded, lengths: tuple[int, ...], seed: int = 5) -> Arrays:
    """A batch of random tokens, padded behind."""
    generator = np.random.default_rng(seed)
    size = model.tokenizer.get_vocab_size()
    arrays = {
        name: np.zeros((len(lengths), max(lengths)), dtype=np.int64)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    pad = next(
        model.tokenizer.token_to_id(sign)
        for sign in ("[PAD]", "<pad>")
        if model.tokenizer.token_to_id(sign) is not None
    )
    arrays["input_ids"] += pad
    for row, length in enumerate(lengths):
        arrays["input_ids"][row, :length] = generator.integers(5, size, length)
        arrays["attention_mask"][row, :length] = 1
        arrays["token_type_ids"][row, length // 3 : length] = 1
    return arrays


def correlation(found: Arrays, exact: Arrays, arrays: Arrays) -> float:
    there = arrays["attention_mask"] > 0
    return min(float(np.corrcoef(found[name][there], exact[name][there])[0, 1]) for name in NAMES)


@pytest.mark.parametrize("family", OWN)
def test_each_familys_logits_are_near(tmp_path: Path, family: str) -> None:
    model = loaded(small_checkpoint(tmp_path / family, family))
    assert model.screen.begin(rows(model, (90, 64, 64, 40)))
    other = rows(model, (128, 100, 33, 17, 5), seed=6)
    found, exact = model.screen(other), model.forward(other)
    assert correlation(found, exact, other) > 0.99
    for name in NAMES:
        assert found[name].dtype == np.float32
        assert found[name].shape == exact[name].shape


def test_an_exact_pass_in_bfloat16_is_screened_too(tmp_path: Path) -> None:
    model = load(read_card(small_checkpoint(tmp_path)), QA, devices.cpu("", "bfloat16"))
    some = rows(model, (64, 64, 48))
    assert model.screen.begin(some)
    assert correlation(model.screen(some), model.forward(some), some) > 0.99


def test_a_row_is_the_same_beside_others_and_padding(small: Loaded) -> None:
    assert small.screen.begin(rows(small, (64, 64)))
    many = rows(small, (90, 64, 47, 16), seed=8)
    together = small.screen(many)
    for row, length in enumerate((90, 64, 47, 16)):
        alone = small.screen({name: array[row : row + 1, :length] for name, array in many.items()})
        for name in NAMES:
            np.testing.assert_array_equal(together[name][row, :length], alone[name][0])
            assert not together[name][row, length:].any()


def test_a_row_of_all_positions_is_read(tmp_path: Path) -> None:
    model = loaded(small_checkpoint(tmp_path, "roberta", positions=50))
    whole = rows(model, (50, 49))
    assert model.screen.begin(whole)
    assert correlation(model.screen(whole), model.forward(whole), whole) > 0.99


def test_it_is_fitted_anew_without_quantising_anew(small: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = rows(small, (64, 64)), rows(small, (80, 48), seed=9)
    assert small.screen.begin(one)
    first = small.screen(one)
    size = small.screen.size
    assert 0 < size < small.forward.size  # type: ignore[attr-defined]
    monkeypatch.setattr(screens, "ScreenLayer", None)
    assert small.screen.begin(other)
    assert small.screen.size == size
    assert small.screen.begin(one)
    np.testing.assert_array_equal(small.screen(one)["start_logits"], first["start_logits"])


def test_it_tells_what_text_it_fits(small: Loaded) -> None:
    screen, some = Int8Screen(small.screen._model), rows(small, (64, 64))
    assert not screen.fits("one")
    assert screen.begin(some, "one")
    assert screen.fits("one") and not screen.fits("other")
    assert screen.begin(some, "other")
    assert screen.fits("other") and not screen.fits("one")
    screen.close()
    assert not screen.fits("other")


def test_it_holds_nothing_before_and_after(small: Loaded) -> None:
    screen = Int8Screen(small.screen._model)
    some = rows(small, (32, 32))
    assert screen.size == 0
    with pytest.raises(ValueError, match="not fitted"):
        screen(some)
    assert screen.begin(some)
    threads = {thread for thread in threading.enumerate() if thread.name.startswith("screen")}
    assert threads
    screen.close()
    assert screen.size == 0
    with pytest.raises(ValueError, match="not fitted"):
        screen(some)


@pytest.mark.parametrize(
    ("what", "value"), [("LEAST_GAIN", 1e6), ("LEAST_CORRELATION", 1.0), ("MOST_OFF", 1e-9)]
)
def test_it_is_refused_where_it_is_not_worth_it(
    small: Loaded, monkeypatch: pytest.MonkeyPatch, what: str, value: float
) -> None:
    monkeypatch.setattr(screens, what, value)
    screen = Int8Screen(small.screen._model)
    assert not screen.begin(rows(small, (64, 64)))
    assert screen.size == 0


@pytest.mark.parametrize(("before", "then"), [(2, True), (3, False)])
def test_where_it_is_not_quicker_time_after_time_it_is_not_tried_again(
    small: Loaded, monkeypatch: pytest.MonkeyPatch, before: int, then: bool
) -> None:
    screen, some = Int8Screen(small.screen._model), rows(small, (64, 64))
    monkeypatch.setattr(screens, "LEAST_GAIN", 1e6)
    for _ in range(before):
        assert not screen.begin(some)
    monkeypatch.setattr(screens, "LEAST_GAIN", 0.0)
    assert screen.begin(some) is then
    assert screen.begin(some) is then


def test_logits_that_are_no_numbers_are_not_near() -> None:
    there = np.ones((1, 8), dtype=bool)
    right = np.arange(8, dtype=np.float32)[None]
    holed = np.where(right == 3, np.nan, right)
    for exact, found, near in ((right, right, True), (right, holed, False), (holed, right, False)):
        assert Int8Screen._is_near(*(dict.fromkeys(NAMES, each) for each in (exact, found)), there) is near


def test_it_is_refused_where_int8_is_not_right(small: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "highest_level", lambda *_: 0)
    assert not Int8Screen(small.screen._model).begin(rows(small, (64, 64)))


def test_seven_bits_do_where_eight_do_not_fit(small: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "highest_level", lambda *_: 127)
    screen, some = Int8Screen(small.screen._model), rows(small, (64, 64))
    assert screen.begin(some)
    assert correlation(screen(some), small.forward(some), some) > 0.98


def test_a_fault_while_quantising_is_no_fault_of_the_reading(
    small: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(screens, "ScreenLayer", fail)
    screen = Int8Screen(small.screen._model)
    assert not screen.begin(rows(small, (64, 64)))
    assert screen.size == 0


def test_a_fault_in_a_row_closes_it(small: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, some = Int8Screen(small.screen._model), rows(small, (64, 64, 64))
    assert screen.begin(some)

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(screen._layers[1], "_outer_norm", fail)
    with pytest.raises(RuntimeError, match="out of memory"):
        screen(some)
    assert screen.size == 0


@pytest.mark.parametrize("stop_at", range(1, 14, 4))
def test_a_stop_breaks_it_off_wherever_it_is(tmp_path: Path, stop_at: int) -> None:
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked == stop_at:
            raise Stopped

    model = loaded(small_checkpoint(tmp_path), check)
    some = rows(model, (64, 64))
    with pytest.raises(Stopped):
        for _ in range(20):
            model.screen.begin(some, "a text")
    assert not model.screen.fits("a text"), "its layers may be fitted in part"
    assert model.screen.begin(some, "a text"), "it can begin again"
    assert correlation(model.screen(some), model.forward(some), some) > 0.99


def test_threads_of_torch_stay_as_many(small: Loaded) -> None:
    import torch

    before = torch.get_num_threads()
    some = rows(small, (64, 64))
    assert small.screen.begin(some)
    small.screen(some)
    seen: list[int] = []
    fresh = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    fresh.start()
    fresh.join()
    assert (torch.get_num_threads(), seen) == (before, [before])


def test_the_starters_logits_are_near() -> None:
    model = loaded(STARTER)
    text = (ROOT / "README.md").read_text("utf-8")
    ids = model.tokenizer.encode("Where does PyTorch live?", text, add_special_tokens=True)
    first = ids.ids.index(model.tokenizer.token_to_id("[SEP]")) + 1
    windows = [ids.ids[:first] + ids.ids[at : at + 180] for at in range(first, first + 160 * 8, 160)]
    arrays = {"input_ids": np.array(windows, dtype=np.int64)}
    arrays["attention_mask"] = np.ones_like(arrays["input_ids"])
    arrays["token_type_ids"] = (
        np.broadcast_to(np.arange(len(windows[0])) >= first, arrays["input_ids"].shape) * 1
    )
    half = {name: array[:3] for name, array in arrays.items()}
    assert model.screen.begin(half)
    found, exact = model.screen(arrays), model.forward(arrays)
    assert correlation(found, exact, arrays) > 0.99
    best = [
        (each["start_logits"][:, first:].max(1) + each["end_logits"][:, first:].max(1))
        for each in (found, exact)
    ]
    assert np.argsort(-best[0])[:2].tolist().count(int(best[1].argmax())) == 1
    assert float(np.abs(best[0] - best[1]).max()) < 2
