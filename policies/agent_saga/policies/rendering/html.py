"""The page as one HTML file: no script, nothing from the network, made to be printed and signed.

A policy in the page forbids everything but its own style sheet, named by its hash; so even a value that got past the
escaping could neither run nor load anything.
"""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files

from agent_saga.policies.rendering.blocks import Block, Card, Page, Paragraph, Table
from agent_saga.policies.rendering.prose import Prose, as_html
from agent_saga.trace.escaping import xml


def html_page(page: Page) -> str:
    """The page as text."""
    style = (files("agent_saga.policies.rendering") / "page.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    csp = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{csp}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
            f"<title>{xml(page.title)}</title>",
            f"<style>{style}</style></head><body>",
            '<a class="skip" href="#rules">Skip to the rules</a>',
            *_header(page),
            "<main>",
            *(line for section in page.sections for line in _section(section.id, section.title, section.blocks)),
            *_signatures(page),
            "</main>",
            "</body></html>",
            "",
        ]
    )


def _header(page: Page) -> Iterator[str]:
    kind, _, name = page.title.partition(" ")
    yield f'<header><p class="kind">{xml(kind)}</p><h1>{xml(name)}</h1>'
    if page.lead:
        yield f'<p class="lead">{as_html(page.lead)}</p>'
    yield '<dl class="facts">'
    yield from (f"<div><dt>{xml(term)}</dt><dd>{as_html(value)}</dd></div>" for term, value in page.facts)
    yield '</dl><nav aria-label="On this page"><ul>'
    yield from (f'<li><a href="#{xml(one.id)}">{xml(one.title)}</a></li>' for one in page.sections)
    yield '<li><a href="#signatures">Signatures</a></li></ul></nav></header>'


def _section(ident: str, title: str, blocks: tuple[Block, ...]) -> Iterator[str]:
    yield f'<section aria-labelledby="{xml(ident)}"><h2 id="{xml(ident)}">{xml(title)}</h2>'
    for block in blocks:
        yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        quiet = ' class="quiet"' if block.quiet else ""
        yield f"<p{quiet}>{as_html(block.words)}</p>"
    elif isinstance(block, Table):
        yield from _table(block)
    else:
        yield from _card(block)


def _table(table: Table) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0"><table><thead><tr>'
    yield from (f'<th scope="col"{_right(table, n)}>{xml(head)}</th>' for n, head in enumerate(table.heads))
    yield "</tr></thead><tbody>"
    yield from (_row(table, row) for row in table.rows)
    yield "</tbody></table></div>"


def _right(table: Table, column: int) -> str:
    return ' class="n"' if column in table.right else ""


def _row(table: Table, row: tuple[Prose, ...]) -> str:
    first = f'<th scope="row">{as_html(row[0])}</th>'
    rest = "".join(f"<td{_right(table, n)}>{as_html(cell)}</td>" for n, cell in enumerate(row[1:], 1))
    return f"<tr>{first}{rest}</tr>"


def _card(card: Card) -> Iterator[str]:
    yield f'<article class="card {card.tone}">'
    yield f'<h3><code>{xml(card.id)}</code> <span class="tag">{xml(card.label)}</span></h3>'
    yield f'<p class="says">{as_html(card.words)}</p>'
    if card.lines:
        yield '<ul class="notes">'
        yield from (f"<li>{as_html(line)}</li>" for line in card.lines)
        yield "</ul>"
    if card.samples:
        yield '<table class="samples"><caption>Examples, as the engine answers them</caption><tbody>'
        for one in card.samples:
            answer = f'<td class="{one.tone}"><span class="mark" aria-hidden="true"></span>{as_html(one.answer)}</td>'
            yield f'<tr><th scope="row">{as_html(one.call)}</th>{answer}</tr>'
        yield "</tbody></table>"
    yield "</article>"


def _signatures(page: Page) -> Iterator[str]:
    yield '<section class="signatures" aria-labelledby="signatures"><h2 id="signatures">Signatures</h2>'
    digest = next((as_html(value) for name, value in page.facts if name == "Digest"), "")
    yield f"<p>I have read this page. I sign for the policy with the digest {digest} and no other.</p>"
    yield '<div class="signers">'
    for word in page.signers:
        fields = "".join(f"<p><span>{name}</span></p>" for name in ("Name", "Role", "Date", "Signature"))
        yield f'<div class="signer"><h3>{xml(word)}</h3>{fields}</div>'
    yield "</div></section>"
