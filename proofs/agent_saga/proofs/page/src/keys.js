// Verifier keys and pins: whom the auditor trusts, typed in or read from a pin file.
// Source: docs/spec/log-v1.md, "Keys", "Pins"; C2SP signed-note; RFC 8032, 5.1.3.

import { concat, fromBase64, fromHex, KeyFault, lengthOf, partition } from "./bytes.js";
import { Refuted, sameBytes, toBase64, toHex, utf8 } from "./bytes.js";
import { littleEndian } from "./ed25519.js";
import { sha256, signedBy } from "./primitives.js";

export const ED25519 = 1;
export const COSIGNATURE = 4;
const MAX_NAME = 256;
const PIN_HEADER = "agent-saga-pin-v1";
const MAX_PIN = 65536;
const ROLES = { log: ED25519, witness: COSIGNATURE, monitor: COSIGNATURE, certificate: ED25519 };
const PRIME = 2n ** 255n - 19n;
const SMALL_ORDER = [
  0n,
  1n,
  PRIME - 1n,
  littleEndian(fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
  littleEndian(fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
];

/** Whether a text prints: no control, format, unassigned or separator character but the plain space. */
export const printable = (text) => !/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", ""));

/** Whether it may name a key: 1-256 characters that print, no space and no plus. */
export function soundName(name) {
  return name !== "" && lengthOf(name) <= MAX_NAME && !/[+ ]/.test(name) && printable(name);
}

/** Whether it may be a log's origin: 1-256 characters that print. */
export const soundOrigin = (origin) => origin !== "" && lengthOf(origin) <= MAX_NAME && printable(origin);

/** A name and an Ed25519 public key for one purpose. */
export class VerifierKey {
  constructor(name, kind, raw, id) {
    Object.assign(this, { name, kind, raw, id });
  }

  toString() {
    return `${this.name}+${toHex(this.id)}+${toBase64(concat(Uint8Array.of(this.kind), this.raw))}`;
  }

  /** Whether this key made this signature over these bytes. */
  signed(message, signature) {
    return signedBy(this.raw, signature, message);
  }
}

/** Whether anybody could sign under it, or verifiers differ over it: y not reduced, or a point of small order. */
function weak(raw) {
  const y = littleEndian(raw) & (2n ** 255n - 1n);
  return y >= PRIME || SMALL_ORDER.includes(y);
}

/** Reads NAME+KEYID+BASE64 in its one spelling. Throws KeyFault. */
export async function parseVkey(text) {
  const [name, , rest] = partition(text, "+");
  const [id, , encoded] = partition(rest, "+");
  if (!soundName(name) || !id || !encoded) throw new KeyFault("no verifier key: expected NAME+KEYID+BASE64");
  const data = keyBytes(encoded, name);
  const [kind, raw] = [data[0], data.slice(1)];
  if (raw.length !== 32 || ![ED25519, COSIGNATURE].includes(kind)) {
    throw new KeyFault(`the key of ${name} has ${data.length} bytes: expected type 0x01 or 0x04 and 32 bytes of key`);
  }
  if (weak(raw)) throw new KeyFault(`the key of ${name} is weak: anybody can sign under it`);
  const due = (await sha256(concat(utf8(`${name}\n`), data))).slice(0, 4);
  if (toHex(due) !== id) throw new KeyFault(`the key of ${name} has another id than it says: it was altered`);
  return new VerifierKey(name, kind, raw, due);
}

function keyBytes(encoded, name) {
  try {
    return fromBase64(encoded, `the key of ${name}`);
  } catch (fault) {
    if (fault instanceof Refuted) throw new KeyFault(fault.message);
    throw fault;
  }
}

const SPACES = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const strip = (text) => text.replace(new RegExp(`^${SPACES}`), "").replace(new RegExp(`${SPACES}$`), "");

/** Whom to trust: {origin, log, witnesses, monitors}. Throws KeyFault, which names the line. */
export async function parsePins(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines[0] !== PIN_HEADER || text.length > MAX_PIN) throw new KeyFault(`no pin: expected ${PIN_HEADER} on line 1`);
  const origins = [];
  const keys = { log: [], witness: [], monitor: [], certificate: [] };
  for (const [at, line] of lines.entries()) {
    if (at === 0 || !strip(line) || line.startsWith("#")) continue;
    const [word, , rest] = partition(line, " ");
    const value = strip(rest);
    if (word === "origin" && soundOrigin(value)) origins.push(value);
    else if (Object.hasOwn(keys, word)) keys[word].push(await pinnedKey(at + 1, word, value));
    else throw new KeyFault(`line ${at + 1} of the pin: expected origin, log, witness, monitor or certificate`);
  }
  if (origins.length !== 1 || keys.log.length !== 1) {
    throw new KeyFault(`${origins.length} origins and ${keys.log.length} log keys: expected one of each`);
  }
  refuseReuse(Object.values(keys).flat());
  const { log, witness, monitor, certificate } = keys;
  return { origin: origins[0], log: log[0], witnesses: witness, monitors: monitor, certificates: certificate };
}

async function pinnedKey(number, role, text) {
  let key;
  try {
    key = await parseVkey(text);
  } catch (fault) {
    if (fault instanceof KeyFault) throw new KeyFault(`line ${number} of the pin: ${fault.message}`);
    throw fault;
  }
  if (key.kind !== ROLES[role]) throw new KeyFault(`line ${number} of the pin: that type of key is none for ${role}`);
  return key;
}

function refuseReuse(keys) {
  for (const [at, key] of keys.entries()) {
    const other = keys.slice(0, at).find((earlier) => sameBytes(earlier.raw, key.raw));
    if (other) throw new KeyFault(`${other.name} and ${key.name} are one key: a key serves one name and one purpose`);
  }
}
