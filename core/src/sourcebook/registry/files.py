"""Plugins in single files of the user's own, before they are worth a distribution.

Named by `plugin_files` in the user's settings or by `SOURCEBOOK_PLUGIN_FILES`, never by a project.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sourcebook.naming import described
from sourcebook.registry.installed import Declared, Distribution
from sourcebook.registry.loading import BrokenContract, Loader


class BrokenFile(NamedTuple):
    """A file that brings nothing, and why."""

    path: Path
    reason: str


def read_plugin_files(paths: Iterable[Path], loader: Loader) -> Iterator[Declared | BrokenFile]:
    """Import files and yield what they bring as if it were installed.

    A file's path stands for the name of a distribution. Its module bears a name made from the path,
    the same in every process, so that worker processes find what it defines.
    """
    for path in paths:
        distribution = Distribution((str(path), ""), lambda _name: "")
        try:
            module = import_file(path)
            offered = loader.offered(module)
        except KeyboardInterrupt:
            raise
        except BrokenContract as error:
            yield BrokenFile(path, str(error))
            continue
        except BaseException as error:  # as for installed plugins: `sys.exit`, a panic
            yield BrokenFile(path, described(error))
            continue
        if not offered:
            yield BrokenFile(path, "it yields no plugin")
        for kind, name in offered:
            yield Declared(f"sourcebook.{kind}", name, module, distribution)


def import_file(path: Path) -> str:
    """Import a file and return the name of its module; raises what running it raises."""
    from importlib.util import module_from_spec, spec_from_file_location

    stem = re.sub(r"\W", "_", path.stem)
    name = f"sourcebook_file_{stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError("it is no Python file: its name must end with `.py`")
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return name
