"""The reader of dependencies, held against the packaging library, which pip uses."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import packaging.requirements
import packaging.version
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrapping import installer, requirements
from tests.conftest import ROOT

PYPROJECT = str(ROOT / "pyproject.toml")
numbers = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
versions = st.builds("{}{}".format, numbers, st.sampled_from(["", "", "", "+cpu", "+cu130"]))
clauses = st.lists(
    st.builds("{}{}".format, st.sampled_from(["==", "!=", ">=", "<=", ">", "<"]), numbers), max_size=3
)


@given(clauses, versions)
def test_versions_are_taken_as_pip_takes_them(wanted: list[str], version: str) -> None:
    line = "torch" + ",".join(wanted)
    theirs = packaging.requirements.Requirement(line).specifier.contains(version)
    local = "+" in version and any(
        clause.startswith(">") and not clause.startswith(">=") for clause in wanted
    )
    if not local:  # PEP 440 leaves 2.0+cpu out of >2.0; no line of ours asks so
        assert requirements.Requirement(line).takes(version) == theirs


@pytest.mark.parametrize("version", ["2.10.0rc1", "2.10.0.dev20260101+cpu", "2.10a1", "2.10b2"])
def test_previews_are_not_taken(version: str) -> None:
    assert not requirements.Requirement("torch>=2").takes(version)


@given(st.integers(8, 16), st.integers(8, 16), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
def test_markers_on_the_python_version(here: int, asked: int, relation: str) -> None:
    line = f"PySide6-Essentials>=6.8,<7,!=6.12.0; python_version {relation} '3.{asked}'"
    marker = packaging.requirements.Requirement(line).marker
    theirs = marker.evaluate({"python_version": f"3.{here}"})
    assert requirements.Requirement(line).applies((3, here)) == theirs


@pytest.mark.parametrize(
    "line", ["torch @ https://example.org/x.whl", "torch[extra>=2", "torch>=2; os_name == 'nt'"]
)
def test_forms_that_are_not_read_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        requirements.Requirement(line)


def test_every_line_of_ours_is_read() -> None:
    with open(PYPROJECT, "rb") as file:
        project = tomllib.load(file)["project"]
    groups = ("test", "cluster")
    lines = requirements.read(PYPROJECT, ["app", *groups])
    optional = project["optional-dependencies"]
    assert lines == project["dependencies"] + [line for group in groups for line in optional[group]]
    for line in lines:
        ours, theirs = requirements.Requirement(line), packaging.requirements.Requirement(line)
        assert ours.name == theirs.name
        assert {relation + version for relation, version in ours.clauses} == {
            str(one) for one in theirs.specifier
        }


def test_qt_is_the_essentials_and_never_the_release_that_aborts() -> None:
    qt = [line for line in requirements.read(PYPROJECT, ["app"]) if "pyside" in line.lower()]
    assert all(line.startswith("PySide6-Essentials") for line in qt)
    for minor, taken in ((11, False), (12, True), (14, True)):
        applying = [one for one in map(requirements.Requirement, qt) if one.applies((3, minor))]
        assert len(applying) == 1
        assert applying[0].takes("6.12.0") is taken


def test_tested_versions_lie_inside_the_ranges() -> None:
    lines, tested = (
        requirements.read(PYPROJECT, ["app", "test", "bundle", "cluster"]),
        requirements.tested(PYPROJECT),
    )
    names = {requirements.Requirement(line).name for line in lines}
    assert {pin.split("==")[0] for pin in tested} == names
    assert installer.pins_for(lines, tested) == tested


def test_the_running_environment_has_them_all() -> None:
    assert requirements.unmet(requirements.read(PYPROJECT, ["app", "test"])) == []
    assert requirements.unmet(["spanlight-no-such-package>=1"]) == ["spanlight-no-such-package>=1"]


def test_as_a_script_it_says_what_is_missing(tmp_path_factory: pytest.TempPathFactory) -> None:
    pyproject = tmp_path_factory.mktemp("project") / "pyproject.toml"
    pyproject.write_text("[project]\ndependencies = ['numpy>=1', 'numpy>=99']\n")
    script = str(ROOT / "packaging" / "bootstrapping" / "requirements.py")
    done = subprocess.run(
        [sys.executable, "-I", script, str(pyproject), "app"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "numpy>=99\n")
