"""Which calls are still at work in threads of this process that nobody waits for any more.

No thread can be stopped. A blocking tool that was given up on goes on, and what it does may come after its provider was
asked and knew nothing: so long, *absent* is no answer.
"""

import os
from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Any

_lock = Lock()
_keys: Counter[str] = Counter()
os.register_at_fork(after_in_child=_keys.clear)  # threads do not follow into a fork


def at_work(key: str, function: Callable[[], Any]) -> Callable[[], Any]:
    """The function, known to be at work under this key from now on until it ends."""

    def work() -> Any:
        try:
            return function()
        finally:
            with _lock:
                _keys[key] -= 1
                if _keys[key] <= 0:
                    del _keys[key]

    with _lock:
        _keys[key] += 1
    return work


def is_at_work(key: str) -> bool:
    """Whether a call under this key has not ended yet."""
    with _lock:
        return key in _keys
