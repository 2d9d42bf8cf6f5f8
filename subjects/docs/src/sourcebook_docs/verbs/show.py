"""show: a document, a section of one, or a range of its lines, verbatim."""

from attrs import evolve, frozen
from sourcebook.errors import BadRequest, NotFound
from sourcebook.index.open import Index
from sourcebook.model import Span
from sourcebook.verb import Tool, Verb, option
from sourcebook.verbs.pattern import nearest
from sourcebook.verbs.show import (
    ShowRequest,
    ShowResponse,
    ShowView,
    find_source,
    part_of,
    render,
)
from sourcebook.verbs.show import show as show_lines
from sourcebook.verbs.together import merge_single

from sourcebook_docs.verbs.reading import read_outline


@frozen
class DocsShowRequest(ShowRequest):
    """What to read."""

    section: str = option(
        "",
        help="Just the sections with this title, with what nests in them.",
        flags=("-s",),
        metavar="TITLE",
    )


def show(index: Index, request: DocsShowRequest) -> ShowResponse:
    """Return a document, a range of it, or every section of it that bears the title."""
    if not request.section:
        return show_lines(index, request)
    if request.lines:
        raise BadRequest(
            "a section and a range of lines were both given",
            where="lines",
            hint="name one of the two",
        )
    name = find_source(index, request.target)
    outline = read_outline(index)
    title = request.section.strip()
    sections = outline.titled(name, title)
    if not sections:
        titles = list(dict.fromkeys(one.title for one in outline.sections(name) if one.title))
        near = nearest(title, titles)
        raise NotFound(
            f"`{name}` has no section called `{title}`",
            where="section",
            hint=f"did you mean `{near}`?"
            if near
            else f"see `sourcebook {index.subject.name} list sections --file {name}`",
        )
    source = index.source(name)
    parts = tuple(
        evolve(part_of(source, Span(one.first, one.last)), title=" > ".join(one.path))
        for one in sections
    )
    return ShowResponse(name, len(source.lines), parts)


verb = Verb(
    "show",
    "Print a file, a section of one, or a range of lines.",
    DocsShowRequest,
    ShowResponse,
    show,
    render,
    view=ShowView,
    schema="show/1",
    merge=merge_single,
    tools=(Tool("read_{subject}"),),
)
