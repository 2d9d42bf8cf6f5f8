"""How fast `minilm` embeds, beside the best bare onnxruntime loop of the same run.

    python tests/bench/bench_embedding.py CORPUS [--texts 400] [--rounds 3]

CORPUS is a folder of `.md` and `.txt` files. Every way embeds the same texts in turn, for so many
rounds, and its best round counts, since other work on the machine only ever slows one down. The
bare loops get their texts as numbers; ours gets text. The exit status is 1 where ours is slower
than 90 % of the best bare loop both by the clock and by CPU time, or where a question in a new
process takes more CPU time than `COLD_MS`; a whole cold search may take 800 ms.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import onnxruntime
from sourcebook.index.windows import windows
from sourcebook_minilm import model as minilm
from sourcebook_minilm.embedder import MiniLM
from sourcebook_minilm.tokenizer import ids, spans

SHARE = 0.9
COLD_MS = 500
CORES = len(os.sched_getaffinity(0))
QUESTION = "how do I drain traffic before a deploy?"


def texts_of(corpus: Path, count: int) -> list[str]:
    """Return passages as an index embeds them, of at most 110 tokens, from all over the corpus."""
    passages = [
        window
        for path in sorted(corpus.rglob("*"))
        if path.suffix in {".md", ".txt"}
        for window in windows(path.read_text("utf-8", "replace"), spans, 110)
        if window.strip()
    ]
    return random.Random(7).sample(passages, min(count, len(passages)))


def session(threads: int, optimisation: str, spinning: bool) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, optimisation)
    options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
    return onnxruntime.InferenceSession(
        str(minilm.weights()), options, providers=["CPUExecutionProvider"]
    )


def bare(session: Any, threads: int, batch: int, pieces: Sequence[Sequence[int]]) -> None:
    """Run the model over sequences sorted by length, pooled, on so many Python threads."""
    batches = [pieces[start : start + batch] for start in range(0, len(pieces), batch)]
    if threads == 1:
        for each in batches:
            minilm.sums(session, each)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(partial(minilm.sums, session), batches))


def bare_loops(
    pieces: Sequence[Sequence[int]],
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the ways of running onnxruntime that were ever the fastest on some machine."""
    for optimisation in ("ORT_ENABLE_BASIC", "ORT_ENABLE_ALL"):
        level = optimisation.removeprefix("ORT_ENABLE_").lower()
        alone = session(1, optimisation, spinning=False)
        for batch in (1, 4, 8):
            name = f"{level}, {CORES} threads of one session, batches of {batch}"
            yield name, partial(bare, alone, CORES, batch, pieces)
        for spinning in (False, True):
            pooled = session(CORES, optimisation, spinning)
            name = f"{level}, its own {CORES} threads, batches of 4" + ", spinning" * spinning
            yield name, partial(bare, pooled, 1, 4, pieces)


def ours(texts: Sequence[str]) -> None:
    """Embed as a build does: call by call of `max_batch` texts, from text to unit vectors."""
    embedder = MiniLM()
    for start in range(0, len(texts), embedder.max_batch):
        embedder.embed_documents(texts[start : start + embedder.max_batch])


def measure(work: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds and the CPU seconds that `work` takes."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def child(program: str) -> tuple[float, float]:
    """Run a Python process to its end; return its CPU milliseconds and its peak memory in MB."""
    environment = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, program
    return 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def throughput(corpus: Path, count: int, rounds: int) -> float:
    """Print a line for every way; return our rate as a share of the best bare one."""
    texts = texts_of(corpus, count)
    pieces = sorted(map(ids, texts), key=len, reverse=True)
    tokens = sum(map(len, pieces)) / len(pieces)
    print(f"{len(texts)} texts, {tokens:.0f} tokens each, {CORES} cores")
    ways: list[tuple[str, Callable[[], None]]] = [
        *bare_loops(pieces),
        ("minilm", partial(ours, texts)),
    ]
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in ways}
    for _ in range(rounds):
        for name, work in ways:
            figures[name].append(measure(work))
    rates = {name: len(texts) / min(clock for clock, _ in taken) for name, taken in figures.items()}
    frugal = {name: len(texts) / min(cpu for _, cpu in taken) for name, taken in figures.items()}
    print(f"{'texts/s':>8} {'/CPU s':>8}")
    for name in sorted(rates, key=lambda name: rates[name]):
        print(f"{rates[name]:8.1f} {frugal[name]:8.1f}  {name}")
    share = rates["minilm"] / max(rate for name, rate in rates.items() if name != "minilm")
    saved = frugal["minilm"] / max(rate for name, rate in frugal.items() if name != "minilm")
    print(f"minilm is at {share:.0%} of the best bare loop, {saved:.0%} by CPU time")
    return max(share, saved)


def cold() -> float:
    """Print what a first question costs in a new process; return its CPU milliseconds."""
    programs = {
        "bare interpreter": "pass",
        "numpy": "import numpy",
        "numpy and onnxruntime": "import numpy, onnxruntime",
        "one question": f"from sourcebook_minilm.embedder import MiniLM\n"
        f"MiniLM().embed_query({QUESTION!r})",
    }
    taken: dict[str, float] = {}
    for name, program in programs.items():
        child(program)  # it may write byte code
        taken[name] = median(child(program)[0] for _ in range(7))
        print(f"{taken[name]:8.0f} ms CPU  {name}")
    return taken["one question"]


def memory() -> None:
    """Print the peak memory of processes that embed more and more texts."""
    for count in (1, 256, 1024):
        _, peak = child(
            "from sourcebook_minilm.embedder import MiniLM\n"
            f"MiniLM().embed_documents(['one word, and another, ' * 20] * {count})"
        )
        print(f"{peak:8.0f} MB at most  {count} texts of 100 tokens")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    # First, while this process is small: a child's peak is never below its parent's at the fork.
    memory()
    first = cold()
    share = throughput(arguments.corpus, arguments.texts, arguments.rounds)
    return int(share < SHARE or first > COLD_MS)


if __name__ == "__main__":
    sys.exit(main())
