"""Runs first in every process of the bundle, in place of PyInstaller's own hooks, which import Qt in each of them."""

import os
import sys


def _at_start():
    qt = os.path.join(sys._MEIPASS, "PySide6", *(() if sys.platform == "win32" else ("Qt",)))
    os.environ["QT_PLUGIN_PATH"] = os.path.join(qt, "plugins")
    arguments = sys.argv[1:]
    if "-c" in arguments:
        # multiprocessing has its tracker of resources started as `executable [options] -c "program"`.
        program = arguments[arguments.index("-c") + 1 :][:1]
        if program and program[0].startswith("from multiprocessing.resource_tracker import main"):
            from multiprocessing.resource_tracker import main

            main(int(program[0].partition("main(")[2].rstrip(")")))
            sys.exit()
    if "--multiprocessing-fork" in arguments:
        from multiprocessing.spawn import spawn_main

        # The parent tells which file its main program is; where it is this one's too, it is not run again.
        sys.modules["__main__"].__file__ = os.path.join(sys._MEIPASS, "__main__.py")
        said = dict(each.split("=") for each in arguments if "=" in each)
        spawn_main(**{name: None if value == "None" else int(value) for name, value in said.items()})
        sys.exit()


_at_start()
