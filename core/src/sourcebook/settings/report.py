"""Every setting with its value and origin, as `sourcebook config` prints it."""

import re
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from sourcebook.registry import Registry
    from sourcebook.settings import Settings


@frozen
class ConfigRow:
    """One setting, as it holds here.

    Values never hold a secret: settings name the variables that do, and passwords in URLs are
    masked.

    Args:
        key: its name in settings files.
        value: what it is.
        origin: where that comes from: a flag, a variable, a file and line, a bundle, `built in`.
        help: what it is for.
    """

    key: str
    value: str | bool | int | float | tuple[str, ...]
    origin: str
    help: str = ""


def config_rows(settings: "Settings", plugins: "Registry") -> list[ConfigRow]:
    """Return the general settings, then those of every subject that can be loaded.

    Raises:
        BadSetting: a value given for a subject is wrong.
    """
    from sourcebook.settings import subject_settings
    from sourcebook.settings.values import BY_KEY

    rows = [
        ConfigRow(key, masked(value), origin, BY_KEY[key].help)
        for key, value, origin in settings.items()
    ]
    for name in plugins.names("subjects"):
        if plugins.fault("subjects", name) is None:
            help_by_key = {each.key: each.help for each in subject_settings(name, plugins)}
            rows += [
                ConfigRow(key, masked(value), origin, help_by_key[key])
                for key, value, origin in settings.items(name)
            ]
    return rows


PASSWORD = re.compile(r"(?P<user>://[^/@:\s]*):[^/@\s]*@")
PARAMETER = re.compile(r"(?i)(?P<name>[?&][^=&]*(?:pass|token|key|secret)[^=&]*)=[^&\s]*")


def masked(
    value: "str | bool | int | float | tuple[str, ...] | None",
) -> "str | bool | int | float | tuple[str, ...]":
    """Return a value with the secrets of its URLs replaced by `***`; None as ""."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return tuple(str(masked(item)) for item in value)
    if isinstance(value, str):
        return PARAMETER.sub(r"\g<name>=***", PASSWORD.sub(r"\g<user>:***@", value))
    return value
