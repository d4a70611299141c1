// SHA-256 and SHA-512 in plain JavaScript, for browsers that keep WebCrypto from pages opened as files.
// Source: FIPS 180-4. The constants are computed, not listed: fractions of square and cube roots of primes.

function primes(count) {
  const found = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/** floor(n ^ (1 / power)), exactly. */
function integerRoot(n, power) {
  let low = 0n;
  let high = 1n << (BigInt(n.toString(2).length) / power + 1n);
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** power <= n) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** The first 64 bits of the fractional part of a prime's root. */
function fraction(prime, power) {
  return integerRoot(BigInt(prime) << (64n * power), power) & 0xffffffffffffffffn;
}

const K512 = primes(80).map((prime) => fraction(prime, 3n));
const H512 = primes(8).map((prime) => fraction(prime, 2n));
const K256 = Uint32Array.from(K512.slice(0, 64), (word) => Number(word >> 32n));
const H256 = Uint32Array.from(H512, (word) => Number(word >> 32n));

/** The message with one bit, zeros and its length in bits, so that it fills blocks of this many bytes. */
function padded(message, block) {
  const tail = block / 8;
  const size = Math.ceil((message.length + 1 + tail) / block) * block;
  const whole = new Uint8Array(size);
  whole.set(message);
  whole[message.length] = 0x80;
  new DataView(whole.buffer).setBigUint64(size - 8, BigInt(message.length) * 8n);
  return new DataView(whole.buffer);
}

export function plainSha256(message) {
  const view = padded(message, 64);
  const state = Uint32Array.from(H256);
  const w = new Uint32Array(64);
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = view.getUint32(at + 4 * t);
    for (let t = 16; t < 64; t += 1) w[t] = small1(w[t - 2]) + w[t - 7] + small0(w[t - 15]) + w[t - 16];
    compress256(state, w);
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => out.setUint32(4 * at, word));
  return new Uint8Array(out.buffer);
}

const turn = (x, n) => (x >>> n) | (x << (32 - n));
const small0 = (x) => turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
const small1 = (x) => turn(x, 17) ^ turn(x, 19) ^ (x >>> 10);

function compress256(state, w) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K256[t] + w[t]) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] += word; });
}

const MASK = 0xffffffffffffffffn;
const turn64 = (x, n) => ((x >> n) | (x << (64n - n))) & MASK;

export function plainSha512(message) {
  const view = padded(message, 128);
  const state = [...H512];
  for (let at = 0; at < view.byteLength; at += 128) {
    const w = [];
    for (let t = 0; t < 16; t += 1) w.push(view.getBigUint64(at + 8 * t));
    for (let t = 16; t < 80; t += 1) {
      const near = turn64(w[t - 2], 19n) ^ turn64(w[t - 2], 61n) ^ (w[t - 2] >> 6n);
      const far = turn64(w[t - 15], 1n) ^ turn64(w[t - 15], 8n) ^ (w[t - 15] >> 7n);
      w.push((near + w[t - 7] + far + w[t - 16]) & MASK);
    }
    compress512(state, w);
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => out.setBigUint64(8 * at, word));
  return new Uint8Array(out.buffer);
}

function compress512(state, w) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 80; t += 1) {
    const mixed = turn64(e, 14n) ^ turn64(e, 18n) ^ turn64(e, 41n);
    const first = h + mixed + ((e & f) ^ (~e & MASK & g)) + K512[t] + w[t];
    const second = (turn64(a, 28n) ^ turn64(a, 34n) ^ turn64(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) & MASK, c, b, a, (first + second) & MASK];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) & MASK; });
}
