"""Parts of entries: searched as what they lie in, named when their kind is asked for."""

from pathlib import Path

from sourcebook.index.open import open_index
from sourcebook.registry import registry
from sourcebook.verb import verb_refs

TEXT = """# Pumps

Prime the pump before the first start.

```sh
pumpctl prime --seconds 8
```

- Read the gauge.
- Close the valve.

Then log the pressure.
"""


def test_a_part_is_found_with_its_passage_and_named_by_its_kind(tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text(TEXT)
    (tmp_path / "other.md").write_text("# Boats\n\nNine boats lie in the harbour.\n")
    subject = registry().subject("docs")
    verbs = {ref.name: ref.load(subject) for ref in verb_refs(subject)}
    out = tmp_path / "out"
    for embedding in ("none", "hash"):
        request = verbs["index"].request(
            paths=(str(tmp_path),), out=str(out), embedding=embedding, store=("memory",)
        )
        verbs["index"].run(subject, request)
        with open_index(out) as index:
            ask = verbs["search"].request
            run = verbs["search"].run
            whole = run(index, ask(query="pumpctl prime")).hits[0]
            assert (whole.kind, whole.first_line, whole.last_line) == ("paragraph", 3, 12)
            code = run(index, ask(query="pumpctl prime", kind=("code",))).hits
            assert [(hit.first_line, hit.last_line) for hit in code] == [(5, 7)]
            assert code[0].terms == ("pumpctl", "prime")
            assert code[0].ranks == whole.ranks
            items = run(index, ask(query="pump gauge", kind=("list",), min_evidence="none")).hits
            assert [hit.kind for hit in items] == ["list"]
            assert items[0].terms == ("gauge",)
            seen = run(index, ask(query="pumpctl prime", kind=("code",), exclude_id=(code[0].id,)))
            assert not seen.hits
            assert index.entry(code[0].id).parent == whole.id
            assert index.manifest.parts == 2
            statistics = index.generation.statistics(["pumpctl"])
            assert (statistics.entries, statistics.df["pumpctl"]) == (2, 1)
            wanted = 2 if embedding == "hash" else 0
            assert index.manifest.vectors_done == index.manifest.vectors_total == wanted
