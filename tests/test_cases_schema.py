"""The cases of API descriptions: what is given to `schema index`, and what is right about it.

`SOURCEBOOK_CASES_SCHEMA` names another folder of such cases; its README says what the keys mean.
Requests go through the command line: what is typed is what is tested.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator
from sourcebook.index.open import open_index
from sourcebook.surfaces.cli import run
from sourcebook_schema.api import Api

from tests.tools import mermaid, tsc

CASES = Path(os.environ.get("SOURCEBOOK_CASES_SCHEMA", Path(__file__).parent / "cases" / "schema"))
NAMES = sorted(path.parent.name for path in CASES.glob("*/expected.json"))

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
IMPORT = re.compile(r'import type \{([^}]*)\} from "\./types";')
DECLARATION = re.compile(
    r"Source: (?P<source>[^\n]+):(?P<line>\d+)\b(?:(?!\*/)[\s\S])*?\*/\s*"
    r"export (?:declare )?(?:type|interface|class|enum) (?P<name>[\w$]+)"
)
MISUSE = re.compile(r"// misuse\b")

GUARD = """
import os, sys
from sourcebook.surfaces import cli
allowed = [os.path.realpath(path) for path in {allowed!r}]
forbidden = [os.path.realpath(path) for path in {forbidden!r}]
def guard(event, arguments):
    if event == "socket.connect":
        print("FORBIDDEN", event, arguments[1], file=sys.stderr)
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        inside = any(path == one or path.startswith(one + os.sep) for one in allowed)
        if any(path == one or path.startswith(one + os.sep) for one in forbidden) and not inside:
            print("FORBIDDEN", event, path, file=sys.stderr)
sys.addaudithook(guard)
status = cli.run(sys.argv[1:])
with open("/proc/self/status") as told:  # the peak of `getrusage` begins with that of the parent
    peak = next(line.split()[1] for line in told if line.startswith("VmHWM:"))
print("PEAK", int(peak) // 1024, file=sys.stderr)
sys.exit(status)
"""


@frozen
class Answer:
    """What a command printed, and the status it ended with."""

    status: int
    out: str
    err: str
    seconds: float = 0.0
    megabytes: float = 0.0

    @property
    def said(self) -> str:
        return self.out + self.err

    def says(self, words: str | Sequence[str]) -> bool:
        return any(word in self.said for word in ([words] if isinstance(words, str) else words))

    @property
    def json(self) -> Any:
        assert self.status == 0, self.said
        return json.loads(self.out)


@define(slots=False)
class Case:
    """One case in a copy of its folder, and all that was found to be wrong."""

    folder: Path
    expected: Mapping[str, Any]
    wrong: list[str] = field(factory=list)

    def check(self, holds: bool, *about: object) -> None:
        if not holds:
            self.wrong.append("  ".join(str(part) for part in about))

    def build(self, paths: Sequence[str], *, out: str = "cases-db") -> Answer:
        """Index in a process of its own, which reports forbidden reads and connections."""
        guard = GUARD.format(
            allowed=[
                *(str(self.folder / path) for path in paths),
                str(self.folder / out),
                str(self.folder / "cache"),
            ]
            if "read_outside_input" in self.expected.get("must_not", ())
            else [str(self.folder), "/"],
            forbidden=[str(self.folder), "/etc/hostname"],
        )
        started = time.monotonic()
        done = subprocess.run(
            [
                *(sys.executable, "-c", guard, "schema", "index", *paths, "--out", out),
                *("--embedding", "none", "--json"),
            ],
            cwd=self.folder,
            env={**os.environ, "SOURCEBOOK_CACHE_DIR": str(self.folder / "cache")},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        seconds = time.monotonic() - started
        said, _, peak = done.stderr.rpartition("PEAK ")
        return Answer(done.returncode, done.stdout, said, seconds, float(peak or "inf"))

    def ask(self, verb: str, *arguments: str) -> Answer:
        """Run a reading verb in this process."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = run(["schema", verb, "--dir", str(self.folder / "cases-db"), *arguments])
        return Answer(status, out.getvalue(), err.getvalue())

    def listed(self, what: str) -> list[Any]:
        items: list[Any] = self.ask("list", what, "--json").json["items"]
        return items

    @cached_property
    def methods(self) -> list[Any]:
        return self.listed("methods")

    @cached_property
    def types(self) -> list[Any]:
        return self.listed("types")

    @cached_property
    def properties(self) -> list[Any]:
        return self.listed("properties")

    @cached_property
    def sources(self) -> set[str]:
        """Return the names of all files of the index."""
        with open_index(self.folder / "cases-db") as index:
            return set(Api.of(index).files)

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """What each id is called in the words of the cases: `Type.property`, `GET /path name`."""
        called = {one["id"]: one["title"] for one in (*self.methods, *self.types)}
        for one in self.properties:
            owner = self.operations[one["id"]]
            called[one["id"]] = f"{owner[0]} {one['name']}" if owner else one["title"]
        return called

    @cached_property
    def operations(self) -> Mapping[str, list[str]]:
        """The operations that each property is written in or, shared by several, is used by."""
        with open_index(self.folder / "cases-db") as index:
            api = Api.of(index)
            return {
                api.id(node): [api.title(one) for one in api.operations_of(node)]
                for node in api.of_kinds(["property"])
            }

    @cached_property
    def details(self) -> Mapping[str, Mapping[str, Any]]:
        """What the hits of each entry add."""
        with open_index(self.folder / "cases-db") as index:
            return {entry.id: entry.facts for entry in index.entries()}

    def is_of(self, item: Any, file: str) -> bool:
        """Whether something is written in a file, given below the case's folder."""
        fits = [one for one in self.sources if f"/{file}".endswith(f"/{one}")]
        return bool(item["source"] == max(fits, key=len, default=""))

    def type_named(self, wanted: Any) -> list[Any]:
        """Return the listed types that a text or an object of the cases stands for."""
        if isinstance(wanted, str):
            return [one for one in self.types if one["name"] == wanted]
        found = []
        for one in self.types:
            own = {prop["name"] for prop in self.properties if prop["parent"] == one["id"]}
            if self.is_of(one, wanted["file"]) and own >= set(wanted.get("properties", ())):
                found.append(one)
        return [one for one in found if wanted["is"] in one["name"]] or found


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    source = CASES / request.param
    expected = json.loads((source / "expected.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="cases-schema-") as folder:
        place = Path(folder) / "case"
        shutil.copytree(source, place, symlinks=True)
        yield Case(place, expected)


@pytest.mark.parametrize("case", NAMES, indirect=True)
def test_a_schema_case_holds(case: Case) -> None:
    expected = case.expected
    if "errors" in expected:
        for number, one in enumerate(expected["errors"]):
            check_refused(case, one, case.build([one["input"]], out=f"refused-{number}-db"))
    else:
        built = case.build(expected["input"])
        check_outcome(case, built)
        check_limits(case, built)
        if built.status == 0:
            check_facts(case)
    assert not case.wrong, "\n" + "\n".join(case.wrong)


def test_there_are_cases() -> None:
    assert NAMES, f"no case in {CASES}"


# ---- what is said


def check_outcome(case: Case, built: Answer) -> None:
    outcome = case.expected["outcome"]
    case.check("Traceback" not in built.said, built.said)
    case.check("FORBIDDEN" not in built.err, built.err)
    case.check(built.status in (0, 1), "status", built.status, built.said)
    if outcome == "ok":
        case.check(built.status == 0, "refused:", built.said)
    if outcome == "error":
        case.check(built.status == 1, "not refused")
    must_say = outcome == "error_or_warning" or built.status == 1
    for key in ("error", "warning"):
        message = case.expected.get(key, {})
        for words in [*message.get("says", ()), *message.get("says_place", ())]:
            case.check(not must_say or built.says(words), f"{key} does not say", words, built.said)


def check_refused(case: Case, one: Mapping[str, Any], built: Answer) -> None:
    case.check("Traceback" not in built.said, one["input"], built.said)
    case.check(built.status == 1 or bool(one.get("or_warning")), one["input"], "was not refused")
    for words in one["says"]:
        case.check(built.says(words), one["input"], "does not say", words, built.said)
    index = case.folder / f"refused-{case.expected['errors'].index(one)}-db"
    case.check(built.status == 0 or not (index / "manifest.json").exists(), "half an index", one)


def check_limits(case: Case, built: Answer) -> None:
    limits = case.expected.get("limits", {})
    if "seconds" in limits:
        case.check(built.seconds <= limits["seconds"], "took", built.seconds)
    if "megabytes" in limits:
        case.check(built.megabytes <= limits["megabytes"], "took", built.megabytes, "MB")


# ---- what is indexed


def check_facts(case: Case) -> None:
    expected = case.expected
    check_operations(case, expected.get("operations", {}))
    for one in expected.get("events", ()):
        check_event(case, one)
    check_types(case, expected.get("types", {}))
    for one in expected.get("properties", ()):
        check_property(case, one)
    for place in expected.get("absent_properties", ()):
        case.check(place not in case.titles.values(), "must not exist:", place)
    for one in expected.get("parameters", ()):
        check_parameter(case, one)
    for name, direction in expected.get("directions", {}).items():
        found = [one["direction"] for one in case.type_named(name)]
        case.check(set(found) == {direction}, "direction of", name, found, direction)
    for one in expected.get("traces", ()):
        check_trace(case, one)
    for one in expected.get("finds", ()):
        check_find(case, one)
    if "typescript" in expected:
        check_typescript(case, expected["typescript"])
    for one in expected.get("openapi", ()):
        check_openapi(case, one)
    if "diagram" in expected:
        check_diagram(case, expected["diagram"])
    if "sources" in expected:
        check_sources(case, expected["sources"])


def check_operations(case: Case, wanted: Mapping[str, Any]) -> None:
    names: list[str] = []
    for one in wanted.get("items", ()):
        title = f"{one['method']} {one['path']}"
        found = [
            item
            for item in case.methods
            if item["title"] == title and ("source" not in one or case.is_of(item, one["source"]))
        ]
        case.check(len(found) == 1, "operation", title, found)
        for item in found:
            case.check(one["name"] in (None, item["name"]), "name of", title, item["name"])
            if one["name"] is None:
                names.append(item["name"])
    case.check(all(names) and len(set(names)) == len(names), "names made up meet:", names)
    if wanted.get("all"):
        plain = [one for one in case.methods if one["title"].partition(" ")[0].lower() in METHODS]
        case.check(len(plain) == len(wanted["items"]), [one["title"] for one in plain])


def check_event(case: Case, one: Mapping[str, Any]) -> None:
    title = f"{one['event'].upper()} {one['key']}"
    found = [item for item in case.methods if item["title"] == title]
    case.check(len(found) == 1, "event", title, [item["title"] for item in case.methods])
    for item in found:
        case.check(one.get("name") in (None, item["name"]), "name of", title, item)
        facts = case.details[item["id"]]
        case.check(facts["method"] == one["method"], "method of", title, facts)
        case.check(facts["event"] == one["event"], "event of", title, facts)
        if "of" in one:
            case.check(case.titles.get(item["parent"]) == one["of"], "owner of", title, item)


def check_types(case: Case, wanted: Mapping[str, Any]) -> None:
    taken: set[str] = set()
    for one in wanted.get("items", ()):
        found = [item for item in case.type_named(one) if item["id"] not in taken]
        case.check(bool(found), "type", one, [item["id"] for item in case.types])
        taken.update(item["id"] for item in found[:1])
    if wanted.get("all"):
        extra = [item["id"] for item in case.types if item["id"] not in taken]
        case.check(not extra, "types too many:", extra)


def check_property(case: Case, one: Mapping[str, Any]) -> None:
    owners = {item["id"] for item in case.type_named(one["owner"])}
    found = [
        item for item in case.properties if item["parent"] in owners and item["name"] == one["name"]
    ]
    case.check(len(found) == 1, "property", one, [item["id"] for item in found])
    for item in found:
        check_holds(case, item, one)


def check_parameter(case: Case, one: Mapping[str, Any]) -> None:
    routes = {item["id"]: item for item in case.properties if item["place"] == one["in"]}
    found = [
        item
        for item in routes.values()
        if item["name"] == one["name"] and one["operation"] in case.operations[item["id"]]
    ]
    case.check(len(found) == 1, "parameter", one, found)
    for item in found:
        check_holds(case, item, {**one, "direction": "input"})


def check_holds(case: Case, item: Any, one: Mapping[str, Any]) -> None:
    facts = case.details[item["id"]]
    for key in ("type", "required", "direction"):
        if key in one:
            case.check(item[key] == one[key], key, "of", item["id"], item[key], one[key])
    if "nullable" in one:
        case.check(facts["nullable"] == one["nullable"], "nullable", item["id"], facts)
    if "values" in one:
        case.check(list(facts["values"]) == one["values"], "values", item["id"], facts)


def check_trace(case: Case, one: Mapping[str, Any]) -> None:
    traced = case.ask("trace", one["from"], "--limit", "0", "--routes", "0", "--json").json
    found = {
        (route["operation"], route["direction"])
        for node in traced["nodes"]
        for route in node["routes"]
    }
    wanted = {(route["operation"], route["direction"]) for route in one["routes"]}
    case.check(bool(traced["nodes"]), "nothing to trace:", one["from"], traced["notes"])
    case.check(wanted <= found, "trace from", one["from"], "misses", wanted - found)
    case.check(not one.get("all") or found <= wanted, "trace from", one["from"], found - wanted)
    if not one["routes"]:
        printed = case.ask("trace", one["from"]).out
        case.check("nothing carries it" in printed, "trace from", one["from"], printed)


def check_find(case: Case, one: Mapping[str, Any]) -> None:
    options = ["--case-sensitive"] * bool(one.get("case_sensitive"))
    if "source" in one:
        options.append(f"--source={document_of(case, one['source'])}")
    answer = case.ask("grep", *options, "--limit", "0", "--json", "--", one["text"]).json
    places = {case.titles.get(match["id"], match["id"]) for match in answer["matches"]}
    where = set(one.get("where", ()))
    if one["found"]:
        case.check(answer["found"] > 0, "not found:", one)
        case.check(where <= places, "not found there:", one, places)
    elif where:
        case.check(not where & places, "must not be found there:", one, places)
    else:
        case.check(answer["found"] == 0, "must not be found:", one, answer["matches"])
    if "only_in" in one:
        own = all(case.is_of(match, one["only_in"]) for match in answer["matches"])
        case.check(own, "found elsewhere, too:", one, answer["matches"])


def document_of(case: Case, file: str) -> str:
    """Return the short name of the document whose root is a file of the case."""
    documents = case.ask("list", "documents", "--json").json["documents"]
    [name] = [one["name"] for one in documents if case.is_of(one, file)]
    return str(name)


def check_sources(case: Case, wanted: Mapping[str, Any]) -> None:
    documents = case.ask("list", "documents", "--json").json["documents"]
    case.check(len(documents) == wanted["count"], "documents:", documents)
    for file in wanted.get("from", ()):
        case.check(any(case.is_of(one, file) for one in documents), "document", file, documents)
    names = [one["name"] for one in documents]
    case.check(len(set(names)) == len(names), "names meet:", names)


# ---- what is rendered


def rendered(case: Case, form: str, *named: str) -> str:
    answer = case.ask("show", *named, "--exact", f"--format={form}", "--json")
    text: str = answer.json["text"]
    return text


def type_ids(case: Case, wanted: Sequence[str]) -> list[str]:
    if list(wanted) == ["*"]:
        return [one["id"] for one in case.types]
    return [one["id"] for name in wanted for one in case.type_named(name)[:1]]


def check_typescript(case: Case, wanted: Mapping[str, Any]) -> None:
    ids = type_ids(case, wanted["types"])
    if not ids:
        case.check(wanted["types"] == ["*"], "no such types:", wanted)
        return
    module = rendered(case, "typescript", *ids)
    files = {"types.ts": module}
    lines: dict[str, set[int]] = {"types.ts": set()}
    for key in ("usage", "misuse"):
        if key in wanted:
            snippet = with_aliases(case, wanted, module, (case.folder / wanted[key]).read_text())
            files[f"{key}.ts"] = snippet
            marked = enumerate(snippet.splitlines(), start=1)
            lines[f"{key}.ts"] = {number for number, line in marked if MISUSE.search(line)}
    wrong = tsc.check(files)
    for file, expected in lines.items():
        found = {one.line for one in wrong if one.file == file}
        told = [one for one in wrong if one.file == file and one.line not in expected]
        case.check(found == expected, file, sorted(found ^ expected), told[:3], module)
    for text in wanted.get("contains", ()):
        case.check(text in module, "declarations lack", text)
    for text in wanted.get("lacks", ()):
        case.check(text not in module, "declarations hold", text)
    code = re.sub(r"/\*[\s\S]*?\*/|\"(?:[^\"\\]|\\.)*\"|//[^\n]*", "", module)
    for name in wanted.get("lacks_code", ()):
        case.check(not re.search(rf"\b{re.escape(name)}\b", code), "code holds", name)


def with_aliases(case: Case, wanted: Mapping[str, Any], module: str, snippet: str) -> str:
    """Return a snippet whose import gives what was rendered the names that it uses."""
    declared: dict[tuple[str, int], list[str]] = {}
    for match in DECLARATION.finditer(module):
        declared.setdefault((match["source"], int(match["line"])), []).append(match["name"])
    imported = IMPORT.search(snippet)
    assert imported, snippet
    parts = []
    for name in (part.strip() for part in imported[1].split(",")):
        [item] = case.type_named(wanted.get("alias", {}).get(name, name))[:1]
        there = declared.get((item["source"], item["first_line"]), [])
        own = item["name"] if item["name"] in there else next(reversed(there), None)
        case.check(own is not None, "no declaration of", item["id"], declared)
        parts.append(f"{own} as {name}" if own != name else name)
    line = f'import type {{ {", ".join(parts)} }} from "./types";'
    return snippet[: imported.start()] + line + snippet[imported.end() :]


def check_openapi(case: Case, wanted: Mapping[str, Any]) -> None:
    named: list[str] = []
    if "source" in wanted:
        named.append(f"--source={document_of(case, wanted['source'])}")
    for one in wanted["of"]:
        if " " in one:
            named += ["--method", one]
        else:
            named += ["--type", one]
    for form, validator in (
        ("openapi", OpenAPIV31SpecValidator),
        ("openapi-3.0", OpenAPIV30SpecValidator),
    ):
        text = rendered(case, form, *named)
        description = json.loads(text)
        errors = [error.message for error in validator(description).iter_errors()]
        case.check(not errors, form, "of", wanted["of"], "is invalid:", errors[:3], text)
        check_description(case, wanted, description, json.dumps(description, ensure_ascii=False))


def check_description(
    case: Case, wanted: Mapping[str, Any], description: Mapping[str, Any], text: str
) -> None:
    about = ("description of", wanted["of"])
    for reference in references(description):
        case.check(at(description, reference.removeprefix("#")) is not None, *about, reference)
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, item in description.get("paths", {}).items()
        for method, operation in item.items()
        if method in METHODS
    ]
    if "operations" in wanted:
        names = sorted(name for name, _ in operations)
        case.check(names == sorted(wanted["operations"]), *about, "holds", names)
    if wanted.get("unique_ids"):
        ids = [one["operationId"] for _, one in operations if "operationId" in one]
        case.check(len(set(ids)) == len(ids), *about, "ids meet", ids)
    schemas = set(description.get("components", {}).get("schemas", {}))
    case.check(set(wanted.get("schemas", ())) <= schemas, *about, "schemas", sorted(schemas))
    extra = set(wanted.get("schemas_absent", ())) & schemas
    case.check(not extra, *about, "schemas too many", extra)
    for pointer in wanted.get("contains", ()):
        case.check(at(description, pointer) is not None, *about, "lacks", pointer)
    for part in wanted.get("has_text", ()):
        case.check(part in text, *about, "lacks the text", part)
    for part in wanted.get("lacks_text", ()):
        case.check(part not in text, *about, "holds the text", part)


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def at(value: Any, pointer: str) -> Any:
    """Return what a JSON pointer leads to, None if that is nothing."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return None
    return value


def check_diagram(case: Case, wanted: Mapping[str, Any]) -> None:
    ids = type_ids(case, wanted["types"])
    for form in ("mermaid", "mermaid-flowchart"):
        text = rendered(case, form, *ids)
        read = mermaid.read(text)
        case.check(not read.error, form, "does not parse:", read.error, text)
        for start, end in wanted.get("edges", ()):
            case.check((start, end) in read.edges, form, "lacks the edge", (start, end), read.edges)


def test_aliases_are_told_from_the_text_of_declarations() -> None:
    module = "/**\n * Told.\n *\n * Source: a/b.yaml:12\n */\nexport interface Status {\n}\n"
    [match] = DECLARATION.finditer(module)
    assert match.groupdict() == {"source": "a/b.yaml", "line": "12", "name": "Status"}
