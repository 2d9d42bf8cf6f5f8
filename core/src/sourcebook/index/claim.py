"""Whether a folder may be an index: a build overwrites and deletes there."""

from pathlib import Path

from sourcebook.errors import BadRequest, SourcebookError
from sourcebook.index import layout
from sourcebook.index.manifest import read_subject
from sourcebook.subject import Subject


def claim(out: Path, subject: Subject) -> None:
    """Make the folder of an index, or refuse one in which a build would destroy something.

    Raises:
        BadRequest: it holds something that is no index, or an index of another subject.
        OutsideCorpus: parts of it are links.
        SourcebookError: it cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        names = {place.name for place in out.iterdir()}
    except OSError as error:
        raise SourcebookError(
            f"cannot write to `{out}`: {error.strerror or error}",
            where=str(out),
            hint="choose another folder with `--out`",
        ) from None
    layout.refuse_links(out)
    found = read_subject(out)
    own = layout.is_index(out) or (found == subject.name and names <= layout.NAMES)
    if own and found not in (None, "", subject.name):
        raise BadRequest(
            f"`{out}` is a {found} index, not one of {subject.name}",
            where="out",
            hint="choose another folder with `--out`",
        )
    if not own and names - {layout.LOCK}:
        raise BadRequest(
            f"`{out}` is not empty, and what it holds is no index",
            where="out",
            hint="choose a new folder with `--out`; an index has one to itself",
        )
