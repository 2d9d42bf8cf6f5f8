"""From the name of a plugin module to the records that its hooks yield, checked."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sourcebook.naming import near_miss

if TYPE_CHECKING:
    import pluggy


class Kind(NamedTuple):
    """What there is to know of one kind of plugin.

    `record` is the import path of its class ("" for bundles, which have none), `named` the field
    that holds the name, and `calls` the functions in it, each with the number of arguments that
    the core has for it.
    """

    singular: str
    record: str
    named: str = "name"
    calls: Mapping[str, int] = MappingProxyType({})
    hook: str = ""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "subjects": Kind(
            "subject",
            "sourcebook.subject:Subject",
            calls={"parse": 2, "load": 3, "assemble": 2, "embedding_text": 2},
            hook="sourcebook_subjects",
        ),
        "stores": Kind(
            "store",
            "sourcebook.store:Store",
            calls={"open": 2, "begin": 3},
            hook="sourcebook_stores",
        ),
        "embedders": Kind(
            "embedder",
            "sourcebook.embedder:EmbedderPlugin",
            calls={"load": 2},
            hook="sourcebook_embedders",
        ),
        "renderers": Kind(
            "renderer",
            "sourcebook.renderer:Renderer",
            named="format",
            calls={"render": 2},
            hook="sourcebook_renderers",
        ),
        "commands": Kind("command", "sourcebook.verb:Command", hook="sourcebook_commands"),
        "bundles": Kind("bundle", "", hook="sourcebook_defaults"),
    }
)


class BrokenContract(Exception):
    """A plugin's hooks or records are not what they must be; for the registry only."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


class Loader:
    """Imports plugin modules and registers them with pluggy, each once, failed or not."""

    def __init__(self) -> None:
        self._manager: pluggy.PluginManager | None = None
        self._hooks: dict[str, Mapping[str, Callable[[], Any]] | BaseException] = {}
        self._records: dict[tuple[str, str], Mapping[str, Any]] = {}

    def record(self, kind: str, name: str, module: str) -> Any:
        """Return the record called `name` that a module's hook yields; for `bundles`, the
        defaults or None.

        Raises:
            BrokenContract: there is none, or it is not as its contract says.
            BaseException: whatever importing the module or calling its hook raises.
        """
        records = self._yielded(kind, module)
        if kind == "bundles":
            return records[""]
        if name not in records:
            others = " and ".join(f"`{other}`" for other in records)
            raise BrokenContract(
                f"its entry point is named `{name}`, its record {others}: they must be equal"
                if records
                else f"`{KINDS[kind].hook}` yields nothing"
            )
        check_calls(kind, records[name])
        return records[name]

    def offered(self, module: str) -> list[tuple[str, str]]:
        """Return kind and name of every record that a module's hooks yield; raises as `record`."""
        hooks = self._registered(module)
        return [
            (kind, name)
            for kind, about in KINDS.items()
            if about.record and about.hook in hooks
            for name in self._yielded(kind, module)
        ]

    def _yielded(self, kind: str, module: str) -> Mapping[str, Any]:
        if (kind, module) not in self._records:
            self._records[kind, module] = self._called(kind, module)
        return self._records[kind, module]

    def _called(self, kind: str, module: str) -> Mapping[str, Any]:
        hook = self._registered(module).get(KINDS[kind].hook)
        if hook is None:
            unmarked = callable(getattr(sys.modules[module], KINDS[kind].hook, None))
            raise BrokenContract(
                f"`{KINDS[kind].hook}` lacks `@hookimpl`"
                if unmarked
                else f"`{module}` has no `{KINDS[kind].hook}`"
            )
        return {"": check_defaults(hook())} if kind == "bundles" else by_name(kind, hook())

    def _registered(self, name: str) -> Mapping[str, Callable[[], Any]]:
        """Import and register a module, once, and return its hook functions by name."""
        if name not in self._hooks:
            try:
                self._hooks[name] = self._register(name)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._hooks[name] = error
        hooks = self._hooks[name]
        if isinstance(hooks, BaseException):
            raise hooks
        return hooks

    def _register(self, name: str) -> Mapping[str, Callable[[], Any]]:
        import pluggy

        from sourcebook import hookspecs

        module = import_module(name)
        api = getattr(module, "SOURCEBOOK_API", hookspecs.CORE_API)
        if api != hookspecs.CORE_API:
            raise BrokenContract(
                f"it is made for version {api!r} of the plugin API, "
                f"this core has {hookspecs.CORE_API}",
                "install versions of it and of `sourcebook-core` that fit each other",
            )
        if self._manager is None:
            self._manager = pluggy.PluginManager("sourcebook")
            self._manager.add_hookspecs(hookspecs)
        self._manager.register(module)
        hooks: dict[str, Callable[[], Any]] = {}
        for caller in self._manager.get_hookcallers(module) or ():
            if not caller.has_spec():
                known = [about.hook for about in KINDS.values()]
                raise BrokenContract(
                    f"`{caller.name}` is no hook of Sourcebook", near_miss(caller.name, known)
                )
            for implementation in caller.get_hookimpls():
                if implementation.plugin is module:
                    hooks[caller.name] = implementation.function
        return hooks


def by_name(kind: str, yielded: Iterable[Any]) -> Mapping[str, Any]:
    """Return a hook's records by name, checked for their class."""
    from sourcebook.verb import import_target

    about = KINDS[kind]
    expected = import_target(about.record)
    records: dict[str, Any] = {}
    for record in yielded:
        if not isinstance(record, expected):
            raise BrokenContract(
                f"`{about.hook}` yields a `{type(record).__name__}`, not a `{expected.__name__}`"
            )
        name = getattr(record, about.named)
        if name in records:
            raise BrokenContract(f"`{about.hook}` yields two records named `{name}`")
        records[name] = record
    return records


def check_defaults(answer: object) -> Mapping[str, object] | None:
    """Return a bundle's answer, checked to be settings by key."""
    if answer is None:
        return None
    if not isinstance(answer, Mapping) or not all(isinstance(key, str) for key in answer):
        raise BrokenContract("`sourcebook_defaults` must return settings by dotted key")
    return answer


def check_calls(kind: str, record: Any) -> None:
    """Check that the core can call a record's functions the way they are declared."""
    from sourcebook.adapt import declared

    for name, offered in KINDS[kind].calls.items():
        function = getattr(record, name)
        if function is None:
            continue
        if not callable(function):
            raise BrokenContract(f"`{name}` is a `{type(function).__name__}`, not a function")
        try:
            declared(function, offered)
        except TypeError as error:
            raise BrokenContract(f"`{name}`: {error}") from error
