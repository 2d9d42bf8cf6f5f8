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


@frozen
class CodeSettings:
    """How descriptions are handed out and taken in; no index depends on these."""

    describe_batch: int = option(
        20, help="Declarations that `describe pending` hands out at once.", minimum=1, maximum=1000
    )
    describe_max_chars: int = option(
        1000, help="How long a description may be, in characters.", minimum=1, maximum=100_000
    )
    describe_languages: tuple[str, ...] = option(
        ("en",), help="The languages that descriptions are asked for in."
    )
    describe_skip: tuple[str, ...] = option(
        (), help="What is not to be described, as `path` or `path::name` with wildcards."
    )
