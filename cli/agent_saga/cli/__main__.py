"""``python -m agent_saga.cli`` is ``agent-saga``."""

from agent_saga.cli import main

main()
