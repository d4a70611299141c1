"""What a caller of the certifier chooses, and everything read that the choices name, before any input is.

Source: docs/rules.md.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from agent_saga.certify.baseline import Baseline
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.judging.disclosing import Placed, read_disclosures
from agent_saga.certify.judging.inputs import Task
from agent_saga.certify.policing.trust import Files, PolicyTrust, read_policy_trust
from agent_saga.certify.report import Choices
from agent_saga.certify.source import ImportChoices
from agent_saga.certify.standing.trust import Trust, read_trust
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.trace.errors import SourceError
from agent_saga.trace.reader import STDIN


@dataclass(frozen=True)
class Options:
    """What a caller of :func:`certify` may choose.

    disclosures: files with one disclosure a line. jobs: processes. stdin_name: how standard input is called.
    wanted: what the lines must stand under; None reads it from the files that the choices name.
    trust, policy: whose registry and which policy count, likewise.
    keep_sagas: report every judged saga. timelines: with the events of each. progress: told (input, bytes read).
    """

    choices: Choices = field(default_factory=Choices)
    mapping: Mapping[str, object] | None = None
    disclosures: tuple[str, ...] = ()
    jobs: int = 1
    keep_sagas: bool = False
    timelines: bool = False
    baseline: Baseline | None = None
    wanted: Wanted | None = None
    trust: Trust | None = None
    policy: PolicyTrust | None = None
    stdin_name: str = STDIN
    progress: Callable[[str, int], None] | None = None


@dataclass(frozen=True)
class Prepared:
    """Options with everything read that they name: disclosures, checkpoints and pin, registry, policy and waivers."""

    options: Options
    disclosures: tuple[Placed, ...]
    wanted: Wanted
    trust: Trust
    policy: PolicyTrust

    def task(self, path: str, name: str) -> Task:
        """What is asked about one input. name: how reports call it."""
        options, choices = self.options, self.options.choices
        return Task(
            path=path,
            name=name,
            imports=ImportChoices(choices.expected_root, options.mapping, choices.require_chain),
            disclosures=self.disclosures,
            wanted=self.wanted,
            trust=self.trust,
            policy=self.policy,
            keep_sagas=options.keep_sagas or options.timelines,
            timelines=options.timelines,
            open_is_inconclusive=choices.open == "inconclusive",
        )


def prepared(options: Options) -> Prepared:
    """Read what the options name.

    Raises SourceError when a disclosure file, a checkpoint, the pin or the waivers cannot be read, KeyFault for a pin
    that is none, RegistryFault for a registry that is none, PolicyError for a policy that is none, and PolicyChoice.
    """
    disclosures = tuple(read_disclosures(options.disclosures))
    choices = replace(options.choices, mapping_sha256=_digest(options.mapping))
    wanted = _wanted(choices) if options.wanted is None else options.wanted
    trust = options.trust
    if trust is None:
        trust = read_trust(choices.registry, choices.registry_digest, choices.trust_on_first_use)
    policy = options.policy
    if policy is None:
        policy = read_policy_trust(Files(choices.policies, choices.policy_digest, choices.waivers), trust)
    if policy.waivers is not None:
        choices = replace(choices, waivers_sha256=policy.waivers.digest)
    return Prepared(replace(options, choices=choices), disclosures, wanted, trust, policy)


def _digest(mapping: Mapping[str, object] | None) -> str:
    """SHA-256 over a mapping, whatever form it was written in; "" for none."""
    if mapping is None:
        return ""
    return sha256(json.dumps(mapping, sort_keys=True, default=str).encode()).hexdigest()


def _wanted(choices: Choices) -> Wanted:
    """What the choices want the lines to stand under."""
    if not choices.pin:
        if choices.checkpoints:
            raise SourceError(f"{choices.checkpoints[0]}: a checkpoint needs a pin, which says whose signature counts")
        return Wanted(None, (), choices.expected_root, choices.expected_size)
    from agent_saga.proofs.pins import MAX_PIN, parse_pins  # only who pins a key pays for what it loads

    try:
        pins = parse_pins(_bounded(choices.pin, MAX_PIN).decode())
    except UnicodeDecodeError as fault:
        raise SourceError(f"{choices.pin}: is no pin file: not UTF-8") from fault
    notes = tuple(_bounded(path, MAX_NOTE) for path in choices.checkpoints)
    return Wanted(pins, notes, choices.expected_root, choices.expected_size)


def _bounded(path: str, most: int) -> bytes:
    """The bytes of a small file, cut to one more than it may have. Raises SourceError."""
    try:
        with open(path, "rb") as stream:
            return stream.read(most + 1)
    except (OSError, ValueError) as fault:
        raise SourceError(f"{path}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
