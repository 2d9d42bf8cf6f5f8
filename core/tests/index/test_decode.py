"""Bytes to text: whatever they are, nothing is refused and doubts are told."""

import codecs
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.index.decode import decode, is_binary
from sourcebook.index.open import open_index
from sourcebook.testing.indexes import ask, build

TEXT = "Größe und Maß\nzweite Zeile — mit Strich\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be"),
        (codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), "utf-32-le"),
        (codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"), "utf-32-be"),
    ],
)
def test_what_says_its_encoding_is_read_without_a_word(data: bytes, encoding: str) -> None:
    assert decode(data) == (TEXT, encoding, "")
    assert not is_binary(data)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_nuls(encoding: str) -> None:
    data = ("plain words, " * 30).encode(encoding)
    assert decode(data) == (
        "plain words, " * 30, encoding, f"no byte order mark; read in the encoding {encoding}",
    )  # fmt: skip
    assert not is_binary(data)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_what_is_no_utf_8_is_read_as_the_web_would(encoding: str) -> None:
    odd = "\x81" if encoding == "latin-1" else "€"
    text = f"one\ntwo\nGröße {odd}\n"
    assert decode(text.encode(encoding)) == (
        text, encoding, f"bytes that are not UTF-8 near line 3; read as {encoding}",
    )  # fmt: skip


def test_a_broken_character_of_a_wide_encoding_is_replaced_and_told() -> None:
    text, encoding, problem = decode(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"\x00\xdc")
    assert (text, encoding) == ("ab\ufffd", "utf-16-le")
    assert problem == "bytes that are not utf-16-le at offset 4; replaced by marks"


def test_a_nul_here_and_there_stays_in_the_text() -> None:
    data = b"words " * 50 + b"\0" + b" and words"
    assert not is_binary(data)
    assert "\0" in decode(data).text


def test_nothing_is_no_binary() -> None:
    assert not is_binary(b"")
    assert decode(b"") == ("", "utf-8", "")
    assert decode(codecs.BOM_UTF8) == ("", "utf-8", "")


@pytest.mark.parametrize("data", [bytes(64), b"\x7fELF" + bytes(60), b"GIF89a\0\0\1\0\0"])
def test_bytes_that_are_no_text_are_binary(data: bytes) -> None:
    assert is_binary(data)


@given(st.binary(max_size=200))
def test_every_sequence_of_bytes_becomes_text_that_can_be_written(data: bytes) -> None:
    text, encoding, _ = decode(data)
    text.encode()
    assert codecs.lookup(encoding)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=100))
def test_text_in_utf_8_comes_back_as_it_was(text: str) -> None:
    data = text.encode()
    plain = not text.startswith("\ufeff") and "\0" not in text
    assert not plain or decode(data) == (text, "utf-8", "")


def test_problems_of_decoding_are_told_by_source(corpus: Path, out: Path) -> None:
    (corpus / "a.txt").write_bytes("fine\n\nGröße\n".encode("cp1252"))
    built = build("notes", corpus, out)
    assert built.problems == [
        ("a.txt", 0, "bytes that are not UTF-8 near line 3; read as cp1252"),
    ]
    with open_index(out) as index:
        assert index.sources["a.txt"].encoding == "cp1252"
        assert index.source("a.txt").lines == ["fine", "", "Größe"]
        assert ask(index, "grep", pattern="größe").found == 1


def test_lines_end_at_line_ends_only_in_every_encoding(corpus: Path, out: Path) -> None:
    text = "one\r\ntwo\rthree\x0bstill\x0c\u2028\u2029\x85\x1cthree\nfour"
    for number, encoding in enumerate(["utf-8", "utf-16"]):
        (corpus / f"{number}.txt").write_bytes(text.encode(encoding))
    build("notes", corpus, out)
    with open_index(out) as index:
        for name in ("0.txt", "1.txt"):
            assert index.sources[name].lines == 4
            assert index.source(name).lines[3] == "four"
            (entry,) = index.entries([name])
            assert (entry.span.first, entry.span.last) == (1, 4)


MEASURED = """
import resource, sys, time
from pathlib import Path
from sourcebook.testing.indexes import build

built = build("notes", Path(sys.argv[1]), Path(sys.argv[2]), embedding="none")
assert (built.entries, built.problems) == (2, [])
print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_a_line_of_fifty_megabytes_is_indexed_in_bounded_time_and_memory(
    corpus: Path, out: Path
) -> None:
    size = 50 << 20
    line = ("alpha beta gamma " * (size // 17))[: size - 6] + " zebra"
    (corpus / "a.txt").write_text(f"short\n\n{line}\n")
    measured = subprocess.run(
        [sys.executable, "-c", MEASURED, str(corpus), str(out)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds, mebibytes = map(float, measured.stdout.split())
    # 7 s and 900 MiB were measured: each word is a text of its own for a while.
    assert seconds < 60
    assert mebibytes < 1500
    with open_index(out) as index:
        (found,) = ask(index, "search", query="zebra", mode="text", min_evidence="none").hits
        assert (found.first_line, found.last_line) == (3, 3)


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("# -*- coding: koi8-r -*-\n", "koi8-r"),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n", "cp1251"),
        ("// coding: iso-8859-5\n", "iso8859-5"),
    ],
)
def test_an_encoding_that_a_comment_declares_is_honoured(head: str, encoding: str) -> None:
    text = f"{head}слово = 1\n"
    assert decode(text.encode(encoding)) == (text, encoding, "")


@pytest.mark.parametrize(
    "head",
    [
        "# coding: utf-8\n",
        "# coding: no-such-thing\n",
        "# coding: utf-16\n",
        "# coding: hex\n",
        "# coding: punycode\n",
        "\n\n# coding: koi8-r\n",
        "coding: koi8-r\n",
    ],
)
def test_what_declares_no_encoding_of_texts_is_a_guess_that_is_told(head: str) -> None:
    text, encoding, problem = decode(head.encode() + b"caf\xe9")
    assert (text, encoding) == (f"{head}café", "cp1252")
    assert "read as cp1252" in problem
