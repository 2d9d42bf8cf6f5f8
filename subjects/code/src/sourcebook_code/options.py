"""How code is read: options of `index` that are locked in the manifest."""

from attrs import frozen
from sourcebook.verb import option

MAX_FILE_BYTES = 5 * 1024 * 1024


@frozen
class CodeOptions:
    """How files of code are found."""

    max_file_bytes: int = option(
        MAX_FILE_BYTES,
        help="Size above which a file is skipped: tables of data and bundles.",
        minimum=1,
        maximum=256 * 1024 * 1024,
        metavar="N",
    )
    nested_repositories: bool = option(
        False, help="Read repositories inside of the corpus too: clones, submodules, work trees."
    )
