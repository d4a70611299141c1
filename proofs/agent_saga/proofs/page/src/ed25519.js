// Verifying Ed25519 signatures in plain JavaScript, for browsers that lack it. Nothing here is secret, so nothing has
// to take constant time. Source: RFC 8032, sections 5.1.3, 5.1.4 and 5.1.7, without cofactor: R is compared as bytes.

import { concat, sameBytes } from "./bytes.js";
import { plainSha512 } from "./sha2.js";

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = field(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const NEUTRAL = [0n, 1n, 1n, 0n];
const BASE = decodePoint(encoded(field(4n * power(5n, P - 2n))));

function field(x) {
  const rest = x % P;
  return rest < 0n ? rest + P : rest;
}

function power(base, exponent) {
  let result = 1n;
  for (let b = field(base), e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = field(result * b);
    b = field(b * b);
  }
  return result;
}

/** The number that little-endian bytes stand for. */
export function littleEndian(bytes) {
  return bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function encoded(number) {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((number >> BigInt(8 * at)) & 255n));
}

/** A point in extended coordinates out of its 32 bytes, or null when they are none (RFC 8032, 5.1.3). */
function decodePoint(bytes) {
  const number = littleEndian(bytes);
  const sign = number >> 255n;
  const y = number & (2n ** 255n - 1n);
  if (y >= P) return null;
  const u = field(y * y - 1n);
  const v = field(D * y * y + 1n);
  let x = field(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (field(v * x * x) === field(-u)) x = field(x * ROOT_OF_MINUS_ONE);
  if (field(v * x * x) !== u || (x === 0n && sign)) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, field(x * y)];
}

function encodePoint([x, y, z]) {
  const inverse = power(z, P - 2n);
  return encoded(field(y * inverse) | ((field(x * inverse) & 1n) << 255n));
}

function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = field((y1 - x1) * (y2 - x2));
  const b = field((y1 + x1) * (y2 + x2));
  const c = field(2n * D * t1 * t2);
  const d = field(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [field(e * f), field(g * h), field(f * g), field(e * h)];
}

function multiply(scalar, point) {
  let result = NEUTRAL;
  for (let n = scalar, p = point; n > 0n; n >>= 1n) {
    if (n & 1n) result = add(result, p);
    p = add(p, p);
  }
  return result;
}

/** Whether S of a signature is reduced: without that, one signature has many spellings (RFC 8032, 5.1.7). */
export function reduced(signature) {
  return signature.length === 64 && littleEndian(signature.slice(32)) < ORDER;
}

/** Whether this 32-byte key made this 64-byte signature. */
export function plainVerify(key, signature, message) {
  const point = decodePoint(key);
  if (!point || !reduced(signature)) return false;
  const r = signature.slice(0, 32);
  const k = littleEndian(plainSha512(concat(r, key, message))) % ORDER;
  const [x, y, z, t] = point;
  const minus = [field(-x), y, z, field(-t)];
  return sameBytes(encodePoint(add(multiply(littleEndian(signature.slice(32)), BASE), multiply(k, minus))), r);
}
