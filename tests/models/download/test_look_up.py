"""Passports: what a look-up finds out about a repository, and which ones are refused with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.models.disk.weights import read_header
from tests.helpers.downloading import NAME, WEIGHTS, Visit, whole
from tests.helpers.hub_server import HubServer

Files = dict[str, bytes]


def test_a_passport_says_what_a_person_wants_to_know(hub: HubServer, visit: Visit, checkpoint: Files) -> None:
    commit = hub.add(NAME, checkpoint, licence="apache-2.0", languages=["en", "de"])
    passport = visit.look_up()
    assert (passport.repository, passport.commit, passport.endpoint) == (NAME, commit, hub.url)
    assert not passport.refused and passport.card is not None
    assert passport.card.heads == (Head.QUESTION_ANSWERING,) and passport.card.name == "reader"
    assert passport.card.size == passport.size == passport.to_fetch
    assert passport.size == sum(len(checkpoint[file.name]) for file in passport.files)
    assert passport.licence == "apache-2.0" and passport.languages == ("en", "de")
    assert passport.speed > 0 and passport.seconds and passport.free_disk > 0
    assert not passport.gated and not any(file.cached for file in passport.files)
    assert not Path(visit.network.cache).exists()


def test_only_the_beginning_of_the_weights_is_fetched(
    hub: HubServer, visit: Visit, checkpoint: Files
) -> None:
    hub.add(NAME, checkpoint)
    visit.look_up()
    (asked,) = hub.requests("/cdn/*")
    assert asked.headers["range"] == f"bytes=0-{2 * 2**20 - 1}" and asked.status == 206
    assert asked.sent < len(checkpoint[WEIGHTS])
    assert not hub.requests("*tokenizer.json")


def test_a_server_that_ignores_ranges_is_soon_cut_off(
    hub: HubServer, visit: Visit, checkpoint: Files
) -> None:
    hub.add(NAME, checkpoint | {WEIGHTS: checkpoint[WEIGHTS]})
    hub.fail("/cdn/*", whole=True)
    assert visit.look_up().card is not None


def test_a_slow_server_is_measured_for_a_second_only(hub: HubServer, visit: Visit, checkpoint: Files) -> None:
    hub.add(NAME, checkpoint)
    hub.fail("/cdn/*", rate=400_000)
    passport = visit.look_up()
    assert 200_000 < passport.speed < 800_000
    assert hub.sent("/cdn/*") < 1_500_000


def test_a_header_that_is_longer_than_the_first_bytes_is_fetched_whole(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    weights = small[WEIGHTS]
    length = int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8 : 8 + length])
    header["__metadata__"] = {"note": "x" * 3_000_000}
    longer = json.dumps(header).encode()
    data = len(longer).to_bytes(8, "little") + longer + weights[8 + length :]
    hub.add(NAME, small | {WEIGHTS: data})
    passport = visit.look_up()
    assert passport.card is not None, passport.refused


def test_a_sharded_model_is_read_from_all_headers(
    hub: HubServer, visit: Visit, small: Files, tmp_path: Path
) -> None:
    files = sharded(small, tmp_path)
    hub.add(NAME, files)
    passport = visit.look_up()
    assert passport.card is not None, passport.refused
    shards = {name for name in files if name.startswith("model-")}
    assert len(shards) == 2 and shards <= {file.name for file in passport.files}
    whole(visit.fetch(passport), hub, passport)
    del files[sorted(shards)[0]]
    hub.add(NAME, files)
    assert f"has no {sorted(shards)[0]}" in visit.look_up().refused


def sharded(files: Files, folder: Path) -> Files:
    """The same checkpoint with its weights in two files and an index."""
    import torch
    from safetensors.torch import load, save

    tensors: dict[str, torch.Tensor] = load(files[WEIGHTS])
    names = sorted(tensors)
    parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    made = {name: data for name, data in files.items() if name != WEIGHTS}
    for shard, held in parts.items():
        made[shard] = save({name: tensors[name] for name in held}, {"format": "pt"})
        (folder / shard).write_bytes(made[shard])
        assert set(read_header(folder / shard)) == set(held)
    where = {name: shard for shard, held in parts.items() for name in held}
    return made | {"model.safetensors.index.json": json.dumps({"weight_map": where}).encode()}


def test_a_vocabulary_is_fetched_where_there_is_no_tokenizer(
    hub: HubServer, visit: Visit, small: Files
) -> None:
    words = json.loads(small["tokenizer.json"])["model"]["vocab"]
    vocabulary = "\n".join(sorted(words, key=words.__getitem__)).encode()
    files = {name: data for name, data in small.items() if name != "tokenizer.json"}
    hub.add(NAME, files)
    assert "has no tokenizer.json, and no vocabulary" in visit.look_up().refused
    hub.add(NAME, files | {"vocab.txt": vocabulary, "merges.txt": b"", "spm.model": b""})
    passport = visit.look_up()
    assert passport.card is not None and "vocab.txt" in {file.name for file in passport.files}
    hub.add(NAME, small | {"vocab.txt": vocabulary})
    assert "vocab.txt" not in {file.name for file in visit.look_up().files}


def without(files: Files, *names: str) -> Files:
    return {name: data for name, data in files.items() if name not in names}


@pytest.mark.parametrize(
    ("change", "facts", "said"),
    [
        (lambda f: without(f, WEIGHTS) | {"pytorch_model.bin": b"\x80"}, {}, "only as pytorch_model.bin"),
        (lambda f: without(f, WEIGHTS), {}, "has no model.safetensors"),
        (lambda f: without(f, "config.json"), {}, "has no config.json"),
        (lambda f: {}, {}, "has no model.safetensors"),
        (lambda f: f | {"config.json": b"{"}, {}, "config.json is not well-formed"),
        (lambda f: f | {"config.json": b'{"model_type": "gpt2"}'}, {}, "gpt2"),
        (lambda f: f | {"config.json": f["config.json"][:-2] + b', "auto_map": {"AutoModel": "x.X"}}'}, {}, "program"),
        (lambda f: f | {WEIGHTS: f[WEIGHTS][:-4]}, {}, "is cut off"),
        (lambda f: f | {WEIGHTS: b"\xff" * 100}, {}, "ends before its own header"),
        (lambda f: f | {WEIGHTS: b"PK\x03\x04" + b"x" * 90}, {}, "model.safetensors"),
        (lambda f: f | {"../evil.txt": b""}, {}, "leads out of its folder"),
        (lambda f: f | {"/etc/passwd": b""}, {}, "leads out of its folder"),
        (lambda f: f | {"a\\..\\b": b""}, {}, "leads out of its folder"),
        (lambda f: f | {"C:evil": b""}, {}, "leads out of its folder"),
        (lambda f: f | {"a\x1b[2Jb": b""}, {}, "leads out of its folder"),
        (lambda f: f | {"a\u202eb": b""}, {}, "leads out of its folder"),
        (lambda f: f, {"disabled": True}, "has switched owner/reader off"),
        (lambda f: f, {"gated": "auto"}, "only to people who have registered"),
        (lambda f: f, {"gated": "manual"}, "only to people who have registered"),
    ],
)  # fmt: skip
def test_unusable_models_are_refused_with_the_reason(
    hub: HubServer, visit: Visit, small: Files, change: object, facts: dict[str, object], said: str
) -> None:
    hub.add(NAME, change(small), **facts)  # type: ignore[operator]
    passport = visit.look_up()
    assert passport.card is None and said in passport.refused and passport.hint
    assert said != "gpt2" or not hub.requests("/cdn/*"), "a config that is refused has nothing more fetched"
    assert passport.refused.isprintable() and passport.refused.endswith(".")
    assert not Path(visit.network.cache).exists()
    with pytest.raises(SpanlightError) as told:
        visit.fetch(passport)
    assert told.value.message == passport.refused


def listed(hub: HubServer, small: Files, **changed: object) -> None:
    """Have the Hub state wrong facts about the weights' file."""
    hub.add(NAME, small)
    file = next(f for f in hub.repositories[NAME].commits[hub.repositories[NAME].main].values() if f.large)
    told = file.told()
    others = [
        f.told() for f in hub.repositories[NAME].commits[hub.repositories[NAME].main].values() if not f.large
    ]
    told["lfs"] |= changed
    told |= {"size": told["lfs"]["size"]}
    hub.repositories[NAME].facts["siblings"] = [*others, told]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"size": 10**15}, "more than any model's"),
        ({"size": -1}, "tells no size and checksum"),
        ({"size": None}, "tells no size and checksum|as a Hub does"),
        ({"size": True}, "tells no size and checksum"),
        ({"sha256": "../../x"}, "tells no size and checksum"),
        ({"sha256": None}, "tells no size and checksum"),
        ({"sha256": "a" * 40}, "a checksum of model.safetensors that is none"),
    ],
)
def test_files_with_odd_sizes_and_checksums_are_refused(
    hub: HubServer, visit: Visit, small: Files, changed: dict[str, object], said: str
) -> None:
    listed(hub, small, **changed)
    try:
        passport = visit.look_up()
    except SpanlightError as told:
        refused = told.message
    else:
        assert passport.card is None
        refused = passport.refused
    assert any(each in refused for each in said.split("|")), refused


@pytest.mark.parametrize(
    "facts",
    [
        {"id": 7}, {"id": "../x"}, {"sha": "main"}, {"sha": None}, {"siblings": "x"}, {"siblings": None},
        {"siblings": [7]}, {"siblings": [{}]}, {"inferenceProviderMapping": 7}, {"createdAt": "x"},
    ],
)  # fmt: skip
def test_senseless_answers_are_not_a_hubs(
    hub: HubServer, visit: Visit, small: Files, facts: dict[str, object]
) -> None:
    hub.add(NAME, small, **facts)
    with pytest.raises(SpanlightError, match="does not answer as a Hub does"):
        visit.look_up()


@pytest.mark.parametrize(
    ("card", "licence", "languages"),
    [
        ({}, "", ()),
        (None, "", ()),
        ({"license": "mit", "language": "en"}, "mit", ("en",)),
        ({"license": ["mit", "cc-by-4.0"], "language": ["en", "en", 7]}, "mit, cc-by-4.0", ("en",)),
        ({"license": "other", "license_name": "llama2"}, "llama2", ()),
        ({"license": "other"}, "other", ()),
        ({"license": {"a": 1}, "language": {"b": 2}}, "", ()),
        ({"license": "m\x1b[31mit\n"}, "m[31mit", ()),
        ("text", "", ()),
    ],
)
def test_licences_and_languages_are_as_stated(
    hub: HubServer, visit: Visit, small: Files, card: object, licence: str, languages: tuple[str, ...]
) -> None:
    hub.add(NAME, small, cardData=card)
    passport = visit.look_up()
    assert (passport.licence, passport.languages) == (licence, languages)


def test_an_impossible_name_sends_nothing(hub: HubServer, visit: Visit) -> None:
    with pytest.raises(SpanlightError, match="is no name of a model"):
        visit.look_up("../x")
    assert not hub.requests()
