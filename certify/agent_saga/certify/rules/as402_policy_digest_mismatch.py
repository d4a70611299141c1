"""AS402 policy-digest-mismatch."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.police import Police
from agent_saga.certify.rule import POLICY, Draft, Rule, at
from agent_saga.trace.events import EffectIntended, SagaStarted


def _started(saga: Saga, event: SagaStarted, line: int) -> Draft | None:
    own, adopted = event.policy, saga.common.authority.adopted(line)
    police: Police = saga.common.police
    if own is None and adopted is None and not police:
        return None
    named = [one for one in dict.fromkeys((own, adopted)) if one is not None]
    if not police:
        for one in named:
            saga.common.policing.name(one)
        return None if police.trust.first_use else _unpinned(named[0], line)
    if not named:
        return _draft(f"saga.started (line {line}) names no policy, and none is in force in the log", police, line)
    other = next((one for one in named if one not in police.statutes), None)
    if other is not None:
        return _draft(f"the policy {other[:16]}... is in force at line {line}", police, line)
    if police.several and police.in_force(line) is None:
        return _untold(police, line)
    if own and adopted and own != adopted:
        because = f"saga.started (line {line}) names the policy {own[:16]}..., and {adopted[:16]}... is in force there"
        return Draft("policy", because, "the policy that is in force in the log", (at(line, "saga.started"),))
    return None


def _intended(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    """Another policy may have been adopted while the saga ran."""
    police: Police = saga.common.police
    authority = saga.common.authority
    adopted = authority.adopted(line) if police else None
    if adopted is None or adopted in police.statutes or adopted == authority.adopted(saga.first_line):
        return None
    because = f"the log has adopted the policy {adopted[:16]}... before line {line}, where {event.tool} was begun"
    return Draft("policy", because, _expected(police), (at(line, f"effect.intended {event.effect}"),))


def _unpinned(named: str, line: int) -> Draft:
    because = f"the policy {named[:16]}... is in force at line {line}, and none is pinned: no call was judged by it"
    return Draft(
        "policy", because, "--policy FILE, your own copy of it", (at(line, "saga.started"),), inconclusive=True
    )


def _untold(police: Police, line: int) -> Draft:
    because = (
        f"{len(police.statutes)} policies were given, and which of them was in force at line {line} cannot be told: it "
        "takes log.opened and policy.adopted in the log, and the log's first key registry from you"
    )
    expected = "--registry FILE of a log whose own lines adopt its policies, or --policy FILE once"
    return Draft("policy", because, expected, (at(line, "saga.started"),), inconclusive=True)


def _draft(because: str, police: Police, line: int) -> Draft:
    return Draft("policy", because, _expected(police), (at(line, "saga.started"),))


def _expected(police: Police) -> str:
    named = " or ".join(f"{digest[:16]}..." for digest in police.statutes)
    return f"the policy {named} that was given"


RULE = Rule(
    code="AS402",
    name="policy-digest-mismatch",
    what=(
        "The saga ran under another policy than the one that you gave, or under none. Undecided when it names one and "
        "you gave none, or gave several and the log does not say which was in force."
    ),
    why="A verdict by one policy says nothing about a run that another policy let through.",
    bad="""\
--policy payments.yaml (digest 3f2a...)
saga.started policy 9c41...
""",
    good="""\
--policy payments.yaml (digest 3f2a...)
saga.started policy 3f2a...
""",
    fix="Give certify the policy that was in force, from the risk team and not from the log; or run under that one.",
    on={"saga.started": _started, "effect.intended": _intended},
    only_after={"effect.intended": (POLICY,)},
)
