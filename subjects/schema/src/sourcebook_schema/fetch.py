"""Documents from other machines, for those who allow it: https only, bounded in size and time."""

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from http.client import HTTPMessage
    from urllib.request import OpenerDirector, Request

LIMIT_BYTES = 32 << 20
LIMIT_DOCUMENTS = 200
CONNECT_S = 10.0
"""The longest wait for a connection, and for the next bytes."""
DOCUMENT_S = 60.0
"""The longest time for one document."""


class FetchError(Exception):
    """A document cannot be fetched; the text says why."""


class Fetcher:
    """Fetches documents, each once."""

    def __init__(self) -> None:
        self._fetched: dict[str, bytes | FetchError] = {}
        self._opener: OpenerDirector | None = None

    def fetch(self, url: str) -> bytes:
        """Return the bytes of a document.

        Raises:
            FetchError: it is not there, not behind https, too large or too slow.
        """
        if url not in self._fetched:
            try:
                self._fetched[url] = self._fetch(url)
            except FetchError as error:
                self._fetched[url] = error
        found = self._fetched[url]
        if isinstance(found, FetchError):
            raise found
        return found

    def _fetch(self, url: str) -> bytes:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError

        if len(self._fetched) >= LIMIT_DOCUMENTS:
            raise FetchError(f"more than {LIMIT_DOCUMENTS} documents would be fetched")
        if self._opener is None:
            self._opener = _opener()
        until = time.monotonic() + DOCUMENT_S
        data = bytearray()
        try:
            with self._opener.open(url, timeout=CONNECT_S) as answer:
                while block := answer.read1(1 << 16):
                    data += block
                    if len(data) > LIMIT_BYTES:
                        raise FetchError(f"it has more than {LIMIT_BYTES} bytes")
                    if time.monotonic() > until:
                        raise FetchError(f"it took more than {DOCUMENT_S:g} seconds")
        except URLError as error:
            if isinstance(error, HTTPError):
                error.close()
            raise FetchError(f"{error.reason}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise FetchError(f"{type(error).__name__}: {error}"[:200]) from None
        return bytes(data)


def _opener() -> "OpenerDirector":
    """Return what opens https and, unlike urllib's own, nothing else, redirected or not."""
    from urllib.error import URLError
    from urllib.request import (
        HTTPDefaultErrorHandler,
        HTTPErrorProcessor,
        HTTPRedirectHandler,
        HTTPSHandler,
        OpenerDirector,
        ProxyHandler,
    )

    class HttpsOnly(HTTPRedirectHandler):
        def redirect_request(
            self, req: "Request", fp: Any, code: int, msg: str, headers: "HTTPMessage", newurl: str
        ) -> "Request | None":
            if not newurl.lower().startswith("https://"):
                fp.close()
                raise URLError(f"it redirects to `{newurl[:200]}`, which is not https")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPSHandler(),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
        HttpsOnly(),
    ):
        opener.add_handler(handler)
    return opener
