from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from app.core.errors import SpanlightError
from app.models import device
from app.models.device import choose, physical_cores


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


def capabilities(monkeypatch: pytest.MonkeyPatch, **found: bool) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    monkeypatch.setattr(
        torch.cpu, "_is_amx_tile_supported", lambda: found.get("amx_tile", False), raising=False
    )


def a_gpu(monkeypatch: pytest.MonkeyPatch, *, works: bool = True, bfloat16: bool = True) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: bfloat16)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: f"Graphics {number}")
    monkeypatch.setattr(device, "_multiplies", lambda *_: works)


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_the_cpu_is_taken_and_the_reason_said() -> None:
    choice = choose("auto")
    assert choice.device == "cpu"
    assert choice.title == "CPU"
    assert choice.reason.startswith("no GPU that PyTorch can use was found")


@pytest.mark.parametrize(
    ("found", "dtype", "said"),
    [
        ({"avx512_bf16": True}, "bfloat16", "AVX512-BF16"),
        ({"amx_bf16": True, "amx_tile": True, "avx512_bf16": True}, "bfloat16", "AMX"),
        ({"avx2": True}, "float32", ""),
        ({"amx_bf16": True, "amx_tile": False}, "float32", ""),
    ],
)
def test_bfloat16_where_the_cpu_has_instructions_for_it(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, bool], dtype: str, said: str
) -> None:
    capabilities(monkeypatch, **found)
    choice = choose("cpu")
    assert choice.dtype == dtype
    assert said in choice.reason


def test_an_older_torch_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True, raising=False)
    assert choose("cpu").dtype == "bfloat16"


@pytest.mark.parametrize(("wanted", "taken"), [("auto", "cuda:0"), ("cuda", "cuda:0"), ("CUDA:1", "cuda:1")])
def test_a_gpu_that_works_is_taken(monkeypatch: pytest.MonkeyPatch, wanted: str, taken: str) -> None:
    a_gpu(monkeypatch)
    choice = choose(wanted)
    assert (choice.device, choice.dtype, choice.title) == (taken, "bfloat16", "GPU")
    assert "Graphics" in choice.reason


def test_a_gpu_without_bfloat16_computes_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    a_gpu(monkeypatch, bfloat16=False)
    assert choose("cuda").dtype == "float32"


def test_a_gpu_that_does_not_work_gives_way_to_the_cpu_only_when_none_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a_gpu(monkeypatch, works=False)
    assert choose("auto").device == "cpu"
    assert choose("auto").reason.startswith("PyTorch cannot compute on the GPU Graphics 0")
    with pytest.raises(SpanlightError, match="cannot compute on the GPU"):
        choose("cuda")


def test_an_apple_gpu_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(device, "_multiplies", lambda *_: True)
    assert (choose("auto").device, choose("mps").title) == ("mps", "Apple GPU")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("wanted", ["cuda", "cuda:0", "mps"])
def test_a_device_that_is_not_there_is_refused(wanted: str) -> None:
    with pytest.raises(SpanlightError, match="that PyTorch can use was found") as caught:
        choose(wanted)
    assert "cpu" in caught.value.hint


@pytest.mark.parametrize("wanted", ["", "tpu", "cuda:x", "cpu:1", "auto:0", "cuda:-1"])
def test_a_device_of_no_name_is_refused(wanted: str) -> None:
    with pytest.raises(SpanlightError, match="There is no device called"):
        choose(wanted)


def test_gpus_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    a_gpu(monkeypatch)
    with pytest.raises(SpanlightError, match="There is no GPU number 5"):
        choose("cuda:5")


@pytest.mark.parametrize("fault", [RuntimeError("no kernel image"), AssertionError("not compiled with CUDA")])
def test_a_listed_device_is_tried(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    assert device._multiplies("cpu", "bfloat16")

    def fail(*_: Any, **__: Any) -> None:
        raise fault

    tried: Callable[..., bool] = device._multiplies
    monkeypatch.setattr(torch, "ones", fail)
    assert not tried("cpu", "float32")


def test_there_is_at_least_one_core() -> None:
    assert 1 <= physical_cores() <= 4096
