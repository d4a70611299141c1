// Putting text on the page. Evidence only ever becomes text of an element, with every character seen: what does not
// print, or would change the direction of text or hide in it, stands as its code point in a frame.

import { encodeJson, encodeString } from "./json.js";
import { isConcealed } from "./lines.js";

const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const LONG = 4000;

/** A new element. children: elements and texts of ours. */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const codePoint = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Text that may hold evidence, as nodes. */
export function seen(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    nodes.push(text.slice(from, found.index), make("span", { class: "esc" }, codePoint(found[0])));
    from = found.index + found[0].length;
  }
  return [...nodes, text.slice(from)].filter((node) => node !== "");
}

/** The same for a live region, which reads text alone. */
export const seenText = (text) => text.replace(UNSEEN, (char) => `<${codePoint(char)}>`);

/** A sentence of ours around evidence; the commands in it stand as code. */
export function sentence(text) {
  const parts = text.split(/(`agent-saga [a-z]+`)/);
  const ours = (part) => make("code", {}, part.slice(1, -1));
  return parts.map((part, at) => (at % 2 ? ours(part) : make("bdi", { class: "evidence" }, ...seen(part))));
}

/** Evidence in its exact characters, in stored order from left to right. */
export const exactly = (text, more = "") => make("code", { class: `evidence ${more}`.trim() }, ...seen(text));

/** A value of a line, as JSON; concealed parts stand as what opened them, or as closed. opened: a Map by digest. */
export function valueOf(value, opened) {
  const pieces = typeof value === "string" ? [[value, ""]] : [...written(value, opened)];
  const size = pieces.reduce((total, [text]) => total + text.length, 0);
  const build = () => make("code", { class: "evidence" }, ...merged(pieces));
  return size > LONG ? folded(`${size} characters`, build) : build();
}

function* written(value, opened) {
  if (isConcealed(value)) {
    const digest = value.get("...");
    yield opened.has(digest) ? [encodeJson(opened.get(digest)), "opened"] : ["concealed, stays closed", "closed"];
  } else if (Array.isArray(value)) {
    yield* listed("[", value, "]", (item) => written(item, opened));
  } else if (value instanceof Map) {
    yield* listed("{", [...value], "}", function* member([name, item]) {
      yield [`${encodeString(name)}:`, ""];
      yield* written(item, opened);
    });
  } else {
    yield [encodeJson(value), ""];
  }
}

function* listed(begin, items, end, each) {
  yield [begin, ""];
  for (const [at, item] of items.entries()) {
    if (at) yield [",", ""];
    yield* each(item);
  }
  yield [end, ""];
}

function merged(pieces) {
  const nodes = [];
  let plain = "";
  for (const [text, kind] of pieces) {
    if (!kind) {
      plain += text;
      continue;
    }
    nodes.push(...seen(plain), make("span", { class: kind }, ...seen(text)));
    plain = "";
  }
  return [...nodes, ...seen(plain)];
}

/** Something long, built when it is opened; nothing of it is left out. */
export function folded(title, build) {
  const details = make("details", {}, make("summary", {}, title));
  const fill = () => {
    details.removeEventListener("toggle", fill);
    if (!details.dataset.filled) details.append(build());
    details.dataset.filled = "yes";
  };
  details.addEventListener("toggle", fill);
  return details;
}
