"""The folders of generations: the next number, and which of them are cleared away."""

import shutil
import time
from itertools import pairwise
from pathlib import Path

from sourcebook.errors import IndexMissing, SourcebookError
from sourcebook.index import layout
from sourcebook.index.manifest import read_manifest
from sourcebook.index.sources import read_sources

KEEP_S = 3600.0
"""Generations before the previous one are deleted this long after they were superseded."""


def next_number(out: Path) -> int:
    """Return the number of the next generation: above every folder that is there."""
    return max(_numbers(out), default=0) + 1


def sweep(out: Path) -> None:
    """Delete what killed builds left, and generations that no reader can still be opening.

    The published generation and the one before it stay; older ones go an hour after they were
    superseded. To be called by whoever holds the lock.
    """
    try:
        current = read_manifest(out).generation
    except IndexMissing:
        current = 0  # nothing was ever published
    except SourcebookError:
        return  # another version may still read it
    numbers = _numbers(out)
    kept = _kept(out, current, numbers)
    cleared = [number for number in numbers if number not in kept]
    for number in cleared:
        shutil.rmtree(layout.generation(out, number), ignore_errors=True)
    if cleared:
        _sweep_documents(out, kept)


def _numbers(out: Path) -> list[int]:
    folder = out / layout.GENERATIONS
    names = [place.name for place in folder.iterdir()] if folder.is_dir() else []
    return sorted(int(name) for name in names if name.isdecimal())


def _kept(out: Path, current: int, numbers: list[int]) -> set[int]:
    before = [number for number in numbers if number < current]
    kept = {current, *before[-1:]}
    for number, successor in pairwise(before):
        table = layout.generation(out, successor) / layout.SOURCES_TABLE
        if table.exists() and time.time() - table.stat().st_mtime < KEEP_S:
            kept.add(number)
    return kept


def _sweep_documents(out: Path, kept: set[int]) -> None:
    """Delete the copies of documents that no kept generation names."""
    needed: set[str] = set()
    for number in kept:
        try:
            sources = read_sources(layout.generation(out, number) / layout.SOURCES_TABLE)
            needed.update(layout.document(out, info.digest).name for info in sources.values())
        except SourcebookError:
            continue  # a build mends what the published one lacks
    for place in layout.documents(out):
        if place.name not in needed:
            place.unlink(missing_ok=True)
