"""Errors, whatever they repeat."""

import pytest
from sourcebook.errors import LONG_MESSAGE, NotFound


@pytest.mark.parametrize("part", ["message", "where", "hint"])
def test_an_error_leaves_out_the_middle_of_what_is_endless(part: str) -> None:
    told = {"message": "", "where": "", "hint": "", part: f"`{'x' * 3_000_000}` is nowhere"}
    error = NotFound(told["message"], where=told["where"], hint=told["hint"])
    shown = getattr(error, part)
    assert len(shown) < LONG_MESSAGE + 50
    assert shown.startswith("`xxx")
    assert shown.endswith("xxx` is nowhere")
    assert "[… 2,998,013 characters …]" in shown
    assert str(error) == error.message
