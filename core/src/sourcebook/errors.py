"""What can go wrong, each with a stable code, a place and a next move.

::

    SourcebookError                 exit status 1
    ├── UsageError                  exit status 2: the request itself is wrong
    │   ├── BadPattern              a glob or regular expression that cannot be read
    │   ├── BadRequest              a field of a request: unknown, of a wrong type, out of range
    │   └── BadSetting              a key or value of the settings
    ├── NotFound                    a source, section, id or line range that is not in the index
    ├── Ambiguous                   a name that fits several things
    ├── IndexMissing                no index where one was looked for
    ├── IndexBusy                   another process is building it
    ├── SourcesMissing              an index without copies of its documents, asked for their lines
    ├── IndexDamaged                a file whose bytes are not what the manifest says
    ├── IndexOutdated               a format, feature or plugin version that this code cannot read
    ├── EmbedderMismatch            asked with another embedder than the index was built with
    ├── EmbedderUnavailable         no credential, no model, or a provider that still refuses
    ├── StoreMismatch               a store's schema disagrees with what is configured
    ├── StoreUnavailable            a server that does not answer, or lacks what is needed
    ├── PluginMissing               a name nobody has registered
    ├── PluginBroken                a plugin that cannot be loaded or breaks its contract
    ├── CorpusUnreadable            nothing of what was named can be read
    ├── OutsideCorpus               a path or link that leaves where it may read or write
    └── InternalError               a fault of this program, of a library or of a plugin

`code` is the class name in snake_case; it is part of the interface and never renamed.
"""

import re
from typing import ClassVar

LONG_MESSAGE = 2_000
"""Characters of a message, place or hint; what they repeat of a request may be endless."""


def _bounded(text: str) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= LONG_MESSAGE:
        return text
    half = LONG_MESSAGE // 2
    return f"{text[:half]}[… {len(text) - 2 * half:,} characters …]{text[-half:]}"


class SourcebookError(Exception):
    """Something the reader can act on.

    Args:
        message: what happened, one sentence without a final stop.
        where: the place (`file:line`, a flag, an id, a JSON path), empty when there is none.
        hint: what to do next, empty when nothing sensible can be said.
    """

    exit_status: ClassVar[int] = 1
    code: ClassVar[str] = "sourcebook_error"

    def __init_subclass__(cls) -> None:
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        self.message = _bounded(message)
        self.where = _bounded(where)
        self.hint = _bounded(hint)
        super().__init__(self.message)

    def as_json(self) -> dict[str, object]:
        """Return the object that every surface prints: code, message, where, hint."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "where": self.where,
                "hint": self.hint,
            }
        }


class UsageError(SourcebookError):
    """The request itself is wrong: nothing was read or written."""

    exit_status = 2


class BadPattern(UsageError):
    """A glob or regular expression cannot be read."""


class BadRequest(UsageError):
    """A field of a request is unknown, of the wrong type or out of range."""


class BadSetting(UsageError):
    """A key or value of the settings is unknown, malformed or not allowed where it stands."""


class NotFound(SourcebookError):
    """A source, section, id or line range is not in the index."""


class Ambiguous(SourcebookError):
    """A name fits several things; the message lists them."""


class IndexMissing(SourcebookError):
    """There is no index where one was looked for."""


class IndexBusy(SourcebookError):
    """Another process is building this index."""


class SourcesMissing(SourcebookError):
    """The index holds no copies of its documents, and an answer needs their lines."""

    def __init__(self, *, index: str, subject: str) -> None:
        super().__init__(
            f"`{index}` holds no copies of its documents",
            where=f"{index}/manifest.json, features",
            hint="index again without `--no-sources`: "
            f"`sourcebook {subject} index PATH... --out {index}`",
        )


class IndexDamaged(SourcebookError):
    """A file of the index does not hold the bytes that the manifest promises."""


class IndexOutdated(SourcebookError):
    """The index needs a format, feature or plugin version that is not installed here."""


class EmbedderMismatch(SourcebookError):
    """A search with another embedder than the one the vectors were made by."""

    def __init__(self, *, built_with: str, asked_for: str, index: str) -> None:
        super().__init__(
            f"`{index}` was built with `{built_with}`, not `{asked_for}`",
            where=f"{index}/manifest.json, embedder.ref",
            hint=f"search with `--embedding {built_with}`, or index again",
        )
        self.built_with = built_with
        self.asked_for = asked_for


class EmbedderUnavailable(SourcebookError):
    """No credential, no model, or the provider still refuses after the retries."""


class StoreMismatch(SourcebookError):
    """A store's schema disagrees with what is configured and cannot be repaired in place."""

    def __init__(self, *, store: str, field: str, expected: str, actual: str, remedy: str) -> None:
        super().__init__(
            f"`{store}` has `{field}` as {actual}, expected {expected}",
            where=f"{store}, {field}",
            hint=remedy,
        )
        self.field = field
        self.expected = expected
        self.actual = actual


class StoreUnavailable(SourcebookError):
    """A store's server does not answer, or lacks a capability that is needed."""


class PluginMissing(SourcebookError):
    """No installed distribution registers this name."""


class PluginBroken(SourcebookError):
    """A plugin cannot be loaded or breaks its contract; the rest goes on without it."""


class CorpusUnreadable(SourcebookError):
    """Nothing of what was named can be read."""


class InternalError(SourcebookError):
    """A fault of this program, of a library or of a plugin; the message names the exception."""


class OutsideCorpus(SourcebookError):
    """A path or link leaves the folders that may be read or written."""
