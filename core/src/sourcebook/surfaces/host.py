"""Subjects inside another program's command line."""

from collections.abc import Iterable

import click

from sourcebook.surfaces.command import SubjectGroup


def mount(group: click.Group, subjects: Iterable[str] | None = None) -> None:
    """Add subjects to a click group as its commands, with all of their verbs.

    A plugin is imported when its command is asked for. Errors of Sourcebook print as they do
    under `sourcebook`, and end the host's process with the same status.

    Args:
        group: the group of the program that is the host.
        subjects: names of subjects, default all that are installed.

    Raises:
        ValueError: the group has a command of that name already.
    """
    from sourcebook.registry import registry

    plugins = registry()
    for name in plugins.names("subjects") if subjects is None else subjects:
        if name in group.commands:
            raise ValueError(f"the group has a command `{name}` already")
        summary = plugins.summary("subjects", name) if name in plugins.names("subjects") else ""
        group.add_command(SubjectGroup(name, summary))
