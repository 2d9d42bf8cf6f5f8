"""All that a part of an API needs: components are followed, mended and kept by URI and role."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sourcebook_schema.bundle.mend import mend
from sourcebook_schema.bundle.naming import unused
from sourcebook_schema.bundle.pending import Pending
from sourcebook_schema.bundle.schemas import mend_schema
from sourcebook_schema.bundle.values import NOTHING
from sourcebook_schema.describe import name_of_uri
from sourcebook_schema.facts import make_uri, method_field, split_uri

MOVES = 20
"""So often a type may only say where in another file it is written."""


class FileInfo(Protocol):
    """What a bundle needs to know of a file: whether it is a root, its `info`, see
    `sourcebook_schema.facts.FileFact`, and the pointers of its security schemes by name."""

    @property
    def root(self) -> bool: ...

    @property
    def info(self) -> Mapping[str, Any]: ...

    @property
    def schemes(self) -> Mapping[str, str]: ...


class Operation:
    """An operation of the part.

    Args:
        uri: where it is written.
        home: the root file whose servers, tags and security schemes it has.
        value: the component: `method`, `path`, `event`, `key`, `operation`.
    """

    def __init__(self, uri: str, home: str, value: Mapping[str, Any]) -> None:
        self.uri = uri
        self.home = home
        self.method = str(value["method"]).lower()
        self.path = str(value["path"])
        self.event = str(value.get("event", ""))
        self.key = str(value.get("key", ""))
        self.raw: Mapping[str, Any] = value["operation"]

    @property
    def field(self) -> str:
        """The field of its path item that it stands in."""
        return method_field(self.method)

    @property
    def id(self) -> str:
        """Its operationId as written."""
        return str(self.raw.get("operationId") or "")


class Closure:
    """Components that are needed, by role and URI, as they stand in the bundle but for names.

    It is the `Links` of what it mends. Schemas wait in a queue, so that a chain of references of
    any length needs no stack; all else is mended at once, since it may turn out to be nothing.
    """

    def __init__(
        self,
        component: Callable[[str], Any],
        files: Mapping[str, FileInfo],
        variants: Callable[[str], Mapping[str, str]],
        operations: Sequence[Operation],
    ) -> None:
        self.values: dict[tuple[str, str], Any] = {}
        self.inline: list[Any] = []
        """Schemas that are no components."""
        self.hints: dict[str, str] = {}
        """Names for components that are made here."""
        self._component = component
        self._files = files
        self._variants = variants
        self._operations = operations
        self._waiting: deque[tuple[str, Any]] = deque()
        self._uri = ""
        self._ids: set[str] = set()
        self.home = ""

    def of_role(self, role: str) -> dict[str, Any]:
        """Return the components of one role by URI."""
        return {
            uri: value
            for (one, uri), value in self.values.items()
            if one == role and value is not NOTHING
        }

    def read(self, uri: str) -> Any:
        """Return a component's value, None where there is none."""
        try:
            return self._component(uri)
        except LookupError:
            return None

    def mend_at(self, uri: str, form: str, value: Any) -> Any:
        """Return `value`, which is written at `uri`, as `form` allows it."""
        before, self._uri = self._uri, uri
        mended = mend(form, value, self)
        self._uri = before
        return mended

    def drain(self) -> None:
        """Mend the schemas that wait, and those that they lead to."""
        while self._waiting:
            self._uri, value = self._waiting.popleft()
            mended = mend_schema(value, self)
            self.values["schema", self._uri] = mended
            self._name_variants(mended)

    def _name_variants(self, mended: Any) -> None:
        """Write out which value of a discriminator names which type: names may change."""
        if not isinstance(mended, dict) or "discriminator" not in mended:
            return
        found = {
            tag: target
            for tag, uri in self._variants(self._uri).items()
            if (target := self.follow(uri, "schema")) is not None
        }
        if found:
            mended["discriminator"]["mapping"] = found

    def follow(self, uri: str, role: str) -> Pending | None:
        """Return what names a component, which from now on is needed; None: it is not there."""
        if role == "schema":
            return self._follow_schema(uri)
        uri, value = self._behind_names(uri)
        if (role, uri) not in self.values:
            if not isinstance(value, Mapping):
                return None
            if role == "pathItem":
                value = self._item(value)
            self.values[role, uri] = {}  # it may lead to itself, by way of a callback
            self.values[role, uri] = self.mend_at(uri, role, value)
        return None if self.values[role, uri] is NOTHING else Pending(uri, role)

    def _item(self, uris: Mapping[str, str]) -> dict[str, Any]:
        """Return a path item by the URIs of its operations."""
        read = {method: self.read(uri) for method, uri in uris.items()}
        return {method_field(method): one["operation"] for method, one in read.items() if one}

    def _follow_schema(self, uri: str) -> Pending | None:
        if ("schema", uri) not in self.values:
            uri, value = self._moved(uri)
        if ("schema", uri) not in self.values:
            if not isinstance(value, Mapping | bool):
                return None
            self._add_schema(uri, value)
        return Pending(uri, "schema")

    def _moved(self, uri: str) -> tuple[str, Any]:
        """Return where a type is written that elsewhere is only named, and what stands there."""
        value = self.read(uri)
        for _ in range(MOVES):
            if not isinstance(value, Mapping) or [*value] != ["$ref"]:
                break
            target = value["$ref"]
            if not isinstance(target, str) or name_of_uri(target) != name_of_uri(uri):
                break
            uri, value = target, self.read(target)
        return uri, value

    def _add_schema(self, uri: str, value: Any) -> None:
        self.values["schema", uri] = {}
        self._waiting.append((uri, value))

    def _behind_names(self, uri: str) -> tuple[str, Any]:
        """Return where a chain of references ends and what stands there, None in a circle."""
        seen = set()
        value = self.read(uri)
        while isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
            if uri in seen:
                return uri, None
            seen.add(uri)
            uri = value["$ref"]
            value = self.read(uri)
        return uri, value

    def note(self, schema: Any) -> Any:
        """Remember and return a mended schema that is no component itself."""
        self.inline.append(schema)
        return schema

    def hoist(self, value: Any, hint: str) -> Pending:
        """Make a component of a schema that is nested too deeply."""
        uri = f"{self._uri}/{hint}"
        while ("schema", uri) in self.values:
            uri += "~"
        owner = self.hints.get(self._uri) or split_uri(self._uri)[1].rpartition("/")[2]
        self.hints[uri] = f"{owner}.{hint}"
        self._add_schema(uri, value)
        return Pending(uri, "schema")

    def claim_id(self, name: str) -> str:
        """Return an operationId that no other operation has."""
        claimed = unused(name, self._ids)
        self._ids.add(claimed)
        return claimed

    def find_operation(self, link: Mapping[str, Any]) -> Pending | str | None:
        """Return what names a link's operation; None: it is not in the bundle."""
        if reference := str(link.get("operationRef", "")):
            if reference.startswith(("http://", "https://")):
                return reference
            source, pointer = split_uri(reference)
            uri = make_uri(source or split_uri(self._uri)[0], pointer)
            known = {operation.uri for operation in self._operations}
            return Pending(uri, "operation") if uri in known else None
        name = link.get("operationId")
        found = [one for one in self._operations if one.id == name and name]
        at_home = [one for one in found if one.home == self.home]
        return Pending((at_home or found)[0].uri, "operationId") if found else None

    def find_scheme(self, name: str) -> Pending | None:
        """Return what names a security scheme of the document at hand."""
        info = self._files.get(self.home)
        pointer = info.schemes.get(name) if info else None
        return (
            None if pointer is None else self.follow(make_uri(self.home, pointer), "securityScheme")
        )
