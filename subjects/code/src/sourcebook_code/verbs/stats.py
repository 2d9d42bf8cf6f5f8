"""stats: the languages of an index, its declarations and edges, and what built it."""

from collections import Counter
from collections.abc import Mapping

import attrs
from attrs import frozen
from sourcebook.index.open import Index
from sourcebook.naming import counted
from sourcebook.verb import Verb
from sourcebook.verbs.stats import StatsRequest, StatsResponse
from sourcebook.verbs.stats import render as render_core
from sourcebook.verbs.stats import stats as core_stats

from sourcebook_code.graph import Graph


@frozen
class LanguageCount:
    """What an index holds in one language.

    Args:
        language: its name.
        files, declarations: how many there are.
    """

    language: str
    files: int
    declarations: int


@frozen(kw_only=True)
class CodeStatsResponse(StatsResponse):
    """What an index holds and what built it.

    Args:
        languages: the languages of its files, those with most declarations first.
        declarations: how many there are: entries that are no files.
        edges: edges of the graph by label, and by how surely they are known.
    """

    languages: tuple[LanguageCount, ...]
    declarations: int
    edges: Mapping[str, Mapping[str, int]]


def stats(index: Index, request: StatsRequest) -> CodeStatsResponse:
    """Return the languages, declarations and edges of an index, and its figures."""
    told = core_stats(index, request)
    known = {field.name: getattr(told, field.name) for field in attrs.fields(StatsResponse)}
    graph = Graph.of(index)
    files = Counter(graph.languages)
    declarations = dict.fromkeys(files, 0)
    for place, language in enumerate(graph.languages):
        declarations[language] += graph.starts[place + 1] - graph.starts[place] - 1
    languages = [LanguageCount(one, files[one], count) for one, count in declarations.items()]
    return CodeStatsResponse(
        **known,
        languages=tuple(sorted(languages, key=lambda one: (-one.declarations, one.language))),
        declarations=sum(declarations.values()),
        edges=graph.counted(),
    )


def render(response: CodeStatsResponse, view: object) -> str:
    """A row for each language and each label of edges, then the figures, one a row."""
    rows = [
        (
            one.language,
            f"{counted(one.files, 'file')}, {counted(one.declarations, 'declaration')}",
        )
        for one in response.languages
    ]
    for label, counts in response.edges.items():
        some = [f"{count} {name}" for name, count in counts.items() if count]
        rows.append((label, ", ".join(some) or "no edges"))
    width = max(len(name) for name, _ in rows)
    shown = [f"{name:<{width}}  {text}" for name, text in rows]
    return "\n".join([*shown, "", render_core(response, view)])


verb = Verb(
    "stats",
    "Say which languages, declarations and edges an index holds, and what built it.",
    StatsRequest,
    CodeStatsResponse,
    stats,
    render,
    schema="code.stats/1",
    tools=None,
)
