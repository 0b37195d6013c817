from __future__ import annotations

from pathlib import Path

from app.settings.paths import default_paths


def test_one_variable_moves_everything(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    for folder in (
        paths.config,
        paths.data,
        paths.cache,
        paths.logs,
        paths.models,
        paths.drafts,
        paths.log_file,
    ):
        assert folder.is_relative_to(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_platform_folders_without_it() -> None:
    paths = default_paths({})
    assert paths.config.is_absolute()
    assert "spanlight" in str(paths.config).lower()
    assert len({paths.config, paths.data, paths.cache, paths.logs}) >= 3


def test_resources_are_there(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path)})
    assert paths.samples.is_dir()
    assert paths.resources.is_dir()
