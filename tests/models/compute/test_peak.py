"""The peak speed by dtype: kernels that do not work or are slow are left out."""

from __future__ import annotations

import time

import pytest

from app.core.report import Stopped
from app.models.compute import peak
from app.models.compute.peak import measure_peak


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak, "SIZE", 128)
    monkeypatch.setattr(peak, "_SECONDS", 0.01)


def test_the_fastest_kernel_of_a_dtype_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def speed(way: object, dtype: str, device: str, least: float) -> float:
        asked.append(device)
        return float(len(asked))

    monkeypatch.setattr(peak, "_speed", speed)
    found = measure_peak("cpu", lambda: None)
    # Plain and packed for each.
    assert [(one.dtype, one.flops) for one in found] == [
        ("float32", 2.0),
        ("bfloat16", 4.0),
        ("float16", 6.0),
    ]


def test_missing_or_slow_kernels_are_left_out_except_for_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(size: int, *rest: str) -> object:
        raise RuntimeError("not implemented for 'Half'")

    monkeypatch.setattr(peak, "_plain", missing)
    monkeypatch.setattr(peak, "_packed", lambda *_: lambda: time.sleep(0.02))
    assert [one.dtype for one in measure_peak("cpu", lambda: None)] == ["float32"]


def test_a_stop_propagates() -> None:
    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        measure_peak("cpu", stop)


def test_an_operation_counts_once_for_each_multiplication_and_addition() -> None:
    found = peak._timed(lambda: time.sleep(0.01), 100, "cpu", 0.05)
    assert found == pytest.approx(2 * 100**3 / 0.01, rel=0.3)
