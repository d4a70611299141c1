"""Writes fixtures/vectors/trace: lines that every reader of the format must accept or refuse, for any language.

    python tests/trace/make_vectors.py            writes them
    python tests/trace/make_vectors.py --check    exits 1 when they are not what would be written

A bad line is given as ``line`` (text), ``base64`` (bytes that are no text) or ``parts`` ([text, repetitions] pairs).
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bad_lines import BAD
from trace_samples import good_lines

from agent_saga.trace.conceal import conceal

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "vectors" / "trace"


def good() -> list[dict[str, str]]:
    """Accepted lines, with their leaf worked out here and not by the codec."""
    return [{"line": line.decode(), "leaf": sha256(b"\0" + line).hexdigest()} for line in good_lines()]


def bad() -> list[dict[str, Any]]:
    """Refused lines: name, code of the finding, and the bytes."""
    return [{"name": name, "code": code, **_spelled(found)} for name, (code, found) in BAD.items()]


def _spelled(found: bytes | list[list[Any]]) -> dict[str, Any]:
    if isinstance(found, list):
        return {"parts": found}
    try:
        text = found.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(found).decode()}
    return {"line": text}


def concealed() -> list[dict[str, Any]]:
    """Values with the salt, the disclosure and the placeholder that stands for them."""
    salt = "Zk9mQ2hXb0pRc1R2VXd4eQ"
    values = ["Ada Lovelace", 4200, None, True, {"iban": "DE89370400440532013000", "ok": [1, "é\n"]}, [], "\u2028/\x7f"]
    found = []
    for value in values:
        placeholder, disclosure = conceal(value, salt)
        found.append({"salt": salt, "value": value, "disclosure": disclosure, "placeholder": placeholder})
    return found


def files() -> dict[str, str]:
    """The text of every file of vectors."""
    made = {"good.json": good(), "bad.json": bad(), "conceal.json": concealed()}
    return {name: json.dumps(vectors, indent=1) + "\n" for name, vectors in made.items()}


def main(arguments: list[str]) -> int:
    """Write the files, or say which of them differ."""
    wrong = [n for n, text in files().items() if not (FOLDER / n).is_file() or (FOLDER / n).read_text("utf-8") != text]
    if "--check" not in arguments:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, text in files().items():
            (FOLDER / name).write_text(text, "utf-8")
        return 0
    print(f"out of date: {wrong}; run python tests/trace/make_vectors.py" if wrong else "up to date")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
