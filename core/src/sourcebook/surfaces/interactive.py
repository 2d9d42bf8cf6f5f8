"""A prompt that searches again and again: a question a line, narrowed by lines that begin `:`."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from sourcebook.errors import BadRequest, SourcebookError
from sourcebook.surfaces import output
from sourcebook.surfaces.convert import FieldSpec, field_specs, from_json, suggest, to_json

HELP = """Type a question to search. What narrows it stays until it is cleared:
{fields}
  :more        the next hits, without those already seen
  :narrowed    what is narrowed now
  :clear       narrow no more
  :quit        leave, as does the end of input"""


class Conversation:
    """What has been asked and narrowed so far; `answer` takes a line and returns what to print.

    Args:
        request: the first request; fields that are repeatable or choices are what can be narrowed.
        run: `run(request)` returns a response with `hits`.
        render: `render(response)` returns its text.
    """

    def __init__(
        self, request: Any, run: Callable[[Any], Any], render: Callable[[Any], str]
    ) -> None:
        self._request = request
        self._run = run
        self._render = render
        self._seen: list[str] = list(request.exclude_id)
        self._fields: dict[str, FieldSpec] = {
            spec.name: spec
            for spec in field_specs(request.__class__)
            if (isinstance(getattr(request, spec.name), tuple) or spec.info.choices)
            and spec.name != "exclude_id"
        }
        self._wide = {
            name: () if isinstance(value := getattr(request, name), tuple) else value
            for name in self._fields
        }

    def answer(self, line: str) -> str:
        """Return what one typed line answers; `EOFError` ends the conversation."""
        try:
            if not line.startswith(":"):
                return self._search(line) if line.strip() else ""
            word, _, rest = line[1:].strip().partition(" ")
            return self._command(word, rest.strip())
        except SourcebookError as error:
            return output.error_text(error)

    def _command(self, word: str, rest: str) -> str:
        if word in {"quit", "q", "exit"}:
            raise EOFError
        if word == "more":
            return self._more()
        if word == "clear":
            self._change(self._wide)
            return self.again() or "nothing is narrowed"
        if word == "narrowed":
            return self._narrowed() or "nothing is narrowed"
        if word in self._fields:
            now = getattr(self._request, word)
            if not rest:
                self._change({word: self._wide[word]})
            else:
                self._change({word: (*now, rest) if isinstance(now, tuple) else rest})
            return self.again() or self._narrowed() or "nothing is narrowed"
        if word in {"help", "h", "?"}:
            return self._help()
        raise BadRequest(
            f"there is no `:{word}`", hint=suggest(word, [*self._fields, "more", "clear", "quit"])
        )

    def _help(self) -> str:
        rows = [f"  :{name:<11} {spec.info.help}" for name, spec in self._fields.items()]
        return HELP.format(fields="\n".join(rows))

    def _narrowed(self) -> str:
        rows = []
        for name, wide in self._wide.items():
            value = getattr(self._request, name)
            if value != wide:
                told = ", ".join(value) if isinstance(value, tuple) else value
                rows.append(f":{name} {told}")
        return "\n".join(rows)

    def _change(self, fields: Mapping[str, Any]) -> None:
        # Through the converter, so that a wrong value is refused as on every other surface.
        whole = {**to_json(self._request), **to_json(fields)}
        self._request = from_json(type(self._request), whole)

    def _search(self, question: str) -> str:
        self._seen = []
        self._request = attrs.evolve(self._request, query=question.strip(), exclude_id=())
        return self.again()

    def _more(self) -> str:
        if not self._seen:
            raise BadRequest("nothing has been shown yet", hint="type a question first")
        self._request = attrs.evolve(self._request, exclude_id=tuple(self._seen))
        return self.again()

    def again(self) -> str:
        """Return what the request as it is now answers, empty if it asks nothing."""
        if not self._request.asks:
            return ""
        response = self._run(self._request)
        self._seen.extend(hit.id for hit in response.hits)
        return self._render(response)


def converse(
    name: str, request: Any, run: Callable[[Any], Any], render: Callable[[Any], str]
) -> None:
    """Prompt `NAME>` on the terminal until `:quit` or the end of input.

    Raises:
        BadRequest: this is no terminal, or the request asks each leg for itself.
    """
    if not (output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout)):
        raise BadRequest(
            "`--interactive` needs a terminal",
            where="--interactive",
            hint="leave it out: a single search needs none",
        )
    if request.text_query is not None or request.vector_query is not None:
        raise BadRequest(
            "`--interactive` asks both legs alike",
            where="--interactive",
            hint="leave `--text-query` and `--vector-query` out",
        )
    conversation = Conversation(request, run, render)
    output.write_text("type a question, `:help` for what else there is, `:quit` to leave")
    if request.asks:
        output.write_text(conversation.again())
    for line in _lines(f"{name}> "):
        try:
            said = conversation.answer(line)
        except EOFError:
            return
        if said:
            output.write_text(said)


def _lines(prompt: str) -> Iterator[str]:
    import contextlib

    with contextlib.suppress(ImportError):  # editing and history, where the platform has them
        import readline  # noqa: F401
    while True:
        try:
            yield input(prompt)
        except EOFError:
            output.write_text("")
            return
