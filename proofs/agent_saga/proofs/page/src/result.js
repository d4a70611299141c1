// The result on the page: the verdict first, then on what it rests, then what was shown.

import { fromUtf8, toHex } from "./bytes.js";
import { encodeJson } from "./json.js";
import { exactly, folded, make, seen, seenText, sentence, valueOf } from "./show.js";
import { timeline } from "./timeline.js";
import { headingOf, withheldOf, wordsOf } from "./words.js";

const TITLES = { proven: "Proven", refuted: "Refuted", undecided: "Undecided", unchecked: "Nothing was checked" };

/** Shows what is proven. file: {name, size, sha256}. Returns the words for the live region. */
export function showProven(section, proven, file) {
  const rows = wordsOf(proven);
  heading(section, "proven", headingOf(proven), file);
  section.append(make("p", { class: "said" }, ...sentence(`${rows[0][1]}.`)), table(rows.slice(1)));
  if (proven.kind === "bundle") showBundle(section, proven);
  if (proven.kind === "line") {
    const text = fromUtf8(proven.line);
    section.append(make("h3", {}, text === null ? "The line, which is not UTF-8, in hex" : "The line"));
    section.append(exactly(text ?? toHex(proven.line), "exact"));
  }
  return `Proven: ${headingOf(proven)}. ${seenText(rows[0][1])}.`;
}

/** Shows why nothing is proven. Returns the words for the live region. */
export function showFault(section, verdict, reason, message, file) {
  heading(section, verdict, reason, file);
  const said = message.charAt(0).toUpperCase() + message.slice(1);
  section.append(make("p", { class: "said" }, ...sentence(said)));
  const meaning = verdict === "refuted" ? "Nothing that this file says is proven." : "Nothing is proven or refuted.";
  section.append(make("p", {}, meaning));
  return `${TITLES[verdict]}${reason ? `: ${reason}` : ""}. ${seenText(said)}`;
}

function heading(section, verdict, what, file) {
  section.replaceChildren();
  section.dataset.verdict = verdict;
  section.dataset.reason = what;
  section.hidden = false;
  section.append(make("h2", { id: "verdict", tabindex: "-1" }, what ? `${TITLES[verdict]}: ${what}` : TITLES[verdict]));
  if (!file) return;
  const name = make("bdi", { class: "evidence" }, ...seen(file.name));
  section.append(make("p", { class: "file" }, name, `, ${file.size} bytes, SHA-256 `, make("code", {}, file.sha256)));
}

/** Rows of one label are one group. */
function table(rows) {
  const list = make("dl", { class: "words" });
  let group = null;
  for (const [label, text] of rows) {
    if (group?.dataset.label !== label) {
      const limits = label === "not proven";
      group = make("div", { "data-label": label, class: limits ? "limits" : "" }, make("dt", {}, label));
      list.append(group);
    }
    group.append(make("dd", {}, ...sentence(text)));
  }
  return list;
}

function showBundle(section, proven) {
  const { lines, own, opened, checkpoint } = proven;
  const values = new Map(opened.map(({ digest, value }) => [digest, value]));
  const index = new Map(proven.stretches.flatMap((run) => [[run.first, run.firstIndex], [run.last, run.lastIndex]]));
  for (const [seq, at] of index) {
    if (at === null) index.delete(seq);
  }
  if (lines.length) {
    section.append(make("h3", {}, "Withheld"), make("p", {}, withheldOf(proven)), ...closedList(proven));
    if (opened.length) section.append(make("h3", {}, "Opened"), openedList(opened));
    section.append(make("h3", {}, "Lines of the saga"), ...timeline(lines, "Line", index, values));
    section.append(make("p", { class: "hint" }, after(proven)));
  }
  if (own.length) {
    const note = `Of ${checkpoint.size} lines in the log, these are written by the log about itself.`;
    section.append(make("h3", {}, "Lines of the log's own"), make("p", {}, note));
    section.append(...timeline(own, "Line of the log", new Map(own.map((one) => [one.number, one.number])), new Map()));
  }
}

function after({ claim, lines, checkpoint }) {
  const last = lines[lines.length - 1].number;
  return claim === "whole"
    ? `No line of this saga follows line ${last} in the first ${checkpoint.size} lines of the log, by the log's index.`
    : `Whether lines follow line ${last} is not told.`;
}

const place = ({ seq, pointer }) => exactly(`${seq}:${pointer}`);

function closedList({ withheld }) {
  if (!withheld.length) return [];
  const items = withheld.map((one) => make("li", {}, place(one)));
  const list = make("ol", {}, ...items);
  return [items.length > 20 ? folded(`All ${items.length} places`, () => list) : list];
}

function openedList(opened) {
  const list = make("dl", { class: "words" });
  for (const one of opened) {
    const json = encodeJson(one.value);
    list.append(make("div", {}, make("dt", {}, place(one)), make("dd", {}, valueOf(json, new Map()))));
  }
  return list;
}
