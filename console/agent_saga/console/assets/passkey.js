// Asks the browser for a passkey, puts its answer into the form, and sends that as any form is sent.
"use strict";

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (one) => String.fromCharCode(one)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

function fill(form, values) {
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
}

async function sign(form) {
  const told = form.dataset;
  const ids = told.credentials ? told.credentials.split(" ") : [];
  const found = await navigator.credentials.get({
    publicKey: {
      challenge: bytes(told.challenge),
      rpId: told.rp,
      allowCredentials: ids.map((id) => ({ type: "public-key", id: bytes(id) })),
      userVerification: "required",
      timeout: 120000,
    },
  });
  fill(form, {
    credential: text(found.rawId),
    authenticator_data: text(found.response.authenticatorData),
    client_data: text(found.response.clientDataJSON),
    signature: text(found.response.signature),
  });
}

async function enrol(form) {
  const told = form.dataset;
  const person = form.elements.namedItem("person").value;
  const found = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(told.challenge),
      rp: { id: told.rp, name: "Approvals" },
      user: { id: bytes(told.handle), name: person, displayName: person },
      pubKeyCredParams: told.algorithms.split(" ").map((one) => ({ type: "public-key", alg: Number(one) })),
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
      attestation: "direct",
      timeout: 120000,
    },
  });
  fill(form, { client: text(found.response.clientDataJSON), attestation: text(found.response.attestationObject) });
}

const WORDS = {
  NotAllowedError: "No passkey answered. It was cancelled or took too long, or no passkey of this page is on this device.",
  SecurityError: "The browser refuses: this page does not stand where its registry says that passkeys may sign.",
  NotSupportedError: "This passkey cannot make a key of an algorithm that the registry allows.",
  InvalidStateError: "This passkey is registered here already.",
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("button");
  const status = form.querySelector("[role=status]");
  const say = (words, bad) => {
    status.textContent = words;
    status.classList.toggle("bad", bad);
  };
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!window.PublicKeyCredential) return say("This browser has no passkeys, or the page is not on https or localhost.", true);
    button.disabled = true;
    say("Waiting for your passkey: touch it, or unlock this device.", false);
    try {
      await (form.dataset.passkey === "get" ? sign(form) : enrol(form));
      say("Sending.", false);
      form.submit();
    } catch (fault) {
      button.disabled = false;
      say(WORDS[fault.name] || `The passkey could not be used (${fault.name}).`, true);
      button.focus();
    }
  });
}
