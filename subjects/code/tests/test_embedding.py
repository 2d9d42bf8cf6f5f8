"""What vectors of code are made of."""

from sourcebook.model import IndexedEntry, Span
from sourcebook_code.embedding import embedding_text


def _entry(title: str, facts: dict[str, object], **fields: str) -> IndexedEntry:
    return IndexedEntry(
        f"a.py#{title}", "a.py", Span(1, 2), "method", title, "", (), (), fields, {}, facts
    )


def test_names_stand_as_words_before_the_lines() -> None:
    entry = _entry("HTTPServer.send_reply", {})
    assert embedding_text(entry, "lines") == ("http server send reply", "lines")


def test_a_member_is_told_by_what_its_owner_is_for() -> None:
    entry = _entry("Gate.pay", {"description": "method pay of Gate"}, owner="One barrier.")
    assert embedding_text(entry, "lines") == ("gate pay. One barrier.", "lines")


def test_what_somebody_said_of_it_comes_first() -> None:
    facts = {"described": True, "description": "Takes coins."}
    entry = _entry("Gate.pay", facts, owner="One barrier.")
    assert embedding_text(entry, "lines") == ("gate pay. Takes coins.", "lines")
