// The lines of a bundle: each one a line of this saga at its place, chained to the one before.
// Source: docs/spec/bundle-v1.md, "Lines", "The log's own lines".

import { Refuted, toHex, utf8 } from "./bytes.js";
import { JsonFault, parseJson } from "./json.js";
import { decodeLine, knownType, LineFault, mayStandIn } from "./lines.js";
import { GENESIS, LOG_SAGA } from "./tables.js";
import { leafHash } from "./tree.js";

/** The saga's lines [{number, text, line, leaf, hash}], checked among themselves. Throws Refuted. */
export async function sagaLines(bundle) {
  if (bundle.saga === LOG_SAGA) throw new Refuted("log-saga", "the log's own lines are no saga");
  const shown = await allShown(bundle.lines, "line");
  for (const { number, line } of shown) {
    if (line.get("saga") !== bundle.saga) {
      throw new Refuted("wrong-saga", `line ${number} is of the saga ${line.get("saga")}, not of ${bundle.saga}`);
    }
    if (line.get("seq") !== number) {
      throw new Refuted("wrong-seq", `line ${number} says of itself that it is line ${line.get("seq")}`);
    }
  }
  ascending(shown);
  if (shown.length && shown[0].number !== 0) {
    throw new Refuted("no-beginning", `the first line shown is line ${shown[0].number}: line 0 is always shown`);
  }
  if (shown.length && shown[0].line.get("prev") !== GENESIS) {
    throw new Refuted("broken-chain", "line 0 names a line before it; it is the first of its saga");
  }
  chained(shown);
  return shown;
}

/** The log's own lines, checked among themselves. Throws Refuted. */
export async function ownLines(bundle) {
  const shown = await allShown(bundle.log, "the log's line");
  for (const { number, line } of shown) {
    if (line.get("saga") !== LOG_SAGA) {
      throw new Refuted("not-log-line", `line ${number} of the log is of the saga ${line.get("saga")}, not its own`);
    }
  }
  ascending(shown);
  pairs(shown, (before, after) => {
    if (before.line.get("seq") >= after.line.get("seq")) {
      throw new Refuted("wrong-order", `the log's own lines ${before.number} and ${after.number} stand in no order`);
    }
  });
  chained(shown);
  return shown;
}

/** The first and last line of each run of lines without a gap. */
export function stretches(shown) {
  const runs = [];
  for (const one of shown) {
    const run = runs[runs.length - 1];
    if (run && one.number === run[1].number + 1) run[1] = one;
    else runs.push([one, one]);
  }
  return runs;
}

async function allShown(rows, what) {
  const shown = [];
  for (const [number, text] of rows) shown.push({ number, text, line: decoded(text, `${what} ${number}`) });
  for (const one of shown) {
    one.hash = await leafHash(utf8(one.text));
    one.leaf = toHex(one.hash);
  }
  return shown;
}

function decoded(text, what) {
  try {
    return decodeLine(text);
  } catch (fault) {
    if (!(fault instanceof LineFault)) throw fault;
    refuseMixed(text, what);
    throw new Refuted("bad-line", `${what} cannot be read: ${fault.message}`);
  }
}

/** A line whose only fault may be that its type stands in the wrong saga gets its own reason. */
function refuseMixed(text, what) {
  let line;
  try {
    line = parseJson(text);
  } catch (fault) {
    if (fault instanceof JsonFault) return;
    throw fault;
  }
  const [saga, type] = line instanceof Map ? [line.get("saga"), line.get("type")] : [];
  if (typeof saga === "string" && typeof type === "string" && knownType(type) && !mayStandIn(saga, type)) {
    throw new Refuted("log-type", `${what} is a ${type} line in a saga where it may not stand`);
  }
}

export function pairs(items, check) {
  for (let at = 1; at < items.length; at += 1) check(items[at - 1], items[at]);
}

function ascending(shown) {
  pairs(shown, (before, after) => {
    if (before.number >= after.number) {
      throw new Refuted("wrong-order", `line ${after.number} stands behind ${before.number}: expected ascending`);
    }
  });
}

function chained(shown) {
  pairs(shown, (before, after) => {
    if (after.line.get("seq") === before.line.get("seq") + 1 && after.line.get("prev") !== before.leaf) {
      throw new Refuted("broken-chain", `line ${after.number} does not name the hash of line ${before.number}`);
    }
  });
}
