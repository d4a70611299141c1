"""``agent-saga certify``: the command. What it does with its options stands in :mod:`agent_saga.cli.judging`."""

import typer

from agent_saga.cli import options as o


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
    require_chain: o.RequireChain = None,
    mapping: o.MappingFile = None,
    disclosures: o.Disclosures = None,
    verbose: o.Verbose = 0,
    quiet: o.Quiet = 0,
    log_format: o.LogFormat = None,
) -> None:
    """Judge traces: is every effect undone, approved or proven?

    Reads agent-saga traces, agent-saga logs, Agentic Saga traces and Temporal histories, plain or compressed, and tells
    them apart by itself. Writes nothing but the reports and the baseline that you name.
    """
    from agent_saga.cli.judging import Request, judge

    flags = dict(context.params)
    own = {name: flags.pop(name) for name in ("write_baseline", "config", "no_config", "verbose", "quiet")}
    raise typer.Exit(judge(Request(flags=flags, **own)))
