"""describe: what nobody has described yet, texts taken in, and put into the code.

Six verbs over one survey: `status`, `pending` and `export` read, `put` and `import` write the file
of descriptions at the root of the corpus, `promote` prints a diff.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from sourcebook.errors import SourcebookError
from sourcebook.index.corpus import changed_sources
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.subject import Subject
from sourcebook.verb import Tool, Verb, option

from sourcebook_code.descriptions.plan import NotPromoted, plan
from sourcebook_code.descriptions.sidecar import NAME, Description, write_sidecar
from sourcebook_code.descriptions.survey import Unit, carry_over, survey

BATCH = 20
MAX_CHARS = 1000
ROOT_HELP = "The folder that was indexed, where the descriptions lie; found from here if unset."
SKIP_HELP = (
    "Leave out what fits `path` or `path::name`, where `*` stays within one folder. Repeatable."
)
REJECTED_SHOWN = 20


@frozen
class StatusRequest:
    """What is to be described at all."""

    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)
    skip: tuple[str, ...] = option(
        (), help=SKIP_HELP, metavar="PATTERN", setting="code.describe_skip"
    )


@frozen
class StatusResponse:
    """How far the declarations of an index are described.

    Args:
        units: how many there are.
        described: those that a text applies to.
        moved: how many of these it applies to by their code, which had another name or place.
        superseded: those whose code has changed since a text was written.
        missing: those without a text.
        declined: those that patterns leave out, which count in none of the above.
        coverage: `described` in all that is not declined, from 0 to 1.
        promotable: texts that `promote` would put into the code.
        path: the file of descriptions.
        stale: whether files have changed since the index was built.
        reindex_required: whether the index knows other texts than those that apply now.
    """

    units: int
    described: int
    moved: int
    superseded: int
    missing: int
    declined: int
    coverage: float
    promotable: int
    path: str
    stale: bool
    reindex_required: bool


@frozen
class PendingRequest:
    """How much to hand out."""

    limit: int = option(
        BATCH,
        help="How many at most; 0 for all.",
        minimum=0,
        maximum=100_000,
        setting="code.describe_batch",
    )
    file: tuple[str, ...] = option(
        (), help="Only in these files: a glob, else a part of the name. Repeatable.", flags=("-f",)
    )
    max_chars: int = option(
        MAX_CHARS,
        help="How long a text may be, in characters.",
        minimum=1,
        maximum=100_000,
        setting="code.describe_max_chars",
    )
    languages: tuple[str, ...] = option(
        ("en",),
        help="The languages that people search in. Repeatable.",
        metavar="CODE",
        setting="code.describe_languages",
    )
    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)
    skip: tuple[str, ...] = option(
        (), help=SKIP_HELP, metavar="PATTERN", setting="code.describe_skip"
    )


@frozen
class PendingUnit:
    """A declaration to describe.

    Args:
        id: what `put` takes.
        state: `missing`, or `superseded` if its code has changed since it was described.
        path: its file.
        language: its language.
        kind: what it is.
        qualified_name: its dotted name.
        signature: its head on one line.
        first_line, last_line: its lines.
        description: what is known of it so far.
        source: its lines.
        text: empty, for whoever fills it in.
    """

    id: str
    state: str
    path: str
    language: str
    kind: str
    qualified_name: str
    signature: str
    first_line: int
    last_line: int
    description: str
    source: str
    text: str = ""


@frozen
class PendingResponse:
    """Declarations that no text applies to: those never described first.

    Args:
        found: how many there are in all.
        brief: how to write a text.
        units: the first of them.
    """

    found: int
    brief: str
    units: tuple[PendingUnit, ...]


@frozen
class PutText:
    """A text for a declaration."""

    id: str = option(help="The declaration's id.")
    text: str = option("", help="What it does, in words that people search by.")


@frozen
class PutRequest:
    """Texts to keep."""

    descriptions: tuple[PutText, ...] = option(
        help="A list of objects with `id` and `text`.", positional=True, metavar="FILE|-", file=True
    )
    max_chars: int = option(
        MAX_CHARS,
        help="How long a text may be, in characters.",
        minimum=1,
        maximum=100_000,
        setting="code.describe_max_chars",
    )
    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)


@frozen
class Rejected:
    """A text that was not taken in.

    Args:
        id: what it was for.
        reason: why: `unknown`, `empty`, `too long`, `twice`.
        detail: what more can be said.
    """

    id: str
    reason: str
    detail: str


@frozen
class PutResponse:
    """What was taken in.

    Args:
        accepted: how many texts were kept.
        rejected: those that were not, with the reason.
        pruned: how many older texts were dropped, since their code is gone.
        path: the file of descriptions.
        reindex_required: whether the index is behind the texts now.
    """

    accepted: int
    rejected: tuple[Rejected, ...]
    pruned: int
    path: str
    reindex_required: bool


@frozen
class ImportRequest:
    """A file that `describe export` wrote, its texts filled in."""

    units: str = option(
        help="The file that `describe export` wrote, with texts filled in.",
        positional=True,
        metavar="FILE|-",
        file=True,
    )
    max_chars: int = option(
        MAX_CHARS,
        help="How long a text may be, in characters.",
        minimum=1,
        maximum=100_000,
        setting="code.describe_max_chars",
    )
    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)


@frozen
class PromoteRequest:
    """Which descriptions to put into the code."""

    file: tuple[str, ...] = option(
        (), help="Only in these files: a glob, else a part of the name. Repeatable.", flags=("-f",)
    )
    root: str | None = option(None, help=ROOT_HELP, metavar="DIR", cli_only=True)


@frozen
class PromoteResponse:
    """A diff that `git apply` takes.

    Args:
        insertions: how many comments it adds.
        files: in how many files.
        diff: the diff.
        left_out: descriptions of undocumented code that are not in it.
    """

    insertions: int
    files: int
    diff: str
    left_out: tuple[NotPromoted, ...]


def brief(max_chars: int, languages: Sequence[str]) -> str:
    """Return how a description is to be written."""
    return (
        "Say for each unit what it does and what for, in the words by which a person would search "
        f"who does not know its name; in these languages: {', '.join(languages)}. At most "
        f"{max_chars} characters a unit. Do not repeat the signature, and claim nothing that the "
        "source does not show."
    )


def status(index: Index, request: Any) -> StatusResponse:
    """Count the declarations by what the descriptions say of them."""
    found = survey(index, request.root, request.skip)
    wanted = [unit for unit in found.units if not unit.declined]
    states = Counter(unit.match.state for unit in wanted)
    described = states["described"] + states["moved"]
    return StatusResponse(
        len(found.units),
        described,
        states["moved"],
        states["superseded"],
        states["missing"],
        len(found.units) - len(wanted),
        round(described / len(wanted), 4) if wanted else 0.0,
        plan(index, found, ()).added,
        _path(found.root),
        any(True for _ in changed_sources(index, found.root)),
        found.behind,
    )


def pending(index: Index, request: Any) -> PendingResponse:
    """Return what to describe next."""
    from sourcebook.verbs.pattern import name_matcher

    fits = name_matcher(request.file) if request.file else lambda _name: True
    found = survey(index, request.root, request.skip)
    open_units = [
        unit
        for state in ("missing", "superseded")
        for unit in found.units
        if unit.match.state == state and not unit.declined and fits(unit.entry.source)
    ]
    shown = open_units[: request.limit or None]
    return PendingResponse(
        len(open_units),
        brief(request.max_chars, request.languages),
        tuple(_pending_unit(index, unit) for unit in shown),
    )


def _pending_unit(index: Index, unit: Unit) -> PendingUnit:
    entry, facts = unit.entry, unit.entry.facts
    return PendingUnit(
        entry.id,
        unit.match.state,
        entry.source,
        str(facts["language"]),
        entry.kind,
        unit.name,
        str(facts["signature"]),
        entry.span.first,
        entry.span.last,
        str(facts["description"]),
        index.cut(entry.source, entry.span),
    )


def put(index: Index, request: Any) -> PutResponse:
    """Keep texts, drop those of code that is gone, and say what was not taken in."""
    found = survey(index, request.root)
    by_id = {unit.entry.id: unit for unit in found.units}
    rejected: list[Rejected] = []
    accepted: dict[tuple[str, str], Description] = {}
    for one in request.descriptions:
        text = one.text.strip()
        unit = by_id.get(one.id) or _by_key(by_id, one.id)
        if unit is None:
            rejected.append(Rejected(one.id, "unknown", "no declaration has this id"))
        elif not text:
            rejected.append(Rejected(one.id, "empty", "a text says something"))
        elif len(text) > request.max_chars:
            said = f"{len(text)} characters, at most {request.max_chars} are taken"
            rejected.append(Rejected(one.id, "too long", said))
        elif (place := (unit.entry.source, f"{unit.name} {unit.code}")) in accepted:
            rejected.append(Rejected(one.id, "twice", "the first text was kept"))
        else:
            accepted[place] = Description(unit.entry.source, unit.name, unit.code, text)
    kept, pruned = carry_over(index, found, accepted)
    if accepted or pruned:
        write_sidecar(found.root, [*kept, *accepted.values()])
        found = survey(index, str(found.root))
    return PutResponse(len(accepted), tuple(rejected), pruned, _path(found.root), found.behind)


def _path(root: Path) -> str:
    """Return where the descriptions lie, as seen from here."""
    place = root / NAME
    return os.path.relpath(place) if place.is_relative_to(Path.cwd()) else str(place)


def _by_key(by_id: dict[str, Unit], key: str) -> Unit | None:
    """Return the unit whose id ends in a key, where only one does."""
    fits = [unit for one, unit in by_id.items() if one.partition("#")[2] == key]
    return fits[0] if len(fits) == 1 else None


def import_units(index: Index, request: Any) -> PutResponse:
    """Keep the texts that were filled in; units without one are passed over."""
    from sourcebook.surfaces.convert import from_json, parse_json

    raw = parse_json(request.units, where="units")
    units = raw.get("units") if isinstance(raw, dict) else raw
    if not isinstance(units, list) or not all(isinstance(one, dict) for one in units):
        raise SourcebookError(
            "this is not what `describe export` writes",
            where="units",
            hint="an object with `units`, each with `id` and `text`",
        )
    texts = [{"id": one.get("id"), "text": one.get("text")} for one in units if one.get("text")]
    asked = from_json(
        PutRequest, {"descriptions": texts, "max_chars": request.max_chars, "root": request.root}
    )
    return put(index, asked)


def promote(index: Index, request: Any) -> PromoteResponse:
    """Return a diff that adds descriptions as doc comments where the code has none."""
    found = survey(index, request.root)
    planned = plan(index, found, request.file)
    return PromoteResponse(
        planned.added, len(planned.diffs), "".join(planned.diffs), tuple(planned.left_out)
    )


def render_status(response: StatusResponse, _view: object) -> str:
    """The counts, and what to do next."""
    rows = [
        f"{response.described} of {response.units - response.declined} declarations described "
        f"({response.coverage:.0%})",
        f"{response.missing} missing, {response.superseded} superseded, {response.moved} moved, "
        f"{response.declined} declined, {response.promotable} ready for `describe promote`",
        response.path,
    ]
    if response.stale:
        rows.append("files have changed since the index was built; index again")
    elif response.reindex_required:
        rows.append("the index does not know these texts yet; index again")
    return "\n".join(rows)


def render_pending(response: PendingResponse, _view: object) -> str:
    """The brief, then each unit with its lines."""
    rows = [response.brief, ""]
    for unit in response.units:
        rows += [
            f"## {unit.id}",
            f"{unit.path}:{unit.first_line}: {unit.language} {unit.kind}, {unit.state}",
            unit.description,
            "",
            unit.source,
            "",
        ]
    more = response.found - len(response.units)
    rows.append(f"{counted(len(response.units), 'unit')}" + (f", {more} more" if more else ""))
    return "\n".join(rows)


def render_export(response: PendingResponse, _view: object) -> str:
    """The JSON that `describe import` takes, its texts to be filled in."""
    from sourcebook.surfaces.convert import to_json

    return json.dumps(to_json(response), ensure_ascii=False, indent=1)


def render_put(response: PutResponse, _view: object) -> str:
    """How many were kept, and which were not."""
    rows = [f"{counted(response.accepted, 'text')} kept in {response.path}"]
    rows += [
        f"rejected, {one.reason}: {one.id}: {one.detail}"
        for one in response.rejected[:REJECTED_SHOWN]
    ]
    if len(response.rejected) > REJECTED_SHOWN:
        rows.append(f"{len(response.rejected) - REJECTED_SHOWN} more rejected")
    if response.pruned:
        rows.append(f"{counted(response.pruned, 'text')} of code that is gone dropped")
    if response.reindex_required:
        rows.append("the index does not know these texts yet; index again")
    return "\n".join(rows)


def render_promote(response: PromoteResponse, _view: object) -> str:
    """The diff alone, for `git apply`."""
    return response.diff


def _failed(response: PutResponse) -> int:
    return int(bool(response.rejected))


def status_verb(_subject: Subject) -> Verb:
    """Return `describe status`."""
    return Verb(
        "describe status",
        "Say how far the declarations are described.",
        StatusRequest,
        StatusResponse,
        status,
        render_status,
        schema="code.describe_status/1",
    )


def pending_verb(_subject: Subject) -> Verb:
    """Return `describe pending`."""
    return Verb(
        "describe pending",
        "Hand out declarations to describe, with their source.",
        PendingRequest,
        PendingResponse,
        pending,
        render_pending,
        schema="code.describe_pending/1",
    )


def export_verb(_subject: Subject) -> Verb:
    """Return `describe export`."""
    return Verb(
        "describe export",
        "Write what is pending as JSON, to be filled in.",
        PendingRequest,
        PendingResponse,
        pending,
        render_export,
        schema="code.describe_pending/1",
        tools=None,
    )


def put_verb(_subject: Subject) -> Verb:
    """Return `describe put`."""
    return Verb(
        "describe put",
        "Keep texts about declarations beside the code.",
        PutRequest,
        PutResponse,
        put,
        render_put,
        schema="code.describe_put/1",
        tools=(Tool("describe_put"),),
        exit_status=_failed,
    )


def import_verb(_subject: Subject) -> Verb:
    """Return `describe import`."""
    return Verb(
        "describe import",
        "Keep the texts filled into what `describe export` wrote.",
        ImportRequest,
        PutResponse,
        import_units,
        render_put,
        schema="code.describe_put/1",
        tools=None,
        exit_status=_failed,
    )


def promote_verb(_subject: Subject) -> Verb:
    """Return `describe promote`."""
    return Verb(
        "describe promote",
        "Print a diff that puts descriptions into the code.",
        PromoteRequest,
        PromoteResponse,
        promote,
        render_promote,
        schema="code.describe_promote/1",
        verbatim=True,
    )
