"""The suite that every subject passes, with a runbook and what one asks of it."""

from sourcebook.testing import SubjectConformance


class TestRunbooks(SubjectConformance):
    subject = "runbooks"
    sources = {"deploy.runbook": "# Deploy\n1. Drain traffic\n2. Push the image\n"}
    asks = {"stop the traffic": "deploy.runbook:2"}
