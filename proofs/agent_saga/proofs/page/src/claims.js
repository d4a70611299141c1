// What a bundle claims, and whether the index under its checkpoint bears it out.
// Source: docs/spec/bundle-v1.md, "Claims", "Index".

import { fromHex, Refuted } from "./bytes.js";
import { stretches } from "./chain.js";
import { checkAbsent, checkPlaced, keyOf, parseEntry } from "./entries.js";
import { hashesOf } from "./tree.js";

const ENTRIES = { whole: 1, part: 0, absent: 2 };
const SIGNED = ["approval.recorded", "person.decided"];
const REGISTRY = ["log.opened", "keys.enrolled", "keys.revoked"];
const typeOf = (one) => one.line.get("type");

/** Throws Refuted unless what is shown has the shape of the claim. */
export function checkClaim(bundle, shown) {
  const due = ENTRIES[bundle.claim];
  if (bundle.entries.length !== due) {
    const found = `${bundle.entries.length} index entries for the claim ${bundle.claim}`;
    throw new Refuted("bad-claim", `${found}: expected ${due}`);
  }
  if (bundle.claim === "absent") {
    if (bundle.lines.length || bundle.disclosures.length) {
      throw new Refuted("bad-claim", `${shown.length} lines of a saga that is said to be absent`);
    }
  } else if (!shown.length) {
    throw new Refuted("empty", `a bundle without lines proves nothing about the saga ${bundle.saga}`);
  }
  const runs = stretches(shown);
  if (bundle.claim === "whole" && runs.length > 1) {
    throw new Refuted("gap", `line ${runs[0][1].number + 1} of a saga that is said to be whole is not shown`);
  }
}

/** The saga's lines that the proof places, as a Map from global index. Throws Refuted (bad-anchors). */
export function checkAnchors(bundle, shown) {
  const ends = bundle.claim === "whole" ? [shown[shown.length - 1]] : stretches(shown).flat();
  if (bundle.anchors.length !== ends.length || bundle.anchors.some(([seq], at) => seq !== ends[at].number)) {
    throw new Refuted("bad-anchors", "the lines placed are not those that the claim wants");
  }
  let [seqBefore, indexBefore] = [-1, -1];
  for (const [seq, index] of bundle.anchors) {
    if (index - indexBefore < seq - seqBefore || (seq === seqBefore && index !== indexBefore)) {
      throw new Refuted("bad-anchors", `line ${seq} at ${index} of the log: no room for the lines before it`);
    }
    [seqBefore, indexBefore] = [seq, index];
  }
  return new Map(bundle.anchors.map(([, index], at) => [index, ends[at]]));
}

/** Throws Refuted where the log's own lines say something else of the log than what is pinned. */
export function checkOwn(own, checkpoint, vkey) {
  for (const one of own) {
    const opens = typeOf(one) === "log.opened";
    if (opens !== (one.number === 0)) {
      throw new Refuted("bad-log", `line ${one.number} of the log is ${typeOf(one)}: a log is opened by its line 0`);
    }
    if (opens && one.line.get("origin") !== checkpoint.origin) {
      throw new Refuted("wrong-origin", `the log was opened as ${one.line.get("origin")}: it is not this one`);
    }
    if (opens && one.line.get("vkey") !== String(vkey)) {
      throw new Refuted("wrong-key", "the log was opened under another key than the one pinned");
    }
  }
}

/** The index that the checkpoint ends with: {size, root, keysAt}. Throws Refuted. */
export function checkIndexed(own, checkpoint) {
  const last = own[own.length - 1];
  if (!last || typeOf(last) !== "log.indexed") {
    throw new Refuted("no-index", "no index is shown: only the log's own index says how many lines a saga has");
  }
  if (last.number !== checkpoint.size - 1) {
    const end = checkpoint.size - 1;
    throw new Refuted("stale-index", `the index shown is line ${last.number}, the checkpoint ends with line ${end}`);
  }
  const keysAt = last.line.get("keys").get("index");
  const policyAt = last.line.get("policy")?.get("index") ?? 0;
  if (Math.max(keysAt, policyAt) >= last.number) {
    throw new Refuted("bad-log", "the index names a line as in force which comes after it");
  }
  return { size: last.line.get("size"), root: fromHex(last.line.get("root")), keysAt };
}

/** Throws Refuted (no-keys, bad-log) unless a saga with signed lines shows who may sign. */
export function checkSigners(shown, own, indexed) {
  const types = new Map(own.map((one) => [one.number, typeOf(one)]));
  if (!REGISTRY.includes(types.get(indexed.keysAt) ?? "log.opened")) {
    throw new Refuted("bad-log", `line ${indexed.keysAt} of the log sets no keys: it is ${types.get(indexed.keysAt)}`);
  }
  const signed = shown.some((one) => SIGNED.includes(typeOf(one)));
  if (signed && !(types.has(0) && types.has(indexed.keysAt))) {
    throw new Refuted("no-keys", "the saga has signed lines; the log's lines that say who may sign are not shown");
  }
}

/** Throws Refuted unless the index bears the claim out. */
export async function checkEntries(bundle, shown, indexed) {
  const placed = bundle.entries.map(([place, text, path]) => {
    return { entry: parseEntry(`${text}\n`), place, path: hashesOf(path, "a path") };
  });
  const { size, root } = indexed;
  let entry;
  try {
    if (bundle.claim === "absent") return await checkAbsent(bundle.saga, placed[0], placed[1], size, root);
    entry = await checkPlaced(placed[0], size, root);
  } catch (fault) {
    if (!(fault instanceof Refuted) || !["not-included", "bad-index"].includes(fault.reason)) throw fault;
    throw new Refuted("not-in-index", `an entry shown does not stand in the log's index: ${fault.message}`);
  }
  return checkWhole(bundle, shown[shown.length - 1], entry);
}

async function checkWhole(bundle, last, entry) {
  if (entry.key !== (await keyOf(bundle.saga))) {
    throw new Refuted("wrong-entry", `the index entry shown is not that of the saga ${bundle.saga}`);
  }
  if (entry.lines !== last.number + 1 || entry.head !== last.leaf) {
    throw new Refuted(
      "not-whole",
      `the index has ${entry.lines} lines of this saga, the last of them ${entry.head}; ` +
        `shown are ${last.number + 1}, the last of them ${last.leaf}`,
    );
  }
  const at = bundle.anchors[0][1];
  if (entry.last !== at) {
    throw new Refuted("wrong-entry", `the index has the last line at ${entry.last}: shown at ${at}`);
  }
}
