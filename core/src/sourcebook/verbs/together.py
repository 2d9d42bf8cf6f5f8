"""Several indexes asked together: each answers for itself, and their answers become one.

In the common answer a source is `<index>/<source>`, an id likewise, so that equal names stay apart
and what is printed can be asked again: a value of a request that begins so is meant for that index
alone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import attrs

from sourcebook.errors import Ambiguous, NotFound, UsageError
from sourcebook.verb import Verb

LABELLED = frozenset({"id", "source", "parent"})
"""Fields of responses that name something inside of one index."""


class Answer(NamedTuple):
    """What one index answered; `label` is what it is called in the common answer."""

    label: str
    index: Any
    response: Any


def ask_together(verb: Verb, indexes: Sequence[Any], request: Any) -> Any:
    """Return the response of a verb over indexes; with one of them it is simply its own.

    Raises:
        UsageError: the verb asks one index at a time.
        NotFound: what is named is in none of them.
    """
    if len(indexes) == 1:
        return verb.run(indexes[0], request)
    if verb.merge is None:
        raise UsageError(
            f"`{verb.name}` asks one index at a time",
            where="--dir",
            hint=f"{len(indexes)} are named; leave all but one out",
        )
    labels = label_indexes(indexes)
    answers: list[Answer] = []
    missing: list[NotFound] = []
    for label, index in zip(labels, indexes, strict=True):
        own = request_for(label, labels, request, names_in(index.subject))
        if own is None:
            continue
        try:
            answers.append(Answer(label, index, verb.run(index, own)))
        except NotFound as error:
            missing.append(error)
    if answers:
        return verb.merge(answers, request)
    if missing:
        raise missing[0]
    raise NotFound("the names in the request are of several indexes", hint="ask each by itself")


def label_indexes(indexes: Sequence[Any]) -> list[str]:
    """Return what each index is called: the name of its folder, or its path if two are alike."""
    names = Counter(index.name for index in indexes)
    return [index.name if names[index.name] == 1 else index.path.as_posix() for index in indexes]


def names_in(subject: Any) -> frozenset[str]:
    """Return the fields of requests whose values name something inside of one index."""
    words = {"source", subject.source_word}
    return frozenset({"target", "id", "exclude_id", *words, *(f"exclude_{one}" for one in words)})


def request_for(label: str, labels: Sequence[str], request: Any, names: frozenset[str]) -> Any:
    """Return the request as one of the indexes is asked, None if it names only others."""
    changed: dict[str, Any] = {}
    for name in names.intersection(field.name for field in attrs.fields(type(request))):
        value = getattr(request, name)
        if not value:
            continue
        kept = list(_own((value,) if isinstance(value, str) else value, label, labels))
        # An empty filter would let everything through; an empty exclusion is right.
        if not kept and not name.startswith("exclude"):
            return None
        changed[name] = kept[0] if isinstance(value, str) else tuple(kept)
    return attrs.evolve(request, **changed)


def _own(values: Sequence[str], label: str, labels: Sequence[str]) -> Iterator[str]:
    for value in values:
        owner = next((one for one in labels if value.startswith(f"{one}/")), None)
        if owner is None:
            yield value
        elif owner == label:
            yield value.removeprefix(f"{label}/")


def relabel(value: Any, label: str) -> Any:
    """Return a record of a response with the names in it under those of its index."""
    if isinstance(value, tuple):
        return tuple(relabel(one, label) for one in value)
    if not attrs.has(type(value)):
        return value
    changed = {}
    for field in attrs.fields(type(value)):
        inner = getattr(value, field.name)
        if field.name in LABELLED and isinstance(inner, str):
            changed[field.name] = f"{label}/{inner}" if inner else inner
        elif isinstance(inner, tuple):
            changed[field.name] = relabel(inner, label)
    return attrs.evolve(value, **changed) if changed else value


def merge_listing(answers: Sequence[Answer], request: Any) -> Any:
    """Return one response of several with a count `found` and lists: all of them, one by one.

    The limit of the request holds for the whole; `notes` stay if every index has some.
    """
    first = answers[0].response
    limit = getattr(request, "limit", 0)
    changed: dict[str, Any] = {"found": sum(one.response.found for one in answers)}
    for field in attrs.fields(type(first)):
        if isinstance(getattr(first, field.name), tuple) and field.name != "notes":
            every = [
                row
                for one in answers
                for row in relabel(getattr(one.response, field.name), one.label)
            ]
            changed[field.name] = tuple(every[:limit] if limit else every)
    if hasattr(first, "notes"):
        changed["notes"] = common_notes(answers)
    return attrs.evolve(first, **changed)


def common_notes(answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return what of the request fits nothing, if that is so in every index."""
    notes = [one.response.notes for one in answers]
    return tuple(dict.fromkeys(note for each in notes for note in each)) if all(notes) else ()


def merge_single(answers: Sequence[Answer], _request: Any) -> Any:
    """Return the answer of the one index that has what was named.

    Raises:
        Ambiguous: several have it.
    """
    if len(answers) > 1:
        raise Ambiguous(
            f"{len(answers)} indexes have it: {', '.join(one.label for one in answers)}",
            hint=f"write the index before it, as in `{answers[0].label}/NAME`",
        )
    return relabel(answers[0].response, answers[0].label)
