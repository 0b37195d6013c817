"""Names of repositories and files: which are accepted, and which never are."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from huggingface_hub.utils import HFValidationError, validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.network import HUB
from app.models.download.repositories import is_hostile, is_repository, may_be_fetched, needed, repository_of

letters = st.sampled_from("aZ0._-/\\:%?#@ ~\x00\n\u202eé…")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("deepset/roberta-base-squad2", "deepset/roberta-base-squad2"),
        (" bert-base-uncased \n", "bert-base-uncased"),
        ("https://huggingface.co/deepset/roberta-base-squad2", "deepset/roberta-base-squad2"),
        ("https://huggingface.co/deepset/roberta-base-squad2/", "deepset/roberta-base-squad2"),
        ("http://hf.co/a/b/blob/main/config.json?x=1#y", "a/b"),
        ("huggingface.co/a/b/tree/main", "a/b"),
        ("https://huggingface.co/gpt2/tree/main", "gpt2"),
        ("HTTPS://www.huggingface.co/a/b", "a/b"),
        ("https://mirror.example/a/b", "a/b"),
        ("a/b_c", "a/b_c"),
        ("a/b__c", "a/b__c"),
    ],
)
def test_names_and_addresses_are_accepted(typed: str, name: str) -> None:
    assert repository_of(typed, "https://mirror.example") == name


@pytest.mark.parametrize(
    "typed",
    [
        "", "/", "a/", "/a", "a//b", "a/b/c", ".", "..", "a/..", "../a", "a/.b", "-a", "a-", "a--b", "a..b", "a/b.git",
        "a b", "a\\b", "a:b", "a%2fb", "a?b", "a#b", "a@b", "~a", "a\x00b", "é", "a" * 97, "file:///etc/passwd",
        "https://evil.example/a/b", "https://huggingface.co.evil.example/a/b", "https://huggingface.co@evil.example/a/b",
        "https://huggingface.co/datasets/squad", "https://huggingface.co/", "https://[", "https://huggingface.co/a/..",
        "//evil.example/a", "http://127.0.0.1/a/b",
    ],
)  # fmt: skip
def test_anything_else_is_refused(typed: str) -> None:
    with pytest.raises(SpanlightError, match="is no name of a model"):
        repository_of(typed)


@given(st.text(letters, max_size=40))
def test_an_accepted_name_cannot_lead_elsewhere(name: str) -> None:
    if is_repository(name):
        address = urlsplit(f"{HUB}/api/models/{name}/revision/main")
        assert address.hostname == "huggingface.co" and address.path == f"/api/models/{name}/revision/main"
        assert not {".", "..", ""} & set(name.split("/")) and not address.query
        try:
            validate_repo_id(name)
        except HFValidationError:
            pytest.fail(f"huggingface_hub refuses {name!r}")


@given(st.text(letters, max_size=40))
def test_a_typed_name_is_refused_or_accepted(typed: str) -> None:
    try:
        assert is_repository(repository_of(typed))
    except SpanlightError as told:
        assert told.message.isprintable()


@given(st.text(st.one_of(letters, st.characters()), max_size=30))
def test_a_fetched_file_is_in_its_folder(name: str) -> None:
    if may_be_fetched(name):
        assert not set(name) & set('/\\:*?"<>|\0') and name not in (".", "..")
    if not is_hostile(name):
        assert not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def test_only_what_a_model_needs_is_chosen() -> None:
    there = [
        "README.md", "LICENSE", "config.json", "generation_config.json", "model.safetensors", "pytorch_model.bin",
        "model.safetensors.index.json", "tokenizer.json", "vocab.txt", "tokenizer_config.json", "onnx/model.onnx",
        "special_tokens_map.json", "spanlight.json", "adapter_model.safetensors", "modeling_x.py", "docs/README.md",
    ]  # fmt: skip
    assert set(needed(there)) == {
        "README.md", "LICENSE", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
        "special_tokens_map.json",
    }  # fmt: skip
    assert needed(there)[-1] == "model.safetensors"
    assert "model.safetensors.index.json" in needed(set(there) - {"model.safetensors"})
    assert "vocab.txt" in needed(set(there) - {"tokenizer.json"})
