"""What PyInstaller takes of transformers in place of its own hook: sources where they are read as it runs.

At its import it looks through the files of its models for what they offer, and it imports itself once more by its path.
"""

from pathlib import Path

from PyInstaller.utils.hooks import get_module_file_attribute

_INIT = Path(get_module_file_attribute("transformers"))
datas = [(str(_INIT), "transformers")]
module_collection_mode = {"transformers.models": "pyz+py"}
