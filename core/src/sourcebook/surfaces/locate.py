"""The nearest index of every subject, for commands that are not about one subject."""

import sys
from pathlib import Path

from sourcebook.errors import IndexMissing, SourcebookError
from sourcebook.surfaces.output import write_text


def nearest_indexes() -> list[tuple[str, Path]]:
    """Return subject and path of the index that each installed subject would use here.

    A subject whose index is in doubt (two are equally near, say) is named on standard error and
    left out, if another has one.

    Raises:
        IndexMissing: no subject has one.
        SourcebookError: the reason for doubt, where it is all there is.
    """
    from sourcebook.index.locate import locate_indexes
    from sourcebook.registry import registry
    from sourcebook.settings import load_settings

    settings = load_settings()
    found: list[tuple[str, Path]] = []
    doubts: list[SourcebookError] = []
    names = registry().names("subjects")
    for name in names:
        try:
            paths, _ = locate_indexes(name, configured=settings.get(f"{name}.db"))
        except IndexMissing:
            continue
        except SourcebookError as error:
            doubts.append(error)
            continue
        found += [(name, path) for path in paths]
    if not found and doubts:
        raise doubts[0]
    if not found:
        raise IndexMissing(
            "there is no index here, below, or above",
            where=str(Path.cwd()),
            hint=f"build one with `sourcebook {(*names, 'SUBJECT')[0]} index PATH...`, or name one",
        )
    for doubt in doubts:
        write_text(f"warning: {doubt.message}", sys.stderr)
    return found
