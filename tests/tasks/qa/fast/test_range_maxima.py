from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.qa.fast.range_maxima import RangeMaxima


@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=70), st.integers(1, 50), st.data())
def test_it_gives_the_largest_of_every_stretch(values: list[float], most: int, data: st.DataObject) -> None:
    array = np.array(values, dtype=np.float32)
    low = np.array(data.draw(st.lists(st.integers(0, len(values)), min_size=1, max_size=9)))
    high = np.minimum(low + data.draw(st.integers(0, most)), len(values))
    found = RangeMaxima(array, most)(low, high)
    assert found.dtype == np.float32
    expected = [array[a:b].max(initial=-np.inf) for a, b in zip(low, high, strict=True)]
    assert found.tolist() == expected
