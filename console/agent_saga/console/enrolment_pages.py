"""The pages on which a passkey is enrolled: they make an entry for the registry, and change nothing."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from agent_saga.console.markup import tag
from agent_saga.console.pages import asking, hidden, layout


def enrol(ticket: str, challenge: str, handle: str, rp: str, algorithms: Sequence[int]) -> str:
    """Where a passkey is made. challenge, handle: base64url. algorithms: COSE numbers, the best first."""
    form = tag(
        "form",
        tag("input", type="hidden", name="ticket", value=ticket),
        tag("label", "Your id in the registry", class_="field", for_="person"),
        tag(
            "input",
            type="text",
            id="person",
            name="person",
            required=True,
            maxlength="64",
            pattern="[A-Za-z0-9._\\-]+",
            autocomplete="username",
            aria_describedby="person-help",
        ),
        tag("p", "A pseudonym such as p-ana: letters, digits, dots, - and _.", class_="soft", id="person-help"),
        *hidden("client", "attestation"),
        asking("Make a passkey"),
        method="post",
        action="/enrol",
        data_passkey="create",
        data_challenge=challenge,
        data_handle=handle,
        data_rp=rp,
        data_algorithms=" ".join(map(str, algorithms)),
        class_="card",
    )
    return layout(
        "Enrol a passkey",
        tag("p", "This makes a passkey and an entry for the key registry. The entry changes nothing by itself."),
        tag("p", "An administrator puts it into the registry by a change that others sign.", class_="soft"),
        form,
    )


def enrolled(entry: Mapping[str, Any], fingerprint: str) -> str:
    """The entry that was made, to be carried to an administrator."""
    text = json.dumps(entry, indent=2, ensure_ascii=False)
    data = b64encode(f"{text}\n".encode()).decode()
    return layout(
        "Your registry entry",
        tag("p", "The passkey is made. Nobody may approve with it before an administrator has enrolled this entry."),
        tag("h2", "Fingerprint of the key"),
        tag("p", fingerprint, class_="fingerprint"),
        tag("p", "Tell it to the administrator by another way than the entry: by voice, or on paper.", class_="soft"),
        tag("h2", tag("label", f"Entry {entry['id']}", for_="entry")),
        tag("textarea", text, id="entry", readonly=True, class_="entry", spellcheck="false"),
        tag(
            "p",
            tag(
                "a",
                "Save the entry",
                class_="button",
                href=f"data:application/json;base64,{data}",
                download=f"{entry['id']}.json",
            ),
        ),
        tag("p", "It holds no secret: the private key stays in the passkey.", class_="soft"),
    )
