"""The reference pages say what the code says: written from it, and compared with it.

`python tests/docs/test_reference.py` writes the generated pages anew.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from jsonschema import Draft202012Validator
from sourcebook import errors
from sourcebook.registry import registry
from sourcebook.surfaces import builtin, cachecommand
from sourcebook.surfaces.ask import schema_name
from sourcebook.surfaces.cli import BUILT_IN, PROGRAM, Root
from sourcebook.surfaces.jsonlines import OWN
from sourcebook.surfaces.jsonschema import ERROR_SCHEMA, response_schema
from sourcebook.verb import GENERIC_VERBS, verb_refs

PAGES = Path(__file__).parents[2] / "docs" / "reference"

SUBJECTS = ("docs", "schema", "code")
"""First-party subjects, whose verbs the pages show."""

JSON_HEAD = """\
# JSON

<!-- Written by `python tests/docs/test_reference.py`; a test fails when it is out of date. -->

Every command prints its response as one JSON object with `--json`; tools and `sourcebook agent`
give the same object. `schema` names the response and its version, `subject` the subject that was
asked (empty for commands beside the subjects). On a terminal the object is indented, in a pipe it
stands on one line.

What a version promises: every field listed here is always there, lists and objects may be empty,
and later releases only ever add fields. A field that had to change its meaning would come under a
new version, `search/2`. So read the fields you know and pass over the others.

Lines count from 1 and spans include both ends. Control characters, separators that some readers
take for line ends, and lone surrogates stand as `\\u` escapes, so that one object is one line and
moves no cursor.
"""

CLI_HEAD = """\
# Help

<!-- Written by `python tests/docs/test_reference.py`; a test fails when it is out of date. -->

What `--help` prints, for every command. [Exit statuses](exit-statuses.md) says what goes to which
stream. `-` reads standard input: as the question of `search`, as the JSON of `--query`, or as one
value a line where a verb takes many.
"""


class Response(NamedTuple):
    """A response, and where it is met."""

    name: str
    cls: type
    met: tuple[str, ...]


def responses() -> Iterator[Response]:
    """Yield every response of core and first-party subjects, each name once."""
    met: dict[str, list[str]] = {}
    classes: dict[str, type] = {}
    for name in SUBJECTS:
        subject = registry().subject(name)
        for ref in [*verb_refs(subject), *GENERIC_VERBS]:
            verb = ref.load(subject)
            classes.setdefault(schema_name(verb), verb.response)
            places = met.setdefault(schema_name(verb), [])
            place = f"{PROGRAM} {name} {ref.name} --json"
            if ref in verb_refs(subject) and place not in places:
                places.append(place)
    for schema, cls in classes.items():
        yield Response(schema, cls, tuple(met[schema]))
    for name, verb in sorted(builtin.VERBS.items()):
        yield Response(schema_name(verb), verb.response, (f"{PROGRAM} {name} --json",))
    for name, verb in cachecommand.VERBS.items():
        yield Response(schema_name(verb), verb.response, (f"{PROGRAM} cache {name} --json",))
    for name, own in OWN.items():
        yield Response(f"{name}/1", own.response, (f'{{"action": "{name}"}}',))


def json_page() -> str:
    """Return the page of every response."""
    parts = [JSON_HEAD, *section("error/1", ERROR_SCHEMA, ())]
    for one in responses():
        parts += section(one.name, response_schema(one.cls, one.name), one.met)
    return "\n".join(parts)


def section(name: str, schema: dict[str, Any], met: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts of the page on one response."""
    yield f"## {name}\n"
    yield schema["description"] + "\n"
    if met:
        yield f"From {', '.join(f'`{one}`' for one in met)}.\n"
    yield from fields_table(schema)
    for record, inner in schema.get("$defs", {}).items():
        yield f"**{record}**: {inner.get('description', '')}\n"
        yield from fields_table(inner)
    yield "<details><summary>JSON Schema</summary>\n"
    yield f"```json\n{json.dumps(schema, indent=1, ensure_ascii=False)}\n```\n"
    yield "</details>\n"


def fields_table(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the fields of one object as a table."""
    yield "| field | type | meaning |\n| --- | --- | --- |"
    for name, field in schema["properties"].items():
        yield f"| `{name}` | {type_name(field)} | {cell(field.get('description', ''))} |"
    yield ""


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def type_name(schema: dict[str, Any]) -> str:
    """Return a type as a reader calls it."""
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(type_name(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f'`"{one}"`' for one in schema["enum"])
    match schema.get("type"):
        case "array":
            return f"list of {type_name(schema['items'])}"
        case "object" if "additionalProperties" in schema:
            return f"object of {type_name(schema['additionalProperties'])}"
        case None:
            return "any"
        case kind:
            return str(kind)


def cli_page() -> str:
    """Return the page of every command's help."""
    root = Root()
    context = click.Context(root, info_name=PROGRAM, **root.context_settings)
    parts = [CLI_HEAD]
    for name in (*SUBJECTS, *sorted(BUILT_IN)):
        command = root.get_command(context, name)
        assert command is not None
        parts += help_of(command, name, context)
    return "\n".join(parts)


def help_of(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """Yield the help of a command, and of those below it."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield f"## {context.command_path}\n\n```text\n{text}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from help_of(found, below, context)


GENERATED = {"json.md": json_page, "cli.md": cli_page}


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert (PAGES / name).read_text() == GENERATED[name](), (
        "run `python tests/docs/test_reference.py`"
    )


def test_every_response_has_a_valid_schema_of_its_own_name() -> None:
    found = list(responses())
    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert re.fullmatch(r"[a-z]+(\.[a-z_]+)*/[1-9]", one.name)
        Draft202012Validator.check_schema(response_schema(one.cls, one.name))
        assert response_schema(one.cls, one.name).get("description"), one.cls


def undescribed(schema: dict[str, Any]) -> Iterator[str]:
    for record in (schema, *schema.get("$defs", {}).values()):
        for name, field in record["properties"].items():
            if name != "schema" and not field.get("description"):
                yield f"{record['description']} {name}"


def test_every_field_of_a_response_says_what_it_means() -> None:
    missing = [
        line for one in responses() for line in undescribed(response_schema(one.cls, one.name))
    ]
    assert missing == []


def every_error(
    cls: type[errors.SourcebookError] = errors.SourcebookError,
) -> Iterator[type[errors.SourcebookError]]:
    for below in cls.__subclasses__():
        if below.__module__ == errors.__name__:
            yield below
            yield from every_error(below)


def test_every_error_code_is_documented_once_under_its_status() -> None:
    two, one = (PAGES / "errors.md").read_text().split("## Codes that end with status ")[1:]
    assert (two[0], one[0]) == ("2", "1")
    for status, text in ((2, two), (1, one)):
        rows = re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE)
        wanted = [error.code for error in every_error() if error.exit_status == status]
        assert sorted(set(rows) - {"sourcebook_error"}) == sorted(wanted)
        assert len(rows) == len(set(rows))


def test_the_tree_of_errors_in_the_code_is_whole() -> None:
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__ or "")
    assert sorted(drawn) == sorted(one.__name__ for one in every_error())


if __name__ == "__main__":
    for page, make in GENERATED.items():
        (PAGES / page).write_text(make())
