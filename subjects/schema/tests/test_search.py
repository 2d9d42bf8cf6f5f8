"""search: terms, evidence, what narrows it, calls with what supplies them, formats."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sourcebook.index.open import open_index
from sourcebook.surfaces.interactive import Conversation
from sourcebook.surfaces.tools import tools
from sourcebook_schema.supply import Supplies
from sourcebook_schema.verbs.search import SearchRequest, SearchView, render, search

LIBRARY = Path(__file__).parent / "data" / "library.yaml"

Answer = Callable[..., Any]
Find = Callable[..., Any]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, answer: Answer) -> str:
    """Return the folder of an index of the library with vectors of words."""
    out = str(tmp_path_factory.mktemp("library") / "library-db")
    answer(
        *("index", str(LIBRARY), "--out", out, "--no-cache"),
        *("--embedding", "hash", "--store", "memory"),
    )
    return out


@pytest.fixture
def find(library: str, answer: Answer) -> Find:
    """Return a function that searches the library; see `answer`."""
    return lambda *arguments, text=False: answer("search", "--dir", library, *arguments, text=text)


def titles(response: Any) -> list[str]:
    return [hit["title"] for hit in response["hits"]]


def calls(response: Any, role: str) -> list[str]:
    return [call["operation"] for call in response["calls"] if call["role"] == role]


def test_words_find_an_operation_and_its_text_shows_the_call(find: Find) -> None:
    response = find("lend a book to a member")
    assert titles(response)[0] == "POST /books/{book_id}/loans"
    assert response["evidence"]["level"] == "strong"
    assert response["calls"][0]["role"] == "found"
    assert response["text"].startswith("POST /books/{book_id}/loans  lendBook  library.yaml:")
    assert "NewLoan" in response["text"]
    hit = response["hits"][0]
    assert hit["facts"]["method"] == "POST"
    assert set(hit["ranks"]) == {"text", "vector"}


@pytest.mark.parametrize(
    ("flag", "words", "first"),
    [
        ("--all", "discard a book", "DELETE /books/{book_id}"),
        ("--method", "loan", "POST /books/{book_id}/loans"),
        ("--type", "loan", "Loan"),
        ("--input-type", "loan", "NewLoan"),
        ("--output-type", "loan", "Loan"),
        ("--property", "edition", "Book.isbn"),
        ("--input-property", "borrower", "NewLoan.borrower"),
        ("--output-property", "borrower", "Loan.borrower"),
        ("--input-property", "page of the list", "parameters.Page"),
    ],
)
def test_a_term_finds_what_it_is_about(find: Find, flag: str, words: str, first: str) -> None:
    response = find(flag, words)
    assert titles(response)[0] == first
    kind = flag.removeprefix("--").rpartition("-")[2]
    if kind != "all":
        assert {hit["kind"] for hit in response["hits"]} == {kind}
    way = flag.removeprefix("--").partition("-")[0]
    if way in ("input", "output"):
        assert {hit["direction"] for hit in response["hits"]} <= {way, "both"}


def test_a_direction_holds_for_types_and_properties(find: Find) -> None:
    assert titles(find("--type", "loan", "--direction", "input")) == ["NewLoan"]
    assert "NewLoan.borrower" not in titles(find("--property", "borrower", "--direction", "output"))


def test_a_type_or_property_comes_with_the_operations_that_carry_it(find: Find) -> None:
    response = find("--output-property", "the day on which it must be back", "--limit", "1")
    assert titles(response) == ["Loan.due"]
    assert calls(response, "carries") == ["POST /books/{book_id}/loans"]
    assert {"Loan", "due", "lendBook"} <= {node["name"] for node in response["nodes"]}
    assert response["calls"][0]["of"] == "library.yaml#Property:Loan.due"


def test_hits_are_joined_through_the_types_between_them(find: Find) -> None:
    terms = "--method", "get a member", "--type", "shelf", "--limit", "1"
    apart = find(*terms, "--max-hops", "0", "--no-chain")
    near = find(*terms, "--max-hops", "3", "--no-chain")
    assert titles(apart) == titles(near) == ["GET /members/{member_id}", "Shelf"]
    assert "Loan" not in {node["name"] for node in apart["nodes"]}
    # By way of Member, Loan and Book.
    assert "Loan" in {node["name"] for node in find(*terms, "--max-hops", "4")["nodes"]}


def test_terms_take_turns_and_a_hit_of_two_names_both(find: Find) -> None:
    response = find("--type", "member", "--property", "isbn", "--all", "member", "--limit", "2")
    assert [one["term"] for one in response["terms"]] == ["all", "type", "property"]
    assert response["hits"][1]["title"] == "Member"
    member = next(hit for hit in response["hits"] if hit["title"] == "Member")
    assert member["found_by"] == ["type", "all"]
    assert "Book.isbn" in titles(response)


def test_a_call_is_followed_by_the_one_that_supplies_its_id(find: Find) -> None:
    response = find("--method", "lend a book", "--limit", "1")
    assert [call["operation"] for call in response["calls"]] == [
        "POST /books/{book_id}/loans",
        "GET /search/books",
    ]
    supplied = response["calls"][1]
    assert (supplied["role"], supplied["parameter"]) == ("supplies", "book_id")
    assert supplied["of"] == response["calls"][0]["id"]
    said = find("--method", "lend a book", "--limit", "1", text=True)
    assert "POST /books/{book_id}/loans takes book_id from GET /search/books" in said
    alone = find("--method", "lend a book", "--limit", "1", "--no-chain")
    assert len(alone["calls"]) == 1
    assert "searchBooks" not in {node["name"] for node in alone["nodes"]}


def test_what_needs_the_same_thing_supplies_nothing(library: str) -> None:
    from sourcebook_schema.api import Api

    with open_index(library) as index:
        api = Api.of(index)
        lend = api.node("library.yaml#Method:lendBook")
        best = Supplies.of(api).best(lend, lambda _: 0.0, lambda _: True)
        assert [api.title(one.operation) for one in best] == ["GET /search/books"]
        shelf = api.node("library.yaml#Method:listShelf")
        assert Supplies.of(api).needs(shelf) == ()  # a shelf is no id


def test_what_only_reads_is_all_that_is_found_and_shown(find: Find) -> None:
    response = find("book", "--method-type", "read_only", "--limit", "20")
    assert {call["operation"].partition(" ")[0] for call in response["calls"]} == {"GET"}
    assert not {"Loan", "NewLoan"} & set(titles(response))
    written = find("book", "--method-type", "read_write", "--limit", "20", "--no-chain")
    assert "GET" not in {call["operation"].partition(" ")[0] for call in written["calls"]}
    assert "Loan" in titles(written)


def test_a_path_holds_operations_and_what_is_written_in_them_and_no_type(find: Find) -> None:
    response = find("book", "--path", "/search/*", "--limit", "50")
    assert {"GET /search/books"} < set(titles(response))
    assert {hit["kind"] for hit in response["hits"]} == {"method", "property"}
    assert "Book.id" not in titles(response)


@pytest.mark.parametrize(
    ("flag", "name", "gone"),
    [
        ("--exclude-method", "removeBook", "DELETE /books/{book_id}"),
        ("--exclude-method", "DELETE /books/{book_id}", "DELETE /books/{book_id}"),
        ("--exclude-id", "library.yaml#Method:removeBook", "DELETE /books/{book_id}"),
        ("--exclude-type", "Book", "Book"),
        ("--exclude-type", "Book", "Book.id"),
        ("--exclude-property", "Book.id", "Book.id"),
    ],
)
def test_what_is_excluded_is_neither_found_nor_shown(
    find: Find, flag: str, name: str, gone: str
) -> None:
    asked = "book discard id", "--limit", "50"
    assert gone in titles(find(*asked))
    response = find(*asked, flag, name)
    assert gone not in titles(response)
    assert titles(response)
    assert gone not in {node["facts"]["title"] for node in response["nodes"]}


def test_what_is_to_be_excluded_and_does_not_exist_is_said(find: Find) -> None:
    assert find("book", "--exclude-type", "Bok")["notes"] == ["nothing to exclude is called `Bok`"]


def test_nothing_of_what_is_asked_is_no_answer_and_no_error(find: Find) -> None:
    response = find("unicorn mortgage")
    assert response["status"] == 0
    assert response["evidence"]["level"] == "none"
    assert response["hits"] == response["calls"] == response["nodes"] == []
    said = find("unicorn mortgage", text=True)
    assert "no answer here" in said
    assert "not in this API: unicorn, mortgage" in said
    assert titles(find("unicorn book", "--min-evidence", "none"))


def test_the_evidence_of_each_term_is_told_and_the_strongest_is_that_of_all(find: Find) -> None:
    response = find("--method", "lend a book to a member", "--type", "unicorn mortgage")
    levels = {one["term"]: one["evidence"]["level"] for one in response["terms"]}
    assert levels == {"method": "strong", "type": "none"}
    assert response["evidence"]["level"] == "strong"
    said = find("--method", "lend a book to a member", "--type", "unicorn mortgage", text=True)
    assert "type `unicorn mortgage`: no answer here" in said


def test_what_an_example_says_is_no_evidence(find: Find) -> None:
    assert find("elephant", "--mode", "text")["evidence"]["level"] == "none"
    assert find("reserved", "--mode", "text")["hits"][0]["title"] == "NewLoan.state"


def test_names_in_quotes_that_the_api_does_not_hold_do_not_hide_it(find: Find) -> None:
    response = find('lend the book "Great Expectations" to a member')
    assert titles(response)[0] == "POST /books/{book_id}/loans"
    assert "searched without the quotes" in response["notes"][0]
    held = find('"must be back"')
    assert titles(held) == ["Loan.due"]
    assert held["notes"] == []


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ((), "TEXT"),
        (("--method", " "), "--method"),
        (("book", "--text-query", "book"), "--text-query"),
        (("--text-query", "book", "--mode", "vector"), "--mode"),
        (("--text-query", " "), "--text-query"),
        (("book", "--embedding", "minilm"), ""),
        (("book", "--limit", "0"), "--limit"),
        (("book", "--format", "nothing"), "--format"),
        (("book", "--direction", "both"), "--direction"),
        ([part for _ in range(51) for part in ("--type", "book")], "TEXT"),
    ],
)
def test_what_is_asked_wrongly_is_said(find: Find, arguments: Any, where: str) -> None:
    response = find(*arguments)
    assert response["status"] in (1, 2)
    assert where in response["error"]["where"]


def test_each_leg_may_have_its_own_wording(find: Find) -> None:
    both = find(
        "--text-query", "lend", "--vector-query", "give a book to a member", "--type", "loan"
    )
    assert [one["mode"] for one in both["terms"]] == ["hybrid", "hybrid"]
    words = find("--text-query", "lend", "--type", "loan")
    assert [one["mode"] for one in words["terms"]] == ["text", "hybrid"]
    assert set(words["hits"][0]["ranks"]) == {"text"}


def test_a_whole_request_is_one_json_object(find: Find) -> None:
    asked = {"output_type": ["loan"], "exclude_type": ["NewLoan"], "limit": 1, "format": "openapi"}
    response = find("--query", json.dumps(asked))
    assert titles(response) == ["Loan"]
    assert "/books/{book_id}/loans" in json.loads(response["text"])["paths"]


def test_the_part_is_bounded_and_says_what_it_left_out(find: Find) -> None:
    response = find("book", "--max-nodes", "8")
    assert len(response["nodes"]) <= 8
    assert response["left_out"]["nodes"] > 0
    assert "nodes left out; see --max-nodes" in find("book", "--max-nodes", "8", text=True)


@pytest.mark.parametrize("form", ["typescript", "openapi", "openapi-3.0"])
def test_other_formats_render_the_part(find: Find, form: str) -> None:
    said = find("lend a book to a member", "--format", form)["text"]
    assert "NewLoan" in said
    assert "A loan that is asked for." in said
    bare = find("lend a book to a member", "--format", form, "--no-docs")["text"]
    assert "A loan that is asked for." not in bare


def test_documents_narrow_and_are_named(ask_both: Answer) -> None:
    response = ask_both("search", "orders", "--source", "v1", "--mode", "text", "--show-source")
    assert {hit["source"] for hit in response["hits"]} == {"old/v1.json"}
    assert {node["source"] for node in response["nodes"]} == {"old/v1.json"}
    assert "[source: v1]" in response["text"]
    unknown = ask_both("search", "orders", "--source", "v9")
    assert unknown["evidence"]["reason"] == "nothing_fits_the_filter"
    assert "no document is called `v9`" in unknown["notes"][0]


def test_several_indexes_answer_together(library: str, shop: str, answer: Answer) -> None:
    both = "--dir", library, "--dir", shop, "--mode", "text"
    response = answer("search", "lend a book", *both)
    assert response["hits"][0]["id"] == "library-db/library.yaml#Method:lendBook"
    supplied = next(call for call in response["calls"] if call["role"] == "supplies")
    assert supplied["of"].startswith("library-db/library.yaml#")
    refused = answer("search", "lists orders books", *both, "--format", "openapi")
    assert refused["status"] == 1
    assert "2 indexes have an answer" in refused["error"]["message"]


def test_two_searches_answer_alike(find: Find) -> None:
    asked = "book member", "--limit", "9"
    assert find(*asked) == find(*asked)


def test_an_index_without_vectors_says_so(ask: Answer) -> None:
    assert titles(ask("search", "lists the orders"))[0] == "GET /orders"
    refused = ask("search", "orders", "--mode", "vector")
    assert "has no vectors" in refused["error"]["message"]


def test_a_tool_searches_and_returns_the_same(library: str) -> None:
    with open_index(library) as index:
        tool = next(one for one in tools(index) if one.name == "search_api")
        found = tool.call({"method": ["lend a book"], "limit": 1})
        assert found["hits"][0]["title"] == "POST /books/{book_id}/loans"
        assert found["schema"] == "schema.search/1"
        assert tool.call({})["error"]["code"] == "bad_request"
        assert "interactive" not in tool.parameters["properties"]


def test_a_prompt_narrows_by_kind_and_direction(library: str) -> None:
    with open_index(library) as index:
        talk = Conversation(
            SearchRequest(),
            lambda request: search(index, request),
            lambda response: render(response, SearchView()),
        )
        assert "POST /books/{book_id}/loans" in talk.answer("lend a book to a member")
        assert talk.answer(":kind type").startswith("no answer")
        assert "type Loan" in talk.answer("a loan")
        assert ":kind type" in talk.answer(":narrowed")
        talk.answer(":clear")
        assert "NewLoan" in talk.answer(":input_type loan")
        assert ":direction input" in (talk.answer(":direction input"), talk.answer(":narrowed"))[1]
