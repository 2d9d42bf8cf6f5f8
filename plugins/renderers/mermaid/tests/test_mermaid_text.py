"""What stands in a diagram's text, without Mermaid; `tests/mermaid` has it drawn."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from sourcebook.subgraph import Edge, Node, Subgraph
from sourcebook_mermaid.plugin import render_classes, render_flowchart
from sourcebook_mermaid.text import clean, escape, join

CODE = re.compile(r"#(\d+);")


def node(key: str, parent: str = "", holds: str = "", **facts: Any) -> Node:
    """Return a node by its key, such as `type:Invoice` or `property:Invoice.lines`."""
    kind, _, name = key.partition(":")
    summary = facts.pop("summary", "")
    name = name.rpartition(".")[2] if kind == "property" else name
    return Node(
        key, kind, name, parent, holds, facts.pop("source", "api.yaml"), 1, 2, summary, facts
    )


def graph(nodes: Sequence[Node], edges: str = "", matched: str = "") -> Subgraph:
    """Return a subgraph; `edges` has one edge a line: start, label, end."""
    rows = [line.split() for line in edges.strip().splitlines()]
    return Subgraph(
        tuple(nodes),
        tuple(Edge(start, end, label) for start, label, end in rows),
        tuple(matched.split()),
    )


def lines(text: str) -> list[str]:
    """Return the lines after the first, with entity codes read."""
    return [CODE.sub(lambda found: chr(int(found[1])), line.strip()) for line in
            text.splitlines()[1:]]  # fmt: skip


INVOICES = graph(
    [
        node("method:listInvoices", holds="GET /invoices"),
        node("property:listInvoices.size", "method:listInvoices", "integer", **{"in": "query"}),
        node("response:200", "method:listInvoices", "array of Invoice", status="200"),
        node("response:204", "method:listInvoices", status="204"),
        node("response:NotFound", holds="Error"),
        node("type:Invoice", holds="object", summary="What is to be paid."),
        node("property:Invoice.id", "type:Invoice", "string", required=True, deprecated=True),
        node("property:Invoice.next", "type:Invoice", "Invoice"),
        node("property:Invoice.place", "type:Invoice", "object"),
        node("property:Invoice.place.city", "property:Invoice.place", "City"),
        node("type:City", holds="string", values=["Bern", 2]),
        node("type:Error", holds="object"),
    ],
    """
    method:listInvoices input property:listInvoices.size
    method:listInvoices output response:200
    method:listInvoices output response:204
    method:listInvoices output response:NotFound
    response:200 holds type:Invoice
    response:NotFound holds type:Error
    type:Invoice field property:Invoice.id
    property:Invoice.next value type:Invoice
    property:Invoice.place field property:Invoice.place.city
    property:Invoice.place.city value type:City
    """,
    "type:Invoice",
)


def test_a_class_diagram_has_members_in_classes_and_relations_from_operation_to_type() -> None:
    assert lines(render_classes(INVOICES, {})) == [
        'class n0["listInvoices"] {',
        "<<GET /invoices>>",
        "+size : integer, query",
        "+output 204",
        "}",
        'class n1["Invoice"] {',
        "+id : string, required, deprecated",
        "+next : Invoice",
        "+place : object",
        "+place.city : City",
        "}",
        'class n2["City"] {',
        "<<enumeration>>",
        "Bern",
        "2",
        "}",
        'class n3["Error"]',
        "n0 --> n1 : output 200",
        "n0 --> n3 : output NotFound",
        "n1 --> n1 : next",
        "n1 --> n2 : place.city",
        'note for n1 "What is to be paid."',
        "style n1 stroke:orange,stroke-width:3px",
    ]


def test_a_flowchart_has_no_members_but_those_that_were_matched() -> None:
    part = Subgraph(INVOICES.nodes, INVOICES.edges, ("property:Invoice.place.city",))
    assert lines(render_flowchart(part)) == [
        'n0(["listInvoices"])',
        'n1["Invoice"]',
        'n2("city"):::matched',
        'n3["City"]',
        'n4["Error"]',
        'n0 -->|"output 200"| n1',
        'n0 -->|"output NotFound"| n4',
        'n1 -->|"next"| n1',
        'n1 -->|"place"| n2',
        'n2 -->|"value"| n3',
        "classDef matched stroke:orange,stroke-width:3px",
    ]


def test_a_member_that_was_matched_with_its_owner_is_no_node() -> None:
    ids = tuple(one.id for one in INVOICES.nodes if one.kind != "response")
    text = render_flowchart(Subgraph(INVOICES.nodes, INVOICES.edges, ids))
    assert [line for line in lines(text) if line.startswith("n") and " " not in line] == [
        'n0(["listInvoices"])',
        'n1["Invoice"]',
        'n2["City"]',
        'n3["Error"]',
    ]


def test_without_docs_no_summary_is_quoted() -> None:
    assert "note for" not in render_classes(INVOICES, {"docs": False})


def test_relations_tell_inheritance_alternatives_and_dependencies() -> None:
    part = graph(
        [node(f"type:{name}") for name in "ABC"],
        """
        type:A allOf type:B
        type:A oneOf type:C
        type:A variant type:C
        type:B link type:C
        type:C items type:C
        """,
    )
    assert lines(render_classes(part, {}))[3:] == [
        "n0 --|> n1 : allOf",
        "n0 <|.. n2 : oneOf, variant",
        "n1 ..> n2 : link",
        "n2 --> n2 : items",
    ]
    assert lines(render_flowchart(part))[3:] == [
        'n0 ==>|"allOf"| n1',
        'n0 -.->|"oneOf, variant"| n2',
        'n1 -.->|"link"| n2',
        'n2 -->|"items"| n2',
    ]


def test_responses_with_one_type_are_one_relation() -> None:
    nodes = [node("method:m"), node("type:E"), node("body:m", "method:m")]
    nodes += [node(f"response:{code}", "method:m", status=code) for code in ("400", "401", "402")]
    part = graph(
        nodes,
        "\n".join(f"method:m output {one.id}\n{one.id} holds type:E" for one in nodes[3:])
        + "\nmethod:m input body:m\nbody:m holds type:E\nmethod:m link type:E",
    )
    assert lines(render_classes(part, {}))[4:] == [
        "n0 --> n1 : output 400, 401, 402, input",
        "n0 ..> n1 : link",
    ]


def test_a_shared_response_with_fields_of_its_own_is_a_class() -> None:
    part = graph(
        [
            node("method:getUser"),
            node("response:Gone"),
            node("property:Gone.since", "response:Gone", "string"),
        ],
        "method:getUser output response:Gone",
    )
    assert lines(render_classes(part, {})) == [
        'class n0["getUser"] {',
        "<<method>>",
        "}",
        'class n1["Gone"] {',
        "<<response>>",
        "+since : string",
        "}",
        "n0 --> n1 : output",
    ]


def test_fields_of_a_body_belong_to_its_operation() -> None:
    part = graph(
        [
            node("method:addUser", holds="POST /users"),
            node("body:addUser", "method:addUser"),
            node("property:addUser.body.tags", "body:addUser", "array of Tag"),
            node("type:Tag"),
        ],
        """
        method:addUser input body:addUser
        body:addUser holds property:addUser.body.tags
        property:addUser.body.tags value type:Tag
        """,
    )
    assert lines(render_classes(part, {}))[2:] == [
        "+body.tags : array of Tag",
        "}",
        'class n1["Tag"]',
        "n0 --> n1 : body.tags",
    ]


def test_members_of_code_are_told_in_their_class_and_are_nodes_of_a_flowchart() -> None:
    part = graph(
        [
            node("class:Shop"),
            node("function:close", "class:Shop", "def close(self)"),
            node("function:sweep", holds="def sweep()"),
        ],
        "function:close calls function:sweep\nfunction:sweep calls function:close",
    )
    assert lines(render_classes(part, {})) == [
        'class n0["Shop"] {',
        "+close : def close(self)",
        "}",
        'class n1["sweep"] {',
        "<<def sweep()>>",
        "}",
        "n0 --> n1 : close calls",
        "n1 --> n0 : calls close",
    ]
    assert lines(render_flowchart(part)) == [
        'n0["Shop"]',
        'n1(["close"])',
        'n2(["sweep"])',
        'n1 -->|"calls"| n2',
        'n2 -->|"calls"| n1',
    ]


def test_types_of_one_name_are_told_apart_by_their_sources() -> None:
    nodes = [
        Node(f"{source}#Type:Status~{line}", "type", "Status", "", "", source, line, line)
        for source, line in (("a.yaml", 3), ("b/c.yaml", 4), ("a.yaml", 9))
    ]
    assert lines(render_flowchart(graph(nodes))) == [
        'n0["Status (a.yaml:3)"]',
        'n1["Status (b/c.yaml)"]',
        'n2["Status (a.yaml:9)"]',
    ]


def test_owners_in_a_ring_are_drawn_one_by_one() -> None:
    part = graph([node("property:a", "property:b"), node("property:b", "property:a"),
                  node("property:c", "property:a")])  # fmt: skip
    assert len(re.findall("class n", render_classes(part, {}))) == 3


def test_a_part_of_nothing_says_so() -> None:
    for text in (render_classes(graph([]), {}), render_flowchart(graph([]))):
        assert "Nothing to draw" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\tc\u2028 d", "a b c d"),
        (" ", '""'),
        ("\x00\u202eab\ud800", "\ufffd\ufffdab\ufffd"),
        ("x" * 30 + "y" * 40, "x" * 30 + "y" * 9 + "…" + "y" * 20),
    ],
)
def test_a_name_becomes_one_short_line(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("/page_size, a-b, c.d, 1.5.", "/page_size, a-b, c.d, 1.5#46;"),
        ("_a_ - 1.", "#95;a#95; #45; 1#46;"),
        ('"`<#&;:', "#34;#96;#60;#35;#38;#59;#58;"),
        ("www.a.b", "www#46;a.b"),
        ("direction TB", "#100;irection TB"),
        ("directions", "directions"),
        ("日本 été 🙂", "日本 été 🙂"),
    ],
)
def test_punctuation_is_written_as_codes(text: str, written: str) -> None:
    assert escape(text) == written


def test_many_labels_of_one_arrow_are_counted() -> None:
    assert join(["a" * 50, "b" * 20, "c"]) == "a" * 50 + " and 2 more"


# ---- sizes


def crowd(types: int, members: int, edges: Mapping[int, int]) -> Subgraph:
    """Return so many types with members each; `edges` lead from number to number."""
    nodes = []
    for number in range(types):
        nodes.append(node(f"type:T{number}"))
        nodes += [
            node(f"property:T{number}.field{one}", f"type:T{number}", "string")
            for one in range(members)
        ]
    rows = "\n".join(f"type:T{start} ref type:T{end}" for start, end in edges.items())
    return graph(nodes, rows, "type:T2")


def test_what_is_nearest_to_what_was_asked_for_keeps_its_members() -> None:
    part = crowd(50, 60, {1: 2, 49: 1})
    text = render_classes(part, {})
    assert 48_000 < len(text) <= 50_000
    blocks = text.split("class n")
    has = {int(block.split("[")[0]): block.count("+field") for block in blocks[1:51]}
    assert (has[2], has[1], has[49], has[0]) == (60, 60, 60, 60)
    assert has[48] == 0
    assert "… 60 more" in blocks[49]
    gone = 3000 - sum(has.values())
    assert f"%% left out: {gone} members" in text
    assert f'note "Left out#58; {gone} members"' in text


def test_more_types_than_fit_lose_their_members_and_then_the_farthest() -> None:
    part = crowd(3000, 2, dict.fromkeys(range(100, 3000), 2))
    text = render_flowchart(part)
    [gone] = re.findall(r"%% left out: (\d+) nodes with their edges\n", text)
    kept = 3000 - int(gone)
    assert text.count("-->") == 500
    assert kept == 501
    assert 'n0["T0"]' not in text
    classes = render_classes(part, {})
    assert re.search(r"%% left out: \d+ members, 2499 nodes with their edges\n", classes)
    assert len(classes) <= 50_000


def test_what_is_left_out_is_the_same_each_time() -> None:
    part = crowd(500, 9, {number: number // 2 for number in range(3, 500)})
    assert render_classes(part, {}) == render_classes(part, {})


def test_one_type_with_more_members_than_fit_is_drawn_in_part() -> None:
    part = crowd(1, 5000, {})
    text = render_classes(part, {})
    assert 49_000 < len(text) <= 50_000
    assert re.search(r"… \d+ more\n    }\n", text)


def test_summaries_are_left_out_before_members() -> None:
    fields = [node(f"property:T.field{number:04}", "type:T", "string") for number in range(1779)]
    asked = [node("type:T", summary="so " * 60)]
    whole = render_classes(graph([*asked, *fields], "", "type:T"), {})
    assert "note for" not in whole
    assert "%% left out: 1 description\n" in whole
    assert whole.count("+field") == 1779


def test_summaries_are_quoted_where_few_things_were_asked_for() -> None:
    nodes = [node(f"type:T{number}", summary="so") for number in range(13)]
    ids = [one.id for one in nodes]
    assert render_classes(graph(nodes, "", " ".join(ids[:12])), {}).count("note for") == 12
    assert render_classes(graph(nodes, "", " ".join(ids)), {}).count("note for") == 0


def test_an_answer_that_others_share_is_called_by_its_statuses() -> None:
    shared = Subgraph(
        (
            node("method:a", holds="GET /a"),
            node("response:NotFound", holds="Error"),
            node("type:Error", holds="object"),
        ),
        (
            Edge("method:a", "response:NotFound", "output", "404"),
            Edge("method:a", "response:NotFound", "output", "410"),
            Edge("response:NotFound", "type:Error", "holds"),
        ),
        ("method:a",),
    )
    for text in (render_classes(shared, {}), render_flowchart(shared)):
        assert any("output 404, 410" in line for line in lines(text))
