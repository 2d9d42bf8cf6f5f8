"""Hand an index to an agent framework as tools, and call them the way a model would."""

import sys

from sourcebook import open_index, tools


def main() -> None:
    """Print what a framework registers, then search and read by name."""
    folder, question = sys.argv[1:]
    with open_index(folder) as index:
        by_name = {tool.name: tool for tool in tools(index)}
        for tool in by_name.values():
            # A framework takes these three, whatever it calls them.
            print(tool.name, "-", tool.description, "-", ", ".join(tool.parameters["properties"]))
        found = by_name["search_docs"].call({"query": question, "limit": 3})
        if "error" in found:
            print(found["error"]["message"], found["error"]["hint"], sep="\n")
        elif not found["hits"]:
            print(f"no answer: {found['evidence']['hint']}")
        else:
            best = found["hits"][0]
            read = by_name["read_docs"].call(target=best["id"])
            print(f"{best['source']}:{best['first_line']}, evidence {found['evidence']['level']}")
            for line in read["parts"][0]["lines"]:
                print(f"{line['number']:>4} | {line['text']}")


if __name__ == "__main__":
    main()
