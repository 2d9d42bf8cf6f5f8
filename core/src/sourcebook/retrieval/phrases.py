"""Phrases for stores that cannot tell in which order words stand: the entries' texts tell it."""

from collections.abc import Sequence

from sourcebook.index.decode import decode
from sourcebook.index.open import Generation
from sourcebook.index.parse import field_texts
from sourcebook.index.postings import Wanted
from sourcebook.index.rows import entry_body
from sourcebook.index.segment import Segment
from sourcebook.model import IndexedEntry, Source
from sourcebook.retrieval.analyse import analyse


class PhraseCheck:
    """Tells whether an entry holds phrases, each in order within one field.

    Args:
        generation: where the entries are.
        phrases: each as terms.
    """

    def __init__(self, generation: Generation, phrases: Sequence[Sequence[str]]) -> None:
        self._generation = generation
        self._phrases = phrases
        terms = dict.fromkeys(term for phrase in phrases for term in phrase)
        places = {term: place for place, term in enumerate(terms)}
        self._needed = [{places[term] for term in phrase} for phrase in phrases]
        self._wanted = {
            id(segment): Wanted(
                {
                    number: place
                    for term, place in places.items()
                    if (number := segment.term_number(term)[0]) >= 0
                }
            )
            for segment in generation.segments.values()
        }
        self._known: dict[str, bool] = {}
        self._source: Source | None = None

    def holds(self, entry_id: str) -> bool:
        """Return whether the entry with this id holds every phrase."""
        known = self._known.get(entry_id)
        if known is None:
            place = self._generation.find(entry_id)
            known = place is not None and self._may_hold(*place) and self._does_hold(*place)
            self._known[entry_id] = known
        return known

    def _may_hold(self, segment: Segment, row: int) -> bool:
        """Return whether each phrase has all its words in one field; few texts are read then."""
        held: dict[int, set[int]] = {}
        for number, place, _ in segment.matches(row, self._wanted[id(segment)]):
            held.setdefault(number, set()).add(place)
        return all(any(words <= field for field in held.values()) for words in self._needed)

    def _does_hold(self, segment: Segment, row: int) -> bool:
        entry = self._generation.entry_at(segment, row)
        texts = field_texts(self._generation.subject, entry, self._body(entry))
        fields = [f" {' '.join(analyse(text))} " for text in texts]
        return all(
            any(f" {' '.join(phrase)} " in field for field in fields) for phrase in self._phrases
        )

    def _body(self, entry: IndexedEntry) -> str:
        derived = entry.fields.get("body")
        if derived is not None:
            return derived
        if self._source is None or self._source.name != entry.source:
            info = self._generation.sources[entry.source]
            self._source = Source(entry.source, decode(self._generation.document(info)).text)
        return entry_body(self._source, entry)
