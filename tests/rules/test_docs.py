"""The pages of the rules are what the rules say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

import make_rules

from agent_saga.certify.rules import all_rules

DECIDES = make_rules.ROOT / "docs" / "rules.md"


def test_the_pages_are_what_the_rules_say() -> None:
    assert not make_rules.stale(), "run `make docs-generate`"


def test_no_page_names_a_place_on_the_machine_that_wrote_it() -> None:
    assert not [name for name, text in make_rules.pages() if str(make_rules.ROOT) in text]


def test_how_certify_decides_names_only_rules_that_exist() -> None:
    named = set(re.findall(r"\bAS\d{3}\b", DECIDES.read_text("utf-8")))
    later = {"AS302", "AS304", "AS305", "AS306", "AS307", "AS308", "AS309", "AS310"}
    assert not named - set(all_rules()) - later
