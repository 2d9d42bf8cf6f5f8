"""bootstrap: index, then say what comes next until the code is described."""

from math import ceil
from pathlib import Path
from typing import Any, Literal

from attrs import frozen
from sourcebook.index.open import open_index
from sourcebook.naming import counted
from sourcebook.settings import load_settings
from sourcebook.subject import Subject
from sourcebook.verb import Verb
from sourcebook.verbs.index import IndexResponse
from sourcebook.verbs.index import render as render_index
from sourcebook.verbs.index import verb as index_verb

from sourcebook_code.verbs.describe import StatusRequest, StatusResponse, render_status, status


@frozen
class BootstrapResponse:
    """What was indexed, and the next step.

    Args:
        index: what was built.
        status: how far it is described.
        next: `describe` (hand out what is pending and keep texts), `promote` (put texts into the
            code) or `ready`.
        batch: how many units `describe pending` hands out at once.
        rounds: how many rounds of that are left.
    """

    index: IndexResponse
    status: StatusResponse
    next: Literal["describe", "promote", "ready"]
    batch: int
    rounds: int


def bootstrap(subject: Subject, request: Any) -> BootstrapResponse:
    """Build the index and name the next step. Nothing is remembered from one run to the next."""
    built: IndexResponse = index_verb(subject).run(subject, request)
    settings = load_settings()
    batch = settings.get("code.describe_batch") or 1
    with open_index(Path(built.index)) as index:
        found = status(index, StatusRequest(root=None, skip=settings.get("code.describe_skip")))
    rounds = ceil((found.missing + found.superseded) / batch)
    step: Literal["describe", "promote", "ready"] = "ready"
    if rounds:
        step = "describe"
    elif found.promotable:
        step = "promote"
    return BootstrapResponse(built, found, step, batch, rounds)


def render(response: BootstrapResponse, _view: object) -> str:
    """What was built, how far it is described, what to do."""
    steps = {
        "describe": f"next: `sourcebook code describe pending`, write a text for each, "
        f"`sourcebook code describe put FILE`; {counted(response.rounds, 'round')} of "
        f"{response.batch} left",
        "promote": "next: `sourcebook code describe promote | git apply` puts "
        f"{counted(response.status.promotable, 'comment')} into the code",
        "ready": "ready: every declaration is described",
    }
    return "\n".join(
        [
            render_index(response.index, None),
            render_status(response.status, None),
            steps[response.next],
        ]
    )


def verb(subject: Subject) -> Verb:
    """Return the verb."""
    return Verb(
        "bootstrap",
        "Index, and say what is missing to search well.",
        index_verb(subject).request,
        BootstrapResponse,
        bootstrap,
        render,
        schema="code.bootstrap/1",
        needs="subject",
    )
