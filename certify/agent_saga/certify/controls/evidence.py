"""What a control may need besides rules: things that only the one who asks can give, such as a pinned checkpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from agent_saga.certify.report import Report
from agent_saga.certify.standing.trust import was_first_use


@dataclass(frozen=True, slots=True)
class Evidence:
    """One kind of evidence. what: in words. give: how a user gives it. given: whether this report stands on it."""

    what: str
    give: str
    given: Callable[[Report], bool]


def _chained(report: Report) -> bool:
    return not any("AS114" in item.not_assessable for item in report.inputs)


def _checkpoint(report: Report) -> bool:
    # Lines behind the checkpoint are nobody's word yet: they could be others by the time the next one is signed.
    pinned = [(item.lines, item.checkpoint) for item in report.inputs]
    return all(one is not None and one.agrees and lines <= one.size for lines, one in pinned)


def _registry(report: Report) -> bool:
    # The log's own registry, taken as it is, says whose keys count in the words of the party that is judged.
    return all(item.registry and not was_first_use(item.assumptions) for item in report.inputs)


def _policy(report: Report) -> bool:
    return all(item.policy for item in report.inputs)


def _trait(name: str) -> Callable[[Report], bool]:
    return lambda report: _policy(report) and name in report.policy_traits


EVIDENCE: Final[Mapping[str, Evidence]] = {
    "chain": Evidence("a hash chain in every input", "judge a source whose format has one", _chained),
    "checkpoint": Evidence(
        "a signed checkpoint over all lines, by a key that you pin",
        "--checkpoint FILE --pin PIN",
        _checkpoint,
    ),
    "registry": Evidence(
        "a key registry that you pin yourself",
        "--registry FILE or --registry-digest HEX",
        _registry,
    ),
    "policy": Evidence("a policy of your own that the calls were judged by", "--policy FILE", _policy),
    "limits": Evidence("a policy with a limit that binds", "--policy FILE, with limits in it", _trait("limits")),
    "argument-rules": Evidence(
        "a policy with a rule or limit that reads arguments",
        "--policy FILE, with conditions on args in it",
        _trait("argument-rules"),
    ),
    "chain-rules": Evidence(
        "a policy with a rule that reads the chain",
        "--policy FILE, with conditions on chain in it, as in the pack aisvs-c9",
        _trait("chain-rules"),
    ),
}
"""By the name that the map uses."""
