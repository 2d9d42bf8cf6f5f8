"""The names that plugin authors and programs import from the package."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import sourcebook


def test_every_public_name_is_there() -> None:
    for name in sourcebook.__all__:
        value = getattr(sourcebook, name)
        assert value is getattr(sourcebook, name)
        assert name in dir(sourcebook)
    names = [name for names in sourcebook._NAMES.values() for name in names]
    assert sorted(names) == sorted(sourcebook.__all__)


def test_type_checkers_see_the_names_where_they_are_really_imported_from() -> None:
    tree = ast.parse(Path(str(sourcebook.__file__)).read_text())
    [checked] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        node.module.removeprefix("sourcebook."): tuple(alias.name for alias in node.names)
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert seen == sourcebook._NAMES


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module `sourcebook` has no attribute `Sorce`"):
        sourcebook.Sorce  # noqa: B018


def test_importing_the_package_imports_no_other_module_of_it_and_no_library() -> None:
    code = "import sys, sourcebook; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert not {name for name in modules if name.startswith("sourcebook.")}
    assert not {"attr", "pluggy", "click", "numpy"} & modules
