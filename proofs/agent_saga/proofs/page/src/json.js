// JSON read whole and in order, and written in its one compact spelling. Objects are Maps: order and names matter.
// JSON.parse is not used: it rounds numbers, keeps the last of two equal names, and moves names that look like numbers.

const DEEPEST = 64;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const SHORT = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text is not JSON, or nests deeper than 64. */
export class JsonFault extends Error {}

/** A number that no line and no bundle may hold: a fraction, an exponent, or beyond 2^53 - 1. */
export class OddNumber {
  constructor(literal) {
    this.literal = literal;
  }
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(expected) {
    throw new JsonFault(`not JSON at character ${this.at}: expected ${expected}`);
  }

  space() {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at += 1;
  }

  take(char) {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  need(char) {
    if (!this.take(char)) this.fail(`"${char}"`);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found?.[0];
  }

  value(depth) {
    this.space();
    const first = this.text[this.at];
    let found;
    if (first === "{") found = this.object(depth + 1);
    else if (first === "[") found = this.array(depth + 1);
    else if (first === '"') found = this.string();
    else found = this.word();
    this.space();
    return found;
  }

  word() {
    for (const [literal, meaning] of [["true", true], ["false", false], ["null", null]]) {
      if (this.text.startsWith(literal, this.at)) {
        this.at += literal.length;
        return meaning;
      }
    }
    const literal = this.match(NUMBER);
    if (literal === undefined) this.fail("a value");
    const number = Number(literal);
    return /^-?[0-9]+$/.test(literal) && Number.isSafeInteger(number) ? number + 0 : new OddNumber(literal);
  }

  object(depth) {
    this.enter("{", depth);
    const members = new Map();
    this.space();
    if (this.take("}")) return members;
    do {
      this.space();
      const name = this.string();
      this.space();
      this.need(":");
      members.set(name, this.value(depth));
    } while (this.take(","));
    this.need("}");
    return members;
  }

  array(depth) {
    this.enter("[", depth);
    const items = [];
    this.space();
    if (this.take("]")) return items;
    do items.push(this.value(depth));
    while (this.take(","));
    this.need("]");
    return items;
  }

  enter(char, depth) {
    this.need(char);
    if (depth > DEEPEST) throw new JsonFault(`nesting is deeper than ${DEEPEST}`);
  }

  string() {
    this.need('"');
    let found = "";
    for (;;) {
      found += this.match(PLAIN);
      if (this.take('"')) break;
      this.need("\\");
      found += this.escape();
    }
    if (LONE_SURROGATE.test(found)) this.fail("no lone surrogate");
    return found;
  }

  escape() {
    const char = this.text[this.at];
    this.at += 1;
    if (char !== "u") return ESCAPES[char] ?? this.fail("an escape");
    const digits = this.match(/[0-9a-fA-F]{4}/y);
    if (digits === undefined) this.fail("four hex digits");
    return String.fromCharCode(parseInt(digits, 16));
  }
}

/** What a JSON text says. Of two equal names the last counts, so that re-encoding differs. Throws JsonFault. */
export function parseJson(text) {
  const reader = new Reader(text);
  const found = reader.value(0);
  if (reader.at !== text.length) reader.fail("the end");
  return found;
}

const escaped = (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function encodeString(text) {
  return `"${text.replace(/["\\\u0000-\u001f]/g, escaped)}"`;
}

/** The compact spelling: no white space, names in their order, only what must be escaped is. */
export function encodeJson(value) {
  if (typeof value === "string") return encodeString(value);
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(",")}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, item]) => `${encodeString(name)}:${encodeJson(item)}`).join(",")}}`;
  }
  return value instanceof OddNumber ? value.literal : String(value);
}
