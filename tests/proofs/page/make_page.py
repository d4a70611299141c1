"""Assembles the HTML verifier out of its sources, and tells its SHA-256 in the guide.

    python tests/proofs/page/make_page.py            writes tables.js, verify.html and the guide's digest
    python tests/proofs/page/make_page.py --check    exits 1 when one of them is not what would be written

The sources are ES modules. In the page they stand one behind the other in one strict script, each before what imports
it, with the words ``import`` and ``export`` taken off and nothing else changed. The hashes of script and style go into
the Content-Security-Policy, so the browser runs these bytes and no others.
"""

from __future__ import annotations

import re
import sys
import tomllib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import line_tables

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "proofs" / "agent_saga" / "proofs" / "page"
SOURCES = PAGE / "src"
GUIDE = ROOT / "docs" / "guide" / "html-verifier.md"
START = "app.js"

_IMPORT = re.compile(r'^import \{ ([^}]*) \} from "\./([a-z0-9]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function |class |const |let )", re.MULTILINE)
_TOP = re.compile(r"^(export )?(?:(?:async )?function|class|const|let) ([A-Za-z0-9_$]+)", re.MULTILINE)
_TOP_MANY = re.compile(r"^(?:const|let) [\[{]", re.MULTILINE)
_DIGEST = re.compile(r"(<!-- generated: digest -->\n\n).*?(<!-- end -->)", re.DOTALL)


class Sources:
    """The modules of the page, each before what imports it. Raises SystemExit for what cannot be joined."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts, self.order, self._names = texts, list[str](), dict[str, str]()
        self._exports = {name: {found[2] for found in _TOP.finditer(text) if found[1]} for name, text in texts.items()}
        self._visit(START, ())
        if unused := texts.keys() - set(self.order):
            raise SystemExit(f"no module imports {', '.join(sorted(unused))}")

    def _visit(self, name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise SystemExit(f"modules import each other: {' '.join([*above, name])}")
        if name in self.order:
            return
        for names, other in _IMPORT.findall(self.texts[name]):
            missing = {one.strip() for one in names.split(",") if one.strip()} - self._exports[other]
            if missing:
                raise SystemExit(f"{name} imports {', '.join(sorted(missing))}: {other} does not export that")
            self._visit(other, (*above, name))
        self._declare(name)
        self.order.append(name)

    def _declare(self, name: str) -> None:
        if _TOP_MANY.search(self.texts[name]):
            raise SystemExit(f"{name}: declare one name at a time at the top, so that two of a name are found")
        for found in _TOP.finditer(self.texts[name]):
            other = self._names.setdefault(found[2], name)
            if other != name:
                raise SystemExit(f"{found[2]} is declared in {other} and in {name}: in the page they would be one")

    def joined(self) -> str:
        """The script of the page."""
        return '"use strict";\n' + "".join(f"\n// ---- {name}\n{self._plain(name)}" for name in self.order)

    def _plain(self, name: str) -> str:
        text = _EXPORT.sub("", _IMPORT.sub("", self.texts[name]))
        if re.search(r"^(?:import|export)\b", text, re.MULTILINE) or "</script" in text:
            raise SystemExit(f"{name}: an import, export or end of script that cannot be taken off")
        return text.strip("\n") + "\n"


def _source(text: str) -> str:
    """A hash source of CSP level 2: what stands between the tags, to the byte."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def policy(script: str, style: str) -> str:
    """The Content-Security-Policy: nothing but this script and this style, and no connection to anywhere."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_source(script)}",
            f"style-src {_source(style)}",
            "connect-src 'none'",
            "img-src 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def page(tables: str) -> str:
    """The text of verify.html."""
    texts = {path.name: path.read_text("utf-8") for path in SOURCES.glob("*.js")} | {"tables.js": tables}
    script = "\n" + Sources(texts).joined()
    style = "\n" + (SOURCES / "page.css").read_text("utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    whole = (SOURCES / "template.html").read_text("utf-8")
    for mark, text in {"VERSION": version, "POLICY": policy(script, style), "STYLE": style, "SCRIPT": script}.items():
        if whole.count(f"%{mark}%") != 1:
            raise SystemExit(f"template.html: expected %{mark}% once")
        whole = whole.replace(f"%{mark}%", text)
    return whole


def guide(text: str, made: str) -> str:
    """The guide with the digest of the page."""
    told = f"```text\n{sha256(made.encode()).hexdigest()}  verify.html\n```\n\n"
    found, count = _DIGEST.subn(lambda match: match[1] + told + match[2], text)
    if count != 1:
        raise SystemExit(f"{GUIDE.name}: expected one place for the digest")
    return found


def files() -> dict[Path, str]:
    """Every file that is generated, with its text."""
    tables = line_tables.module()
    made = page(tables)
    return {
        SOURCES / "tables.js": tables,
        PAGE / "verify.html": made,
        GUIDE: guide(GUIDE.read_text("utf-8"), made),
    }


def stale() -> list[str]:
    """Which of them are not what would be written."""
    due = files()
    return [path.name for path, text in due.items() if not path.exists() or path.read_text("utf-8") != text]


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say which are stale."""
    if arguments == ["--check"]:
        old = stale()
        print("\n".join(f"{name} is stale: run make docs-generate" for name in old), end="\n" if old else "")
        return 1 if old else 0
    for path, text in files().items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
