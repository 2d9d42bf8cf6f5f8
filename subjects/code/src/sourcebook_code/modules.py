"""Where imports lead: from what a statement names to the files of the corpus that it means.

Every language family has its rule. What fits no file comes from elsewhere, and nothing is guessed
in its place.
"""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import frozen

from sourcebook_code.families import Family, family_of


@frozen(eq=False)
class File:
    """A file: its place among all, its name, and its fact (see `facts.file_fact`)."""

    place: int
    name: str
    fact: Mapping[str, Any]
    family: Family

    @classmethod
    def of(cls, place: int, name: str, fact: Mapping[str, Any]) -> "File":
        """Return the file with this fact."""
        return cls(place, name, fact, family_of(fact["language"]))

    @property
    def folder(self) -> str:
        """The folder it lies in, empty at the root."""
        return posixpath.dirname(self.name)

    @property
    def package(self) -> str:
        """The package that it says it belongs to."""
        return str(self.fact["package"])


_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")


class Modules:
    """The files of a corpus by what imports call them."""

    def __init__(self, files: Sequence[File]) -> None:
        self._files = files
        self._by_name = {file.name: file.place for file in files}
        self._by_tail: dict[str, list[int]] = {}
        for file in files:
            self._by_tail.setdefault(posixpath.basename(file.name), []).append(file.place)
        self._folders: dict[str, list[int]] = {}
        for file in files:
            if file.family.name == "go":
                self._folders.setdefault(file.folder, []).append(file.place)
        self._python = self._python_modules()
        self._python_root = self._root("python", self._python)
        self._go_root = self._go_prefix()
        self._rust = dict(self._rust_modules())

    # ---- files by path

    def at(self, path: str) -> int | None:
        """Return the file with this path below the corpus."""
        return self._by_name.get(posixpath.normpath(path))

    def ending(self, path: str) -> list[int]:
        """Return the files whose paths end so, at a folder's border."""
        tails = self._by_tail.get(posixpath.basename(path), ())
        return [one for one in tails if f"/{self._files[one].name}".endswith(f"/{path}")]

    def included(self, file: File, path: str) -> int | None:
        """Return the file that `#include`, `source` or `require` means: beside the file that says
        so, else the only one with such a path."""
        beside = self.at(posixpath.join(file.folder, path))
        if beside is not None:
            return beside
        clean = posixpath.normpath(path).lstrip("./")
        found = self.ending(clean) if clean else []
        return found[0] if len(found) == 1 else None

    # ---- Python

    def _python_modules(self) -> dict[str, int]:
        names = {file.name for file in self._files if file.family.name == "python"}
        found: dict[str, int] = {}
        by_path: dict[str, int] = {}
        for file in self._files:
            if file.family.name != "python":
                continue
            parts = file.name.rsplit(".", 1)[0].split("/")
            top = len(parts) - 1
            while top > 0 and f"{'/'.join(parts[:top])}/__init__.py" in names:
                top -= 1
            if parts[-1] == "__init__":
                parts.pop()
            for at, into in ((top, found), (0, by_path)):
                if parts[at:]:
                    into.setdefault(".".join(parts[at:]), file.place)
        return {**by_path, **found}

    def _root(self, family: str, modules: Mapping[str, int]) -> str:
        """Return the name of the package that the corpus itself is, empty if it is none: what
        stands most often before names of its modules in imports."""
        if self.at("__init__.py") is None:
            return ""
        votes: Counter[str] = Counter()
        for file in self._files:
            if file.family.name == family:
                for module, name, _, _ in file.fact["imports"]:
                    head, _, rest = module.partition(".")
                    if (
                        head
                        and head not in modules
                        and (rest or name)
                        and (rest or name) in modules
                    ):
                        votes[head] += 1
        best = votes.most_common(1)
        return best[0][0] if best else ""

    def python(self, file: File, module: str) -> int | str | None:
        """Return the file of a module, its dotted name if only modules below it are files, None if
        it comes from elsewhere."""
        name = module.lstrip(".")
        up = len(module) - len(name)
        if up:
            folder = file.folder
            for _ in range(up - 1):
                folder = posixpath.dirname(folder)
            path = posixpath.join(folder, *name.split(".")) if name else folder
            for one in (f"{path}.py", f"{path}/__init__.py", f"{path}.pyi", f"{path}/__init__.pyi"):
                found = self.at(one)
                if found is not None:
                    return found
            return None
        return self.python_module(name)

    def python_module(self, name: str) -> int | str | None:
        """Return what `python` returns for an absolute name."""
        found = self._python.get(name)
        if found is not None:
            return found
        if self._python_root:
            if name == self._python_root:
                return self.at("__init__.py")
            if name.startswith(f"{self._python_root}."):
                found = self._python.get(name[len(self._python_root) + 1 :])
                if found is not None:
                    return found
                return None
        return name if name in self._python_parents else None

    def python_below(self, file: File, name: str) -> int | None:
        """Return the module with a name in the package that a file is."""
        if not file.name.endswith(("/__init__.py", "/__init__.pyi")) and file.folder:
            return None
        path = posixpath.join(file.folder, name)
        places = map(self._by_name.get, (f"{path}.py", f"{path}/__init__.py", f"{path}.pyi"))
        return next((place for place in places if place is not None), None)

    @cached_property
    def _python_parents(self) -> set[str]:
        dots = ((name, at) for name in self._python for at, one in enumerate(name) if one == ".")
        return {name[:at] for name, at in dots}

    # ---- JavaScript

    def script(self, file: File, module: str) -> int | None:
        """Return the file that an import of JavaScript or TypeScript means."""
        if module.startswith("."):
            return self._script_at(posixpath.join(file.folder, module))
        if module.startswith(("@/", "~/", "src/")):
            tail = module.partition("/")[2]
            roots = [f"src/{tail}", tail] if module[0] != "s" else [module]
            folder = file.folder
            while True:
                for root in roots:
                    found = self._script_at(posixpath.join(folder, root))
                    if found is not None:
                        return found
                if not folder:
                    return None
                folder = posixpath.dirname(folder)
        return None

    def _script_at(self, path: str) -> int | None:
        path = posixpath.normpath(path)
        exact = self._by_name.get(path)
        if exact is not None:
            return exact
        stem, suffix = posixpath.splitext(path)
        bases = [path] if suffix not in (".js", ".mjs", ".cjs", ".jsx") else [path, stem]
        for base in bases:
            for one in _SCRIPTS:
                found = self._by_name.get(base + one)
                if found is not None:
                    return found
        for one in _SCRIPTS:
            found = self._by_name.get(f"{path}/index{one}" if path != "." else f"index{one}")
            if found is not None:
                return found
        return None

    # ---- Go

    def _go_prefix(self) -> str:
        """Return the path of the module that the corpus is: what imports of its folders begin with
        most often."""
        votes: Counter[str] = Counter()
        for file in self._files:
            if file.family.name == "go":
                for module, *_ in file.fact["imports"]:
                    if "." not in module.partition("/")[0]:
                        continue
                    parts = module.split("/")
                    for at in range(1, len(parts)):
                        if "/".join(parts[at:]) in self._folders:
                            votes["/".join(parts[:at])] += 1
                            break
        best = votes.most_common(1)
        return best[0][0] if best else ""

    def go(self, module: str) -> list[int]:
        """Return the files of a package of Go."""
        if module in self._folders and "/" in module:
            return self._folders[module]
        if not self._go_root or not f"{module}/".startswith(f"{self._go_root}/"):
            return []
        return self._folders.get(module[len(self._go_root) :].lstrip("/"), [])

    # ---- Rust

    def _rust_modules(self) -> Iterator[tuple[tuple[str, tuple[str, ...]], int]]:
        rust = [file for file in self._files if file.family.name == "rust"]
        roots = {f.folder for f in rust if posixpath.basename(f.name) in ("lib.rs", "main.rs")}
        for file in rust:
            folder = file.folder
            while folder not in roots and folder:
                folder = posixpath.dirname(folder)
            path = posixpath.relpath(file.name, folder or ".")[: -len(".rs")]
            parts = tuple(one for one in path.split("/"))
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            yield (folder, parts), file.place

    def rust(self, file: File, path: Sequence[str]) -> tuple[int, tuple[str, ...]] | None:
        """Return the file that a path of Rust leads into, and what is left of the path there."""
        folder, here = self._rust_place(file)
        parts = list(path)
        if parts[0] == "crate":
            base: tuple[str, ...] = ()
            parts = parts[1:]
        elif parts[0] in ("self", "super"):
            base = here
            while parts and parts[0] in ("self", "super"):
                base = base[:-1] if parts[0] == "super" else base
                parts = parts[1:]
        elif (folder, (*here, parts[0])) in self._rust:
            base = here
        else:
            other = self._rust_crates.get(parts[0])
            if other is None:
                return None
            folder, base, parts = other, (), parts[1:]
        for at in range(len(parts), -1, -1):
            found = self._rust.get((folder, (*base, *parts[:at])))
            if found is not None:
                return found, tuple(parts[at:])
        return None

    def _rust_place(self, file: File) -> tuple[str, tuple[str, ...]]:
        return self._rust_places.get(file.place, (file.folder, ()))

    @cached_property
    def _rust_places(self) -> dict[int, tuple[str, tuple[str, ...]]]:
        return {place: key for key, place in self._rust.items()}

    @cached_property
    def _rust_crates(self) -> dict[str, str]:
        return {
            posixpath.basename(posixpath.dirname(folder)).replace("-", "_"): folder
            for folder, parts in self._rust
            if not parts and posixpath.basename(folder) == "src" and posixpath.dirname(folder)
        }
