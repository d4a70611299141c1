// Entries of the saga index: how many lines each saga has, by the log's own claim.
// Source: docs/spec/log-v1.md, "Saga index".

import { concat, Refuted, toHex, utf8 } from "./bytes.js";
import { sha256 } from "./primitives.js";
import { checkInclusion, leafHash } from "./tree.js";

const HEX = "([0-9a-f]{64})";
const DECIMAL = "(0|[1-9][0-9]{0,15})";
const ENTRY = new RegExp(`^agent-saga-index-v1 ${HEX} ${DECIMAL} ${DECIMAL} ${DECIMAL} ${HEX}\\n$`);
const LOWEST = "0".repeat(64);
const HIGHEST = "f".repeat(64);

/** The key under which a saga stands in the index. */
export async function keyOf(saga) {
  return toHex(await sha256(concat(utf8("agent-saga/index/v1\0"), utf8(saga))));
}

const isSentinel = (entry) => entry.key === LOWEST || entry.key === HIGHEST;

/** {key, first, last, lines, head, text} of an entry with its LF. Throws Refuted (bad-index-entry). */
export function parseEntry(text) {
  const found = ENTRY.exec(text);
  if (!found) throw new Refuted("bad-index-entry", "that is no entry of a saga index");
  const [, key, first, last, lines, head] = found;
  const entry = { key, first: Number(first), last: Number(last), lines: Number(lines), head, text };
  const empty = !entry.first && !entry.last && !entry.lines && head === LOWEST;
  if (!(isSentinel(entry) ? empty : sound(entry))) {
    throw new Refuted("bad-index-entry", "the index entry contradicts itself");
  }
  return entry;
}

/** Whether that many lines fit between first and last; a lone line is both. */
function sound({ first, last, lines }) {
  const span = last - first + 1;
  return last < Number.MAX_SAFE_INTEGER && lines > 0 && lines <= span && (lines === 1) === (span === 1);
}

/** Throws Refuted unless the entry stands at its place, with sentinels at both ends and nowhere else. */
export async function checkPlaced({ entry, place, path }, size, root) {
  const due = { 0: LOWEST, [size - 1]: HIGHEST }[place] ?? null;
  if (due !== (isSentinel(entry) ? entry.key : null)) {
    throw new Refuted("bad-index-entry", `place ${place} of ${size}: sentinels stand at both ends, nowhere else`);
  }
  await checkInclusion(await leafHash(utf8(entry.text)), place, size, path, root);
  return entry;
}

/** Throws Refuted unless the saga has no place between two neighbours of the index. */
export async function checkAbsent(saga, before, after, size, root) {
  const left = await checkPlaced(before, size, root);
  const right = await checkPlaced(after, size, root);
  if (after.place !== before.place + 1) {
    throw new Refuted("not-absent", `entries ${before.place} and ${after.place} of the index are no neighbours`);
  }
  const key = await keyOf(saga);
  if (!(left.key < key && key < right.key)) {
    throw new Refuted("not-absent", `saga ${saga} does not belong between the two entries shown`);
  }
}
