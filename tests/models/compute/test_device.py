"""Which device and dtype are chosen, for what reason, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from app.core.errors import SpanlightError
from app.core.models import PRECISIONS
from app.models.compute import graphics, processor
from app.models.compute.device import choose, cpu, cpu_precisions
from app.models.compute.graphics import Card
from app.models.compute.processor import physical_cores


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(graphics, "cards", lambda: ())


def capabilities(monkeypatch: pytest.MonkeyPatch, **found: bool) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    monkeypatch.setattr(processor, "_is_amd", lambda: False)
    monkeypatch.setattr(
        torch.cpu, "_is_amx_tile_supported", lambda: found.get("amx_tile", False), raising=False
    )


def gpus_that(
    monkeypatch: pytest.MonkeyPatch, *works: bool, capability: tuple[int, int] = (9, 0)
) -> list[tuple[str, str]]:
    """Fake GPUs that PyTorch lists, each of which computes or not; notes which were tried."""
    tried: list[tuple[str, str]] = []

    def multiplies(key: str, dtype: str) -> bool:
        tried.append((key, dtype))
        return works[int(key.split(":")[1])]

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(works))
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_75", "sm_80", "sm_90"])
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: f"Graphics {number}")
    monkeypatch.setattr(graphics, "multiplies", multiplies)
    return tried


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_the_cpu_is_chosen_with_the_reason() -> None:
    choice = choose("auto")
    assert choice.device == "cpu"
    assert choice.title == "CPU"
    assert choice.reason.startswith("no GPU that PyTorch can use was found")


@pytest.mark.parametrize(
    ("found", "dtype", "said", "precisions"),
    [
        ({"avx2": True}, "float32", "chosen in the settings", ("float32",)),
        ({"avx512_bf16": True}, "float32", "faster here than bfloat16", ("float32", "bfloat16")),
        (
            {"avx512_bf16": True, "avx512_fp16": True},
            "float32",
            "AVX512-BF16",
            ("float32", "bfloat16", "float16"),
        ),
        (
            {"amx_bf16": True, "amx_tile": True, "avx512_bf16": True},
            "bfloat16",
            "bfloat16 with AMX",
            ("bfloat16", "float32"),
        ),
        ({"amx_bf16": True, "amx_tile": False}, "float32", "chosen in the settings", ("float32",)),
        ({"neon": True, "bf16": True, "fp16_arith": True}, "float32", "BF16", ("float32", "bfloat16", "float16")),
    ],
)  # fmt: skip
def test_the_cpu_computes_in_what_is_fastest_with_its_instructions(
    monkeypatch: pytest.MonkeyPatch,
    found: dict[str, bool],
    dtype: str,
    said: str,
    precisions: tuple[str, ...],
) -> None:
    capabilities(monkeypatch, **found)
    choice = choose("cpu")
    assert choice.dtype == dtype == cpu_precisions()[0]
    assert said in choice.reason
    assert cpu_precisions() == precisions
    for precision in PRECISIONS[1:]:
        if precision in precisions:
            assert choose("cpu", precision).dtype == precision
            assert choose("cpu", precision).reason == f"chosen in the settings; {precision} chosen"
        else:
            with pytest.raises(SpanlightError, match=f"no instructions for {precision}") as caught:
                choose("cpu", precision)
            assert "auto" in caught.value.hint


def test_an_older_torch_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(processor, "_is_amd", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True, raising=False)
    assert cpu("a test").dtype == "float32"
    assert cpu_precisions() == ("float32", "bfloat16")
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True, raising=False)
    assert cpu("a test").dtype == "bfloat16"


@pytest.mark.parametrize(("wanted", "taken"), [("auto", "cuda:0"), ("cuda", "cuda:0"), ("CUDA:1", "cuda:1")])
def test_a_working_gpu_is_chosen(monkeypatch: pytest.MonkeyPatch, wanted: str, taken: str) -> None:
    gpus_that(monkeypatch, True, True)
    choice = choose(wanted)
    assert (choice.device, choice.dtype, choice.title) == (taken, "bfloat16", "GPU")
    assert choice.reason.startswith(f"Graphics {taken[-1]}")
    assert choice.reason.endswith("faster than the CPU") == (wanted == "auto")


def test_a_gpu_without_bfloat16_computes_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = gpus_that(monkeypatch, True, capability=(7, 5))
    assert choose("cuda").dtype == "float32"
    assert tried == [("cuda:0", "float32")]
    assert choose("cuda", "float16").dtype == "float16"
    with pytest.raises(SpanlightError, match="The GPU Graphics 0 does not compute in bfloat16"):
        choose("cuda", "bfloat16")


def test_auto_passes_over_a_device_that_does_not_compute_in_the_chosen_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus_that(monkeypatch, True, capability=(7, 5))
    capabilities(monkeypatch, avx512_bf16=True)
    choice = choose("auto", "bfloat16")
    assert (choice.device, choice.dtype) == ("cpu", "bfloat16")
    assert choice.reason == (
        "Graphics 0 is not used: the GPU Graphics 0 does not compute in bfloat16; bfloat16 chosen"
    )
    assert choose("auto", "float16").device == "cuda:0"


def test_a_gpu_that_does_not_work_gives_way_to_the_next_and_then_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus_that(monkeypatch, False, True)
    choice = choose("auto")
    assert choice.device == "cuda:1"
    assert "; Graphics 0 is not used: pyTorch" not in choice.reason
    assert "; Graphics 0 is not used: PyTorch cannot compute on the GPU Graphics 0" in choice.reason
    gpus_that(monkeypatch, False)
    assert choose("auto").device == "cpu"
    assert choose("auto").reason.startswith("Graphics 0 is not used: PyTorch cannot compute on the GPU")
    with pytest.raises(SpanlightError, match="cannot compute on the GPU"):
        choose("cuda")


def test_a_gpu_of_this_computer_that_pytorch_cannot_use_is_named_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, no_gpu: None
) -> None:
    monkeypatch.setattr(graphics, "cards", lambda: (Card("NVIDIA", "NVIDIA H200"),))
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    assert choose("auto").reason.startswith("NVIDIA H200 is not used: this PyTorch is a CPU build")
    with pytest.raises(SpanlightError, match="CPU build") as caught:
        choose("cuda")
    assert "cpu" in caught.value.hint


def test_an_apple_gpu_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(graphics, "cards", lambda: ())
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(graphics, "multiplies", lambda _, dtype: dtype != "bfloat16")
    assert (choose("auto").device, choose("mps").title) == ("mps", "Apple GPU")
    assert choose("mps:0", "float16").dtype == "float16"
    with pytest.raises(SpanlightError, match="does not compute in bfloat16"):
        choose("mps", "bfloat16")


@pytest.mark.usefixtures("no_gpu")
def test_missing_devices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for wanted in ("cuda", "cuda:0", "mps"):
        with pytest.raises(SpanlightError, match="that PyTorch can use was found") as caught:
            choose(wanted)
        assert "cpu" in caught.value.hint
    for wanted in ("", "tpu", "cuda:x", "cpu:1", "auto:0", "cuda:-1"):
        with pytest.raises(SpanlightError, match="There is no device called"):
            choose(wanted)
    for precision in ("", "float64", "int8"):
        with pytest.raises(SpanlightError, match="There is no precision called"):
            choose("cpu", precision)
    gpus_that(monkeypatch, True, True)
    with pytest.raises(SpanlightError, match="There is no GPU number 5"):
        choose("cuda:5")


@pytest.mark.parametrize("fault", [RuntimeError("no kernel image"), AssertionError("not compiled with CUDA")])
def test_a_listed_device_is_tried(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    assert all(graphics.multiplies("cpu", dtype) for dtype in ("bfloat16", *cpu_precisions()))

    def fail(*_: Any, **__: Any) -> None:
        raise fault

    tried: Callable[..., bool] = graphics.multiplies
    monkeypatch.setattr(torch, "ones", fail)
    assert not tried("cpu", "float32")


def test_there_is_at_least_one_core_and_the_processor_has_a_name() -> None:
    assert 1 <= physical_cores() <= 4096
    assert processor.name() == " ".join(processor.name().split())


@pytest.mark.parametrize(
    ("name", "value", "held_back"),
    [
        ("ONEDNN_MAX_CPU_ISA", "AVX2", True),
        ("ONEDNN_MAX_CPU_ISA", "AVX2_VNNI", True),
        ("ATEN_CPU_CAPABILITY", "avx2", True),
        ("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_AMX", False),
        ("ATEN_CPU_CAPABILITY", "avx512", False),
    ],
)
def test_instructions_that_pytorch_may_not_use_do_not_count(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, held_back: bool
) -> None:
    has = dict.fromkeys(("amx_bf16", "avx512_bf16", "avx512_fp16"), True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True, raising=False)
    assert (processor.fast_bfloat16(), processor.float16()) == ("AMX", "AVX512-FP16")
    monkeypatch.setenv(name, value)
    found = processor.fast_bfloat16(), processor.bfloat16(), processor.float16()
    assert found == (("", "", "") if held_back else ("AMX", "AMX", "AVX512-FP16"))


@pytest.mark.parametrize(("is_amd", "fast"), [(True, "AVX512-BF16"), (False, "")])
def test_bfloat16_without_amx_is_fast_only_on_processors_of_amd(
    monkeypatch: pytest.MonkeyPatch, is_amd: bool, fast: str
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True}, raising=False)
    monkeypatch.setattr(processor, "_is_amd", lambda: is_amd)
    assert (processor.fast_bfloat16(), processor.bfloat16()) == (fast, "AVX512-BF16")
