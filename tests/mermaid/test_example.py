"""The example in the leaf's README is what the command prints, and Mermaid draws it."""

from pathlib import Path

from tests.docs.console import ROOT, Shell, fences
from tests.tools import mermaid

README = ROOT / "plugins/renderers/mermaid/README.md"
SHOW = "sourcebook schema show --quiet Order Payment Transfer --format"


def test_the_example_is_printed_and_drawn(tmp_path: Path) -> None:
    told = list(fences(README.read_text(encoding="utf-8")))
    [description] = [fence for fence in told if fence.file]
    shell = Shell(tmp_path)
    (shell.folder / description.file).write_text("\n".join(description.lines), encoding="utf-8")
    status, printed = shell.run(f"sourcebook schema index {description.file} --embedding none")
    assert status == 0, printed
    shown = ["\n".join(fence.lines) for fence in told if fence.info == "mermaid"]
    for form, text in zip(("mermaid", "mermaid-flowchart"), shown, strict=True):
        _, printed = shell.run(f"{SHOW} {form}")
        assert printed.rstrip("\n") == text
    for read in mermaid.read_all(shown):
        assert not read.error
        assert {("Order", "Order"), ("Order", "Item"), ("getOrder", "Order")} <= read.edges
