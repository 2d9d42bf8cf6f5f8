"""The README inside an index: progress while it is built, then what it holds."""

import os
import time
from pathlib import Path

from attrs import define, field

from sourcebook.index import layout
from sourcebook.index.manifest import Manifest
from sourcebook.naming import counted, shown

EVERY_S = 5.0


@define
class Progress:
    """Writes how far a build has come into the index, at most every five seconds.

    If the build dies, the last state stays and says so itself.
    """

    index: Path
    corpus: str
    embedder: str
    clock: float = field(factory=time.monotonic)
    started: float = field(factory=time.time)
    _last: float = -EVERY_S

    def say(self, step: str, done: int = 0, total: int = 0) -> None:
        """Note that `step` has done `done` of `total`."""
        now = time.monotonic()
        if now - self._last < EVERY_S:
            return
        self._last = now
        counted = f" {done} of {total}" if total else ""
        when = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(self.started))
        _write(
            self.index,
            f"# An index in the making\n\n"
            f"- corpus: {shown(self.corpus)}\n"
            f"- embedder: {self.embedder}\n"
            f"- step: {step}{counted}\n"
            f"- running for {now - self.clock:.0f} s, since {when}, process {os.getpid()}\n\n"
            "If that process no longer runs, the build died here. What was answered before is\n"
            "answered still; index again to go on from where it stopped.\n",
        )


def write_report(index: Path, manifest: Manifest) -> None:
    """Say what the finished index holds."""
    kinds = "".join(f"| {kind} | {count} |\n" for kind, count in sorted(manifest.kinds.items()))
    embedder = manifest.embedder
    vectors = (
        f"{embedder.ref}, {embedder.dimensions} dimensions, "
        f"{manifest.vectors_done} of {manifest.vectors_total} entries"
        if embedder
        else "none"
    )
    skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(manifest.skipped.items()))
    name = manifest.subject
    _write(
        index,
        f"# A {name} index of {shown(manifest.root)}\n\n"
        f"{counted(manifest.sources, 'source')}, "
        f"{counted(manifest.entries, 'entry', 'entries')}, "
        f"finished {manifest.finished or 'not yet'}.\n\n"
        f"| kind | entries |\n| --- | --- |\n{kinds}\n"
        f"- vectors: {vectors}\n"
        f"- copies of the sources: {'yes' if manifest.sources_kept else 'none'}\n"
        f"- stores: {', '.join(store.name for store in manifest.stores)}\n"
        f"- skipped: {skipped or 'nothing'}\n"
        f"- generation {manifest.generation}, format {manifest.format}\n"
        f"- content digest {manifest.content_digest}\n\n"
        f'Ask it with `sourcebook {name} search --dir . "your question"`. The folder may be\n'
        "moved, copied, committed or mounted read-only; nothing in it points outside.\n",
    )


def _write(index: Path, text: str) -> None:
    layout.write_file(index / layout.README, text.encode(), durable=False)
