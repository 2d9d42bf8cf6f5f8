"""What a renderer is: a response to text in some format."""

from collections.abc import Callable

from attrs import frozen


@frozen
class Renderer:
    """A renderer plugin's record.

    Args:
        format: what a user types (`--format NAME`) and the entry point's name.
        render: `render(response)` or `render(response, options)` returns the text; `options` is
            the JSON object of the verb's view.
        accepts: the response class it renders.
        summary: one line for `sourcebook plugins`.
    """

    format: str
    render: Callable[..., str]
    accepts: type
    summary: str = ""
