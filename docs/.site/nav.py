"""Expands the globs of mkdocs.yml's nav; a page that no entry names is listed under "More"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Entry = str | dict[str, Any]


def on_config(config: Any) -> Any:
    """Called by mkdocs with the configuration as read."""
    docs = Path(config["docs_dir"])
    seen: set[str] = set()
    nav = [entry for entry in (_expand(docs, entry, seen) for entry in config["nav"]) if entry]
    pages = (str(path.relative_to(docs)) for path in sorted(docs.rglob("*.md")))
    rest = [
        page for page in pages if page not in seen and not any(p.startswith(".") for p in page.split("/"))
    ]
    config["nav"] = [*nav, {"More": rest}] if rest else nav
    return config


def _expand(docs: Path, entry: Entry, seen: set[str]) -> Entry | None:
    """One entry: a page that does not exist goes, a glob becomes its pages, order stays."""
    if isinstance(entry, str):
        seen.add(entry)
        return entry if (docs / entry).is_file() else None
    title, inner = next(iter(entry.items()))
    if isinstance(inner, str):
        kept = _expand(docs, inner, seen)
        return {title: kept} if kept else None
    pages: list[Entry] = []
    for item in inner:
        found = sorted(docs.glob(item)) if isinstance(item, str) and "*" in item else None
        names = [str(path.relative_to(docs)) for path in found] if found is not None else [item]
        fresh = [name for name in names if not (isinstance(name, str) and name in seen)]
        pages += [kept for name in fresh if (kept := _expand(docs, name, seen))]
    return {title: pages} if pages else None
