"""What is checked, and what is found to be wrong with it."""

from collections.abc import Mapping

from attrs import field, frozen


@frozen
class Message:
    """A request or a response.

    Args:
        status: of a response; empty: this is a request.
        path: values of the parameters in the path; None: they are not known and not checked.
        query, headers, cookies: names and values, as often as they are sent.
        body: empty: none.
        content_type: of the body.
    """

    status: str = ""
    path: Mapping[str, str] | None = None
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    content_type: str = ""


@frozen
class Mismatch:
    """One thing that does not fit.

    Args:
        part: `body`, `query`, `path`, `header`, `cookie`, `content-type` or `status`.
        name: of the parameter or header; empty for the others.
        pointer: a JSON pointer to what is wrong inside the value; empty: all of it.
        expected: what the description wants there.
        actual: what is there.
        rule: the keyword of JSON Schema that says so, or `required`, `unknown`, `syntax`.
    """

    part: str
    name: str
    pointer: str
    expected: str
    actual: str
    rule: str
