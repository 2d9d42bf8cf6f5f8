"""`sourcebook cache`: what is kept of earlier builds, and how to drop it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import click
from attrs import frozen

from sourcebook.cache.admin import (
    CacheDropped,
    CacheUse,
    clear_cache,
    list_cache,
    parse_age,
    prune_cache,
)
from sourcebook.errors import BadRequest, BadSetting
from sourcebook.naming import counted
from sourcebook.surfaces.command import LazyGroup, Section, VerbCommand, context
from sourcebook.surfaces.output import align
from sourcebook.verb import Verb, option

DIR_HELP = "The folder of the cache; as in the settings if unset."


@frozen
class CacheRequest:
    """Which cache."""

    cache_dir: str | None = option(None, help=DIR_HELP, metavar="DIR")


@frozen
class PruneRequest:
    """Which cache, and what of it."""

    older_than: str = option(
        help="Drop what was last used longer ago than this: `12h`, `30d`, `8w`.", metavar="AGE"
    )
    cache_dir: str | None = option(None, help=DIR_HELP, metavar="DIR")


@frozen
class CacheResponse:
    """What the cache holds.

    Args:
        folder: where it is.
        kinds: what it holds of each kind.
    """

    folder: str
    kinds: tuple[CacheUse, ...]


@frozen
class DroppedResponse:
    """What was taken out of the cache.

    Args:
        folder: where it is.
        kinds: what was taken out of each kind.
    """

    folder: str
    kinds: tuple[CacheDropped, ...]


def cache_folder(named: str | None) -> Path:
    """Return the folder of the cache that is meant.

    Raises:
        BadSetting: none is named, and there is no home to have one.
    """
    from sourcebook.cache import default_folder
    from sourcebook.settings import load_settings

    chosen = load_settings({"cache_dir": named}).get("cache_dir")
    folder = Path(chosen) if chosen else default_folder()
    if folder is None:
        raise BadSetting("there is no folder for a cache", hint="name one with `--cache-dir`")
    return folder


def list_kinds(request: CacheRequest) -> CacheResponse:
    """Return what is kept."""
    folder = cache_folder(request.cache_dir)
    return CacheResponse(str(folder), tuple(list_cache(folder)))


def prune(request: PruneRequest) -> DroppedResponse:
    """Drop what was not used for some time.

    Raises:
        BadRequest: the age cannot be read.
    """
    try:
        age: timedelta = parse_age(request.older_than)
    except BadRequest as error:
        error.where = "$.older_than"
        raise
    folder = cache_folder(request.cache_dir)
    return DroppedResponse(str(folder), tuple(prune_cache(folder, age)))


def clear(request: CacheRequest) -> DroppedResponse:
    """Drop everything."""
    folder = cache_folder(request.cache_dir)
    return DroppedResponse(str(folder), tuple(clear_cache(folder)))


def render_kinds(response: CacheResponse, _view: object) -> str:
    """Return the folder and a line for each kind."""
    rows = [
        (
            one.kind,
            counted(one.entries, "entry", "entries"),
            human_size(one.bytes),
            one.problem or (f"last used {one.oldest_read} or later" if one.oldest_read else ""),
        )
        for one in response.kinds
    ]
    return f"{response.folder}\n{align(rows)}"


def render_dropped(response: DroppedResponse, _view: object) -> str:
    """Return the folder and a line for each kind."""
    rows = [
        (
            one.kind,
            f"{counted(one.entries, 'entry', 'entries')} dropped",
            human_size(one.bytes),
            one.problem,
        )
        for one in response.kinds
    ]
    return f"{response.folder}\n{align(rows)}"


def human_size(size: int) -> str:
    """Return a number of bytes as people say it: `17.2 MB`."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"


def failed(response: DroppedResponse) -> int:
    """Return 1 if some kind could not be dropped."""
    return int(any(one.problem for one in response.kinds))


VERBS: Mapping[str, Verb] = {
    one.name: one
    for one in (
        Verb(
            "ls",
            "Say what is kept, where, and how much of it.",
            CacheRequest,
            CacheResponse,
            list_kinds,
            render_kinds,
            schema="cache.ls/1",
            needs="nothing",
        ),
        Verb(
            "prune",
            "Drop what was not used for some time.",
            PruneRequest,
            DroppedResponse,
            prune,
            render_dropped,
            schema="cache.prune/1",
            needs="nothing",
            exit_status=failed,
        ),
        Verb(
            "clear",
            "Drop everything.",
            CacheRequest,
            DroppedResponse,
            clear,
            render_dropped,
            schema="cache.clear/1",
            needs="nothing",
            exit_status=failed,
        ),
    )
}


class CacheGroup(LazyGroup):
    """The three of them."""

    def sections(self) -> Mapping[str, Section]:
        """Return names and summaries."""
        return {"Commands": [(one.name, one.summary) for one in VERBS.values()]}

    def load(self, name: str) -> click.Command | None:
        """Return one of them."""
        return VerbCommand(VERBS[name]) if name in VERBS else None


def cache_command() -> click.Group:
    """Return the group `cache`."""
    about = "List, prune or clear what is kept of earlier builds."
    return CacheGroup(
        "cache",
        help=f"{about}\n\nNothing is lost for good: what is gone is made again when needed.",
        short_help=about,
        context_settings=context(),
    )
