"""What Spanlight is made of: found by words, and read whole."""

from __future__ import annotations

import pytest

from app.core.components import Component, LicenceText

TORCH = Component(
    "torch",
    "2.13.0",
    "BSD-3-Clause",
    "https://pytorch.org",
    "What models run on.",
    texts=(
        LicenceText(("LICENSE",), "From PyTorch"),
        LicenceText(("third_party/fmt/LICENSE", "third_party/kineto/fmt/LICENSE"), "Copyright Victor"),
    ),
)


@pytest.mark.parametrize("words", ["", "torch", "TORCH bsd", "2.13", "kineto FMT", "models run"])
def test_it_is_found_by_all_the_words(words: str) -> None:
    assert TORCH.fits(words)


@pytest.mark.parametrize("words", ["torch mit", "Victor", "numpy"])
def test_other_words_do_not_find_it(words: str) -> None:
    assert not TORCH.fits(words)


def test_all_of_it_can_be_read() -> None:
    assert TORCH.whole_text() == (
        "torch 2.13.0\nLicence: BSD-3-Clause\nhttps://pytorch.org\n\nWhat models run on.\n\n"
        "[LICENSE]\n\nFrom PyTorch\n\n"
        "[third_party/fmt/LICENSE, third_party/kineto/fmt/LICENSE]\n\nCopyright Victor"
    )
    assert Component("bare").whole_text() == "bare\nLicence: not stated"
