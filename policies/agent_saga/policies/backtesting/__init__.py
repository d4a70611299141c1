"""What a policy would have decided about the calls that traces hold: before it is adopted, on last month's runs.

- :mod:`~.reading`: calls and refusals out of the lines of traces and stores, in the order of the log
- :mod:`~.judging`: one policy over them, its limits counted as the gate would count them
- :mod:`~.comparing`: two answers to one call, and what changes; :mod:`~.result`: the numbers
- :mod:`~.running`: all of it over any number of inputs

A back-test believes its traces. Whether a trace is whole and unchanged is told by ``agent-saga certify``.

Source: docs/guide/backtest.md.
"""

from agent_saga.policies.backtesting.result import Flip, Result, Tally
from agent_saga.policies.backtesting.running import Against, backtest

__all__ = ["Against", "Flip", "Result", "Tally", "backtest"]
