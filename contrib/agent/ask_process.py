"""Ask `sourcebook agent`: one JSON object per line in, one per line out."""

import json
import subprocess
import sys
from typing import Any


class Agent:
    """A running `sourcebook agent` that serves one index."""

    def __init__(self, index: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sourcebook", "agent", "--dir", index],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, action: str, **fields: Any) -> dict[str, Any]:
        """Send one request and return its reply; an error is a reply, too."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"action": action, **fields}) + "\n")
        self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply

    def close(self) -> None:
        """End it: its input ends, so it does."""
        self._process.communicate()


def main() -> None:
    """Search, then read the lines around the best hit."""
    index, question = sys.argv[1:]
    agent = Agent(index)
    found = agent.ask("search", query=question, limit=3)
    if "error" in found:
        print(found["error"]["message"], found["error"]["hint"], sep="\n")
    elif not found["hits"]:
        print(f"no answer: {found['evidence']['hint']}")
    else:
        best = found["hits"][0]
        around = f"{max(1, best['first_line'] - 3)}-{best['last_line'] + 3}"
        read = agent.ask("show", target=best["source"], lines=around)
        print(f"{best['source']}:{best['first_line']}, evidence {found['evidence']['level']}")
        for line in read["parts"][0]["lines"]:
            print(f"{line['number']:>4} | {line['text']}")
    agent.close()


if __name__ == "__main__":
    main()
