// The Merkle tree of a log: leaves, inclusion, consistency, many leaves at once. The shape of every proof comes from
// index and size alone. Numbers reach 2^53 - 1, so halves are divided, never shifted.
// Source: RFC 9162, sections 2.1.1, 2.1.3.2 and 2.1.4.2; docs/spec/log-v1.md, "Proofs", "Many leaves".

import { concat, fromBase64, Refuted, sameBytes } from "./bytes.js";
import { sha256 } from "./primitives.js";

const MAX_PATH = 53;
const MAX_CONSISTENCY = 106;

export const leafHash = (bytes) => sha256(concat(Uint8Array.of(0), bytes));
const nodeHash = (left, right) => sha256(concat(Uint8Array.of(1), left, right));
const odd = (number) => number % 2 === 1;
const half = (number) => Math.floor(number / 2);
const badPath = (message) => {
  throw new Refuted("bad-path", message);
};

function soundSize(size) {
  if (!(size > 0 && Number.isSafeInteger(size))) throw new Refuted("bad-size", `a tree of ${size} leaves`);
}

function soundPath(path, most) {
  if (path.length > most) badPath(`a proof of ${path.length} hashes: expected at most ${most}`);
  for (const hash of path) {
    if (hash.length !== 32) badPath(`a hash of ${hash.length} bytes: expected 32`);
  }
}

/** Throws Refuted unless the leaf stands at this index of the tree of this size and root. */
export async function checkInclusion(leaf, index, size, path, root) {
  soundSize(size);
  if (!(index >= 0 && index < size)) throw new Refuted("bad-index", `leaf ${index} is none of ${size}`);
  soundPath(path, MAX_PATH);
  let [found, at, last, used] = [leaf, index, size - 1, 0];
  for (; last > 0; at = half(at), last = half(last)) {
    if (!odd(at) && at >= last) continue;
    if (used === path.length) badPath(`an inclusion path of ${used} hashes is too short for ${size} leaves`);
    const sibling = path[used];
    used += 1;
    found = odd(at) ? await nodeHash(sibling, found) : await nodeHash(found, sibling);
  }
  if (used !== path.length) badPath(`an inclusion path of ${path.length} hashes: expected ${used}`);
  if (!sameBytes(found, root)) {
    throw new Refuted("not-included", `the inclusion path of leaf ${index} does not lead to the root of size ${size}`);
  }
}

/** Throws Refuted unless the tree of old leaves is the beginning of the tree of later leaves. */
export async function checkConsistency(old, later, proof, oldRoot, laterRoot) {
  soundSize(later);
  if (!(old >= 0 && old <= later)) throw new Refuted("bad-size", `a log of ${later} lines does not continue ${old}`);
  soundPath(proof, MAX_CONSISTENCY);
  if (old === 0 || old === later) {
    if (proof.length) badPath(`expected no hashes; found ${proof.length}`);
    const due = old === 0 ? await sha256(new Uint8Array(0)) : laterRoot;
    if (!sameBytes(oldRoot, due)) throw new Refuted("inconsistent", `two roots for one log of ${old} lines`);
    return;
  }
  const [first, second] = await bothRoots(old, later, proof, oldRoot);
  if (!sameBytes(first, oldRoot) || !sameBytes(second, laterRoot)) {
    throw new Refuted("inconsistent", `the log of ${later} lines does not begin with the log of ${old} lines`);
  }
}

async function bothRoots(old, later, proof, oldRoot) {
  let [at, last, used] = [old - 1, later - 1, 0];
  const next = () => {
    if (used === proof.length) badPath(`a consistency proof of ${used} hashes is too short for ${old} to ${later}`);
    used += 1;
    return proof[used - 1];
  };
  for (; odd(at); at = half(at)) last = half(last);
  let first = at ? next() : oldRoot;
  let second = first;
  for (; last > 0; at = half(at), last = half(last)) {
    if (odd(at)) {
      const sibling = next();
      [first, second] = [await nodeHash(sibling, first), await nodeHash(sibling, second)];
    } else if (at < last) {
      second = await nodeHash(second, next());
    }
  }
  if (used !== proof.length) badPath(`a consistency proof of ${proof.length} hashes: expected ${used}`);
  return [first, second];
}

/** Leaves of the left subtree: the largest power of two below size. */
function leftOf(size) {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/** Throws Refuted unless all these leaves (a Map from index to hash) stand in the tree of this size and root. */
export async function checkLeaves(leaves, size, proof, root) {
  soundSize(size);
  const wanted = [...leaves.keys()].sort((one, other) => one - other);
  if (!wanted.length || wanted[0] < 0 || wanted[wanted.length - 1] >= size) {
    throw new Refuted("bad-index", `the leaves shown do not all stand in a tree of ${size} leaves`);
  }
  soundPath(proof, MAX_PATH * wanted.length);
  let used = 0;
  const combine = async (known, start, count) => {
    if (!known.length) {
      if (used === proof.length) badPath(`the proof has too few hashes for ${wanted.length} leaves`);
      used += 1;
      return proof[used - 1];
    }
    if (count === 1) return leaves.get(start);
    const middle = start + leftOf(count);
    const left = await combine(known.filter((index) => index < middle), start, middle - start);
    return nodeHash(left, await combine(known.filter((index) => index >= middle), middle, start + count - middle));
  };
  const found = await combine(wanted, 0, size);
  if (used !== proof.length) badPath(`the proof has more than the hashes that ${wanted.length} leaves need`);
  if (!sameBytes(found, root)) {
    throw new Refuted("not-included", `the lines shown do not stand under the root of size ${size}`);
  }
}

/** Hashes out of base64. Throws Refuted (bad-base64, bad-path). */
export function hashesOf(texts, what) {
  const found = texts.map((text) => fromBase64(text, what));
  for (const hash of found) {
    if (hash.length !== 32) badPath(`${what} of ${hash.length} bytes: expected 32`);
  }
  return found;
}
