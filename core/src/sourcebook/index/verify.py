"""Checking every byte of an index, and naming each file that is not as it was written."""

from pathlib import Path

from sourcebook.errors import IndexDamaged
from sourcebook.index import layout
from sourcebook.index.documents import read_document
from sourcebook.index.manifest import check_file, read_manifest
from sourcebook.index.sources import read_sources


def verify_index(path: Path) -> list[IndexDamaged]:
    """Return everything that is wrong with an index's files, checking each byte.

    Raises:
        IndexMissing, IndexOutdated, IndexDamaged: the manifest itself cannot be used.
    """
    manifest = read_manifest(path)
    folder = layout.generation(path, manifest.generation)
    faults: list[IndexDamaged] = []
    for name, lock in sorted(manifest.files.items()):
        try:
            check_file(folder, name, lock, whole=True)
        except IndexDamaged as error:
            faults.append(error)
    if faults or not manifest.sources_kept:
        return faults
    try:
        infos = list(read_sources(folder / layout.SOURCES_TABLE).values())
    except IndexDamaged as error:
        return [error]
    for info in infos:
        try:
            read_document(path, info)
        except IndexDamaged as error:
            faults.append(error)
    return faults
