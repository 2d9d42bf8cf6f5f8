"""Mutated files of code of every language: extraction neither fails nor breaks a law.

    python -m tests.bench.fuzz_code [--runs 20000] [--seed 1] [--only RUN] [--language NAME...]

The files are those of tests/cases/code. A run takes one, mutates it a few times (bytes deleted,
inserted, doubled, cut off, words swapped in from a file of another language, brackets nested deep,
odd characters) and reads it as its own language, at times as another. The runs are made in
processes of 500, so that one that crashes or hangs is named. `--only` makes one run and prints its
text. Prints counts; exits 1 if any law was broken (`subjects/code/tests/laws.py`), a run took
longer than 3 s of CPU and 20 microseconds a byte, or a process more than 700 MB.
"""

import argparse
import faulthandler
import multiprocessing
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

from sourcebook_code.languages import LANGUAGES, Language, language_of

from subjects.code.tests.laws import broken_laws

CASES = Path(__file__).parents[1] / "cases" / "code"
CHUNK = 500
SECONDS, SECONDS_PER_BYTE = 3.0, 20e-6
HANGS_AFTER = 60
MEGABYTES = 700
BRACKETS = (
    "(", "[", "{", "<", "f(", "{ a: ", "if x {\n", "class A {\n", "def a\n", "do\n", "/*", "(a, ",
    "=> {", "fn(", '"', "`${", "#{",
)  # fmt: skip
ODD = (
    "\0", "\ufeff", "\r", "\r\n", "\t", "\u2028", "\ud800", "日", "\U0001f600", "é", "\x1b",
    "\\", "'", '"', '"""', "`", "<<EOF\n", "*/", "-->", "<?php", "?>", "%>", "@", "#", "\n\n\n",
)  # fmt: skip


class Case(NamedTuple):
    """A file to mutate."""

    name: str
    language: Language
    text: str


def cases() -> list[Case]:
    """Return the files of the cases that are of a language."""
    found = []
    for path in sorted(CASES.rglob("*")):
        language = language_of(path.name) if path.is_file() else None
        if language is not None:
            found.append(Case(path.name, language, path.read_text("utf-8", "replace")))
    return found


def mutated(text: str, other: str, random: Random) -> str:
    """Return `text` after one to six mutations."""
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(text) + 1)
        span = random.choice((1, 1, 3, 20, 200))
        match random.randrange(8):
            case 0:
                text = text[:at] + text[at + span :]
            case 1:
                text = text[:at] + random.choice(ODD) + text[at:]
            case 2:
                text = text[:at] + text[at : at + span] * random.choice((2, 3, 30)) + text[at:]
            case 3:
                text = text[:at]
            case 4:
                start = random.randrange(len(other) + 1)
                text = text[:at] + other[start : start + span * 3] + text[at:]
            case 5:
                depth = random.choice((3, 50, 2000))
                text = text[:at] + random.choice(BRACKETS) * depth + text[at:]
            case 6:
                drawn = (chr(random.randrange(0x3000)) for _ in range(span))
                text = text[:at] + "".join(drawn) + text[at:]
            case _:
                lines = text.splitlines(keepends=True)
                random.shuffle(lines)
                text = "".join(lines)
        text = text[:200_000]
    return text


def made(run: int, seed: int, files: Sequence[Case]) -> tuple[Case, Language, str]:
    """Return the file, the language to read it as and the text of one run."""
    random = Random(f"{seed}:{run}")
    case, other = random.choice(files), random.choice(files)
    language = random.choice(LANGUAGES) if random.random() < 0.1 else case.language
    return case, language, mutated(case.text, other.text, random)


def work(runs: range, seed: int, names: Sequence[str], at: Any, out: Any) -> None:
    """Make some runs; `at` holds the one under way, `out` takes what was found."""
    files = [one for one in cases() if not names or one.language.name in names]
    counts: Counter[str] = Counter()
    problems = []
    for run in runs:
        at.value = run
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True)
        case, language, text = made(run, seed, files)
        start = process_time()
        try:
            broken = broken_laws(text, language)
        except Exception as error:
            broken = [f"{type(error).__name__}: {error}"]
        took = process_time() - start
        if took > SECONDS + len(text) * SECONDS_PER_BYTE:
            broken.append(f"took {took:.1f} s")
        counts[language.name] += 1
        counts["longest, ms"] = max(counts["longest, ms"], int(took * 1000))
        problems += [f"run {run} ({case.name} as {language.name}): {one}" for one in broken[:3]]
    faulthandler.cancel_dump_traceback_later()
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts["peak, MB"] = megabytes
    if megabytes > MEGABYTES:
        problems.append(f"runs {runs.start} to {runs.stop}: {megabytes} MB")
    out.put((counts, problems))


def main() -> int:
    """Make the runs and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--language", action="append", default=[])
    options = parser.parse_args()
    if options.only is not None:
        files = [o for o in cases() if not options.language or o.language.name in options.language]
        case, language, text = made(options.only, options.seed, files)
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        print(case.name, language.name, broken_laws(text, language), file=sys.stderr)
        return 0
    totals: Counter[str] = Counter()
    problems = []
    fork = multiprocessing.get_context("fork")
    for start in range(0, options.runs, CHUNK):
        runs = range(start, min(start + CHUNK, options.runs))
        at, out = fork.Value("i", start), fork.SimpleQueue()
        process = fork.Process(target=work, args=(runs, options.seed, options.language, at, out))
        process.start()
        process.join()
        if process.exitcode:
            problems.append(f"run {at.value}: ended with {process.exitcode}")
            continue
        counts, found = out.get()
        problems += found
        for name, count in counts.items():
            high = "," in name
            totals[name] = max(totals[name], count) if high else totals[name] + count
    for problem in problems[:100]:
        print(problem)
    print(", ".join(f"{name} {count}" for name, count in sorted(totals.items())))
    print(f"{options.runs} runs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
