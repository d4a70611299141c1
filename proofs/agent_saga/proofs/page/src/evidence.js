// Which kind of evidence a file is, told by its own first bytes, and what checks it.

import { fromUtf8, looseUtf8, Refuted, utf8 } from "./bytes.js";
import { MAX_BUNDLE } from "./bundle.js";
import { cosigned, openCheckpoint } from "./notes.js";
import { checkTlogProof, parseContinuation } from "./proofs.js";
import { checkEarlier, verifyBundle } from "./verify.js";

/** What was asked cannot be told from what was given: something is missing, and nothing is refuted. */
export class Undecided extends Error {}

/** What was given is nothing that this page can check, or not in the place where it belongs. */
export class Misplaced extends Error {}

const HEADS = [
  ["bundle", '{"bundle":'],
  ["tlog-proof", "c2sp.org/tlog-proof@"],
  ["consistency", "agent-saga-consistency-"],
  ["pin", "agent-saga-pin-"],
  ["certificate", '{"payload'],
  ["trace", '{"v":'],
  ["trace", "SQLite format 3\0"],
];

/** bundle, tlog-proof, consistency, pin, certificate, trace, checkpoint, or null. */
export function kindOf(bytes) {
  const head = looseUtf8(bytes.slice(0, 32));
  for (const [kind, start] of HEADS) {
    if (head.startsWith(start)) return kind;
  }
  const whole = bytes.length <= 1 << 20 ? fromUtf8(bytes) ?? "" : "";
  return whole.includes("\n\n\u2014 ") ? "checkpoint" : null;
}

/**
 * Checks a file. asked: {pins, kept: [bytes], continuation: bytes or null, line: bytes or null, saga: text}.
 * Throws Refuted, Undecided or Misplaced; returns what is proven, with its kind.
 */
export async function verifyEvidence(bytes, asked) {
  if (!bytes.length) throw new Misplaced("The file is empty: there is nothing to check.");
  if (bytes.length > MAX_BUNDLE) {
    throw new Refuted("too-large", `a file of ${bytes.length} bytes: expected at most ${MAX_BUNDLE}`);
  }
  const run = RUNS[kindOf(bytes)];
  if (!run) throw new Misplaced(MISPLACED[kindOf(bytes)] ?? MISPLACED.unknown);
  return run(bytes, asked);
}

const MISPLACED = {
  pin: "This is a pin: it says whom to trust. It belongs in part 1.",
  certificate: "This is a certificate. This page does not check certificates: run agent-saga verify on it.",
  trace: "This is a trace or a store, which proves nothing by itself: run agent-saga certify on it.",
  unknown: "This is none of what can be checked here: a bundle, a checkpoint, a tlog-proof, a consistency proof.",
};

const RUNS = { bundle: runBundle, checkpoint: runCheckpoint, "tlog-proof": runTlogProof, consistency: runConsistency };

async function runBundle(bytes, asked) {
  const proven = await decided(asked, () => verifyBundle(bytes, asked.pins, earlierOf(asked)));
  if (asked.saga && asked.saga !== proven.saga) {
    throw new Refuted("other-saga", `a bundle of the saga ${proven.saga}: asked was for ${asked.saga}`);
  }
  return proven;
}

async function runCheckpoint(bytes, asked) {
  onlyOfBundles(asked);
  const { checkpoint, note } = await openCheckpoint(bytes, asked.pins);
  return { kind: "checkpoint", ...(await ofCheckpoint(checkpoint, note, asked, earlierOf(asked))) };
}

async function runTlogProof(bytes, asked) {
  onlyOfBundles(asked);
  if (asked.line === null) throw new Misplaced("A tlog-proof is about one line: give the exact line in part 3.");
  const { index, checkpoint, note } = await checkTlogProof(bytes, asked.line, asked.pins);
  const rest = await ofCheckpoint(checkpoint, note, asked, earlierOf(asked));
  return { kind: "line", index, line: asked.line, ...rest };
}

async function runConsistency(bytes, asked) {
  onlyOfBundles(asked);
  if (asked.kept.length !== 2) {
    throw new Misplaced("A consistency proof is about two checkpoints: give both of them in part 3.");
  }
  const opened = [];
  for (const kept of asked.kept) opened.push({ bytes: kept, ...(await openCheckpoint(kept, asked.pins)) });
  opened.sort((one, other) => one.checkpoint.size - other.checkpoint.size);
  const [old, later] = opened;
  const earlier = { note: old.bytes, continuation: parseContinuation(bytes) };
  return { kind: "consistency", ...(await ofCheckpoint(later.checkpoint, later.note, asked, earlier)) };
}

async function ofCheckpoint(checkpoint, note, asked, earlier) {
  const signed = await cosigned(note, asked.pins);
  const before = await decided(asked, () => checkEarlier(checkpoint, asked.pins, earlier));
  return { checkpoint, signed, earlier: before };
}

function onlyOfBundles(asked) {
  if (asked.saga) throw new Misplaced("A saga was asked for, and this is no bundle: only a bundle is of a saga.");
}

function earlierOf(asked) {
  if (asked.kept.length > 1) throw new Misplaced("One kept checkpoint is enough; two go with a consistency proof.");
  if (asked.continuation && !asked.kept.length) {
    throw new Misplaced("A consistency proof was given: give the checkpoint that you kept, from which it leads.");
  }
  if (!asked.kept.length) return null;
  return { note: asked.kept[0], continuation: asked.continuation && parseContinuation(asked.continuation) };
}

/** That the proof from the kept checkpoint is missing refutes nothing, and leaves it open. */
async function decided(asked, check) {
  try {
    return await check();
  } catch (fault) {
    if (!(fault instanceof Refuted) || fault.reason !== "wrong-sizes" || asked.continuation) throw fault;
    throw new Undecided(`${fault.message}. Give the consistency proof in part 3: agent-saga log consistency makes it.`);
  }
}

/** The exact line of a tlog-proof out of a file: its bytes without one LF at the end. */
export function lineOf(bytes) {
  return bytes.length && bytes[bytes.length - 1] === 10 ? bytes.slice(0, -1) : bytes;
}

/** The exact line out of what was pasted. */
export const typedLine = (text) => lineOf(utf8(text));
