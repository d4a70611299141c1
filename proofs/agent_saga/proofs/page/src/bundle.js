// A bundle: its bytes in one spelling, and the members that they must be. Unverified.
// Source: docs/spec/bundle-v1.md, "Form".

import { fromUtf8, Refuted } from "./bytes.js";
import { encodeJson, JsonFault, parseJson } from "./json.js";

export const MAX_BUNDLE = 64 * 1024 * 1024;
const MEMBERS = ["bundle", "claim", "saga", "checkpoint", "lines", "anchors", "log", "proof", "entries", "disclosures"];

const text = (value) => typeof value === "string";
const number = (value) => typeof value === "number" && value >= 0;
const list = (item) => (value) => Array.isArray(value) && value.every(item);
const row = (...items) => (value) =>
  Array.isArray(value) && value.length === items.length && items.every((item, at) => item(value[at]));

const FORMS = {
  bundle: (value) => value === "agent-saga-bundle-v1",
  claim: (value) => ["whole", "part", "absent"].includes(value),
  saga: (value) => text(value) && /^[A-Za-z0-9._:-]{1,128}$/.test(value),
  checkpoint: text,
  lines: list(row(number, text)),
  anchors: list(row(number, number)),
  log: list(row(number, text)),
  proof: list(text),
  entries: list(row(number, text, list(text))),
  disclosures: list(text),
};

/** The members of a bundle. Throws Refuted (too-large, bad-bundle, bad-spelling). */
export function parseBundle(bytes) {
  if (bytes.length > MAX_BUNDLE) {
    throw new Refuted("too-large", `a bundle of ${bytes.length} bytes: expected at most ${MAX_BUNDLE}`);
  }
  const whole = fromUtf8(bytes);
  if (whole === null) throw new Refuted("bad-bundle", "the bundle is not UTF-8");
  const found = jsonOf(whole);
  const bundle = {};
  for (const name of MEMBERS) {
    if (!found.has(name) || !FORMS[name](found.get(name))) {
      throw new Refuted("bad-bundle", `no bundle of version 1: its member ${name} is not what it must be`);
    }
    bundle[name] = found.get(name);
  }
  if (found.size !== MEMBERS.length) throw new Refuted("bad-bundle", "the bundle has members that no bundle has");
  const due = new Map(MEMBERS.map((name) => [name, bundle[name]]));
  if (`${encodeJson(due)}\n` !== whole) {
    throw new Refuted("bad-spelling", "not the one spelling: compact JSON, members in order, one LF at the end");
  }
  return bundle;
}

function jsonOf(whole) {
  let found;
  try {
    found = parseJson(whole);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw new Refuted("bad-bundle", fault.message);
  }
  if (!(found instanceof Map)) throw new Refuted("bad-bundle", "no JSON object");
  return found;
}
