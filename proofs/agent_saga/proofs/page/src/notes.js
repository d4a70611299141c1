// Signed notes, checkpoints and cosignatures. A signature counts only under a key that the auditor pinned.
// Source: C2SP signed-note, tlog-checkpoint, tlog-cosignature; docs/spec/log-v1.md.

import { fromBase64, fromUtf8, partition, Refuted, sameBytes, toHex, utf8 } from "./bytes.js";
import { COSIGNATURE, ED25519, soundName, soundOrigin } from "./keys.js";

const MAX_NOTE = 65536;
const MAX_SIGNATURES = 64;
const DASH = "\u2014 ";
const LAST = 2n ** 63n - 1n;
const badNote = (message) => {
  throw new Refuted("bad-note", message);
};

/** The text with its last LF and the signature lines [{name, id, blob}] of a note. Throws Refuted. */
export function parseNote(bytes) {
  if (bytes.length > MAX_NOTE) badNote(`a note of ${bytes.length} bytes: expected at most ${MAX_NOTE}`);
  const whole = fromUtf8(bytes);
  if (whole === null) badNote("the note is not UTF-8");
  if (/[\u0000-\u0009\u000b-\u001f]/.test(whole)) badNote("the note holds a control character");
  const blank = whole.lastIndexOf("\n\n");
  if (blank < 0 || blank + 2 === whole.length || !whole.endsWith("\n")) {
    badNote("no blank line and signature lines at the end: expected a signed note");
  }
  const lines = whole.slice(blank + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) badNote(`${lines.length} signatures: expected at most ${MAX_SIGNATURES}`);
  return { text: whole.slice(0, blank + 1), signatures: lines.map(signatureLine) };
}

function signatureLine(line) {
  const [name, space, encoded] = partition(line.startsWith(DASH) ? line.slice(DASH.length) : "", " ");
  if (!space || !soundName(name)) badNote("no signature line: expected an em dash, a key name and base64");
  const data = fromBase64(encoded, `the signature of ${name}`);
  if (data.length <= 4) badNote(`the signature of ${name} has ${data.length} bytes: expected more than 4`);
  return { name, id: data.slice(0, 4), blob: data.slice(4) };
}

/** The signatures that claim to be of this key. */
const by = (note, key) => note.signatures.filter((one) => one.name === key.name && sameBytes(one.id, key.id));

/** Throws Refuted (unsigned, bad-signature, wrong-key) unless this key signed the text. */
export async function checkSignature(note, key) {
  if (key.kind !== ED25519) throw new Refuted("wrong-key", `the key of ${key.name} makes witness cosignatures`);
  const found = by(note, key);
  if (!found.length) {
    throw new Refuted("unsigned", `no signature by ${key}: found ${note.signatures.map((one) => one.name).join(", ")}`);
  }
  for (const one of found) {
    if (!(await key.signed(utf8(note.text), one.blob))) {
      throw new Refuted("bad-signature", `the signature of ${key.name} is not over this text by this key`);
    }
  }
}

/** {origin, size, root} of a checkpoint's text in its one spelling. Throws Refuted. */
export function parseCheckpoint(text) {
  const [origin, , afterOrigin] = partition(text, "\n");
  const [size, , afterSize] = partition(afterOrigin, "\n");
  const [root, end, more] = partition(afterSize, "\n");
  if (!end || more || !soundOrigin(origin)) {
    throw new Refuted("bad-checkpoint", "expected three lines, origin, size and root; found other text");
  }
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new Refuted("bad-checkpoint", "that is no size of a log");
  }
  const data = fromBase64(root, "the root");
  if (data.length !== 32) throw new Refuted("bad-checkpoint", `a root of ${data.length} bytes: expected 32`);
  return { origin, size: Number(size), root: data };
}

/** The checkpoint and its note, when it is of the pinned origin and signed by the pinned key. Throws Refuted. */
export async function openCheckpoint(bytes, pins) {
  const note = parseNote(bytes);
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint.origin !== pins.origin) {
    throw new Refuted("wrong-origin", `a checkpoint of the log ${checkpoint.origin}: pinned is ${pins.origin}`);
  }
  await checkSignature(note, pins.log);
  return { checkpoint, note };
}

/** {name, at}: a witness's statement, at in POSIX seconds as a BigInt. Throws Refuted. */
export async function checkCosignature(note, key) {
  if (key.kind !== COSIGNATURE) throw new Refuted("wrong-key", `the key of ${key.name} is not a witness's`);
  const found = by(note, key);
  if (!found.length) throw new Refuted("unsigned", `no cosignature by ${key.name}`);
  let latest = 0n;
  for (const one of found) {
    const at = BigInt(`0x0${toHex(one.blob.slice(0, 8))}`);
    const message = utf8(`cosignature/v1\ntime ${at}\n${note.text}`);
    if (at > LAST || !(await key.signed(message, one.blob.slice(8)))) {
      throw new Refuted("bad-signature", `the cosignature of ${key.name} is not over this checkpoint by this key`);
    }
    if (at > latest) latest = at;
  }
  return { name: key.name, at: latest };
}

/** Which pinned cosigners signed, with times, and which did not: {witnesses, monitors, silent}. Throws Refuted. */
export async function cosigned(note, pins) {
  const silent = [];
  const of = async (keys) => {
    const there = [];
    for (const key of keys) {
      if (by(note, key).length) there.push(await checkCosignature(note, key));
      else silent.push(key.name);
    }
    return there;
  };
  const witnesses = await of(pins.witnesses);
  const monitors = await of(pins.monitors);
  return { log: pins.log, witnesses, monitors, silent };
}
