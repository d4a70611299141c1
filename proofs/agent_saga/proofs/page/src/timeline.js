// The lines of a proven bundle, one below the other, each with its members and its exact bytes.

import { utf8 } from "./bytes.js";
import { encodeJson } from "./json.js";
import { exactly, folded, make, seen, valueOf } from "./show.js";
import { COMMON } from "./tables.js";

const AT_ONCE = 200;
const HEAD = new Set([...COMMON.map(([name]) => name), "salt"]);

/** Lines [{number, text, line, leaf}] as a list. word: "Line" or "Line of the log". index: places in the log. */
export function timeline(lines, word, index, opened) {
  const list = make("ol", { class: "timeline" });
  const rest = make("p", { class: "more" });
  let from = 0;
  const more = () => {
    const until = Math.min(from + AT_ONCE, lines.length);
    for (; from < until; from += 1) {
      if (word === "Line" && from && lines[from].number !== lines[from - 1].number + 1) {
        list.append(gapBetween(lines[from - 1].number, lines[from].number));
      }
      list.append(lineItem(lines[from], word, index, opened));
    }
    rest.replaceChildren();
    if (from < lines.length) rest.append(moreButton(lines.length, from, more));
  };
  more();
  return [list, rest];
}

function moreButton(count, from, more) {
  const left = count - from;
  const button = make("button", { type: "button" }, `Show ${Math.min(left, AT_ONCE)} of ${left} lines that follow`);
  button.addEventListener("click", more);
  return button;
}

function gapBetween(before, after) {
  const [first, last] = [before + 1, after - 1];
  const text = first === last ? `Line ${first} is not shown.` : `Lines ${first} to ${last} are not shown.`;
  return make("li", { class: "gap" }, text);
}

function lineItem(one, word, index, opened) {
  const { number, line, text, leaf } = one;
  const placed = index.get(number);
  const where = placed === undefined || word !== "Line" ? "" : `; line ${placed} of the log`;
  const members = make("dl", { class: "members" });
  for (const [name, value] of line) {
    if (HEAD.has(name)) continue;
    members.append(make("div", {}, make("dt", {}, name), make("dd", {}, memberValue(name, value, opened))));
  }
  const by = make("bdi", { class: "evidence" }, ...seen(line.get("by")));
  const exact = () => {
    const hash = make("p", { class: "meta" }, "Its hash: ", make("code", {}, leaf));
    return make("div", {}, exactly(text, "exact"), hash);
  };
  return make(
    "li",
    { class: placed === undefined ? "line" : "line placed" },
    make("h4", {}, `${word} ${number}: `, make("code", {}, line.get("type"))),
    make("p", { class: "meta" }, `${timeText(line.get("at"))}, by `, by, where),
    members,
    folded(`Exact line, ${utf8(text).length} bytes`, exact),
  );
}

/** A catalogue holds no payload: nothing in it is concealed, whatever a tool is called. */
function memberValue(name, value, opened) {
  return name === "tools" ? valueOf(encodeJson(value), opened) : valueOf(value, opened);
}

const timeText = (at) => at.replace("T", " ").replace(/(?:\.0{6})?Z$/, " UTC");
