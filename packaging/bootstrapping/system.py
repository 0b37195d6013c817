"""The system's own libraries and programs: which are missing, and how they come."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable

# What Qt's core libraries and its X11 and Wayland plugins link to and do not bring along, as `ldd` shows it,
# with the Debian and Ubuntu package of each.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libbrotlidec.so.1": "libbrotli1",
}
# The same for other families, where one line brings them all.
LINES = {
    "dnf": (
        "dnf install mesa-libEGL mesa-libGL fontconfig freetype glib2 dbus-libs libX11 libX11-xcb libxkbcommon-x11"
        " xcb-util-cursor xcb-util-wm xcb-util-image xcb-util-keysyms xcb-util-renderutil xcb-util libwayland-client"
        " libwayland-cursor libwayland-egl krb5-libs libbrotli"
    ),
    "pacman": (
        "pacman -S --needed libglvnd fontconfig freetype2 glib2 dbus libx11 libxkbcommon-x11 xcb-util-cursor"
        " xcb-util-wm xcb-util-image xcb-util-keysyms xcb-util-renderutil xcb-util wayland krb5 brotli"
    ),
    "zypper": (
        "zypper install libEGL1 libGL1 fontconfig libfreetype6 libglib-2_0-0 libdbus-1-3 libX11-6 libX11-xcb1"
        " libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0"
        " libxcb-util1 libwayland-client0 libwayland-cursor0 libwayland-egl1 krb5 libbrotlidec1"
    ),
}
XVFB = {"dnf": "dnf install xorg-x11-server-Xvfb", "pacman": "pacman -S --needed xorg-server-xvfb"}


def missing_libraries() -> list[str]:
    """The names of those libraries for windows that cannot be loaded, on Linux."""
    if not sys.platform.startswith("linux"):
        return []
    missing = []
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def is_missing(part: str) -> list[str]:
    """What of a part of the system (`windows`, `xvfb`) is not there."""
    if part == "windows":
        return missing_libraries()
    return [] if shutil.which("Xvfb") or not sys.platform.startswith("linux") else ["Xvfb"]


def packages_for(missing: Iterable[str]) -> list[str]:
    """The Debian packages that bring what is missing, each once."""
    return list(dict.fromkeys({"Xvfb": "xvfb", **LIBRARIES}[name] for name in missing))


def line_for(missing: Iterable[str]) -> str:
    """What to type, as an administrator, on this system."""
    names = list(missing)
    if shutil.which("apt-get"):
        return "sudo apt-get install " + " ".join(packages_for(names))
    for tool, line in LINES.items():
        if shutil.which(tool):
            lines = [line] if names != ["Xvfb"] else []
            lines += [XVFB[tool]] if "Xvfb" in names and tool in XVFB else []
            return (
                " && ".join("sudo " + line for line in lines)
                or f"your system's package with {', '.join(names)}"
            )
    return "your system's packages with " + ", ".join(names)


def may_install() -> bool:
    """Whether packages can be installed here without asking anyone: root on Debian, Ubuntu and their kin."""
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def apt_install(packages: list[str], tell: Callable[[str], None], log: Callable[[str], None]) -> bool:
    """Install Debian packages as root; lists are fetched when a package is not known or its file is gone."""
    install = ["install", "-y", "--no-install-recommends", *packages]
    if _apt(install, log):
        return True
    tell("fetching the system's lists of packages")
    return _apt(["update"], log) and _apt(install, log)


def _apt(arguments: list[str], log: Callable[[str], None]) -> bool:
    # Somebody else's apt may be at work (a new machine's first updates): wait for it.
    command = ["apt-get", "-o", "DPkg::Lock::Timeout=300", *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    log(f"$ {' '.join(command)}\n{done.stdout}")
    return done.returncode == 0


def nvidia_driver() -> bool:
    """Whether an NVIDIA driver answers."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return False
    try:
        done = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and "GPU" in done.stdout
