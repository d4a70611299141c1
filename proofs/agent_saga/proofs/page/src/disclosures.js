// Concealed values: which of them disclosures open, and which stay closed.
// Source: docs/spec/bundle-v1.md, "Disclosures"; docs/spec/trace-v1.md, "Concealed values".

import { fromBase64url, fromUtf8, Refuted, toBase64url, utf8 } from "./bytes.js";
import { pairs } from "./chain.js";
import { encodeJson, JsonFault, parseJson } from "./json.js";
import { checkPayload, conceals, LineFault } from "./lines.js";
import { sha256 } from "./primitives.js";

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** The value of a disclosure in its one spelling, and the digest that stands on the line. Throws Refuted. */
export async function parseDisclosure(text, number) {
  const refuse = (what) => {
    throw new Refuted("bad-disclosure", `disclosure ${number}: ${what}`);
  };
  const bytes = fromBase64url(text);
  const json = bytes && fromUtf8(bytes);
  if (!json) refuse("not unpadded base64url of UTF-8");
  try {
    const pair = parseJson(json);
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string" || !SALT.test(pair[0])) {
      refuse("is not [salt, value] with a salt of 22 base64url characters");
    }
    checkPayload(pair[1], "its value");
    if (conceals(pair[1])) refuse("the value holds a concealed part; concealed values do not nest");
    if (encodeJson(pair) !== json) refuse("is not in its one spelling");
    return { digest: toBase64url(await sha256(utf8(text))), value: pair[1] };
  } catch (fault) {
    if (fault instanceof JsonFault || fault instanceof LineFault) refuse(fault.message);
    throw fault;
  }
}

/** Which of the places {seq, pointer, digest} are opened and which stay closed. Throws Refuted. */
export async function openPlaces(places, disclosures) {
  const opening = [];
  for (const [number, text] of disclosures.entries()) opening.push(await parseDisclosure(text, number));
  pairs(opening, (before, after) => {
    if (before.digest >= after.digest) {
      throw new Refuted("wrong-order", "the disclosures do not ascend by their digests");
    }
  });
  const values = new Map(opening.map(({ digest, value }) => [digest, value]));
  const due = new Set(places.map((place) => place.digest));
  for (const digest of values.keys()) {
    if (!due.has(digest)) {
      throw new Refuted("unmatched-disclosure", `a disclosure of ${digest} opens nothing on the lines shown`);
    }
  }
  const opened = places.filter((place) => values.has(place.digest));
  return {
    opened: opened.map((place) => ({ ...place, value: values.get(place.digest) })),
    withheld: places.filter((place) => !values.has(place.digest)),
  };
}
