"""Components are found by words and shown whole, and licences are written as people know them."""

from __future__ import annotations

import pytest

from app.core.licences import Component, LicenceText, licence_in_words


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("apache-2.0", "Apache 2.0"),
        ("MIT", "MIT"),
        ("cc-by-4.0", "CC BY 4.0"),
        ("cc-by-nc-sa-4.0", "CC BY-NC-SA 4.0"),
        ("cc-by-sa", "CC BY-SA"),
        ("CC BY-SA 4.0", "CC BY-SA 4.0"),
        ("Apache-2.0; learnt partly from data offered for research",) * 2,
        ("llama3", "llama3"),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_a_licence_is_written_as_people_know_it(stated: str, words: str) -> None:
    assert licence_in_words(stated) == words


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


def test_it_is_found_by_all_the_words_and_by_no_others() -> None:
    assert all(map(TORCH.fits, ("", "torch", "TORCH bsd", "2.13", "kineto FMT", "models run")))
    assert not any(map(TORCH.fits, ("torch mit", "Victor", "numpy")))


def test_all_of_it_can_be_read() -> None:
    assert TORCH.whole_text() == (
        "torch 2.13.0\nLicence: BSD-3-Clause\nhttps://pytorch.org\n\nWhat models run on.\n\n"
        "[LICENSE]\n\nFrom PyTorch\n\n"
        "[third_party/fmt/LICENSE, third_party/kineto/fmt/LICENSE]\n\nCopyright Victor"
    )
    assert Component("bare").whole_text() == "bare\nLicence: not stated"
