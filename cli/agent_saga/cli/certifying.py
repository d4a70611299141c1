"""``agent-saga certify``: the command. What it does with its options stands in :mod:`agent_saga.cli.judging`."""

from typing import Final

import typer

from agent_saga.cli import options as o

_OWN: Final = (
    "write_baseline",
    "sign",
    "certificate",
    "passphrase_file",
    "config",
    "no_config",
    "verbose",
    "quiet",
)
_WAYS: Final = ("state", "engine", "parts", "work", "task_queue", "payload_keys")
"""Options that are no settings: no file and no variable can give them."""


def certify(
    context: typer.Context,
    paths: o.Paths = None,
    format: o.Format = None,
    output: o.Output = None,
    select: o.Select = None,
    ignore: o.Ignore = None,
    fail_on: o.FailOn = None,
    inconclusive: o.Inconclusive = None,
    open: o.Open = None,
    baseline: o.BaselineFile = None,
    write_baseline: o.WriteBaseline = None,
    show_suppressed: o.ShowSuppressed = None,
    now: o.Now = None,
    config: o.Config = None,
    no_config: o.NoConfig = False,
    stdin_filename: o.StdinFilename = None,
    jobs: o.Jobs = None,
    expect_root: o.ExpectRoot = None,
    expect_size: o.ExpectSize = None,
    checkpoint: o.Checkpoint = None,
    pin: o.Pin = None,
    registry: o.Registry = None,
    registry_digest: o.RegistryDigest = None,
    trust_on_first_use: o.TrustOnFirstUse = None,
    policy: o.Policy = None,
    require_policy_digest: o.RequirePolicyDigest = None,
    waivers: o.WaiversFile = None,
    sign: o.Sign = None,
    certificate: o.Certificate = None,
    passphrase_file: o.PassphraseFile = None,
    state: o.State = None,
    engine: o.EngineName = None,
    parts: o.Parts = None,
    work: o.WorkFolder = None,
    task_queue: o.TaskQueue = None,
    payload_keys: o.PayloadKeys = None,
    require_chain: o.RequireChain = None,
    mapping: o.MappingFile = None,
    disclosures: o.Disclosures = None,
    controls: o.Controls = None,
    verbose: o.Verbose = 0,
    quiet: o.Quiet = 0,
    log_format: o.LogFormat = None,
) -> None:
    """Judge traces: is every effect undone, approved or proven?

    Reads agent-saga traces, stores and bundles, agent-saga logs, Agentic Saga traces and Temporal histories, plain or
    compressed, and tells them apart by itself. Writes nothing but the reports, the baseline and the certificate that
    you name.
    """
    from agent_saga.cli.fleet import Ways
    from agent_saga.cli.judging import Request, judge

    flags = dict(context.params)
    own = {name: flags.pop(name) for name in _OWN}
    ways = Ways(**{name: flags.pop(name) for name in _WAYS})
    raise typer.Exit(judge(Request(flags=flags, ways=ways, **own)))
