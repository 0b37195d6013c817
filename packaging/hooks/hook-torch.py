"""What PyInstaller takes of torch in place of its own hook: no tests, tools or headers, and of sources what it reads.

Its modules are found by following imports. PyInstaller's own hook takes all files of the package.
"""

from pathlib import Path

from PyInstaller.utils.hooks import (
    PY_DYLIB_PATTERNS,
    collect_dynamic_libs,
    collect_submodules,
    get_module_file_attribute,
)

_HOME = Path(get_module_file_attribute("torch")).parent
_TESTS = ("torchbind_test", "jitbackend_test", "backend_with_compiler", "aoti_custom_ops")

# Imported by names in strings: the first ones always, the others as soon as transformers imports torch._dynamo.
hiddenimports = [
    "torch._C",
    "torch.fx._compatibility",
    "torch.utils._config_module",
    "torch._functorch.deprecated",
    "torch.onnx.operators",
    *collect_submodules("torch._dynamo.polyfills"),
]
warn_on_missing_hiddenimports = False

binaries = [
    (source, target)
    for source, target in collect_dynamic_libs("torch", search_patterns=[*PY_DYLIB_PATTERNS, "*.so.*"])
    if Path(target).as_posix() == "torch/lib" and not any(name in source for name in _TESTS)
]
# Its import fails where this is not there, though nothing here shares tensors between processes.
binaries += [(str(each), "torch/bin") for each in (_HOME / "bin").glob("torch_shm_manager*")]

# A module of options has its own source read, for the comments beside them.
module_collection_mode = {
    ".".join(["torch", *each.relative_to(_HOME).with_suffix("").parts]): "pyz+py"
    for each in _HOME.rglob("*config*.py")
    if "install_config_module(sys.modules" in each.read_text(encoding="utf-8")
}

# Links to its libraries at the top of the bundle would have it look for the others there.
bindepend_symlink_suppression = ["**/torch/lib/*.so*"]
