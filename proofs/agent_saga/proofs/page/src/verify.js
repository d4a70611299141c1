// Verifying a bundle, in the order of docs/spec/bundle-v1.md, "Verification": the first refusal wins.

import { Refuted, utf8 } from "./bytes.js";
import { parseBundle } from "./bundle.js";
import { ownLines, sagaLines, stretches } from "./chain.js";
import { checkAnchors, checkClaim, checkEntries, checkIndexed, checkOwn, checkSigners } from "./claims.js";
import { openPlaces } from "./disclosures.js";
import { concealedPlaces } from "./lines.js";
import { cosigned, openCheckpoint } from "./notes.js";
import { checkContinues } from "./proofs.js";
import { checkLeaves, hashesOf } from "./tree.js";

/** What this bundle proves under these pins. earlier: {note, continuation} or null. Throws Refuted. */
export async function verifyBundle(bytes, pins, earlier) {
  const bundle = parseBundle(bytes);
  const { checkpoint, note } = await openCheckpoint(utf8(bundle.checkpoint), pins);
  const signed = await cosigned(note, pins);
  const before = await checkEarlier(checkpoint, pins, earlier);
  const shown = await sagaLines(bundle);
  const own = await ownLines(bundle);
  checkClaim(bundle, shown);
  const placed = checkAnchors(bundle, shown);
  await checkAllLeaves(bundle, placed, own, checkpoint);
  checkOwn(own, checkpoint, pins.log);
  if (bundle.claim !== "part") {
    const indexed = checkIndexed(own, checkpoint);
    checkSigners(shown, own, indexed);
    await checkEntries(bundle, shown, indexed);
  }
  const places = shown.flatMap((one) => concealedPlaces(one.line).map((place) => ({ seq: one.number, ...place })));
  const values = await openPlaces(places, bundle.disclosures);
  return proven(bundle, checkpoint, signed, before, shown, own, values);
}

/** The checkpoint that the auditor kept, when this one continues it; null when none was given. Throws Refuted. */
export async function checkEarlier(checkpoint, pins, earlier) {
  if (!earlier) return null;
  const { checkpoint: before } = await openCheckpoint(earlier.note, pins);
  await checkContinues(before, checkpoint, earlier.continuation);
  return before;
}

async function checkAllLeaves(bundle, placed, own, checkpoint) {
  const leaves = new Map(own.map((one) => [one.number, one.hash]));
  for (const [index, one] of placed) {
    if (leaves.has(index)) throw new Refuted("bad-anchors", `two lines are said to be line ${index} of the log`);
    leaves.set(index, one.hash);
  }
  await checkLeaves(leaves, checkpoint.size, hashesOf(bundle.proof, "a hash of the proof"), checkpoint.root);
}

function proven(bundle, checkpoint, signed, earlier, shown, own, values) {
  const index = new Map(bundle.anchors);
  const last = shown[shown.length - 1];
  const ended = bundle.claim === "whole" && last.line.get("type") === "saga.ended";
  return {
    kind: "bundle",
    claim: bundle.claim,
    saga: bundle.saga,
    checkpoint,
    signed,
    earlier,
    lines: shown,
    own,
    stretches: stretches(shown).map(([first, end]) => {
      const [from, to] = [first.number, end.number];
      return { first: from, last: to, firstIndex: index.get(from) ?? null, lastIndex: index.get(to) };
    }),
    status: ended ? last.line.get("status") : null,
    ...values,
  };
}
