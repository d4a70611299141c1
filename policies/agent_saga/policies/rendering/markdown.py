"""The page as GitHub-flavoured Markdown."""

from collections.abc import Iterator

from agent_saga.policies.rendering.blocks import Block, Card, Page, Paragraph, Table
from agent_saga.policies.rendering.prose import as_markdown
from agent_saga.trace.escaping import code, markdown


def markdown_page(page: Page) -> str:
    """The page as text."""
    lines = list(_lines(page))
    kept = [line for number, line in enumerate(lines) if line or not number or lines[number - 1]]
    return "\n".join([*kept, ""])


def _lines(page: Page) -> Iterator[str]:
    yield f"# {markdown(page.title)}"
    yield ""
    if page.lead:
        yield from (as_markdown(page.lead), "")
    yield "| | |"
    yield "|---|---|"
    yield from (f"| {markdown(name)} | {as_markdown(value)} |" for name, value in page.facts)
    for section in page.sections:
        yield from ("", f"## {markdown(section.title)}", "")
        for block in section.blocks:
            yield from _block(block)
    yield from _signatures(page)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield from (as_markdown(block.words), "")
    elif isinstance(block, Table):
        yield f"| {' | '.join(map(markdown, block.heads))} |"
        yield f"|{'|'.join('---:' if n in block.right else '---' for n in range(len(block.heads)))}|"
        yield from (f"| {' | '.join(map(as_markdown, row))} |" for row in block.rows)
        yield ""
    else:
        yield from _card(block)


def _card(card: Card) -> Iterator[str]:
    yield f"### {code(card.id)}: {markdown(card.label)}"
    yield from ("", as_markdown(card.words), "")
    yield from (f"- {as_markdown(line)}" for line in card.lines)
    if card.lines:
        yield ""
    if card.samples:
        yield "| Example | Answer |"
        yield "|---|---|"
        yield from (f"| {as_markdown(one.call)} | {as_markdown(one.answer)} |" for one in card.samples)
        yield ""


def _signatures(page: Page) -> Iterator[str]:
    yield from ("", "## Signatures", "", "| | Name | Role | Date | Signature |", "|---|---|---|---|---|")
    yield from (f"| {markdown(word)} | | | | |" for word in page.signers)
