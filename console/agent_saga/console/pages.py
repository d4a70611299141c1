"""The pages: lists, one request in full, and what a passkey is asked for. Every value is escaped by :mod:`.markup`."""

from collections.abc import Sequence
from typing import Final

from agent_saga.approvals.display import escaped
from agent_saga.approvals.registry import Key
from agent_saga.approvals.requests import Request
from agent_saga.console.markup import Html, document, joined, tag
from agent_saga.console.sessions import Session
from agent_saga.runtime.approving import Pending

_NO_SCRIPT: Final = "Signing with a passkey needs JavaScript; reading does not."
DONE: Final = {
    "approve": "Your approval is recorded. The saga goes on as soon as enough persons have approved.",
    "deny": "Your denial is recorded. This action is ended for good.",
}


def layout(title: str, *body: str, session: Session | None = None, about: str = "") -> str:
    """A whole page. about: a line for the foot, such as where the keys come from."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} - approvals"),
        tag("link", rel="stylesheet", href="/assets/style.css"),
        tag("link", rel="icon", href="/assets/icon.svg", type="image/svg+xml"),
        tag("script", src="/assets/passkey.js", defer=True),
    )
    page = tag(
        "body",
        tag("a", "To the content", href="#content", class_="skip"),
        tag("header", tag("div", *_bar(session)), class_="bar"),
        tag("main", tag("h1", title), *body, id="content"),
        tag("footer", about) if about else "",
    )
    return document(tag("html", head, page, lang="en"))


def _bar(session: Session | None) -> list[str]:
    name = tag("a", "agent-saga approvals", href="/", class_="name")
    if session is None:
        return [name, tag("a", "Enrol a passkey", href="/enrol")]
    out = tag("form", _token(session), tag("button", "Sign out", class_="quiet"), method="post", action="/sign-out")
    return [name, tag("span", f"{session.key.person}, key {session.key.id}", class_="soft"), out]


def _token(session: Session) -> Html:
    return tag("input", type="hidden", name="form", value=session.form)


def hidden(*names: str) -> list[Html]:
    """Fields that the script fills."""
    return [tag("input", type="hidden", name=name, value="") for name in names]


def asking(button: str, **style: str) -> Html:
    """The button that asks for a passkey, and where the script says how it goes.

    It stays off until the script is there: pressed before, it would send the form without a signature.
    """
    return joined(
        tag("button", button, disabled=True, **style),
        tag("p", role="status", aria_live="polite"),
        tag("noscript", tag("p", _NO_SCRIPT, class_="note warn")),
    )


def _assertion() -> list[Html]:
    return hidden("credential", "authenticator_data", "client_data", "signature")


def sign_in(ticket: str, challenge: str, rp: str, keys: Sequence[Key], onward: str) -> str:
    """The way in. challenge: base64url. keys: the passkeys to ask for; none: those that remember this page."""
    form = tag(
        "form",
        tag("input", type="hidden", name="ticket", value=ticket),
        tag("input", type="hidden", name="onward", value=onward),
        *_assertion(),
        asking("Sign in with a passkey"),
        method="post",
        action="/sign-in",
        data_passkey="get",
        data_challenge=challenge,
        data_rp=rp,
        data_credentials=" ".join(key.credential for key in keys),
    )
    other = tag(
        "form",
        tag("label", "Your id in the registry", class_="field", for_="person"),
        tag("input", type="text", id="person", name="person", autocomplete="username", required=True),
        tag("input", type="hidden", name="onward", value=onward),
        tag("button", "Go on"),
        action="/sign-in",
    )
    return layout(
        "Sign in",
        tag("p", "Signing in lets you read what waits. It approves nothing: each answer is signed on its own."),
        form,
        tag("details", tag("summary", "My security key is not offered"), other, class_="card"),
    )


def listing(waiting: Sequence[Pending], session: Session, about: str, done: str = "") -> str:
    """What waits. done: the word of the answer that was just recorded, "" for none."""
    told = tag("p", DONE[done], class_="note", role="status") if done in DONE else ""
    count = f"{len(waiting)} requests wait for an answer." if len(waiting) != 1 else "One request waits for an answer."
    if not waiting:
        count = "Nothing waits for an answer."
    items = tag("ul", *(tag("li", _card(one, session.key.person)) for one in waiting), class_="plain")
    return layout("Requests", told, tag("p", count), items if waiting else "", session=session, about=about)


def _plain(text: str) -> str:
    """A name as it is; one with characters that do not show, or turn the text around, in quotes and spelled out."""
    shown = escaped(text)
    return text if shown == f'"{text}"' else shown


def _name(one: Pending) -> str:
    return f"{_plain(one.content.tool.name)} in {_plain(one.name)}"


def _card(one: Pending, person: str) -> Html:
    link = tag("a", _name(one), href=f"/request/{one.leaf}")
    mine = tag("p", "You have approved it.", class_="soft") if person in one.answered else ""
    denied = tag("p", f"Denied by {one.denied}.", class_="bad") if one.denied else ""
    wrong = tag("p", f"It cannot be signed: {one.wrong}.", class_="bad") if one.wrong else ""
    return tag("article", tag("h2", link), _badge(one), _facts(one), mine, denied, wrong, class_="card")


def _badge(one: Pending) -> Html:
    return tag("span", one.content.semantics, class_=f"badge {one.content.semantics}")


def _facts(one: Pending) -> Html:
    asked = one.requested
    so_far = f", so far {', '.join(one.answered)}" if one.answered else ""
    roles = ", ".join(map(_plain, asked.roles)) or "nobody"
    rows = {
        "Proposed by": f"agent {_plain(one.proposer)}",
        "Saga and step": f"{one.saga}, {one.step}",
        "Needs": f"{asked.quorum} of {roles}, strength {asked.strength}{so_far}",
        "Until": f"{asked.not_after[:10]} {asked.not_after[11:19]} UTC, then it is denied",
    }
    return tag("dl", *(joined(tag("dt", name), tag("dd", value)) for name, value in rows.items()))


def request(one: Pending, lines: Sequence[str], session: Session) -> str:
    """One request: the whole action, and the question."""
    form = tag(
        "form",
        _token(session),
        tag(
            "fieldset",
            tag("legend", "Your answer"),
            _choice("approve", "Approve: this one action, exactly as above"),
            _choice("deny", "Deny: it ends for good"),
        ),
        tag("label", "Reason (may stay empty)", class_="field", for_="reason"),
        tag("input", type="text", id="reason", name="reason", maxlength="1000", autocomplete="off"),
        tag("p", "It is written into the trace for good.", class_="soft"),
        tag("button", "Show what I would sign"),
        method="post",
        action=f"/request/{one.leaf}",
        class_="card",
    )
    return layout(
        _name(one),
        _badge(one),
        _facts(one),
        tag("h2", "The action, whole"),
        _lines([line for line in lines if line.startswith("content.")]),
        form,
        session=session,
    )


def _choice(word: str, says: str) -> Html:
    box = tag("input", type="radio", name="decision", value=word, id=word, required=True)
    return tag("div", box, tag("label", says, for_=word), class_="choice")


def _lines(lines: Sequence[str]) -> Html:
    return tag("ol", *(tag("li", _line(line)) for line in lines), class_="request")


def _line(line: str) -> Html:
    path, equals, value = line.partition(" = ")
    if not equals or '"' in path:  # a name that needs quotes may hold anything
        return joined(line)
    return joined(tag("span", path, class_="path"), equals, value)


def review(asked: Request, lines: Sequence[str], digest: str, challenge: str, rp: str, session: Session) -> str:
    """What would be signed, whole, from its own bytes. digest: hex. challenge: the same, base64url."""
    approves = asked.decision == "approve"
    word = "Approve" if approves else "Deny"
    form = tag(
        "form",
        _token(session),
        tag("input", type="hidden", name="digest", value=digest),
        *_assertion(),
        asking(f"{word} with my passkey", class_="act" if approves else "deny"),
        method="post",
        action=f"/request/{asked.prev}/sign",
        data_passkey="get",
        data_challenge=challenge,
        data_rp=rp,
        data_credentials=session.key.credential,
    )
    return layout(
        f"{word} {_plain(asked.content.tool.name)}?",
        tag("p", "This is the whole request. Your passkey signs its digest, and nothing else."),
        tag("h2", "Fingerprint"),
        tag("p", lines[0].removeprefix("fingerprint").strip(), class_="fingerprint"),
        tag("p", "A second tool that shows the request must show the same.", class_="soft"),
        tag("h2", "The request"),
        tag("p", f"To {lines[1].removeprefix('what').strip()}:"),
        _lines(lines[2:]),
        form,
        tag("p", tag("a", "Back, without signing", href=f"/request/{asked.prev}")),
        session=session,
    )


def refused(title: str, reason: str, words: str, session: Session | None = None) -> str:
    """What was not done, and why."""
    told = tag("div", tag("p", words), tag("p", f"Reason: {reason}", class_="soft"), class_="note stop", role="alert")
    return layout(title, told, tag("p", tag("a", "Back to what waits", href="/")), session=session)
