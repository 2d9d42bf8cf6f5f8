"""One folder with pages and descriptions, an index of each kind."""

import json

from tests.journeys.conftest import User

API = """\
openapi: 3.1.0
info: {title: Deploys, version: "1"}
paths:
  /services/{name}/deploys:
    post: {operationId: deploy, responses: {"202": {description: It began.}}}
"""


def test_each_subject_leaves_out_what_the_other_reads_and_has_built(user: User) -> None:
    user.write("handbook/deploys.yaml", API)
    for _ in range(2):
        docs, schema = (
            json.loads(user.shell(f"sourcebook {subject} index . --embedding none --json"))
            for subject in ("docs", "schema")
        )
    assert [docs["sources"], schema["sources"]] == [3, 1]
    for built in (docs, schema):
        assert [*built["added"], *built["changed"], *built["removed"]] == []
        reasons = {one["name"]: one["reason"] for one in built["skipped"]}
        assert [name for name in reasons if reasons[name] == "index"] == ["docs-db", "schema-db"]
    assert user.shell("sourcebook schema list -q").startswith("POST /services/{name}/deploys")
    assert "limits.md:8:" in user.shell("sourcebook docs grep -q /upload")
