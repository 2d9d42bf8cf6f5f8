"""The document cases: a folder to index and what is right about it, each asked of the real tool.

`SOURCEBOOK_CASES_DOCS` names another folder of such cases; its README says what the keys mean.
Requests go through the command line: what is typed is what is tested.
"""

import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen
from sourcebook.index.open import open_index
from sourcebook.model import Span
from sourcebook.surfaces.cli import run
from sourcebook.surfaces.output import sanitise
from sourcebook_docs.tables import read_cells

CASES = Path(os.environ.get("SOURCEBOOK_CASES_DOCS", Path(__file__).parent / "cases" / "docs"))
NAMES = sorted(path.parent.name for path in CASES.glob("*/expected.json"))
STORE = "tantivy"
"""The text leg alone is asked, and this is the engine behind it that users get."""

NOBODY = 65534
WITHIN = 8
QUOTED = re.compile(r" *(\d+) \| (.*)")
GAP = re.compile(r" *\.\.\.")
HEADING = re.compile(r"## (.*): \d+ of \d+ lines")
RULE = re.compile(r" {0,3}([-*_])[ \t]*(\1[ \t]*){2,}")

Lines = set[tuple[str, int]]


@frozen
class Answer:
    """What a command printed, and the status it ended with."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err

    def says_any(self, words: Sequence[str]) -> bool:
        return any(word.casefold() in self.said.casefold() for word in words)

    @property
    def json(self) -> Any:
        assert self.status == 0, self.said
        return json.loads(self.out)


@define
class Case:
    """One case in a copy of its folder, and all that was found to be wrong."""

    folder: Path
    expected: Mapping[str, Any]
    as_nobody: bool
    index: str = "cases-db"
    wrong: list[str] = field(factory=list)

    def check(self, holds: bool, *about: object) -> None:
        if not holds:
            self.wrong.append("  ".join(str(part) for part in about))

    def process(self, *arguments: str) -> Answer:
        """Run the command as a process of its own; builds as nobody where modes must count."""
        if self.as_nobody and arguments[1] == "index":
            return self.forked(arguments)
        done = subprocess.run(
            [sys.executable, "-m", "sourcebook", *arguments],
            cwd=self.folder,
            env={**os.environ, "SOURCEBOOK_CACHE_DIR": str(self.folder / "cache")},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def forked(self, arguments: Sequence[str]) -> Answer:
        """Run the command in a child without root's rights.

        A child rather than a new process, since nobody may be unable to read the interpreter; what
        the command imports is imported before, by running it once into another index.
        """
        with chdir(self.folder):
            in_this_process([*arguments, "--no-cache", "--out", "warm-db"])
            reading, writing = os.pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                os.environ["HOME"] = str(self.folder)
                answer = in_this_process([*arguments, "--no-cache"])
                with os.fdopen(writing, "w", encoding="utf-8") as stream:
                    json.dump([answer.status, answer.out, answer.err], stream)
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading, encoding="utf-8") as stream:
                told = stream.read()
            os.waitpid(child, 0)
        return Answer(*json.loads(told))

    def ask(self, verb: str, *arguments: str) -> Answer:
        """Run a reading verb in this process."""
        return in_this_process(["docs", verb, "--dir", str(self.folder / self.index), *arguments])

    def build(self, paths: Sequence[str], embedding: str = "none") -> Answer:
        return self.process(
            *("docs", "index", *paths, "--out", self.index),
            *("--embedding", embedding, "--store", STORE, "--json"),
        )


def in_this_process(arguments: Sequence[str]) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(arguments)
    return Answer(status, out.getvalue(), err.getvalue())


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    """Copy the case to where everybody may look, so that modes mean what they say."""
    source = CASES / request.param
    expected = json.loads((source / "expected.json").read_text("utf-8"))
    modes = any("mode" in step for step in expected.get("setup", ()))
    with tempfile.TemporaryDirectory(prefix="cases-docs-") as folder:
        place = Path(folder) / "case"
        shutil.copytree(source, place, symlinks=True)
        for path in (place, *place.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | stat.S_IWUSR)
        as_nobody = modes and os.geteuid() == 0
        prepare(place, expected.get("setup", ()))
        if as_nobody:
            Path(folder).chmod(0o755)
            for path in (place, *place.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        yield Case(place, expected, as_nobody)


def prepare(place: Path, steps: Sequence[Mapping[str, Any]]) -> None:
    for step in steps:
        if "link" in step:
            (place / step["link"]).symlink_to(step["to"])
        elif "write" in step:
            path = place / step["write"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(step["text"].encode())
        else:
            mode = step["mode"]
            (place / step["path"]).chmod(mode if isinstance(mode, int) else int(mode, 8))


@pytest.mark.parametrize("case", NAMES, indirect=True)
def test_a_document_case_holds(case: Case) -> None:
    expected = case.expected
    if "index" in expected:
        built = case.build(expected["index"])
        assert built.status == 0, built.said
        check_facts(case, expected)
        check_messages(case, expected.get("messages", ()))
    for number, step in enumerate(expected.get("steps", ()), start=1):
        check_step(case, number, step)
    assert not case.wrong, "\n" + "\n".join(case.wrong)


def test_there_are_cases() -> None:
    assert NAMES, f"no case in {CASES}"


def check_step(case: Case, number: int, step: Mapping[str, Any]) -> None:
    tree = case.folder / "corpus"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(case.folder / step["tree"], tree, symlinks=True)
    built = case.build(["corpus"], embedding="hash")
    assert built.status == 0, f"step {number}: {built.said}"
    if step.get("nothing_new"):
        for figure in ("parsed", "embedded"):
            case.check(built.json[figure] == 0, f"step {number}:", figure, built.json[figure])
    check_facts(case, step)
    check_messages(case, step.get("messages", ()))


def check_facts(case: Case, facts: Mapping[str, Any]) -> None:
    left_out = check_files(case, facts)
    other = other_titles(case.expected)
    check_sections(case, facts.get("sections", {}), left_out, other)
    check_chunks(case, facts.get("chunks", {}), left_out)
    if "tables" in facts:
        check_tables(case, facts["tables"], left_out)
    for one in facts.get("grep", ()):
        check_grep(case, one, left_out, other)
    for one in facts.get("show", ()):
        if one["file"] not in left_out:
            check_show(case, one)
    for one in facts.get("search", ()):
        check_search(case, one)
    for one in facts.get("quote", ()):
        check_quote(case, one)
    for one in facts.get("asks", ()):
        check_ask(case, one, other)


def check_files(case: Case, facts: Mapping[str, Any]) -> set[str]:
    """Check the listing; return the documents that were left out, as they may be."""
    listed = {
        item["source"]: item["last_line"]
        for item in case.ask("list", "files", "--json").json["items"]
    }
    named = [{"file": one} if isinstance(one, str) else one for one in facts.get("files", ())]
    may_be_left_out = {one["file"] for one in named if one.get("may_be_left_out")}
    if "files" in facts:
        wanted = {one["file"] for one in named}
        missing = wanted - set(listed) - may_be_left_out
        extra = set(listed) - wanted - set(facts.get("files_may_also", ()))
        case.check(not missing, "files missing:", sorted(missing))
        case.check(not extra, "files too many:", sorted(extra))
    for one in named:
        if "lines" in one and one["file"] in listed:
            case.check(listed[one["file"]] == one["lines"], "lines of", one, listed[one["file"]])
    for name in facts.get("not_files", ()):
        case.check(name not in listed, "listed, and should not be:", name)
    return may_be_left_out - set(listed)


def other_titles(facts: Mapping[str, Any]) -> dict[str, set[str]]:
    """Return the forms of each title that pass too."""
    other: dict[str, set[str]] = {}
    for sections in facts.get("sections", {}).values():
        for one in sections:
            other.setdefault(one["title"], {one["title"]}).update(one.get("title_or", ()))
    return other


def same_path(found: Sequence[str], wanted: Sequence[str], other: Mapping[str, set[str]]) -> bool:
    return len(found) == len(wanted) and all(
        one in other.get(title, {title}) for one, title in zip(found, wanted, strict=True)
    )


def check_sections(
    case: Case,
    sections: Mapping[str, Any],
    left_out: set[str],
    other: Mapping[str, set[str]],
) -> None:
    items = case.ask("list", "sections", "--json").json["items"] if sections else []
    for name, wanted in sections.items():
        if name in left_out:
            continue
        found = [item for item in items if item["source"] == name]
        case.check(
            len(found) == len(wanted), "sections of", name, [item["title"] for item in found]
        )
        for one, item in zip(wanted, found, strict=False):
            good = (
                item["title"] in other[one["title"]]
                and item["level"] == one["level"]
                and (item["first_line"], item["last_line"]) == (one["first"], one["last"])
                and same_path(item["path"], one["path"], other)
            )
            case.check(good, "section of", name, one, item)


def check_chunks(case: Case, chunks: Mapping[str, Any], left_out: set[str]) -> None:
    if not chunks:
        return
    exported = [json.loads(row) for row in case.ask("export").out.splitlines()]
    entries = [one for one in exported if one["source"] not in left_out]
    for one in chunks.get("covers", ()):
        kinds = [one["kind"]] if isinstance(one["kind"], str) else one["kind"]
        covering = [
            entry
            for entry in entries
            if entry["source"] == one["file"]
            and ("any" in kinds or entry["kind"] in kinds)
            and entry["first_line"] <= one["first"]
            and entry["last_line"] >= one["last"]
        ]
        case.check(bool(covering) or one["file"] in left_out, "no chunk covers", one)
        text = "\n".join(entry["text"] for entry in covering)
        for column in one.get("with_columns", ()):
            case.check(column in text, "a chunk without the column", column, one)
        cells = one.get("with_cells", ())
        case.check(
            not cells or any(all(cell in entry["text"] for cell in cells) for entry in covering),
            "no chunk holds all cells of",
            one,
        )
    for one in chunks.get("apart", ()):
        together = [
            entry["id"]
            for entry in entries
            if entry["source"] == one["file"]
            and entry["first_line"] <= min(one["a"], one["b"])
            and entry["last_line"] >= max(one["a"], one["b"])
        ]
        case.check(not together, "not apart", one, together)
    for name in chunks.get("nothing_lost", ()):
        if name not in left_out:
            check_nothing_lost(case, name, entries)


def check_nothing_lost(case: Case, name: str, entries: Sequence[Mapping[str, Any]]) -> None:
    covered = {
        line
        for entry in entries
        if entry["source"] == name
        for line in range(entry["first_line"], entry["last_line"] + 1)
    }
    lines = show_lines(case, name)
    titles = title_lines(case, name, lines)
    for number, line in lines.items():
        if line.strip() and number not in covered | titles and not RULE.fullmatch(line):
            case.check(False, "lost:", f"{name}:{number}", line)


def show_lines(case: Case, name: str, *narrowed: str) -> dict[int, str]:
    parts = case.ask("show", name, *narrowed, "--json").json["parts"]
    return {line["number"]: line["text"] for part in parts for line in part["lines"]}


def title_lines(case: Case, name: str, lines: Mapping[int, str]) -> set[int]:
    """Return the lines of headings and their underlines."""
    listed = case.ask("list", "sections", "--json").json["items"]
    titles: set[int] = set()
    for item in listed:
        if item["source"] != name:
            continue
        line = first = item["first_line"]
        if not re.match(r" {0,3}#{1,6}([ \t]|$)", lines[first]):
            while not re.fullmatch(r" {0,3}(=+|-+)[ \t]*", lines[line]):
                line += 1
        titles.update(range(first, line + 1))
    return titles


def check_tables(case: Case, tables: Sequence[Mapping[str, Any]], left_out: set[str]) -> None:
    items = case.ask("list", "tables", "--json").json["items"]
    found = {(item["source"], item["first_line"]): item for item in items}
    wanted = {(one["file"], one["first"]): one for one in tables if one["file"] not in left_out}
    case.check(set(found) == set(wanted), "tables:", sorted(set(found) ^ set(wanted)))
    for place in set(found) & set(wanted):
        item, one = found[place], wanted[place]
        for key, mine in (("columns", "columns"), ("rows", "rows"), ("last", "last_line")):
            case.check(item[mine] == one[key], "table", place, key, item[mine], one[key])
        said = one.get("caption_may_say", "")
        case.check(
            not said or not item["title"] or said.casefold() in item["title"].casefold(),
            "caption of",
            place,
            item["title"],
        )
        lines = show_lines(case, one["file"]) if "cells" in one else {}
        for number, cells in one.get("cells", {}).items():
            read = read_cells(lines[int(number)].lstrip("> \t"), len(item["columns"]))
            case.check(read == cells, "cells of", place, number, read, cells)


OPTIONS = {
    "file": "--file",
    "exclude_file": "--exclude-file",
    "section": "--section",
    "kind": "--kind",
    "limit": "--limit",
    "before": "--before",
    "after": "--after",
    "max_lines": "--max-lines",
    "lines": "--lines",
    "depth": "--depth",
    "mode": "--mode",
    "text_query": "--text-query",
    "exclude_id": "--exclude-id",
}
FLAGS = {"regex": "--regex", "case_sensitive": "--case-sensitive"}


def options_of(asked: Mapping[str, Any], *left: str) -> list[str]:
    """Return the options that a request's keys stand for, except those in `left`."""
    made: list[str] = []
    for key, value in asked.items():
        if key in left or (key == "lines" and not isinstance(value, str)):
            continue
        if key in OPTIONS:
            for one in value if isinstance(value, list) else [value]:
                made.append(f"{OPTIONS[key]}={one}")
        elif key in FLAGS and value:
            made.append(FLAGS[key])
    return made


def check_grep(
    case: Case, one: Mapping[str, Any], left_out: set[str], other: Mapping[str, set[str]]
) -> None:
    answer = case.ask("grep", *options_of(one), "--json", "--", one["pattern"])
    check_matches(case, answer.json, one, left_out | set(one.get("may_be_left_out", ())), other)


def check_matches(
    case: Case,
    found: Any,
    one: Mapping[str, Any],
    may_be_left_out: set[str],
    other: Mapping[str, set[str]],
) -> None:
    listed = {item["source"] for item in case.ask("list", "files", "--json").json["items"]}
    gone = may_be_left_out - listed
    wanted = [row for row in one["rows"] if row["file"] not in gone]
    dropped = len(one["rows"]) - len(wanted)
    case.check(found["found"] == one["found"] - dropped, "grep found", found["found"], one)
    case.check(len(found["matches"]) == len(wanted), "grep rows", found["matches"], one)
    for match, row in zip(found["matches"], wanted, strict=False):
        good = (match["source"], match["line"]) == (row["file"], row["line"]) and (
            "section" not in row or same_path(match["section"], row["section"], other)
        )
        case.check(good, "grep row", match, row)


def check_show(case: Case, one: Mapping[str, Any]) -> None:
    asked = options_of(one, "file")
    parts = case.ask("show", *asked, "--json", "--", one["file"]).json["parts"]
    texts = [[line["text"] for line in part["lines"]] for part in parts]
    if "parts" in one:
        found = [
            {"first": part["first_line"], "last": part["last_line"], "text": text}
            for part, text in zip(parts, texts, strict=True)
        ]
        same = len(found) == len(one["parts"]) and all(
            {**part, **wanted} == part for part, wanted in zip(found, one["parts"], strict=True)
        )
        case.check(same, "show", one, found)
    if "text" in one:
        case.check(texts == [one["text"]], "show", one, texts)
        bare = case.ask("show", *asked, "--no-numbers", "--", one["file"]).out
        printed = sanitise("\n".join(one["text"]))
        case.check(bare.rstrip("\n") == printed.rstrip("\n"), "show prints", repr(bare), one)


def passage_lines(case: Case, hit: Mapping[str, Any], *, with_context: bool) -> Lines:
    spans = [Span(hit["first_line"], hit["last_line"])]
    if with_context:
        with open_index(case.folder / case.index) as index:
            spans.extend(index.entry(hit["id"]).context)
    return {(hit["source"], line) for span in spans for line in range(span.first, span.last + 1)}


def lines_in(ranges: Sequence[Mapping[str, Any]]) -> Lines:
    return {(one["file"], line) for one in ranges for line in range(one["first"], one["last"] + 1)}


def check_search(case: Case, one: Mapping[str, Any]) -> None:
    found = case.ask("search", *options_of(one), "--json").json
    hits = found["hits"]
    if one.get("none"):
        case.check(not hits, "search should find nothing", one, [hit["id"] for hit in hits])
    within = hits[: one.get("within", WITHIN)]
    passages = [passage_lines(case, hit, with_context=True) for hit in within]
    for wanted in one.get("lines", ()):
        good = any(lines_in([wanted]) <= passage for passage in passages)
        places = [f"{hit['source']}:{hit['first_line']}-{hit['last_line']}" for hit in hits]
        case.check(good, "search", one, places, found["evidence"]["level"])
    if "only_lines" in one:
        case.check(bool(hits), "search found nothing", one)
        allowed = lines_in(one["only_lines"])
        for hit in hits:
            outside = passage_lines(case, hit, with_context=False) - allowed
            case.check(not outside, "search outside", one, sorted(outside))
        # A quote may name the titles that a passage stands under, and nothing else.
        for quote in found["quotes"]:
            lines = show_lines(case, quote["source"])
            allowed |= {(quote["source"], n) for n in title_lines(case, quote["source"], lines)}
            shown = {(quote["source"], line["number"]) for line in quote["lines"]}
            case.check(shown <= allowed, "quote outside", one, sorted(shown - allowed))


def printed_quotes(text: str) -> list[tuple[str, int, str]]:
    """Return what was printed as (source, number, text) in order; number 0 is a mark of a gap."""
    printed: list[tuple[str, int, str]] = []
    source = ""
    for row in text.split("\n"):
        if heading := HEADING.fullmatch(row):
            source = heading[1]
        elif quoted := QUOTED.fullmatch(row):
            printed.append((source, int(quoted[1]), quoted[2]))
        elif GAP.fullmatch(row):
            printed.append((source, 0, ""))
    return printed


def check_quote(case: Case, one: Mapping[str, Any]) -> None:
    asked = options_of(one)
    answer = case.ask("search", *asked)
    case.check(answer.status == 0, "search failed", one, answer.said)
    printed = printed_quotes(answer.out)
    found = case.ask("search", *asked, "--json").json
    verbatim = {
        (quote["source"], line["number"]): line["text"]
        for quote in found["quotes"]
        for line in quote["lines"]
    }
    case.check(
        {(s, n): text for s, n, text in printed if n}
        == {place: sanitise(text) for place, text in verbatim.items()},
        "printed otherwise than in JSON",
        one,
    )
    numbers = [number for _, number, _ in printed]
    for number in one.get("must_show", ()):
        case.check(number in numbers, "quote must show", number, one, numbers)
    for number in one.get("must_not_show", ()):
        case.check(number not in numbers, "quote must not show", number, one, numbers)
    if "gap_between" in one:
        first, last = one["gap_between"]
        good = (
            first in numbers
            and last in numbers
            and 0 in numbers[numbers.index(first) : numbers.index(last)]
        )
        case.check(good, "quote without a mark of the gap", one, numbers)
    quoted = [(source, number) for source, number, _ in printed if number]
    if "at_most" in one:
        case.check(len(quoted) <= one["at_most"], "quote too long", one, len(quoted))
    # No line is ever quoted twice, whether the case asks for it or not.
    case.check(len(quoted) == len(set(quoted)), "quoted twice", one, quoted)
    for number, text in one.get("verbatim", {}).items():
        lines = [line for (source, n), line in verbatim.items() if n == int(number)]
        case.check(lines == [text], "quote is not verbatim", number, lines, one)
    if "says_any" in one:
        case.check(answer.says_any(one["says_any"]), "quote says none of", one, answer.said)


def check_ask(case: Case, one: Mapping[str, Any], other: Mapping[str, set[str]]) -> None:
    answer = ask_of(case, one)
    case.check("Traceback" not in answer.said, "a stack trace", one, answer.said)
    outcomes = one["outcome"].split(" or ")
    case.check(
        any(has_outcome(case, one, outcome, answer, other) for outcome in outcomes),
        "ask", one, answer.status, answer.said,
    )  # fmt: skip
    if "says_any" in one:
        case.check(answer.says_any(one["says_any"]), "ask says none of", one, answer.said)


def command_of(one: Mapping[str, Any], *more: str) -> list[str]:
    """Return the command line of an ask."""
    verb = one["do"]
    if verb == "show":
        return ["show", *options_of(one, "file"), *more, "--", one["file"]]
    if verb == "grep":
        return ["grep", *options_of(one), *more, "--", one["pattern"]]
    if verb == "list":
        return ["list", one.get("what", "files"), *options_of(one), *more]
    return [verb, *options_of(one), *more]


def ask_of(case: Case, one: Mapping[str, Any], *more: str) -> Answer:
    if one["do"] == "index":
        return case.process(
            *("docs", "index", *one["paths"], "--out", "asked-db"),
            *("--embedding", "none", "--store", STORE, *more),
        )
    return case.process("docs", *command_of(one, "--dir", case.index, *more))


def has_outcome(
    case: Case,
    one: Mapping[str, Any],
    outcome: str,
    answer: Answer,
    other: Mapping[str, set[str]],
) -> bool:
    if outcome == "error":
        return answer.status != 0 and "error:" in answer.err
    if answer.status != 0:
        return False
    found = ask_of(case, one, "--json").json
    if outcome == "empty":
        return not (found.get("found", 0) or found.get("hits") or found.get("items"))
    if outcome == "lines" and "parts" not in found:
        return bool(found.get("hits") or found.get("matches"))
    if outcome == "lines":
        numbers = [line["number"] for part in found["parts"] for line in part["lines"]]
        return bool(numbers == one.get("lines_shown", numbers))
    if outcome == "rows":
        before = len(case.wrong)
        if "found" in one:
            check_matches(case, found, {"rows": [], **one}, set(), other)
        return len(case.wrong) == before and bool(found["matches"])
    assert outcome == "files", f"no such outcome: {outcome}"
    wanted = [name if isinstance(name, str) else name["file"] for name in one.get("files", ())]
    return {item["source"] for item in found["items"]} == set(wanted)


def check_messages(case: Case, messages: Sequence[Mapping[str, Any]]) -> None:
    if not messages:
        return
    paths = case.expected.get("index", ["corpus"])
    built = case.process(
        *("docs", "index", *paths, "--out", "said-db", "--embedding", "none", "--store", STORE)
    )
    case.check(built.status == 0 and "Traceback" not in built.said, "the build failed", built.said)
    rows = built.said.casefold().splitlines()
    for one in messages:
        good = any(
            one["file"].casefold() in row
            and any(word.casefold() in row for word in one["says_any"])
            for row in rows
        )
        case.check(good, "no such message", one, built.said)
