// One line of a trace: its spelling, its members and their forms, and where values are concealed on it.
// Source: docs/spec/trace-v1.md, "Line form", "Members of every line", "Types", "Concealed values".

import { utf8 } from "./bytes.js";
import { encodeJson, JsonFault, OddNumber, parseJson } from "./json.js";
import { COMMON, KINDS, LOG_SAGA, LOG_TYPES, MAX_LINE, PARTS, TYPES } from "./tables.js";

const CONCEALED = "...";
const DIGEST = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A line is none of the format. */
export class LineFault extends Error {}

const refuse = (where, expected) => {
  throw new LineFault(`${where || "the line"}: expected ${expected}`);
};

/** Whether a line of this type may stand in this saga: the log's own lines and those of sagas never mix. */
export const mayStandIn = (saga, type) => (saga === LOG_SAGA) === LOG_TYPES.includes(type);

/** Whether this is the name of a line type of the format. */
export const knownType = (type) => Object.hasOwn(TYPES, type);

/** The members of a line in order, as a Map. Throws LineFault. */
export function decodeLine(text) {
  if (utf8(text).length > MAX_LINE) refuse("", `at most ${MAX_LINE} bytes`);
  const line = parsed(text);
  if (!(line instanceof Map)) refuse("", "a JSON object");
  const type = line.get("type");
  if (typeof type !== "string" || !knownType(type)) refuse("type", "a type of trace format 1");
  checkMembers(line, [...COMMON, ...TYPES[type], ["salt", "Salt"]], "");
  if (!mayStandIn(line.get("saga"), type)) refuse("type", "one that may stand in this saga");
  if (encodeJson(line) !== text) refuse("", "the one compact spelling");
  return line;
}

function parsed(text) {
  try {
    return parseJson(text);
  } catch (fault) {
    if (fault instanceof JsonFault) throw new LineFault(fault.message);
    throw fault;
  }
}

/** Members in the order of the table. "name?" may be absent, "name+" may be absent and is never empty. */
function checkMembers(found, table, where) {
  const left = [...found.keys()];
  for (const [spelled, kind] of table) {
    const name = spelled.replace(/[?+]$/, "");
    if (left[0] === name) {
      left.shift();
      checkKind(found.get(name), kind, `${where}/${name}`);
      if (spelled.endsWith("+") && !found.get(name).length) refuse(`${where}/${name}`, "to be absent when empty");
      if (spelled.endsWith("?") && found.get(name) === null) refuse(`${where}/${name}`, "to be absent, not null");
    } else if (spelled === name) {
      refuse(`${where}/${name}`, found.has(name) ? "another place in the order" : "it to be there");
    }
  }
  if (left.length) refuse(`${where}/${left[0]}`, "no such member, or another place in the order");
}

/** A value against a kind of tables.js: Kind, Kind[], Name>Kind (a map), =A|B (one of), #1 (the number), Part. */
function checkKind(value, kind, where) {
  if (kind.endsWith("[]")) {
    if (!Array.isArray(value)) refuse(where, "an array");
    value.forEach((item, at) => checkKind(item, kind.slice(0, -2), `${where}/${at}`));
  } else if (kind.includes(">")) {
    if (!(value instanceof Map)) refuse(where, "an object");
    const [name, item] = kind.split(">");
    value.forEach((inner, key) => {
      checkKind(key, name, where);
      checkKind(inner, item, `${where}/${key}`);
    });
  } else if (Object.hasOwn(PARTS, kind)) {
    if (!(value instanceof Map)) refuse(where, "an object");
    checkMembers(value, PARTS[kind], where);
  } else {
    checkSimple(value, KINDS[kind], where);
  }
}

function checkSimple(value, kind, where) {
  if (kind.text) {
    if (typeof value !== "string" || !compiled(kind.text).test(value)) refuse(where, kind.says);
  } else if (kind.one) {
    if (!kind.one.includes(value)) refuse(where, kind.one.join(" or "));
  } else if (kind.whole) {
    const [least, most] = kind.whole;
    if (typeof value !== "number" || value < least || value > most) refuse(where, `an integer from ${least}`);
  } else {
    checkPayload(value, where);
    if (kind.payload !== "any" && !(value instanceof Map)) refuse(where, "an object");
    if (kind.payload === "amount") checkAmount(value, where);
  }
}

const PATTERNS = new Map();

/** The whole text must fit; u makes a bounded class count code points, as the specification does. */
function compiled(pattern) {
  if (!PATTERNS.has(pattern)) PATTERNS.set(pattern, new RegExp(`^(?:${pattern})$`, "u"));
  return PATTERNS.get(pattern);
}

/** Whether a payload value stands concealed. */
export const isConcealed = (value) => value instanceof Map && value.has(CONCEALED);

/** A value of the agent's own: any JSON without odd numbers, "..." only as a concealed value. */
export function checkPayload(value, where) {
  if (value instanceof OddNumber) refuse(where, "no fraction, no exponent, nothing beyond 2^53 - 1");
  if (isConcealed(value)) {
    const digest = value.get(CONCEALED);
    if (value.size !== 1 || typeof digest !== "string" || !DIGEST.test(digest)) refuse(where, '{"...":DIGEST} alone');
    return;
  }
  if (Array.isArray(value)) value.forEach((item, at) => checkPayload(item, `${where}/${at}`));
  if (value instanceof Map) value.forEach((item, name) => checkPayload(item, `${where}/${name}`));
}

function checkAmount(value, where) {
  if (isConcealed(value)) return;
  const [minor, currency] = [value.get("minor"), value.get("currency")];
  const money = typeof minor === "number" || isConcealed(minor);
  const known = isConcealed(currency) || (typeof currency === "string" && /^[A-Z]{3}$/.test(currency));
  if (value.size !== 2 || !money || !known) refuse(where, '{"minor":INTEGER,"currency":"ISO 4217 code"}');
}

/** Every concealed value of a line that was decoded, in the order of its bytes: {pointer, digest}. */
export function concealedPlaces(line) {
  const found = [];
  for (const [name, value] of line) {
    if (name !== "tools") collect(`/${name}`, value, found); // names of tools, not of values
  }
  return found;
}

function collect(pointer, value, found) {
  if (isConcealed(value)) found.push({ pointer, digest: value.get(CONCEALED) });
  else if (Array.isArray(value)) value.forEach((item, at) => collect(`${pointer}/${at}`, item, found));
  else if (value instanceof Map) value.forEach((item, name) => collect(`${pointer}/${token(name)}`, item, found));
}

const token = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Whether some part of a value is concealed. */
export function conceals(value) {
  const found = [];
  collect("", value, found);
  return found.length > 0;
}
