"""AS402 policy-digest-mismatch."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended, SagaStarted


def _started(saga: Saga, event: SagaStarted, line: int) -> Draft | None:
    own, adopted = event.policy, _adopted(saga, line)
    named = [one for one in dict.fromkeys((own, adopted)) if one is not None]
    police, policing = saga.common.police, saga.common.policing
    if not police:
        for one in named:
            policing.name(one)
        return None if police.trust.first_use or not named else _unpinned(named[0], line)
    if not named:
        because = f"saga.started (line {line}) names no policy, and none is in force in the log"
        return _draft(because, police.trust.digest, line)
    return next((_other(one, police.trust.digest, line) for one in named if one != police.trust.digest), None)


def _intended(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    """Another policy may have been adopted while the saga ran."""
    digest = saga.common.police.trust.digest
    adopted = _adopted(saga, line) if digest else None
    if adopted is None or adopted in (digest, _adopted(saga, saga.first_line)):
        return None
    because = f"the log has adopted the policy {adopted[:16]}... before line {line}, where {event.tool} was begun"
    return Draft("policy", because, _expected(digest), (at(line, f"effect.intended {event.effect}"),))


def _adopted(saga: Saga, line: int) -> str | None:
    """The policy that the log's own lines put in force at a line."""
    authority = saga.common.authority
    return authority.history.at(authority.place(line)).policy if authority.history is not None else None


def _unpinned(named: str, line: int) -> Draft:
    because = f"the policy {named[:16]}... is in force at line {line}, and none is pinned: no call was judged by it"
    return Draft(
        "policy", because, "--policy FILE, your own copy of it", (at(line, "saga.started"),), inconclusive=True
    )


def _other(named: str, digest: str, line: int) -> Draft:
    return _draft(f"the policy {named[:16]}... is in force at line {line}", digest, line)


def _draft(because: str, digest: str, line: int) -> Draft:
    return Draft("policy", because, _expected(digest), (at(line, "saga.started"),))


def _expected(digest: str) -> str:
    return f"the policy {digest[:16]}... that was given"


RULE = Rule(
    code="AS402",
    name="policy-digest-mismatch",
    what=(
        "The saga ran under another policy than the one that you gave, or under none. Undecided when it names one and "
        "you gave none."
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
)
