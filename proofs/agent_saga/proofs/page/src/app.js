// The form: reads what was typed, chosen and dropped, and shows what comes of it. Nothing is stored, nothing is sent.

import { fromUtf8, KeyFault, Refuted, toHex } from "./bytes.js";
import { MAX_BUNDLE } from "./bundle.js";
import { kindOf, lineOf, Misplaced, typedLine, Undecided, verifyEvidence } from "./evidence.js";
import { parsePins } from "./keys.js";
import { primitives, sha256 } from "./primitives.js";
import { showFault, showProven } from "./result.js";
import { seen } from "./show.js";

const $ = (id) => document.getElementById(id);
let round = 0;

/** What is on the form changed, or a new check begins: whatever stands below is no result of it. */
function forget() {
  round += 1;
  $("result").hidden = true;
  $("result").replaceChildren();
  $("status").textContent = "";
  return round;
}

function tell(id, text, fault = false) {
  $(id).replaceChildren(...seen(text));
  $(id).classList.toggle("fault", fault);
}

async function bytesOf(file) {
  if (file.size > MAX_BUNDLE) {
    throw new Refuted("too-large", `a file of ${file.size} bytes: expected at most ${MAX_BUNDLE}`);
  }
  return new Uint8Array(await file.arrayBuffer());
}

async function readPin(file) {
  const fields = { origin: "", vkey: "", cosigners: "" };
  try {
    const text = file.size > MAX_BUNDLE ? null : fromUtf8(await bytesOf(file));
    if (text === null) throw new KeyFault("no pin file: not UTF-8");
    const pins = await parsePins(text);
    const rows = [["witness", pins.witnesses], ["monitor", pins.monitors], ["certificate", pins.certificates]];
    fields.origin = pins.origin;
    fields.vkey = String(pins.log);
    fields.cosigners = rows.flatMap(([role, keys]) => keys.map((key) => `${role} ${key}`)).join("\n");
    tell("pin-told", `Read from ${file.name}. Compare it with what you were given.`);
  } catch (fault) {
    const reason = fault instanceof KeyFault ? "bad-key: " : "The pin file cannot be read: ";
    tell("pin-told", reason + fault.message, true);
  }
  for (const [id, value] of Object.entries(fields)) $(id).value = value;
  forget();
}

/** Whom the form says to trust. Throws Misplaced when nothing is pinned, KeyFault. */
async function pinned() {
  const [origin, vkey, cosigners] = ["origin", "vkey", "cosigners"].map((id) => $(id).value);
  if (!origin.trim() || !vkey.trim()) {
    throw new Misplaced("Nothing is pinned. Say whom you trust in part 1: without that nothing can be proven.");
  }
  return parsePins(`agent-saga-pin-v1\norigin ${origin}\nlog ${vkey}\n${cosigners}\n`);
}

async function asked() {
  const [continuation] = $("consistency").files;
  const [line] = $("line-file").files;
  const typed = $("line-text").value;
  if (line && typed) throw new Misplaced("The line was given twice: as a file and pasted. Give it once.");
  return {
    pins: await pinned(),
    kept: await Promise.all(Array.from($("kept").files, bytesOf)),
    continuation: continuation ? await bytesOf(continuation) : null,
    line: line ? lineOf(await bytesOf(line)) : typed ? typedLine(typed) : null,
    saga: $("saga").value.trim(),
  };
}

/** One check of what is on the form: shows the verdict and moves the focus to it. */
async function check() {
  const mine = forget();
  $("status").textContent = "Checking...";
  $("status").classList.remove("heard");
  $("verify").setAttribute("aria-disabled", "true");
  const show = await outcome();
  $("verify").removeAttribute("aria-disabled");
  if (mine !== round) return; // the form changed meanwhile
  $("status").classList.add("heard"); // the same is seen below
  $("status").textContent = show($("result"));
  $("verdict").focus();
}

async function outcome() {
  let told = null;
  try {
    const [file] = $("file").files;
    if (!file) throw new Misplaced("No file was chosen in part 2.");
    const bytes = await bytesOf(file);
    told = { name: file.name, size: bytes.length, sha256: toHex(await sha256(bytes)) };
    const proven = await verifyEvidence(bytes, await asked());
    return (section) => showProven(section, proven, told);
  } catch (fault) {
    return (section) => showFault(section, ...verdictOf(fault), told);
  }
}

function verdictOf(fault) {
  if (fault instanceof Refuted) return ["refuted", fault.reason, `${fault.message}.`];
  if (fault instanceof Undecided) return ["undecided", "", fault.message];
  if (fault instanceof KeyFault) return ["unchecked", "bad-key", `Whom to trust cannot be read: ${fault.message}.`];
  if (fault instanceof Misplaced) return ["unchecked", "", fault.message];
  return ["unchecked", "", `This page failed, so nothing is proven: ${fault}`];
}

/** Files dropped on the page: a pin goes to part 1, one other file is the evidence. */
async function dropped(files) {
  forget();
  const others = [];
  for (const file of files) {
    const head = new Uint8Array(await file.slice(0, 64).arrayBuffer());
    if (kindOf(head) === "pin") await readPin(file);
    else others.push(file);
  }
  if (others.length > 1) {
    tell("file-told", "Drop one file of evidence at a time. What you kept goes in part 3.", true);
  } else if (others.length) {
    const transfer = new DataTransfer();
    transfer.items.add(others[0]);
    $("file").files = transfer.files;
    forget();
    tell("file-told", `Dropped: ${others[0].name}`);
  }
}

function start() {
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!$("verify").hasAttribute("aria-disabled")) check();
  });
  for (const name of ["input", "change"]) $("form").addEventListener(name, forget);
  $("pin").addEventListener("change", () => $("pin").files.length && readPin($("pin").files[0]));
  $("file").addEventListener("change", () => tell("file-told", ""));
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.toggle("over", name === "dragover");
      if (name !== "drop") return;
      dropped([...event.dataTransfer.files]).catch((fault) => {
        tell("file-told", `What was dropped cannot be read: ${fault.message}`, true);
      });
    });
  }
  window.addEventListener("beforeprint", () => {
    for (const details of $("result").querySelectorAll("details")) details.open = true;
  });
  primitives().then(
    ({ sha256By, ed25519By }) => {
      $("computed").textContent = `SHA-256 is computed by this ${sha256By}, Ed25519 by this ${ed25519By}.`;
    },
    (fault) => {
      $("computed").textContent = String(fault.message);
    },
  );
}

start();
