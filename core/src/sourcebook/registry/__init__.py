"""Finds plugins, loads one when it is named, and says what is missing or broken and why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sourcebook.errors import PluginBroken, PluginMissing, SourcebookError
from sourcebook.naming import described, near_miss, nearest, shown
from sourcebook.registry.installed import CORE, Declared, read_declared, satisfies
from sourcebook.registry.loading import KINDS, BrokenContract, Loader

if TYPE_CHECKING:
    from sourcebook.embedder import Embedder, EmbedderOptions
    from sourcebook.registry.files import BrokenFile
    from sourcebook.registry.report import PluginStatus
    from sourcebook.renderer import Renderer
    from sourcebook.store import Store
    from sourcebook.subject import Subject
    from sourcebook.tokens import Tokenizer
    from sourcebook.verb import Command

FIRST_PARTY: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "subjects": {
            "docs": "sourcebook-docs",
            "schema": "sourcebook-schema",
            "code": "sourcebook-code",
        },
        "stores": {
            "faiss": "sourcebook-faiss",
            "tantivy": "sourcebook-tantivy",
            "whoosh": "sourcebook-whoosh",
            "redis": "sourcebook-redis",
            "pg": "sourcebook-pg",
        },
        "embedders": {
            "minilm": "sourcebook-minilm",
            "openai": "sourcebook-openai",
            "wordllama": "sourcebook-wordllama",
            "model2vec": "sourcebook-model2vec",
            "sentence-transformers": "sourcebook-sentence-transformers",
        },
        "renderers": {
            "typescript": "sourcebook-typescript",
            "openapi": "sourcebook-openapi",
            "mermaid": "sourcebook-mermaid",
        },
        "commands": {"mcp": "sourcebook-mcp", "serve": "sourcebook-web", "web": "sourcebook-web"},
        "bundles": {},
    }
)
"""Which distribution has a name, for hints. A closed table: a name out of somebody's manifest or
project file never becomes part of an install command."""

SCHEMES: Mapping[str, str] = MappingProxyType(
    {"redis": "redis", "rediss": "redis", "postgres": "pg", "postgresql": "pg"}
)
"""First-party store by URL scheme, for hints as well."""

TOKENIZERS: Mapping[str, str] = MappingProxyType({"words": "sourcebook.tokens:words"})
"""The tokenizers of the core itself."""


class Fault(NamedTuple):
    """Why a plugin is not used: `broken`, `duplicate` or `left out`, a sentence, a next move."""

    status: str
    reason: str
    hint: str = ""


class Registry:
    """The plugins of one environment.

    Entry points are read once, when first asked for; a plugin module is imported when one of its
    names is needed, and a fault in it leaves the others working.

    Args:
        declared: returns the entry points of all `sourcebook.` groups.
        only: names of plugins or distributions to which loading is limited; None for no limit.
            What the core itself brings (`hash`, `memory`) is always there.
        limited_by: what set `only`, for messages.
        files: plugins in files of the user's own.
    """

    def __init__(
        self,
        declared: Callable[[], Sequence[Declared]] = lambda: read_declared("sourcebook."),
        *,
        only: Iterable[str] | None = None,
        limited_by: str = "SOURCEBOOK_PLUGINS",
        files: Iterable[Path] = (),
    ) -> None:
        self.limited_by = limited_by
        self.broken_files: list[BrokenFile] = []
        self._files = tuple(files)
        self._read = declared
        self._only = None if only is None else frozenset(only)
        self._lock = RLock()
        self._claims: dict[str, dict[str, list[Declared]]] | None = None
        self._loader = Loader()
        self._found: dict[tuple[str, str], Any] = {}

    def claims(self, kind: str) -> Mapping[str, Sequence[Declared]]:
        """Return the entry points of a kind by name, sorted; more than one is a duplicate."""
        with self._lock:
            if self._claims is None:
                self._claims = {known: {} for known in KINDS}
                every = [*self._read(), *self._read_files()]
                for item in sorted(every, key=lambda item: item.name):
                    names = self._claims.get(item.group.removeprefix("sourcebook."))
                    if names is not None:
                        names.setdefault(item.name, []).append(item)
            return self._claims[kind]

    def admitted(self, claims: Sequence[Declared]) -> list[Declared]:
        """Return the entry points that loading is not limited from."""
        return [
            item
            for item in claims
            if self._only is None
            or item.distribution.name == CORE
            or self._only & {item.name, item.distribution.name}
        ]

    def names(self, kind: str) -> list[str]:
        """Return the names that may be asked for, sorted; no plugin is imported."""
        return [name for name, claims in self.claims(kind).items() if self.admitted(claims)]

    def core_version(self) -> str:
        """Return the installed version of the core, "" where it runs without metadata."""
        return next(
            (item.distribution.version for item in self._all() if item.distribution.name == CORE),
            "",
        )

    def summary(self, kind: str, name: str) -> str:
        """Return one line on a plugin, "" if it cannot be used.

        A distribution with a single plugin is described by its own metadata, so that help need not
        import it; others are loaded.
        """
        claims = self.admitted(self.claims(kind).get(name, ()))
        if len(claims) == 1 and (kind, name) not in self._found:
            distribution = claims[0].distribution
            alone = sum(item.distribution is distribution for item in self._all()) == 1
            if alone and distribution.name != CORE and distribution.summary:
                return distribution.summary
        found = self._find(kind, name)
        return "" if isinstance(found, Fault) else str(getattr(found, "summary", ""))

    def load(self, kind: str, name: str, *, where: str = "") -> Any:
        """Return a record of any kind; the methods below give it its type.

        Args:
            kind: one of `KINDS`.
            name: the entry point's name.
            where: what named it, for the error: a flag, or a file and key.

        Raises:
            PluginMissing: nobody has registered it, or loading is limited to others.
            PluginBroken: it cannot be loaded, breaks its contract, or two distributions claim it.
        """
        found = self._find(kind, name)
        if not isinstance(found, Fault):
            return found
        if found.status == "missing":
            raise self._missing(kind, name, where)
        if found.status == "left out":
            raise PluginMissing(found.reason, where=where, hint=found.hint)
        if found.status == "duplicate":
            raise PluginBroken(found.reason, where=where, hint=found.hint)
        claim = self.admitted(self.claims(kind)[name])[0]
        raise PluginBroken(
            f"{KINDS[kind].singular} `{name}` of {claim.distribution.label} cannot be used: "
            f"{found.reason}",
            where=where or claim.module,
            hint=found.hint or f"repair or uninstall `{claim.distribution.name}`",
        )

    def subject(self, name: str, *, where: str = "") -> "Subject":
        """Return a subject; arguments and errors as for `load`."""
        subject: Subject = self.load("subjects", name, where=where)
        return subject

    def store(self, name: str, *, where: str = "") -> "Store":
        """Return a store by name, or by a URL that has one of its schemes; else as `load`."""
        if "://" in name:
            name = self._store_of_scheme(name.partition("://")[0].lower(), where)
        store: Store = self.load("stores", name, where=where)
        return store

    def renderer(self, name: str, *, where: str = "") -> "Renderer":
        """Return a renderer by its format; else as `load`."""
        renderer: Renderer = self.load("renderers", name, where=where)
        return renderer

    def command(self, name: str, *, where: str = "") -> "Command":
        """Return an extra top-level command; else as `load`."""
        command: Command = self.load("commands", name, where=where)
        return command

    def embedder(
        self, ref: str, options: "EmbedderOptions | None" = None, *, where: str = ""
    ) -> "Embedder":
        """Return the embedder that `name` or `name:model` stands for; else as `load`."""
        from sourcebook.adapt import call_declared
        from sourcebook.embedder import EmbedderOptions

        name, _, model = ref.partition(":")
        plugin = self.load("embedders", name, where=where)
        with self.blaming("embedders", name):
            embedder: Embedder = call_declared(plugin.load, model, options or EmbedderOptions())
        return embedder

    def tokenizer(self, name: str, *, where: str = "") -> "Tokenizer":
        """Return the function that gives the character spans of a text's tokens.

        Raises:
            PluginMissing: no usable embedder brings a tokenizer of this name.
            PluginBroken: two embedders do, or its module cannot be imported.
        """
        from sourcebook.verb import import_target

        if name in TOKENIZERS:
            core: Tokenizer = import_target(TOKENIZERS[name])
            return core
        brought = {
            embedder: dict(record.tokenizers) for embedder, record in self._usable("embedders")
        }
        owners = [embedder for embedder, tokenizers in brought.items() if name in tokenizers]
        if len(owners) > 1:
            raise self._claimed_twice("embedders", f"the tokenizer `{shown(name)}`", owners, where)
        if not owners:
            known = sorted({*TOKENIZERS, *(key for each in brought.values() for key in each)})
            raise PluginMissing(
                f"no tokenizer named `{shown(name)}`; installed: {', '.join(known)}",
                where=where,
                hint=near_miss(name, known) or "install the embedder that brings it",
            )
        with self.blaming("embedders", owners[0]):
            tokenizer: Tokenizer = import_target(brought[owners[0]][name])
        return tokenizer

    def bundle(self) -> tuple[str, Mapping[str, object]]:
        """Return name and default settings of the first bundle that has any, else "" and none."""
        for name, answer in self._usable("bundles"):
            if answer is not None:
                return name, answer
        return "", {}

    def defaults(self) -> Mapping[str, object]:
        """Return the default settings of the first bundle, by name, that has any."""
        return self.bundle()[1]

    def report(self) -> "list[PluginStatus]":
        """Return the state of every plugin, each loaded to find out, by kind and name."""
        from sourcebook.registry.report import report

        return report(self)

    def fault(self, kind: str, name: str) -> Fault | None:
        """Load a plugin and return why it cannot be used, None if it can."""
        found = self._find(kind, name)
        return found if isinstance(found, Fault) else None

    def unclaimed(self) -> list[str]:
        """Return the names to which loading is limited and that nothing installed has."""
        installed = {name for item in self._all() for name in (item.name, item.distribution.name)}
        return sorted((self._only or frozenset()) - installed)

    @contextmanager
    def blaming(self, kind: str, name: str) -> Iterator[None]:
        """Turn a foreign exception inside into a `PluginBroken` that names the plugin, its
        distribution and version; errors of Sourcebook pass."""
        try:
            yield
        except SourcebookError:
            raise
        except Exception as error:
            claims = self.claims(kind).get(name)
            brought = f" of {claims[0].distribution.label}" if claims else ""
            outside = isinstance(error, OSError | MemoryError)
            raise PluginBroken(
                f"{KINDS[kind].singular} `{name}`{brought} failed: {described(error)}",
                where=claims[0].module if claims else "",
                hint="" if outside else "this is a fault in the plugin: report it to its author",
            ) from error

    def _read_files(self) -> Iterator[Declared]:
        if self._files:
            from sourcebook.registry.files import BrokenFile, read_plugin_files

            for item in read_plugin_files(self._files, self._loader):
                if isinstance(item, BrokenFile):
                    self.broken_files.append(item)
                else:
                    yield item

    def _all(self) -> Iterator[Declared]:
        for kind in KINDS:
            for claims in self.claims(kind).values():
                yield from claims

    def _usable(self, kind: str) -> Iterator[tuple[str, Any]]:
        for name in self.names(kind):
            found = self._find(kind, name)
            if not isinstance(found, Fault):
                yield name, found

    def _find(self, kind: str, name: str) -> Any:
        """Return the record, or the `Fault` for which there is none."""
        with self._lock:
            claims = self.claims(kind).get(name)
            if claims is None:
                return Fault("missing", "")
            if (kind, name) not in self._found:
                self._found[kind, name] = self._examined(kind, name, claims)
            return self._found[kind, name]

    def _examined(self, kind: str, name: str, claims: Sequence[Declared]) -> Any:
        what = f"{KINDS[kind].singular} `{name}`"
        admitted = self.admitted(claims)
        if not admitted:
            return Fault(
                "left out",
                f"{what} is installed, but left out by {self.limited_by}",
                f"add `{name}` to {self.limited_by}",
            )
        if len(admitted) > 1:
            labels = " and by ".join(item.distribution.label for item in admitted)
            names = [item.distribution.name for item in admitted]
            return Fault(
                "duplicate",
                f"{what} is claimed by {labels}; neither is used",
                "uninstall " + " or ".join(f"`{each}`" for each in names if each != CORE),
            )
        [plugin] = admitted
        version = self.core_version()
        asked = plugin.distribution.requirements(CORE)
        if version and (unmet := [each for each in asked if not satisfies(version, each)]):
            return Fault(
                "broken",
                f"it needs {CORE}{' and '.join(unmet)}, installed is {version}",
                f"install a version of `{plugin.distribution.name}` made for {CORE} {version}",
            )
        try:
            return self._loader.record(kind, name, plugin.module)
        except BrokenContract as error:
            return Fault("broken", str(error), error.hint)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # A plugin may end in `sys.exit`, or in a panic of a compiled library, which is no
            # Exception; the others must go on either way.
            return Fault("broken", described(error))

    def _store_of_scheme(self, scheme: str, where: str) -> str:
        owners = [name for name, store in self._usable("stores") if scheme in store.schemes]
        if len(owners) > 1:
            raise self._claimed_twice("stores", f"`{shown(scheme)}://`", owners, where)
        if owners:
            return owners[0]
        known = SCHEMES.get(scheme, "")
        if known in self.claims("stores"):
            self.load("stores", known, where=where)  # raises, since it is not usable
        broken = [name for name in self.names("stores") if self.fault("stores", name)]
        if known:
            hint = f"`pip install {FIRST_PARTY['stores'][known]}`"
        elif broken:
            hint = f"{', '.join(broken)} cannot be used: `sourcebook plugins` says why"
        else:
            hint = "`sourcebook plugins` lists the installed stores"
        raise PluginMissing(f"no store for `{shown(scheme)}://`", where=where, hint=hint)

    def _claimed_twice(
        self, kind: str, what: str, owners: Sequence[str], where: str
    ) -> PluginBroken:
        labels = [
            f"`{owner}` of {self.admitted(self.claims(kind)[owner])[0].distribution.label}"
            for owner in owners
        ]
        return PluginBroken(
            f"{what} is claimed by {' and by '.join(labels)}; neither is used",
            where=where,
            hint="uninstall one of them, or name the other plugins in SOURCEBOOK_PLUGINS",
        )

    def _missing(self, kind: str, name: str, where: str) -> PluginMissing:
        installed = self.names(kind)
        known = FIRST_PARTY[kind]
        close = nearest(name, [*installed, *known])
        other = next((each for each in KINDS if name in self.claims(each)), "")
        if name in known:
            hint = f"`pip install {known[name]}`"
        elif self.broken_files:
            paths = ", ".join(f"`{each.path}`" for each in self.broken_files)
            hint = f"{paths} cannot be loaded: `sourcebook plugins` says why"
        elif other:
            hint = f"`{name}` is the name of a {KINDS[other].singular}"
        elif close in installed:
            hint = f"did you mean `{close}`?"
        elif close:
            hint = f"did you mean `{close}`? `pip install {known[close]}`"
        else:
            hint = "`sourcebook plugins` lists what is installed"
        return PluginMissing(
            f"no {KINDS[kind].singular} named `{shown(name)}`; "
            f"installed: {', '.join(installed) or 'none'}",
            where=where,
            hint=hint,
        )


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Return the registry of this process, made once.

    `SOURCEBOOK_PLUGINS`, or `plugins` in the user's own settings, limits what it loads;
    `SOURCEBOOK_PLUGIN_FILES`, or `plugin_files` there, adds to it.
    """
    from sourcebook.settings import plugins_wanted

    wanted = plugins_wanted()
    return Registry(only=wanted.only, limited_by=wanted.limited_by, files=wanted.files)
