"""``agent-saga policy sign``: a person stands for a version of a policy, or for one waiver of it."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_saga.cli.approvals.consent import agreed, made
from agent_saga.cli.approvals.given import KeyOption, answered, instant_of, now, read_bytes, registry_of, told
from agent_saga.cli.approvals.signers import Fingerprint, Means
from agent_saga.cli.grouped import grouped
from agent_saga.cli.policies.given import PolicyArgument, RegistryOption, loaded, say_faults
from agent_saga.cli.policies.writing import replace_file
from agent_saga.cli.terminal import say, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_saga.approvals.registry import Key, Registry
    from agent_saga.policies.model import Policy
    from agent_saga.policies.signing import PolicyStatement, Signatures


@grouped
def sign(
    file: PolicyArgument,
    registry: RegistryOption,
    key: KeyOption,
    means: Means,
    waiver: Annotated[
        str, typer.Option("--waiver", metavar="ID", help="Sign this waiver, in the file of waivers beside the policy.")
    ] = "",
    fingerprint: Fingerprint = "",
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="When it is signed (RFC 3339). [now]")] = "",
) -> int:
    """Sign a policy that loads, into POLICY.sig.json beside it; its version must be above the one that is signed there.

    What is signed is the policy's digest: comments, order and its tests may change afterwards, its meaning may not.
    `agent-saga policy render` is the page to read before.
    Exit codes: 0 signed, 1 refused or not confirmed, 2 there is no such file.
    """
    from agent_saga.policies.loading import PolicyError

    means.check()

    def work() -> int:
        try:
            policy, (known, digest) = loaded(file), registry_of(registry)
            if waiver:
                return _waiver(policy, waiver, _key(known, key), known, means, fingerprint)
            statement = _statement(policy, _key(known, key), digest, instant_of(at, "--at") if at else now())
            return _policy(policy, statement, known, means, fingerprint)
        except PolicyError as error:
            return say_faults(error, "text")

    return answered(work)


def _key(registry: "Registry", id: str) -> "Key":
    from agent_saga.approvals.errors import NotApproved

    if id not in registry.key:
        raise NotApproved("unknown-key", f"the registry holds no key {id[:64]!r}")
    return registry.key[id]


def _before(policy: "Policy") -> "Signatures | None":
    """What is signed beside the policy. Raises NotApproved."""
    from agent_saga.policies.signing import read_signatures, signature_path

    path = signature_path(policy.source)
    return read_signatures(read_bytes(path)) if os.path.lexists(path) else None


def _statement(policy: "Policy", key: "Key", registry: str, at: str) -> "PolicyStatement":
    from agent_saga.policies.signing import statement_for

    return statement_for(policy, key, registry, at, _before(policy))


def _policy(
    policy: "Policy", statement: "PolicyStatement", registry: "Registry", means: Means, fingerprint: str
) -> int:
    from agent_saga.approvals.requests import as_written
    from agent_saga.policies.signing.files import signature_path, written
    from agent_saga.policies.signing.making import sign_statement
    from agent_saga.policies.signing.statements import DOMAIN

    before, value = _before(policy), as_written(statement)
    due = _fingerprint(DOMAIN, value)
    lines = [*_shown(f"stand for {policy.policy} version {policy.version}", due, value), _tested(policy)]
    agreed(lines, due, fingerprint)
    proof = made(means, registry, lambda signer: sign_statement(statement, registry, signer))
    kept = before.proofs if before is not None and before.digest == policy.digest else ()
    path = signature_path(policy.source)
    replace_file(path, written((*kept, proof)))
    signed = f"{statement.person} signed {policy.policy} version {policy.version}, digest {policy.digest}"
    say(visible(f"{path}: {signed}") + "\n")
    if registry.changes is not None and len(kept) + 1 < registry.changes.quorum:
        told(f"{len(kept) + 1} of {registry.changes.quorum} persons have signed")
    return 0


def _tested(policy: "Policy") -> str:
    """What the signer should know of a policy's tests, which are no part of what is signed."""
    from agent_saga.policies.cases import run_cases

    report = run_cases(policy)
    passed = len(report.results) - len(report.failed)
    return f"tests        {passed} of {len(report.results)} pass, coverage {report.coverage.percent}%"


def _waiver(policy: "Policy", id: str, key: "Key", registry: "Registry", means: Means, fingerprint: str) -> int:
    from agent_saga.policies.signing.inserting import with_proof
    from agent_saga.policies.signing.waivers import DOMAIN, check_waiver, sign_waiver, signed_value
    from agent_saga.policies.waiving import unsigned, waivers_path

    path = waivers_path(policy.source)
    data = read_bytes(path)
    node = unsigned(path, policy, id)
    value = signed_value(node.plain, policy.policy)
    due = _fingerprint(DOMAIN, value)
    agreed(_shown(f"lift {node.plain['rule']} until {node.plain['expires']}", due, value), due, fingerprint)
    proof = made(means, registry, lambda signer: sign_waiver(node.plain, policy.policy, key.id, registry, signer))
    check_waiver(node.plain | {"proof": proof}, policy, registry)
    replace_file(path, with_proof(data, path, node, proof))
    say(visible(f"{path}: {id} is signed by {key.person}") + "\n")
    return 0


def _fingerprint(domain: bytes, value: Any) -> str:
    from agent_saga.approvals.digests import digest, fingerprint

    return fingerprint(digest(domain, value))


def _shown(what: str, due: str, value: Any) -> "Iterator[str]":
    """The lines that show what would be signed, in full."""
    from agent_saga.approvals.display import members

    yield f"fingerprint  {due}"
    yield f"what         {what}"
    yield from (f"{path} = {text}" for path, text in members(value, value))
