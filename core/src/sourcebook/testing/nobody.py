"""Tests of permissions: root may do everything, so they are done by somebody else."""

import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


def as_nobody(work: Callable[[], None]) -> None:
    """Run `work` in a process of its own without root's rights.

    It may not be able to import what lies in root's folders: import all it needs before.
    """
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "see what it printed on stderr"


@contextmanager
def open_folder() -> Iterator[Path]:
    """Make a folder that everybody can reach and change, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        for base, _, _ in os.walk(folder):
            Path(base).chmod(0o700)
        shutil.rmtree(folder)
