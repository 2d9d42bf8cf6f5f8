"""neighbors, research and stats, asked on the command line and as tools."""

from collections.abc import Callable
from typing import Any

import pytest
from sourcebook.index.open import open_index
from sourcebook.surfaces.tools import tools
from sourcebook_code.expand import MAX_REACHED, expand, walk
from sourcebook_code.graph import Graph

Ask = Callable[..., Any]
GraphOf = Callable[..., Graph]


def reached(found: Any) -> list[str]:
    return [one["id"] for one in found["neighbors"]]


def test_neighbours_are_named_with_the_edges_to_them(ask: Ask) -> None:
    found = ask("neighbors", "Till.sell")
    assert found["targets"][0]["id"] == "shop/till.py#Till.sell"
    ways = {one["id"]: one["way"] for one in found["neighbors"]}
    assert ways["shop/prices.py#price_of"] == [
        {
            "start": "shop/till.py#Till.sell",
            "end": "shop/prices.py#price_of",
            "label": "calls",
            "provenance": "resolved",
            "line": 12,
        }
    ]
    assert ways["tests/test_till.py#test_selling"][0]["provenance"] == "unique name"
    assert ways["shop/till.py#Till"][0]["label"] == "contains"
    assert found["found"] == len(found["neighbors"]) == 6


def test_callers_and_callees_are_one_option(ask: Ask) -> None:
    assert reached(ask("neighbors", "Till.sell", "--callers")) == [
        "tests/test_till.py#test_selling"
    ]
    assert set(reached(ask("neighbors", "Till.sell", "--callees"))) == {
        "shop/till.py#Till.is_open",
        "shop/errors.py#Closed",
        "shop/prices.py#price_of",
        "shop/till.py#Drawer.put",
    }


def test_more_hops_reach_further_and_show_the_way(ask: Ask) -> None:
    found = ask("neighbors", "price_of", "--callers", "--hops", "2")
    (last,) = [one for one in found["neighbors"] if one["hops"] == 2]
    assert last["id"] == "tests/test_till.py#test_selling"
    assert [edge["end"] for edge in last["way"]] == [
        "shop/prices.py#price_of",
        "shop/till.py#Till.sell",
    ]
    text = ask("neighbors", "price_of", "--callers", "--hops", "2", text=True)
    assert "called by (line 12) Till.sell, called by (unique name, line 5)" in text


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [
        (["--label", "extends"], ["shop/errors.py#ShopError"]),
        (["--label", "imports"], ["shop/till.py#file"]),
        (["--direction", "out"], ["shop/errors.py#ShopError"]),
        (["--kind", "class"], ["shop/errors.py#ShopError"]),
        (["--file", "till.py", "--label", "calls"], ["shop/till.py#Till.sell"]),
        (["--language", "typescript"], []),
        (["--provenance", "unique name"], []),
    ],
)
def test_neighbours_can_be_narrowed(ask: Ask, narrowed: list[str], found: list[str]) -> None:
    assert reached(ask("neighbors", "Closed", *narrowed)) == found


@pytest.mark.parametrize(
    ("target", "ids"),
    [
        ("shop/till.py#Till.sell", ["shop/till.py#Till.sell"]),
        ("till.py#Till.sell", ["shop/till.py#Till.sell"]),
        ("sell", ["shop/till.py#Till.sell"]),
        ("till.SELL", ["shop/till.py#Till.sell"]),
        ("shop/till.py:11", ["shop/till.py#Till.sell"]),
        ("till.py:1", ["shop/till.py#file"]),
        ("till.py", ["shop/till.py#file"]),
        ("*.is_*", ["shop/till.py#Till.is_open"]),
        ("Cart.*", ["web/cart.ts#Cart.sum"]),
    ],
)
def test_a_target_is_named_in_many_ways(ask: Ask, target: str, ids: list[str]) -> None:
    assert [one["id"] for one in ask("neighbors", target)["targets"]] == ids


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("Till.sel", "did you mean `Till.sell`?"),
        ("shop/tills.py", "did you mean `shop/till.py`?"),
        ("zzzz", "`list declarations --name` finds parts of names"),
        ("shop/till.py#Till.sellx", "did you mean `shop/till.py#Till.sell`?"),
        ("shop/till.py#zzzz", "`show shop/till.py` has all of it"),
        ("tils.py", "did you mean `shop/till.py`?"),
        ("/etc/sellers", "`list files` has the names of all files"),
    ],
)
def test_a_name_that_nothing_has_is_answered_with_the_nearest(
    ask: Ask, target: str, hint: str
) -> None:
    found = ask("neighbors", target)
    assert (found["status"], found["error"]["code"]) == (1, "not_found")
    assert found["error"]["hint"] == hint


def test_a_very_long_name_is_refused(ask: Ask) -> None:
    error = ask("neighbors", "a." * 6000)["error"]
    assert (error["where"], error["hint"]) == ("TARGET", "write the end of the name, or an id")


@pytest.mark.parametrize("verb", ["neighbors", "show"])
@pytest.mark.parametrize(
    ("line", "message"), [("0", "there is no line 0"), ("99", "there is no line 99: the source")]
)
def test_a_line_that_is_not_there_is_told_of_the_target(
    ask: Ask, verb: str, line: str, message: str
) -> None:
    error = ask(verb, f"shop/till.py:{line}")["error"]
    assert error["where"] == "TARGET"
    assert error["message"].startswith(message)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--callers", "--callees"],
        ["--callers", "--label", "imports"],
        ["--callees", "--direction", "in"],
        ["--hops", "4"],
        ["--label", "called"],
    ],
)
def test_requests_that_contradict_themselves_are_refused(ask: Ask, wrong: list[str]) -> None:
    found = ask("neighbors", "sell", *wrong)
    assert (found["status"], found["error"]["code"]) == (2, "bad_request")


def test_a_line_behind_the_end_is_not_found(ask: Ask) -> None:
    assert ask("neighbors", "till.py:999")["error"]["code"] == "not_found"


def test_the_count_is_of_all_though_few_are_shown(ask: Ask) -> None:
    found = ask("neighbors", "sell", "--limit", "2")
    assert (found["found"], len(found["neighbors"])) == (6, 2)
    assert "6 neighbours, 2 shown" in ask("neighbors", "sell", "--limit", "2", text=True)


def test_a_neighbourhood_is_drawn_by_a_renderer(ask: Ask) -> None:
    found = ask("neighbors", "sell", "--callees", "--format", "mermaid-flowchart")
    assert found["text"].startswith("flowchart LR")
    assert "Till.sell" in found["text"]
    assert ask("neighbors", "sell", "--format", "mermade")["error"]["code"] == "plugin_missing"


def test_stats_count_languages_and_edges(ask: Ask) -> None:
    found = ask("stats")
    assert [(one["language"], one["files"]) for one in found["languages"]] == [
        ("python", 5),
        ("typescript", 2),
    ]
    assert found["edges"]["calls"] == {"resolved": 7, "unique name": 1, "ambiguous": 0}
    assert found["declarations"] + found["sources"] == found["entries"]
    assert "calls       7 resolved, 1 unique name" in ask("stats", text=True)


def test_research_stops_at_a_hit_that_leads_clearly(ask: Ask) -> None:
    found = ask("research", "drawer put coins", "--dominance", "0")
    assert found["ended"] == "high_confidence"
    assert [one["action"] for one in found["steps"]] == ["search"]
    assert found["neighbors"] == []


def test_research_looks_around_hits_of_which_none_leads(ask: Ask) -> None:
    found = ask("research", "sell an item", "--dominance", "1", "--limit", "3")
    assert found["ended"] == "new_graph_evidence"
    assert [one["action"] for one in found["steps"]] == ["search", "graph"]
    assert [one["id"] for one in found["steps"][1]["found"]] == reached(found)
    assert ask("research", "sell an item", "--dominance", "1", "--max-steps", "1")["ended"] == (
        "max_steps"
    )


def test_research_says_that_there_is_nothing(ask: Ask) -> None:
    found = ask("research", "kubernetes admission webhooks")
    assert (found["ended"], found["hits"]) == ("no_results", [])
    assert found["evidence"]["level"] == "none"


def test_every_verb_of_the_graph_is_a_tool(shop: str) -> None:
    with open_index(shop) as index:
        known = {tool.name: tool for tool in tools(index)}
        asked = known["neighbors_code"].call({"target": "Till.sell", "callers": True})
        assert reached(asked) == ["tests/test_till.py#test_selling"]
        assert known["research_code"].call({"query": "sell"})["steps"]
        assert known["list_code"].call({"what": "declarations", "name": ["is_open"]})["found"] == 1


def test_expansion_takes_the_better_of_two_ways(shop: str) -> None:
    with open_index(shop) as index:
        found = expand(index, [("shop/till.py#Till.sell", 1.0), ("shop/till.py#file", 0.2)], hops=2)
        scores = {one.id: round(one.score, 3) for one in found}
        assert scores["shop/prices.py#price_of"] == 0.7
        assert scores["shop/till.py#Till"] == 0.5
        assert list(scores.values()) == sorted(scores.values(), reverse=True)
        assert expand(index, [("no#such", 1.0)]) == []


def test_a_walk_is_bounded(graph_of: GraphOf) -> None:
    many = "".join(f"def f{n}():\n    hub()\n\n\n" for n in range(MAX_REACHED + 100))
    graph = graph_of(
        {"a.py": f"{many}def hub():\n    pass\n", "b.py": "from a import hub\n\nhub()\n"}
    )
    (hub,) = graph.names.equal("hub")
    assert len(walk(graph, {hub: 1.0}, hops=1, labels=["calls"])) == MAX_REACHED + 101
    file = graph.nodes_of("b.py")[0]
    assert len(walk(graph, {file: 1.0}, hops=3)) <= MAX_REACHED
