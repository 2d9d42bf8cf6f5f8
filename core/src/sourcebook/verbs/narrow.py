"""Narrowing: the options that every reading verb shares, and the lists that stores take."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import frozen

from sourcebook.errors import BadRequest
from sourcebook.index.open import Index
from sourcebook.index.rows import Outline
from sourcebook.model import IndexedEntry
from sourcebook.naming import shown
from sourcebook.subject import Filter, Subject
from sourcebook.verb import option
from sourcebook.verbs.pattern import nearest, select


@frozen
class Narrowed:
    """What a request is narrowed to.

    Args:
        filters: equality lists by key, as stores take them.
        unmet: patterns that nothing fits; with any of them nothing can be found, and saying so
            beats searching wider than was asked.
    """

    filters: Mapping[str, tuple[str, ...]]
    unmet: tuple[str, ...] = ()

    def covers(self, entry: IndexedEntry | Outline) -> bool:
        """Whether an entry is within."""
        for key, values in self.filters.items():
            own = {"source": (entry.source,), "kind": (entry.kind,)}.get(
                key, entry.filters.get(key, ())
            )
            if not set(own) & set(values):
                return False
        return True


def narrowed_request(base: type, subject: Subject, *, kinds: bool = True) -> type:
    """Return `base` with an option for each way to narrow: sources, kinds and declared filters.

    Without `kinds` the request is about something else than entries.
    """
    word = subject.source_word
    taken = {flag for one in subject.filters for flag in one.flags}
    short = f"-{word[0]}"
    fields: dict[str, Any] = {
        word: option(
            (),
            help=f"Only these {word}s: a glob with `*` or `?` over the whole name, else a part "
            "of it. Repeatable.",
            flags=() if short in taken else (short,),
            metavar="PATTERN",
            type=tuple[str, ...],
        ),
        f"exclude_{word}": option(
            (),
            help=f"Leave out these {word}s, matched alike. Repeatable.",
            metavar="PATTERN",
            type=tuple[str, ...],
        ),
        "kind": option(
            (),
            help="Only entries of this kind. Repeatable.",
            choices=subject.kinds,
            type=tuple[str, ...],
        ),
    }
    if not kinds:
        del fields["kind"]
    for one in subject.filters:
        fields[one.name] = option(
            (), help=one.help, flags=one.flags, metavar="VALUE", type=tuple[str, ...]
        )
    made = attrs.make_class(base.__name__, fields, bases=(base,), frozen=True, slots=True)
    made.__doc__ = base.__doc__
    return made


def narrow(index: Index, request: Any) -> Narrowed:
    """Return what `request`, of a class that `narrowed_request` made, is narrowed to.

    Raises:
        BadRequest: a kind that the subject does not have.
        BadPattern: a pattern that cannot be read.
    """
    subject = index.subject
    word = subject.source_word
    filters: dict[str, tuple[str, ...]] = {}
    unmet: list[str] = []
    wanted = getattr(request, word)
    excluded = getattr(request, f"exclude_{word}")
    if wanted or excluded:
        names = list(index.sources)
        chosen = select(wanted, names)
        if wanted and not chosen:
            unmet.extend(f"no {word} fits `{shown(one)}`" for one in wanted)
        if excluded:
            out = set(select(excluded, names))
            chosen = [name for name in chosen if name not in out]
            if not chosen and not unmet:
                unmet.append(f"every {word} is excluded")
        filters["source"] = tuple(chosen)
    asked_kinds = getattr(request, "kind", ())
    if asked_kinds:
        for kind in asked_kinds:
            if kind not in subject.kinds:
                near = nearest(kind, subject.kinds)
                raise BadRequest(
                    f"`{kind}` is no kind of `{subject.name}`",
                    where="kind",
                    hint=(f"did you mean `{near}`? " if near else "")
                    + f"choose from {', '.join(subject.kinds)}",
                )
        filters["kind"] = tuple(asked_kinds)
    for one in subject.filters:
        values = getattr(request, one.name)
        if values:
            chosen, missing = _values(one, values, index.filter_values(one.name))
            filters[one.name] = tuple(chosen)
            unmet.extend(missing)
    return Narrowed(filters, tuple(unmet))


def _values(
    declared: Filter, wanted: Sequence[str], known: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the known values that are wanted, and a sentence for each that nothing fits."""
    if declared.match == "pattern":
        chosen = select(wanted, known)
        return chosen, [] if chosen else [
            f"no {declared.name} fits `{shown(one)}`" for one in wanted
        ]
    chosen = []
    missing = []
    for one in wanted:
        if declared.match == "choice":
            fits = [value for value in known if value == one]
        else:
            fits = [value for value in known if value.casefold() == one.strip().casefold()]
        chosen.extend(fits)
        if not fits:
            near = nearest(one, known)
            missing.append(
                f"no {declared.name} is called `{shown(one)}`"
                + (f"; near: `{near}`" if near else "")
            )
    # One wanted value that exists is enough: several mean "any of them".
    return chosen, [] if chosen else missing
