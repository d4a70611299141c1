"""Puts a judge of our own behind the command: found by Python at start-up when its folder is on PYTHONPATH.

STANDIN_MODE: `record` writes what the command asked for to STANDIN_OUT and gives STANDIN_EXIT; `crash` fails as a bug
would; `skeleton` asks for a mapping; `wait` waits until it is interrupted.
"""

import dataclasses
import json
import os
import sys
import time
import types


@dataclasses.dataclass(frozen=True)
class Options:
    choices: object = None
    mapping: object = None
    disclosures: tuple = ()
    jobs: int = 1
    keep_sagas: bool = False
    timelines: bool = False
    baseline: object = None
    stdin_name: str = "-"
    progress: object = None


def certify(paths, options):
    from agent_saga.trace.errors import AgentSagaError

    mode = os.environ["STANDIN_MODE"]
    if mode == "crash":
        raise RuntimeError("the card number 4111-1111-1111-1111")
    if mode == "wait":
        print("waiting", file=sys.stderr, flush=True)
        time.sleep(60)
    if mode == "skeleton":
        fault = AgentSagaError("history.json: a mapping is needed: save this one and say which activities are effects")
        fault.skeleton = '{"activities": {}}'
        raise fault
    if mode == "progress" and options.progress:
        options.progress(paths[0], 1_200_000)
    _record(paths, options)
    return _report(paths, options)


def _record(paths, options):
    if target := os.environ.get("STANDIN_OUT"):
        seen = {f.name: getattr(options, f.name) for f in dataclasses.fields(options)}
        seen |= {"choices": dataclasses.asdict(options.choices), "paths": list(paths)}
        seen |= {"baseline": bool(options.baseline), "progress": bool(options.progress)}
        with open(target, "w", encoding="utf-8") as stream:
            json.dump(seen, stream)


def _report(paths, options):
    from agent_saga.certify.report import Exit, InputReport, Report, Verdict

    verdicts = {0: "certified", 1: "not certified", 3: "inconclusive", 4: "nothing to check"}
    code = int(os.environ.get("STANDIN_EXIT", "0"))
    files = [p for p in paths if os.path.isfile(p)]
    inputs = tuple(InputReport(p, "stand-in", 1, 1, "", 1) for p in files)
    return Report(
        "0", "0", Verdict(verdicts[code]), Exit(code), inputs, (), 1, (), (), (), options.choices, (), ()
    )  # fmt: skip


if "STANDIN_MODE" in os.environ:
    module = types.ModuleType("agent_saga.certify.run")
    module.Options, module.certify = Options, certify
    sys.modules[module.__name__] = module
