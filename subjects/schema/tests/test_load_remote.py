"""References to other machines, followed only where that is allowed: https, bounded, no way out."""

import json
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from attrs import frozen
from sourcebook.model import Skipped
from sourcebook.subject import LoadOptions
from sourcebook_schema import fetch
from sourcebook_schema.load import load

PAGES = {
    "/a.yaml": b"A: {properties: {b: {$ref: 'deep/b.json'}, c: {$ref: '../c.yaml'}}}\n",
    "/deep/b.json": b'{"type": "object"}',
    "/inside.yaml": b"A: {$ref: 'file:///etc/hostname'}\n",
    "/plain.yaml": b"A: {$ref: 'http://127.0.0.1:9/x.yaml'}\n",
    "/large.yaml": b"x" * 5000,
    "/binary.yaml": bytes(5000),
}


@frozen
class Options:
    """What `load` looks at."""

    allow_remote: bool
    allow_outside: bool = False
    strict: bool = False


class Handler(BaseHTTPRequestHandler):
    """Serves the pages, redirects, and errors."""

    def do_GET(self) -> None:
        asked: list[str] = self.server.asked  # type: ignore[attr-defined]
        asked.append(self.path)
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to?"))
            self.end_headers()
            return
        if self.path == "/slow.yaml":
            time.sleep(2)
        page = PAGES.get(self.path)
        self.send_response(404 if page is None else 200)
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module", name="authority")
def _authority() -> trustme.CA:
    """Return what vouches for this machine, as long as these tests run."""
    return trustme.CA()


@pytest.fixture(name="server")
def _server(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA
) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []  # type: ignore[attr-defined]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusted = tmp_path_factory.mktemp("trusted") / "ca.pem"
    authority.cert_pem.write_to_path(trusted)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def refs(folder: Path, ref: str, *, allow: bool = True) -> dict[str, dict[str, str]]:
    """Return what becomes of references, by source, for a description with this one."""
    schemas = {"A": {"$ref": ref}}
    text = json.dumps({"openapi": "3.0.3", "components": {"schemas": schemas}})
    (folder / "main.json").write_text(text)
    found: dict[str, dict[str, str]] = {}
    for one in load([folder], LoadOptions(), Options(allow)):
        assert not isinstance(one, Skipped)
        told = json.loads(one.context)["refs"]
        found[one.name] = {ref: each.get("uri") or each["error"] for ref, each in told.items()}
    return found


def test_a_document_is_fetched_with_what_it_refers_to(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    base = f"https://127.0.0.1:{server.server_port}"
    quoted = base.replace(":", "%3A")
    assert refs(tmp_path, f"{base}/a.yaml#/A") == {
        f"{base}/a.yaml": {
            "deep/b.json": f"{quoted}/deep/b.json#",
            "../c.yaml": "it cannot be fetched: Not Found",
        },
        f"{base}/deep/b.json": {},
        "main.json": {f"{base}/a.yaml#/A": f"{quoted}/a.yaml#/A"},
    }
    assert server.asked == ["/a.yaml", "/deep/b.json", "/c.yaml"]  # type: ignore[attr-defined]


def test_nothing_is_asked_of_anybody_without_permission(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    ref = f"https://127.0.0.1:{server.server_port}/a.yaml"
    assert refs(tmp_path, ref, allow=False) == {
        "main.json": {ref: "it is on another machine; `--allow-remote` lets it be fetched"}
    }
    assert server.asked == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/gone.yaml", "it cannot be fetched: Not Found"),
        ("/to?/gone.yaml", "it cannot be fetched: Not Found"),
        (
            "/to?http://127.0.0.1:9/x",
            "it cannot be fetched: it redirects to `http://127.0.0.1:9/x`",
        ),
        (
            "/to?file:///etc/hostname",
            "it cannot be fetched: Found - Redirection to url 'file:",
        ),
        ("/to?ftp://127.0.0.1/x", "it cannot be fetched: it redirects to `ftp://127.0.0.1/x`"),
        ("/large.yaml", "it cannot be fetched: it has more than 4000 bytes"),
        ("/slow.yaml", "it cannot be fetched: "),
    ],
)
def test_what_cannot_be_fetched_is_told(
    server: ThreadingHTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    what: str,
) -> None:
    monkeypatch.setattr(fetch, "LIMIT_BYTES", 4000)
    monkeypatch.setattr(fetch, "CONNECT_S", 0.5)
    ref = f"https://127.0.0.1:{server.server_port}{path}"
    (told,) = refs(tmp_path, ref)["main.json"].values()
    assert told.startswith(what)


@pytest.mark.parametrize(
    ("page", "what"),
    [
        (
            "inside",
            "it is on another machine; only https is fetched, and only with `--allow-remote`",
        ),
        (
            "plain",
            "it is on another machine; only https is fetched, and only with `--allow-remote`",
        ),
    ],
)
def test_a_fetched_document_leads_neither_to_files_nor_to_http(
    server: ThreadingHTTPServer, tmp_path: Path, page: str, what: str
) -> None:
    base = f"https://127.0.0.1:{server.server_port}"
    found = refs(tmp_path, f"{base}/{page}.yaml#/A")
    assert [*found[f"{base}/{page}.yaml"].values()] == [what]


def test_a_certificate_that_nobody_vouches_for_is_refused(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    (told,) = refs(tmp_path, f"https://127.0.0.1:{server.server_port}/a.yaml")["main.json"].values()
    assert "CERTIFICATE_VERIFY_FAILED" in told
    assert server.asked == []  # type: ignore[attr-defined]


def test_a_reference_with_a_password_is_not_followed(tmp_path: Path) -> None:
    ref = "https://me:secret@127.0.0.1:9/a.yaml"
    assert refs(tmp_path, ref)["main.json"][ref] == "a reference with a password is not followed"


def test_documents_are_bounded_in_number(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "LIMIT_DOCUMENTS", 1)
    base = f"https://127.0.0.1:{server.server_port}"
    found = refs(tmp_path, f"{base}/a.yaml#/A")
    assert set(found[f"{base}/a.yaml"].values()) == {
        "it cannot be fetched: more than 1 documents would be fetched"
    }
