"""Kill a checkout while a charge is under way, let another process go on, and count what really happened."""

import tempfile
from pathlib import Path

from agent_saga.testing import KillPoint, assert_certified, assert_replays, kill_and_recover
from agent_saga.testing.scenarios import Shop, lost_response


def main() -> None:
    """The third append makes the charge's outcome durable: right before it, nobody knows whether there was a charge."""
    point = KillPoint(lost_response.spec, "before", 3)
    with tempfile.TemporaryDirectory() as folder:
        end = kill_and_recover(point, Path(folder))
        print(f"killed {point}; recovered: {[report['status'] for report in end.reports]}")
        for effect in Shop.beside(end.store).ledger():
            print(f"  {effect.provider:<9} {effect.action:<9} {effect.times} times, taken back {effect.undone} times")
            assert effect.sound
            assert effect.stands
        print(assert_certified(end.store).headline)
        assert_replays(end.store, end.runnable)


if __name__ == "__main__":
    main()
