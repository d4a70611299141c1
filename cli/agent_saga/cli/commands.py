"""The command with all its commands, as an application of Typer."""

from agent_saga.cli.assembling import assembled

app = assembled()
"""The Typer application, for those who nest or document it; it ends with exceptions where ``main`` ends in words."""
