"""Where the process of a command begins: `sourcebook` and `python -m sourcebook`.

Importing the command line takes most of a short command. Ctrl-C meanwhile would end it with a
traceback from wherever the import was, so the first thing done is to end such a process quietly.
"""

import os

INTERRUPTED = 130
"""The exit status by the convention of shells: 128 and the number of the signal."""

try:
    import signal
except KeyboardInterrupt:
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line of this process and end it with its status."""
    # A process that was started with Ctrl-C ignored, as by `nohup`, goes on ignoring it.
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, _leave)
    from sourcebook.surfaces import cli

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.main()


def _leave(_number: int, _frame: object) -> None:
    # Nothing was written yet, and what is raised inside an import may come out as something else.
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
