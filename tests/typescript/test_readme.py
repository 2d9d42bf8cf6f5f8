"""The README's example is what the renderer makes of it."""

import re

import yaml
from sourcebook.subgraph import ApiSubgraph, Node
from sourcebook_typescript.plugin import render

from tests.docs.console import ROOT

README = ROOT / "plugins" / "renderers" / "typescript" / "README.md"
FENCE = re.compile(r"^```(yaml|ts)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_readme_shows_what_is_rendered() -> None:
    fences = dict(FENCE.findall(README.read_text(encoding="utf-8")))
    lines = [line.strip() for line in fences["yaml"].splitlines()]
    description = yaml.safe_load(fences["yaml"])
    keys = {"/paths/~1orders~1{id}/get": "get"}
    keys |= {f"/components/schemas/{name}": name for name in description["components"]["schemas"]}
    described = {
        pointer: Node(key, "type", "", source="shop.yaml", first_line=at + 1)
        for pointer, key in keys.items()
        for at, line in enumerate(lines)
        if line.startswith(f"{key}:")
    }
    graph = ApiSubgraph((), (), description=description, described=described)
    assert render(graph, {}) == fences["ts"]
