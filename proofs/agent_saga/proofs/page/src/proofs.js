// Proofs as files of text: one line's inclusion, and that one checkpoint continues another.
// Source: C2SP tlog-proof; docs/spec/log-v1.md, "Proof files".

import { fromBase64, looseUtf8, Refuted } from "./bytes.js";
import { openCheckpoint } from "./notes.js";
import { checkConsistency, checkInclusion, leafHash } from "./tree.js";

const PROOF_HEADER = "c2sp.org/tlog-proof@v1";
const CONTINUATION_HEADER = "agent-saga-consistency-v1";
const MOST_PROOF = 65536 + 64 * 53;
const MOST_CONTINUATION = 64 * 108;
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const SIZES = /^(0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15})$/;

/** {index, path, note} of a tlog-proof: unverified. Throws Refuted (bad-proof, bad-base64). */
export function parseTlogProof(bytes) {
  if (bytes.length > MOST_PROOF) throw new Refuted("bad-proof", `a proof of ${bytes.length} bytes`);
  const blank = bytes.findIndex((byte, at) => byte === 10 && bytes[at + 1] === 10);
  const lines = looseUtf8(blank < 0 ? bytes : bytes.slice(0, blank)).split("\n");
  const index = INDEX.exec(lines[1] ?? "");
  if (lines[0] !== PROOF_HEADER || !index || blank < 0) {
    throw new Refuted("bad-proof", `expected ${PROOF_HEADER}, an index and a checkpoint; found other text`);
  }
  if (lines.length - 2 > 53) throw new Refuted("bad-proof", `a path of ${lines.length - 2} hashes: at most 53`);
  const path = lines.slice(2).map((line) => fromBase64(line, "a hash of the path"));
  return { index: Number(index[1]), path, note: bytes.slice(blank + 2) };
}

/** Throws Refuted unless the line stands in the pinned log; returns its index, the checkpoint and its note. */
export async function checkTlogProof(bytes, line, pins) {
  const proof = parseTlogProof(bytes);
  const opened = await openCheckpoint(proof.note, pins);
  const { size, root } = opened.checkpoint;
  await checkInclusion(await leafHash(line), proof.index, size, proof.path, root);
  return { index: proof.index, ...opened };
}

/** {old, later, proof} of a consistency proof: unverified. Throws Refuted (bad-proof, bad-base64). */
export function parseContinuation(bytes) {
  if (bytes.length > MOST_CONTINUATION) throw new Refuted("bad-proof", `a consistency proof of ${bytes.length} bytes`);
  const lines = looseUtf8(bytes).split("\n");
  const sizes = lines.length > 2 ? SIZES.exec(lines[1]) : null;
  if (lines[0] !== CONTINUATION_HEADER || !sizes || lines[lines.length - 1] !== "") {
    throw new Refuted("bad-proof", `expected ${CONTINUATION_HEADER}, two sizes and hashes; found other text`);
  }
  const proof = lines.slice(2, -1).map((line) => fromBase64(line, "a hash of the consistency proof"));
  return { old: Number(sizes[1]), later: Number(sizes[2]), proof };
}

/** Throws Refuted unless the later checkpoint continues the earlier one. given: may be null for one size. */
export async function checkContinues(earlier, later, given) {
  if (later.size < earlier.size) {
    throw new Refuted("rolled-back", `a checkpoint of ${later.size} lines: you hold one of ${earlier.size} already`);
  }
  if (!given && earlier.size !== later.size) {
    throw new Refuted("wrong-sizes", `no consistency proof from ${earlier.size} to ${later.size} lines was given`);
  }
  if (given && (given.old !== earlier.size || given.later !== later.size)) {
    const due = `${earlier.size} and ${later.size}`;
    throw new Refuted("wrong-sizes", `a proof between ${given.old} and ${given.later}: expected ${due}`);
  }
  await checkConsistency(earlier.size, later.size, given ? given.proof : [], earlier.root, later.root);
}
