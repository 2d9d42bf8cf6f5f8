"""Events reach those who listen, and cost nothing when nobody does."""

import subprocess
import sys
from contextlib import ExitStack

import pytest
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


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, 3),
        (0.5, 0.5),
        (None, None),
        (True, True),
        ("hybrid", "hybrid"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small"),
        ("what is a query", "(str)"),
        ("line\nline", "(str)"),
        ("\x1b[31m", "(str)"),
        ("x" * 65, "(str)"),
        (b"bytes", "(bytes)"),
        (["what", "is"], "(list)"),
        ({"query": "what"}, "(dict)"),
        (ValueError("a passage"), "(ValueError)"),
    ],
)
def test_what_is_no_number_and_no_name_reaches_no_listener(value: object, told: object) -> None:
    heard: list[object] = []
    with listening(lambda _event, facts: heard.append(facts["value"])):
        emit("event", value=value)
    assert heard == [told]


def test_a_listener_may_stop_listening_while_it_is_told() -> None:
    heard: list[str] = []

    def second(event: str, _facts: dict[str, object]) -> None:
        heard.append(event)

    with ExitStack() as stack:

        def first(event: str, _facts: dict[str, object]) -> None:
            heard.append(event)
            stack.close()

        stack.enter_context(listening(first))
        stack.enter_context(listening(second))
        emit("one")
        emit("two")
    assert heard == ["one", "one"]


def test_emitting_imports_no_library() -> None:
    code = (
        "import sys; from sourcebook.events import emit; emit('x');"
        "print('structlog' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
