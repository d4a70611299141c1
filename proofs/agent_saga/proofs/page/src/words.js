// What was proven, and what was not, in the words of agent-saga verify: rows of [label, text].

import { toBase64 } from "./bytes.js";

const linesOf = (count) => (count === 1 ? "1 line" : `${count} lines`);

/** A time in POSIX seconds, a BigInt, as people read it. */
export function timeOf(seconds) {
  return seconds < 253402300800n
    ? new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z")
    : `${seconds} s after 1970`;
}

/** The verdict in a few words, for the heading. */
export function headingOf(proven) {
  if (proven.kind === "bundle") {
    return { whole: "whole saga", part: "part of a saga", absent: "the saga is absent" }[proven.claim];
  }
  const others = { checkpoint: "signed checkpoint", line: "one line of the log", consistency: "the log only grew" };
  return others[proven.kind];
}

/** All statements, one a row; the first says what was proven. */
export function wordsOf(proven) {
  const rows = [["proven", headline(proven)], ...signedRows(proven)];
  if (proven.kind === "bundle") {
    rows.push(...restsOn(proven).map((text) => ["rests on", text]));
    rows.push(...shownRows(proven).map((text) => ["shown", text]));
  }
  return [...rows, ...notProven(proven).map((text) => ["not proven", text])];
}

function headline(proven) {
  const { kind, claim, saga, checkpoint } = proven;
  if (kind === "line") return `ONE LINE: it is line ${proven.index} of the log`;
  if (kind !== "bundle") return `CHECKPOINT of ${linesOf(checkpoint.size)}: signed by the log that you pinned`;
  if (claim === "absent") return `ABSENT SAGA ${saga}: the log has no line of it`;
  const count = proven.lines.length;
  if (claim === "part") return `PART OF A SAGA, ${saga}: ${linesOf(count)}, and no word about the others`;
  return `WHOLE SAGA ${saga}: ${linesOf(count)}, ${count === 1 ? "line 0" : `0 to ${count - 1}`}, none left out`;
}

function signedRows({ checkpoint, signed, earlier }) {
  const seen = (one) => `${one.name} at ${timeOf(one.at)}`;
  const rows = [
    ["log", `${checkpoint.origin}, ${linesOf(checkpoint.size)}, root ${toBase64(checkpoint.root)}`],
    ["signed by", String(signed.log)],
    ...signed.witnesses.map((one) => ["witness", seen(one)]),
    ...signed.monitors.map((one) => ["monitor", seen(one)]),
  ];
  if (earlier) rows.push(["continues", `the checkpoint of ${linesOf(earlier.size)} that you hold`]);
  return rows;
}

function restsOn(proven) {
  const { claim, signed, checkpoint, lines } = proven;
  const rows = [];
  if (claim === "whole") {
    rows.push(`the chain, for: nothing is left out before line ${lines.length - 1}`);
    rows.push(`the index, for: nothing follows that line in the first ${checkpoint.size} lines of the log`);
  } else if (claim === "absent") {
    rows.push("two neighbours in the index: of two other sagas they tell hashed id, place and number of lines");
  }
  const audited = signed.monitors.map((one) => one.name).join(", ") || "nobody";
  if (claim !== "part") rows.push(`the index is claimed by the log; audited by: ${audited}`);
  return rows;
}

function shownRows(proven) {
  const rows = proven.claim === "part" ? proven.stretches.map(stretchOf) : [];
  if (proven.claim === "whole") {
    rows.push(
      proven.status === null
        ? "the saga has not ended: it may go on behind this checkpoint"
        : `the saga ended as ${proven.status}, by its own word: \`agent-saga certify\` judges that`,
    );
  }
  if (proven.own.length) rows.push(`${linesOf(proven.own.length)} of the log's own`);
  return rows;
}

function stretchOf({ first, last, firstIndex, lastIndex }) {
  if (first === last) return `line ${first}, line ${lastIndex} of the log`;
  return `lines ${first} to ${last}, lines ${firstIndex} to ${lastIndex} of the log`;
}

/** What an auditor might take for proven, and is not. */
function notProven({ kind, claim, signed }) {
  const found = [];
  if (!signed.witnesses.length) {
    found.push("that the log shows everybody the same: split view and a second copy of this log not excluded");
  }
  if (signed.silent.length) {
    const names = signed.silent.join(", ");
    found.push(`that these saw the checkpoint: ${names}: pinned, but no signature of theirs is on it`);
  }
  if (kind !== "bundle") return found;
  if (claim !== "part" && !signed.monitors.length) {
    found.push("that the index is true: no monitor that you pinned has recomputed it");
  }
  if (claim === "absent") {
    found.push("that no other log knows the saga, or that it was not written behind this checkpoint");
  } else {
    if (claim === "part") {
      found.push("that lines not shown change nothing; how many there are; what links one stretch to the next");
    }
    found.push("that what the lines say is true, or that the saga was in order: `agent-saga certify` judges that");
  }
  return found;
}

/** How many values stay closed, or that none does. */
export function withheldOf({ withheld }) {
  if (!withheld.length) return "Nothing was withheld: no value on the lines shown stays concealed.";
  const values = withheld.length === 1 ? "1 concealed value stays" : `${withheld.length} concealed values stay`;
  return `${values} closed. Each is marked on its line below.`;
}
