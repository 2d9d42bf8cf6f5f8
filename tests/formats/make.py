"""Write the small index of the current format anew: `python tests/formats/make.py`.

To be run once for each format, when it is released; before that, as often as it changes.
"""

import shutil
from pathlib import Path

from sourcebook.index.manifest import FORMAT
from sourcebook.testing.indexes import build

HERE = Path(__file__).parent


def main() -> None:
    """Build twice, so that the index has two segments and a row that is dead."""
    out = HERE / f"v{FORMAT}" / "docs-db"
    shutil.rmtree(out, ignore_errors=True)
    corpus = HERE / "corpus"
    before = HERE / f"v{FORMAT}" / "corpus"
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(corpus, before)
    (before / "pumps.md").write_text("# Pumps\n\nNothing is known yet.\n")
    build("docs", before, out, dimensions=32)
    (before / "pumps.md").write_bytes((corpus / "pumps.md").read_bytes())
    build("docs", before, out, dimensions=32)
    shutil.rmtree(before)
    shutil.rmtree(out / "generations" / "1")
    (out / ".lock").unlink()
    (out / "README.md").unlink()


if __name__ == "__main__":
    main()
