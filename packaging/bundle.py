"""Makes the bundle: `python3 packaging/bundle.py [--output FOLDER]`. What it needs is installed first.

The bundle is a folder `spanlight` with the program and all that it runs on, for this system; the installers are made
around it (packaging/linux, packaging/windows, packaging/macos).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT)]

import bootstrap  # noqa: E402 - found by the line above


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 packaging/bundle.py", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=ROOT / "dist", help="where the folder `spanlight` is made (dist)"
    )
    arguments = parser.parse_args(argv)
    code = bootstrap.ensure(os.path.join("packaging", "bundle.py"), argv, ("bundle",), ("windows",))
    if code is not None:
        return code
    began = time.monotonic()
    try:
        folder = build(arguments.output.absolute())
    except Refused as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"{folder}: {size / 1e6:.0f} MB, made in {time.monotonic() - began:.0f} s")
    return 0


class Refused(Exception):
    """One sentence on why no bundle is made."""


def build(output: Path) -> Path:
    """Make the bundle below a folder, in place of an older one; the bundle's own folder."""
    refuse_cuda()
    output.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    folders = ["--distpath", str(output), "--workpath", str(output / "work")]
    if subprocess.run([*command, *folders, str(HERE / "spanlight.spec")], cwd=ROOT, check=False).returncode:
        raise Refused("PyInstaller could not make the bundle; what it said stands above.")
    shutil.rmtree(output / "work", ignore_errors=True)
    folder = output / "spanlight"
    if sys.platform == "linux":
        from bundling import slim

        if shutil.which("strip") is None:
            raise Refused("The program strip is missing: install binutils.")
        slim.forget_search_paths(folder)
        print(f"stripped: {slim.strip(folder) / 1e6:.0f} MB less")
    from bundling import held

    held.write_licences(folder, output / "Spanlight.app" if sys.platform == "darwin" else None)
    return folder


def refuse_cuda() -> None:
    """Raise where this environment's torch would bring the libraries of CUDA: installers hold its CPU build."""
    import torch

    if torch.version.cuda:
        raise Refused(
            f"PyTorch here is built for CUDA {torch.version.cuda}; a bundle holds the CPU build. "
            "Install that into .venv with its pip: pip install torch --index-url https://download.pytorch.org/whl/cpu"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
