// Bytes and texts, each in its one spelling, and the two kinds of refusal.

/** The evidence is at fault: it does not prove what it claims. reason: a stable word of the specifications. */
export class Refuted extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** What was typed in as whom to trust cannot be used. */
export class KeyFault extends Error {}

const ENCODER = new TextEncoder();

/** The UTF-8 bytes of a text without lone surrogates. */
export function utf8(text) {
  return ENCODER.encode(text);
}

/** The text of UTF-8 bytes, or null when they are not UTF-8. A byte order mark is kept: it is part of the evidence. */
export function fromUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The text of bytes that may be no UTF-8; what is none becomes U+FFFD. */
export function looseUtf8(bytes) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function sameBytes(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of lower-case hex whose form was checked before. */
export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of base64 in its one spelling, spare bits zero (RFC 4648, section 4). Throws Refuted (bad-base64). */
export function fromBase64(text, what) {
  if (!BASE64.test(text)) throw new Refuted("bad-base64", `${what} is not base64`);
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  if (toBase64(bytes) !== text) throw new Refuted("bad-base64", `${what} is not in the one spelling of base64`);
  return bytes;
}

/** base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes) {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of unpadded base64url in its one spelling, or null. */
export function fromBase64url(text) {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4);
  try {
    return fromBase64(padded, "it");
  } catch {
    return null;
  }
}

/** Characters of a text as people count them: code points. */
export function lengthOf(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The parts of a text before and after the first occurrence of a mark; found tells whether it is there. */
export function partition(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, false, ""] : [text.slice(0, at), true, text.slice(at + mark.length)];
}
