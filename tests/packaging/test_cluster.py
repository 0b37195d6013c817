"""The examples of a cluster: their form, and that they are of this Spanlight and its Ray."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.table import parser
from app.core.about import VERSION
from tests.conftest import ROOT

FOLDER = ROOT / "packaging" / "cluster"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
IMAGE = f"REGISTRY/spanlight-node:{VERSION}"


def loaded(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text("utf-8"))


def ray_release() -> str:
    return next(
        each for each in PROJECT["tool"]["spanlight"]["tested"] if each.startswith("ray==")
    ).partition("==")[2]


def commands(text: str) -> list[str]:
    return re.findall(r"spanlight (table .*)", text)


def test_ray_up_names_node_types_that_it_describes() -> None:
    cluster = loaded("ray-up.yaml")
    types = cluster["available_node_types"]
    assert cluster["head_node_type"] in types and cluster["docker"]["image"] == IMAGE
    assert types[cluster["head_node_type"]]["resources"] == {"CPU": 0}
    assert all(
        each["max_workers"] <= cluster["max_workers"] for each in types.values() if "max_workers" in each
    )
    assert cluster["provider"].keys() >= {"type", "region"}
    starts = cluster["head_start_ray_commands"] + cluster["worker_start_ray_commands"]
    assert all("--disable-usage-stats" in each for each in starts if each.startswith("ray start"))


def test_kuberay_describes_a_job_whose_volumes_are_mounted() -> None:
    job = loaded("kuberay.yaml")
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["rayVersion"] == ray_release()
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        assert group["rayStartParams"]["disable-usage-stats"] == "true"
        pod = group["template"]["spec"]
        for container in pod["containers"]:
            assert container["image"] == IMAGE
            mounted = {each["name"] for each in container["volumeMounts"]}
            assert mounted == {each["name"] for each in pod["volumes"]}
    assert all(group["minReplicas"] <= group["replicas"] <= group["maxReplicas"] for group in groups[1:])


@pytest.mark.parametrize("name", ["ray-up.yaml", "kuberay.yaml"])
def test_the_commands_are_those_of_this_spanlight(name: str) -> None:
    (words,) = commands((FOLDER / name).read_text("utf-8"))
    arguments = parser().parse_intermixed_args(words.split()[1:])
    assert arguments.cluster == "auto" and arguments.over and arguments.output


def test_the_image_is_of_the_ray_that_was_tested_and_has_what_the_package_needs() -> None:
    lines = (FOLDER / "Dockerfile").read_text("utf-8")
    assert f"ARG BASE=rayproject/ray:{ray_release()}-py311-cpu" in lines and IMAGE in lines
    words = {line.split()[0] for line in lines.splitlines() if line[:1].isalpha()}
    assert words == {"ARG", "FROM", "USER", "RUN", "COPY", "ENV"}
    copied = re.findall(r"^COPY \S+ (.+) /home/ray/spanlight/\S*$", lines, re.MULTILINE)
    assert all((ROOT / name).exists() for each in copied for name in each.split())
    assert PROJECT["project"]["optional-dependencies"]["cluster"] == ["ray[data]>=2.60,<3"]


def test_installers_leave_the_extra_out() -> None:
    files = [ROOT / "packaging" / "bundle.py", ROOT / "packaging" / "spanlight.spec", ROOT / ".ci" / "run"]
    assert not [file for file in files if "cluster" in Path(file).read_text("utf-8")]
