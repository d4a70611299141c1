"""Measures approvals: how many a second are verified, scheme by scheme, beside the bare check of their signature.

    python tests/bench/approvals.py                    1,000 requests a scheme
    python tests/bench/approvals.py --requests 10000

One verification reads the request strictly, hashes it and its action, and checks the signature with all that its scheme
demands. The floor is the signature alone, by the same library, under a key that was parsed before. Both are taken in
turns, over requests that all differ, 100 at a time; the best of each counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "approvals"))

import people
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agent_saga.approvals.proofs import verify_approval

CHUNK = 100
KEYS = ("ana-software", "ben-hsm", "cyd-ssh", "ben-sk", "ana-passkey")


def proofs(key_id: str, requests: int) -> list[dict[str, Any]]:
    """Proofs by one key of as many requests that differ."""
    return [people.proof(people.request(key_id, nonce=people.nonce(str(number)))) for number in range(requests)]


def seconds(work: Callable[[Any], object], given: list[Any]) -> float:
    """Of the processor, so that other work on the machine counts for little."""
    begun = time.process_time()
    for one in given:
        work(one)
    return (time.process_time() - begun) / len(given)


def measured(key_id: str, requests: int) -> tuple[float, float]:
    """Seconds of a verification, and of a bare check of an Ed25519 signature over as many bytes as ssh signs."""
    registry, given = people.parsed(), proofs(key_id, requests)
    private, line = people.private(key_id), b"x" * 102
    public, signature = Ed25519PublicKey.from_public_bytes(private.public_key().public_bytes_raw()), private.sign(line)
    rounds = [
        (
            seconds(lambda one: verify_approval(one, registry), given[at : at + CHUNK]),
            seconds(lambda _: public.verify(signature, line), given[at : at + CHUNK]),
        )
        for at in range(0, requests, CHUNK)
    ]
    return min(one for one, _ in rounds), min(one for _, one in rounds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="approvals verified a second, by scheme")
    parser.add_argument("--requests", type=int, default=1_000)
    requests = parser.parse_args().requests
    print(f"{'scheme':<12}{'approvals/s':>12}{'Ed25519/s':>12}{'ratio':>8}")
    for key_id in KEYS:
        ours, floor = measured(key_id, requests)
        print(f"{people.parsed().key[key_id].scheme:<12}{1 / ours:>12,.0f}{1 / floor:>12,.0f}{ours / floor:>8.2f}")


if __name__ == "__main__":
    main()
