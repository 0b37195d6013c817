"""Runs first in every process of the bundle, in place of PyInstaller's own hooks, which import Qt in each of them."""

import os
import sys

TRACKER = "from multiprocessing.resource_tracker import main;main("


def _give_streams():
    """On Windows a program without a console has None for the three streams, at which any `print` would fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for as long as it runs


def _at_start():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--multiprocessing-fork"]:
        from multiprocessing.spawn import spawn_main

        # The parent tells which file its main program is; where it is this one's too, it is not run again.
        sys.modules["__main__"].__file__ = os.path.join(sys._MEIPASS, "__main__.py")
        said = (each.partition("=")[::2] for each in arguments[1:])
        spawn_main(**{name: None if value == "None" else int(value) for name, value in said})
        sys.exit()
    if arguments[-2:-1] == ["-c"] and arguments[-1].startswith(TRACKER):
        # multiprocessing starts its tracker of resources as `executable [options] -c program`.
        from multiprocessing.resource_tracker import main

        main(int(arguments[-1].removeprefix(TRACKER).rstrip(")")))
        sys.exit()


_give_streams()
_at_start()
