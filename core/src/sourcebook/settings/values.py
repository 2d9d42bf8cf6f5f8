"""What can be set, and what a value must be."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sourcebook.errors import BadSetting
from sourcebook.naming import shown

PREFIX = "SOURCEBOOK_"


def variable_of(key: str) -> str:
    """Return the environment variable of a key: `SOURCEBOOK_DOCS_DB` for `docs.db`."""
    return PREFIX + re.sub(r"[^A-Za-z0-9]", "_", key).upper()


class Setting(NamedTuple):
    """One thing that can be set. A named tuple: the root help reads settings, and needs attrs for
    nothing else.

    Args:
        key: its name in files, `cache_dir`; `docs.chunk_tokens` for an option of a subject.
        type: `str`, `bool`, `int`, `float`, or `tuple` for a list of texts.
        default: the built-in value.
        help: one sentence.
        trusted: not taken from a project file.
        choices: the values allowed, if they are a closed set.
        minimum, maximum: bounds of a number, both included.
        path: a path or a list of paths; relative ones start at the file that names them, else at
            the working directory, and a project file cannot leave its own folder.
        pattern: what a text must match entirely, with `form` saying so in words.
    """

    key: str
    type: type
    default: object
    help: str
    trusted: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    path: bool = False
    pattern: str = ""
    form: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `SOURCEBOOK_CACHE_DIR`."""
        return variable_of(self.key)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "embedding",
        str,
        "minilm",
        "The embedder, `name` or `name:model`; `none` for words alone.",
    ),
    Setting(
        "embedding_endpoint",
        str,
        "",
        "Base URL of a hosted embedder; empty: the provider's own.",
        trusted=True,
    ),
    Setting(
        "embedding_key_variable",
        str,
        "",
        "Name of the environment variable that holds the key of a hosted embedder.",
        trusted=True,
        pattern=r"([A-Za-z_][A-Za-z0-9_]*)?",
        form="the name of an environment variable, never a key itself",
    ),
    Setting(
        "dimensions",
        int,
        0,
        "Length of the vectors, where the embedder lets it be chosen; 0: its own.",
        minimum=0,
        maximum=65536,
    ),
    Setting(
        "batch",
        int,
        0,
        "Texts given to the embedder at once; 0: the embedder's own.",
        minimum=0,
        maximum=65536,
    ),
    Setting(
        "stores",
        tuple,
        ("tantivy", "faiss"),
        "Where words and vectors are kept: names, or URLs of servers (not from a project file).",
    ),
    Setting(
        "limit",
        int,
        0,
        "Hits that a search shows; 0: the verb's own default.",
        minimum=0,
        maximum=1000,
    ),
    Setting(
        "min_evidence",
        str,
        "weak",
        "The level of evidence from which on hits are shown.",
        choices=("none", "weak", "strong"),
    ),
    Setting("cache", bool, True, "Whether parses and vectors are kept for the next build."),
    Setting(
        "cache_dir",
        str,
        "",
        "Folder of the caches; empty: the user's cache folder.",
        trusted=True,
        path=True,
    ),
    Setting(
        "plugins",
        tuple,
        (),
        "Names of plugins or distributions to which loading is limited; empty: no limit.",
        trusted=True,
    ),
    Setting(
        "plugin_files",
        tuple,
        (),
        "Python files with plugins of your own.",
        trusted=True,
        path=True,
    ),
    Setting(
        "allow_remote",
        bool,
        False,
        "Whether documents that a corpus refers to may be fetched (https only).",
        trusted=True,
    ),
    Setting(
        "allow_outside",
        bool,
        False,
        "Whether documents that a corpus refers to may lie outside its folders.",
        trusted=True,
    ),
)

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")

WORDS: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple: "a list of texts",
}


def from_text(setting: Setting, text: str, where: str) -> object:
    """Return a variable's text as a value of the setting's type."""
    if setting.type is bool and text.lower() in TRUE + FALSE:
        return text.lower() in TRUE
    if setting.type is tuple:
        return split_list(text)
    if setting.type in (int, float):
        try:
            return setting.type(text)
        except ValueError:
            raise wrong_type(setting, text, where) from None
    return text


def split_list(text: str) -> list[str]:
    """Return the items of a list written with commas."""
    return [item.strip() for item in text.split(",") if item.strip()]


def checked(setting: Setting, raw: object, where: str) -> Any:
    """Return a value of exactly the setting's type, within its bounds.

    Raises:
        BadSetting: it is not.
    """
    value: Any = raw
    if setting.type is tuple and isinstance(raw, list | tuple):
        if not all(isinstance(item, str) for item in raw):
            raise wrong_type(setting, raw, where)
        value = tuple(raw)
    elif setting.type is float and type(raw) is int:
        value = float(raw)
    elif type(raw) is not setting.type:
        raise wrong_type(setting, raw, where)
    texts = [value] if isinstance(value, str) else value if isinstance(value, tuple) else []
    if any("\0" in text for text in texts):
        raise BadSetting(f"`{setting.key}` holds a NUL character", where=where)
    if setting.choices:
        for text in texts:
            if text not in setting.choices:
                raise BadSetting(
                    f"`{setting.key}` is `{shown(text)}`",
                    where=where,
                    hint=f"choose one of {', '.join(setting.choices)}",
                )
    if setting.pattern and not re.fullmatch(setting.pattern, value):
        raise BadSetting(f"`{setting.key}` must be {setting.form}", where=where)
    if isinstance(value, int | float):
        if setting.minimum is not None and value < setting.minimum:
            raise BadSetting(
                f"`{setting.key}` is {value}, at least {setting.minimum:g} is needed", where=where
            )
        # Written this way round so that `nan` is refused too.
        if setting.maximum is not None and not value <= setting.maximum:
            raise BadSetting(
                f"`{setting.key}` is {value}, at most {setting.maximum:g} is allowed", where=where
            )
    return value


def wrong_type(setting: Setting, raw: object, where: str) -> BadSetting:
    """Return the error for a value of another type."""
    return BadSetting(
        f"`{setting.key}` must be {WORDS[setting.type]}, not `{shown(str(raw))}`", where=where
    )
