"""trace, asked on the command line."""

from collections.abc import Callable
from typing import Any

Ask = Callable[..., Any]


def routes(response: Any) -> dict[str, list[tuple[str, str, str]]]:
    return {
        node["title"]: [
            (route["operation"], route["direction"], " → ".join(route["steps"]))
            for route in node["routes"]
        ]
        for node in response["nodes"]
    }


def test_a_field_is_traced_to_the_operations_that_carry_it(ask: Ask) -> None:
    assert routes(ask("trace", "digits")) == {
        "Card.digits": [
            ("GET /customers/{id}", "output", "Customer.card → Card.digits"),
            ("GET /orders", "output", "Order.customer → Customer.card → Card.digits"),
            ("POST /orders", "input", "Order.customer → Customer.card → Card.digits"),
            ("POST /orders", "output", "Order.customer → Customer.card → Card.digits"),
        ]
    }


def test_what_is_read_only_is_not_sent(ask: Ask) -> None:
    assert routes(ask("trace", "Order.number")) == {
        "Order.number": [
            ("GET /orders", "output", "Order.number"),
            ("POST /orders", "output", "Order.number"),
        ]
    }


def test_what_nothing_carries_is_said_to_be_so(ask: Ask) -> None:
    found = ask("trace", "[Parcel.Old].weight")
    assert (found["found"], found["nodes"][0]["found"]) == (1, 0)
    assert "nothing carries it" in ask("trace", "[Parcel.Old].weight", text=True)


def test_several_things_are_traced_at_once(ask: Ask) -> None:
    found = ask("trace", "Card", "GET /orders page", "shop.yaml#Property:Order.state")
    assert list(routes(found)) == ["Card", "listOrders.page", "Order.state"]
    assert routes(found)["listOrders.page"] == [("GET /orders", "input", "listOrders.page")]


def test_a_parameter_that_is_shared_is_carried_by_each_operation(ask: Ask) -> None:
    assert routes(ask("trace", "X-Trace")) == {
        "parameters.Trace": [
            ("GET /orders", "input", "parameters.Trace"),
            ("GET /customers/{id}", "input", "parameters.Trace"),
        ]
    }


def test_one_direction_can_be_asked_for(ask: Ask) -> None:
    found = routes(ask("trace", "digits", "--direction", "input"))
    assert [route[0] for route in found["Card.digits"]] == ["POST /orders"]


def test_hops_limit_how_far_a_trace_goes(ask: Ask) -> None:
    found = ask("trace", "digits", "--max-hops", "1")
    assert found["nodes"][0]["found"] == 1


def test_counts_are_of_all_however_few_are_shown(ask: Ask) -> None:
    found = ask("trace", "*", "--limit", "1", "--routes", "1")
    assert found["found"] > 10
    assert len(found["nodes"]) == 1
    full = ask("trace", "digits", "--routes", "0")["nodes"][0]
    cut = ask("trace", "digits", "--routes", "1")["nodes"][0]
    assert cut["found"] == full["found"] == len(full["routes"]) == 4
    assert len(cut["routes"]) == 1
    assert "… 4 routes, 1 shown" in ask("trace", "digits", "--routes", "1", text=True)


def test_an_operation_is_traced_to_itself(ask: Ask) -> None:
    found = ask("trace", "*Order*", "--kind", "method")
    assert routes(found) == {
        "GET /orders": [("GET /orders", "", "")],
        "POST /orders": [("POST /orders", "", "")],
    }


def test_ids_alone_are_those_of_the_operations(ask: Ask) -> None:
    assert ask("trace", "digits", "--ids-only", text=True).split("\n") == [
        "shop.yaml#Method:GET /customers/{id}",
        "shop.yaml#Method:listOrders",
        "shop.yaml#Method:addOrder",
        "",
    ]


def test_nothing_found_is_an_answer_with_the_nearest_name(ask: Ask) -> None:
    found = ask("trace", "digts")
    assert (found["status"], found["found"]) == (0, 0)
    assert found["notes"] == ["nothing is called `digts`; near: `digits`"]


def test_one_document_is_traced_alone(ask_both: Ask) -> None:
    found = ask_both("trace", "Order", "--source", "v1")
    assert [node["source"] for node in found["nodes"]] == ["old/v1.json"]
    assert "[source: v1, old/v1.json:" in ask_both("trace", "Order", text=True)


def test_several_indexes_are_traced_together(shop: str, shops: str, answer: Ask) -> None:
    found = answer("trace", "state", "--dir", shop, "--dir", shops)
    assert (found["found"], len(found["nodes"])) == (2, 2)
    sources = {node["source"] for node in found["nodes"]}
    assert sources == {route["source"] for node in found["nodes"] for route in node["routes"]}
