"""Text to terms."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcebook.retrieval.analyse import TERM_LENGTH, analyse, query_terms

TEXT = st.text(max_size=300) | st.text("aZ_é'’.-/:@+#1 漢カ한ส\u0301\u0640İß", max_size=300)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", "getusername get user name"),
        ("user_name", "user_name user name"),
        ("HTTPServer2", "httpserver2 http server 2"),
        ("X-Rate-Limit", "x-rate-limit x rate limit"),
        ("a.b/c", "a.b/c a.b a b c"),
        ("@scope/pkg", "@scope/pkg scope pkg"),
        ("etc/relay/main.toml", "etc/relay/main.toml etc relay main.toml main toml"),
        ("--dry-run=full", "dry-run dri run full"),
        ("C++ and C#", "c++ and c#"),
        ("4.2.10 at 08:30", "4.2.10 4 2 10 at 08:30 08 30"),
        ("__init__", "__init__ init"),
        ("don't can't we'll the user's l'eau", "do not can not we the user l eau"),
        ("Größe, ＡＢＣ, café, ﬁx", "gross abc cafe fix"),
        ("请求超限 字", "请求 求超 超限 字"),
        ("v2のAPI", "v2 v 2 の api"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("مُحَمَّد", "محمد"),
        ("a sentence.Then another", "a sentence.then sentenc then anoth"),
        ("-- ++ ' _ @", "_"),
        ("", ""),
    ],
)
def test_names_stay_whole_and_are_split(text: str, terms: str) -> None:
    assert analyse(text) == terms.split()


def test_inflections_of_a_word_are_one_term() -> None:
    assert len(set(analyse("index indexes indexed indexing INDEX"))) == 1


@given(TEXT)
def test_terms_are_bounded_and_hold_no_white_space(text: str) -> None:
    for term in analyse(text):
        assert term
        assert len(term) <= TERM_LENGTH
        assert not any(map(str.isspace, term))


@given(TEXT)
def test_a_text_has_the_same_terms_each_time_and_in_either_normal_form(text: str) -> None:
    assert analyse(text) == analyse(text)
    composed = unicodedata.normalize("NFC", text)
    assert analyse(composed) == analyse(unicodedata.normalize("NFD", composed))


@given(TEXT)
def test_a_query_has_the_terms_that_an_index_of_the_same_words_has(text: str) -> None:
    assert [one.term for one in query_terms(text)] == list(dict.fromkeys(analyse(text)))
    assert all(0 <= one.rarity <= 1 for one in query_terms(text))


@given(TEXT, TEXT)
def test_white_space_keeps_texts_apart(one: str, other: str) -> None:
    assert analyse(f"{one}\n{other}") == analyse(one) + analyse(other)


@given(st.from_regex(r"\A[a-z]{1,30}\Z"))
def test_case_changes_no_word(word: str) -> None:
    assert analyse(word.upper()) == analyse(word) == analyse(word.title())


def test_a_word_as_long_as_a_document_is_cut() -> None:
    assert analyse("a" * 1_000_000) == ["a" * TERM_LENGTH]
    assert len(analyse("aB1." * 100_000)) < 1_000_000


def test_common_words_are_common_and_names_are_rare() -> None:
    rarity = {one.term: one.rarity for one in query_terms("How is the CORS header of X-Foo set?")}
    assert rarity["the"] < rarity["is"] < rarity["how"] < rarity["header"]
    assert rarity["x-foo"] == 1.0


def test_a_term_is_as_rare_as_its_commonest_word() -> None:
    (one,) = query_terms("use using")
    assert one.rarity == min(query_terms("use")[0].rarity, query_terms("using")[0].rarity)
