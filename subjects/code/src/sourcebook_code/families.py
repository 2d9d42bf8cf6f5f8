"""What differs between languages where names are resolved: which call one another, what they call
the object a method belongs to, what a bare name may mean."""

from functools import cache
from pathlib import Path

from attrs import frozen


@frozen
class Family:
    """Languages whose declarations call one another.

    Args:
        name: of its first language.
        this, super: what members call their own object or type, and its base.
        group: what shares its top names: a `file`, a `folder`, a `package` (by its clause; a
            folder where a file has none), or `all` files of the family.
        implicit: whether a member calls others of its type by their bare name.
        everywhere: whether a bare name that nothing nearer explains may be any top name there is.
        overloads: whether declarations of one name take turns by what they are called with.
        type_first: whether a type stands before what it is of (`Client client`).
        imports_types: whether what begins with a capital is a type, and known only if it is
            imported or of the package.
    """

    name: str
    this: frozenset[str] = frozenset({"this"})
    super: frozenset[str] = frozenset({"super"})
    group: str = "file"
    implicit: bool = False
    everywhere: bool = False
    overloads: bool = False
    type_first: bool = False
    imports_types: bool = False


_SELF = frozenset({"self", "Self"})

_FAMILIES = {
    ("python",): Family("python", frozenset({"self", "cls"})),
    ("javascript", "typescript"): Family("javascript"),
    ("go",): Family("go", frozenset(), frozenset(), "folder"),
    ("rust",): Family("rust", _SELF, frozenset()),
    ("java",): Family(
        "java", group="package", implicit=True, overloads=True, type_first=True,
        imports_types=True,
    ),
    ("kotlin",): Family(
        "kotlin", group="package", implicit=True, overloads=True, imports_types=True
    ),
    ("scala",): Family(
        "scala", group="package", implicit=True, overloads=True, imports_types=True
    ),
    ("csharp",): Family(
        "csharp", super=frozenset({"base"}), group="package", implicit=True, overloads=True,
        type_first=True, imports_types=True,
    ),
    ("c", "cpp"): Family("c", group="all", implicit=True, overloads=True, type_first=True),
    ("php",): Family(
        "php", frozenset({"this", "$this", "self", "static"}), frozenset({"parent"}), "package",
        everywhere=True, type_first=True,
    ),
    ("ruby",): Family("ruby", frozenset({"self"}), group="all", implicit=True),
    ("swift",): Family(
        "swift", _SELF, group="all", implicit=True, overloads=True, imports_types=True
    ),
    ("dart",): Family("dart", implicit=True, type_first=True, imports_types=True),
    ("elixir",): Family("elixir", frozenset({"__MODULE__"}), frozenset(), "all", implicit=True),
    ("haskell",): Family("haskell", frozenset(), frozenset()),
    ("lua",): Family("lua", frozenset({"self"}), frozenset(), everywhere=True),
    ("shell",): Family("shell", frozenset(), frozenset(), everywhere=True),
    ("sql",): Family("sql", frozenset(), frozenset(), "all"),
}  # fmt: skip

_OTHER = Family("other")


@cache
def _by_language() -> dict[str, Family]:
    return {language: family for some, family in _FAMILIES.items() for language in some}


def family_of(language: str) -> Family:
    """Return the family of a language."""
    return _by_language().get(language, _OTHER)


_CONTAINER = (
    "add append clear copy count delete each entries extend filter find forEach get has includes "
    "index indexOf insert items iter join keys length map pop push put remove replace set "
    "setdefault size slice sort split strip update upper lower values"
)


@cache
def container_members() -> frozenset[str]:
    """Return the names of members that lists, maps and texts have: even a variable that is called
    like a type may hold one of these."""
    return frozenset(_CONTAINER.split())


_VAGUE = (
    "array base child current data element entry it item key list map name next obj object other "
    "parent prev result set string text type val value"
)


@cache
def vague_names() -> frozenset[str]:
    """Return the names of variables that say nothing of their type, even where one is called so."""
    return frozenset(_VAGUE.split())


@cache
def common_members() -> frozenset[str]:
    """Return the names of members that the types of standard libraries have: what one is called on
    must be known."""
    return frozenset(Path(__file__).with_name("common_members.txt").read_text("ascii").split())
