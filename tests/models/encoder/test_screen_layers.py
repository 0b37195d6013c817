"""What a screen's layers are fitted to."""

from __future__ import annotations

import pytest
import torch

from app.models.encoder.screen_layers import Seen


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_some_rows_are_kept_and_not_all_with_them(dtype: torch.dtype) -> None:
    seen, values = Seen(1), torch.randn(3000, 16).to(dtype)
    expected = values[::11].clone().float()
    low, high = values.amin(0).float(), values.amax(0).float()
    seen(0, "inner", values)
    values.zero_()  # the encoder goes on with that memory
    kept = seen.values(0, "inner")
    torch.testing.assert_close(kept, expected)
    assert kept.untyped_storage().nbytes() == kept.numel() * 4
    torch.testing.assert_close(seen.range(0, "inner"), (low, high))
