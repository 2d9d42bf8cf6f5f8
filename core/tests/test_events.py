"""Events reach those who listen, and cost nothing when nobody does."""

import subprocess
import sys

from sourcebook.events import emit, listening, timed


def test_a_listener_hears_what_happens_while_it_listens() -> None:
    heard: list[tuple[str, dict[str, object]]] = []

    def listener(event: str, facts: dict[str, object]) -> None:
        heard.append((event, facts))

    emit("before")
    with listening(listener):
        emit("build.parsed", sources=3)
        with timed("build.embedded", batch=8) as facts:
            facts["texts"] = 12
    emit("after")

    assert heard[0] == ("build.parsed", {"sources": 3})
    event, facts = heard[1]
    assert event == "build.embedded"
    assert facts.pop("ms") >= 0  # type: ignore[operator]
    assert facts == {"batch": 8, "texts": 12}
    assert len(heard) == 2


def test_emitting_imports_no_library() -> None:
    code = (
        "import sys; from sourcebook.events import emit; emit('x');"
        "print('structlog' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
