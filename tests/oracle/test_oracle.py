"""Two judges that share no code agree about every small saga: `make test` asks about a fixed tenth of them,
`make test-long` about all."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from oraclelib import cases  # noqa: E402
from oraclelib.acts import Act  # noqa: E402
from oraclelib.compare import compare  # noqa: E402
from oraclelib.facts import in_force, outcome, undone  # noqa: E402
from oraclelib.judge import broken  # noqa: E402
from oraclelib.sagas import Plan, sequential  # noqa: E402

TENTH = 10
PARTS = 4
GROUPS: dict[str, tuple[Callable[[int], Iterable[cases.Case]], int]] = {
    "small": (lambda every: islice(cases.small(), 0, None, every), 180_000),
    "parallel": (lambda every: islice(cases.parallel(), 0, None, every), 100_000),
    **{f"sample-{n}": (lambda every, n=n: cases.sample(every, n, PARTS), 50_000) for n in range(PARTS)},
}
"""Sagas to ask about, and how many there are at least; the sample in parts, which may run side by side."""


def _agree(name: str, every: int) -> None:
    make, least = GROUPS[name]
    tally = compare(make(every))
    print(f"{name}: {tally}")
    assert not tally.disagreements, "\n".join(tally.disagreements[:20])
    assert tally.sagas >= least // every
    assert 0 < tally.certified < tally.sagas


@pytest.mark.parametrize("name", GROUPS)
def test_both_judges_agree_on_a_fixed_tenth(name: str) -> None:
    _agree(name, TENTH)


@pytest.mark.slow
@pytest.mark.parametrize("name", GROUPS)
def test_both_judges_agree_on_all(name: str) -> None:
    _agree(name, 1)


@pytest.mark.parametrize("module", ["acts", "facts", "judge", "sagas", "cases"])
def test_the_oracle_shares_no_code_with_the_certifier(module: str) -> None:
    tree = ast.parse((HERE / "oraclelib" / f"{module}.py").read_text("utf-8"))
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not [name for name in named if name.startswith("agent_saga")]


def test_the_oracle_knows_the_plain_cases() -> None:
    done, kept = Act("compensable", "ok", "proper"), Act("compensable", "ok", "none")
    assert broken(sequential(Plan((done, done), (1, 0), "compensated"))) == set()
    assert broken(sequential(Plan((done, done), (0, 1), "compensated"))) == {"AS210"}
    assert broken(sequential(Plan((done, kept), (0,), "compensated"))) == {"AS201", "AS210"}
    assert broken(sequential(Plan((kept,), (), "success"))) == set()
    assert broken(sequential(Plan((kept,), (), "no check"))) == {"AS501"}
    assert broken(sequential(Plan((Act("reversible", "unknown", "none"),), (), "success"))) == {"AS202"}


@pytest.mark.parametrize(
    "act, wants",
    [
        (Act("reversible", "ok", "none"), ("applied", False, True)),
        (Act("reversible", "unknown", "proper"), ("unknown", True, False)),
        (Act("reversible", "absent", "none"), ("absent", False, False)),
        (Act("compensable", "landed", "in parts"), ("applied", True, False)),
        (Act("compensable", "ok", "partial"), ("applied", False, True)),
        (Act("compensable", "ok", "unknown"), ("applied", False, True)),
        (Act("preview", "ok", "none"), ("applied", False, False)),
    ],
)
def test_the_oracle_tells_what_became_of_an_effect(act: Act, wants: tuple[str, bool, bool]) -> None:
    lines = sequential(Plan((act,), (0,), "compensated"))
    assert (outcome(lines, "effect", "e0"), undone(lines, "e0"), in_force(lines, "e0")) == wants
