"""Every subject of ours passes the suite that authors get."""

from sourcebook.testing import SubjectConformance


class TestDocs(SubjectConformance):
    subject = "docs"
    sources = {
        "guide/start.md": "# Start\n\nOpen the lid first.\n\n## Stop\n\n- Close it.\n- Lock it.\n",
        "guide/rates.md": (
            "---\ntitle: Rates\n---\n\n| Route | Rate |\n| --- | --- |\n| /users | 250 |\n"
            "| /orders | 90 |\n\n```sh\nwait 5\n```\n\n<div class='x'>raw</div>\n"
        ),
        "notes.txt": "A plain note.\n\nAnother paragraph.\n",
        "latin.md": "# Caf\xe9\n\nna\xefve\n".encode("latin-1"),
        "empty.md": "# Alone\n",
    }
    asks = {
        "open the lid": "guide/start.md:3",
        "lock": "guide/start.md:7",
        "rate of orders": "guide/rates.md:8",
        "alone": "empty.md:1",
        "another paragraph": "notes.txt:3",
    }


class TestDocsInSmallPassages(SubjectConformance):
    subject = "docs"
    sources = {
        "long.md": "# Long\n\n" + "One sentence of some words. " * 40 + "\n",
        "wide.md": "| Key | Words |\n|---|---|\n| k | " + "some words " * 60 + "|\n",
    }
    asks = {"sentence": "long.md:3", "k words": "wide.md:3"}
    options = {"chunk_tokens": 40}


class TestCode(SubjectConformance):
    subject = "code"
    sources = {
        "shop/cart.py": (
            '"""Carts."""\n\nfrom math import ceil\n\n\nclass Cart:\n'
            '    """What someone buys."""\n\n'
            "    limit = 5\n\n    def add(self, item):\n        '''Put an item in.'''\n"
            "        self.items.append(item)\n\n    @property\n    def weight(self):\n"
            "        return ceil(sum(one.grams for one in self.items))\n"
        ),
        "tests/test_cart.py": "def test_nothing_is_free():\n    assert Cart().price\n",
        "latin.py": "# caf\xe9\ndef na\xefve():\n    pass\n".encode("latin-1"),
        "broken.py": "def good():\n    pass\n\nclass (:\n",
    }
    asks = {
        "put an item in": "shop/cart.py:12",
        "weight in grams": "shop/cart.py:17",
        "what someone buys": "shop/cart.py:7",
        "nothing is free": "tests/test_cart.py:1",
    }
