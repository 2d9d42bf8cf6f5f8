"""The defaults of Acme: words only, in the store of the core, in small passages."""

from collections.abc import Mapping

from sourcebook import hookimpl


@hookimpl
def sourcebook_defaults() -> Mapping[str, object]:
    """Return the defaults by dotted key, those of `sourcebook config`."""
    return {"embedding": "none", "stores": ["memory"], "docs.chunk_tokens": 256}
