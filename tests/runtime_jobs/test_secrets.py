"""What the certifier would find in a trace, the runtime refuses before it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_saga.runtime.kernel.payload import unsound
from agent_saga.trace.secrets import FORMS, kind_of_secret
from agent_saga.trace.values import LONG


@pytest.mark.parametrize("form", [form for *_, form in FORMS], ids=[kind for *_, kind, _ in FORMS])
def test_no_goal_argument_or_job_holds_what_as604_finds(form: str) -> None:
    @settings(max_examples=30, deadline=None, database=None)
    @given(st.from_regex(form, fullmatch=True, alphabet=st.characters(max_codepoint=126, min_codepoint=32)))
    def refused(text: str) -> None:
        if len(text) >= LONG and kind_of_secret(text):
            assert (unsound({"a": [text]}) or ("",))[0] == "secret"

    refused()
