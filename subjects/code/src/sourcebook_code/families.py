"""What differs between languages where names are resolved: which call one another, what they call
the object a method belongs to, what a bare name may mean."""

from functools import cache

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
    """

    name: str
    this: frozenset[str] = frozenset({"this"})
    super: frozenset[str] = frozenset({"super"})
    group: str = "file"
    implicit: bool = False
    everywhere: bool = False
    overloads: bool = False
    type_first: bool = False


_SELF = frozenset({"self", "Self"})

_FAMILIES = {
    ("python",): Family("python", frozenset({"self", "cls"})),
    ("javascript", "typescript", "tsx"): Family("javascript"),
    ("go",): Family("go", frozenset(), frozenset(), "folder"),
    ("rust",): Family("rust", _SELF, frozenset()),
    ("java",): Family(
        "java", group="package", implicit=True, overloads=True, type_first=True
    ),
    ("kotlin",): Family("kotlin", group="package", implicit=True, overloads=True),
    ("scala",): Family("scala", group="package", implicit=True, overloads=True),
    ("csharp",): Family(
        "csharp", super=frozenset({"base"}), group="package", implicit=True, overloads=True,
        type_first=True,
    ),
    ("c", "cpp"): Family("c", implicit=True, everywhere=True, overloads=True, type_first=True),
    ("php",): Family(
        "php", frozenset({"this", "$this", "self", "static"}), frozenset({"parent"}), "package",
        everywhere=True, type_first=True,
    ),
    ("ruby",): Family("ruby", frozenset({"self"}), group="all", implicit=True, everywhere=True),
    ("swift",): Family(
        "swift", _SELF, group="all", implicit=True, everywhere=True, overloads=True
    ),
    ("dart",): Family("dart", implicit=True, type_first=True),
    ("elixir",): Family("elixir", frozenset({"__MODULE__"}), frozenset(), "all", implicit=True),
    ("haskell",): Family("haskell", frozenset(), frozenset()),
    ("lua",): Family("lua", frozenset({"self"}), frozenset(), everywhere=True),
    ("shell",): Family("shell", frozenset(), frozenset(), everywhere=True),
    ("sql",): Family("sql", frozenset(), frozenset(), "all", everywhere=True),
}  # fmt: skip

_OTHER = Family("other")


@cache
def _by_language() -> dict[str, Family]:
    return {language: family for some, family in _FAMILIES.items() for language in some}


def family_of(language: str) -> Family:
    """Return the family of a language."""
    return _by_language().get(language, _OTHER)


COMMON = frozenset(
    """
    abs acquire add addAll addClass addEventListener addListener add_argument all any append
    appendChild appendTo apply as_str assert assertEqual at atob attr available begin bind body
    boxed bytes call cancel capitalize casefold catch ceil center chain charAt charCodeAt chars
    clear click clone close code collect compare compareTo complete concat configure connect
    contains containsKey content copied copy count create createElement cursor date debug decode
    default delete deref dict difference discard dispatch dispatchEvent display done drop each
    elapsed element elements emit empty enabled encode end endswith endsWith ends_with entries
    enumerate equals err error escape every exception exec execute exists exit expandtabs expect
    extend extendleft fetch fetchall fetchone fileno fill filter finalize finally find findAll
    findIndex find_all first flat flatMap flat_map flatten floor flush fold forEach for_each format
    format_map from fromkeys get getAttribute getBoundingClientRect getClass getId getItem getLogger
    getName getOrDefault getSize getTime getType getValue get_mut get_or getattr getvalue group
    groupby groupdict groups handle has hasNext hasOwnProperty hash hashCode head header hex
    hexdigest id ident identity include includes index indexOf info inject insert insertBefore
    inspect int intersection into into_iter invoke isEmpty isInstance isPresent isEqual is_alive
    is_dir is_empty is_err is_file is_none is_ok is_set is_some isalnum isalpha isascii isatty
    isdecimal isdigit isdisjoint isdir isfile isidentifier islower isnumeric isoformat isprintable
    isspace issubset issuperset istitle isupper item items iter iterator join key keys kill last
    lastIndexOf last_insert_id len length level line lines list listen listdir ljust load lock log
    lookup loads lower lstrip main make map map_err mapping match matches max maxsplit merge message
    min mkdir mkdtemp mode move name names new next nil none normalize notify notifyAll now nth
    number of off ok on once open opt or orElse or_default or_else order output pad padEnd padStart
    parent parse part partition pass patch path pause peek perform pipe poll pop popitem popleft pos
    position post prepare prepend preventDefault print printStackTrace printf println process
    promise props publish push push_back push_str put putAll query querySelector querySelectorAll
    quit raise random range raw read read_bytes read_text readlines readline reader reads ready
    receive recv reduce ref register reject release remove removeAll removeAttr removeChild
    removeClass removeEventListener removeItem removeListener remove_if rename render repeat replace
    replaceAll report request require reset resolve respond resume result retain return reverse
    reversed rev rfind rindex rjust rmdir rollback round row rpartition rsplit rstrip run save scan
    search seek seekable select send sendall sendto set setAttribute setItem setName setState
    setTimeout setValue set_result setdefault shift show shutdown size skip sleep slice some sort
    sort_by sorted span splice split split_at split_whitespace splitlines sqrt start startswith
    startsWith starts_with stat state status step stop stopPropagation store str stream strftime
    string strip strptime sub subn submit substr substring subscribe substitute success suffix sum
    swap swapcase symmetric_difference sync tail take tell test text then throw time timestamp title
    to to_a to_dict to_h to_i to_json to_list to_owned to_s to_str to_string to_sym to_vec toArray
    toDict toFixed toISOString toJSON toList toLowerCase toMap toSet toString toUpperCase toggle
    toggleClass total total_seconds touch transaction transform translate trigger trim trimEnd
    trimStart truncate try tryParse type union unique unlink unshift unsubscribe unwrap unwrap_or
    update upper url use user val valid validate value valueOf values view visit wait warn warning
    when width with with_suffix word work wrap write write_text writelines yield zfill zip
    """.split()
)
"""Members that the types of standard libraries have: what one is called on must be known."""
