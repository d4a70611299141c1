// SHA-256 and Ed25519: the browser's own where it has them and they work, ours where not.

import { fromHex, sameBytes } from "./bytes.js";
import { plainVerify, reduced } from "./ed25519.js";
import { plainSha256 } from "./sha2.js";

// RFC 8032, section 7.1, TEST 2, and FIPS 180-4's "abc".
const KEY = fromHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
const MESSAGE = fromHex("72");
const SIGNATURE = fromHex(
  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
);
const ABC = fromHex("616263");
const ABC_HASH = fromHex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

const browserSha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

async function browserVerify(key, signature, message) {
  try {
    const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
  } catch {
    return false; // only bytes that are no point of the curve are left as a cause: the browser has passed its test
  }
}

async function passes(test) {
  try {
    return await test();
  } catch {
    return false;
  }
}

const spoiled = (bytes) => Uint8Array.from(bytes, (byte, at) => (at ? byte : byte ^ 1));
const hashes = async (sha256) => sameBytes(await sha256(ABC), ABC_HASH);
const verifies = async (verify) =>
  (await verify(KEY, SIGNATURE, MESSAGE)) === true && (await verify(KEY, spoiled(SIGNATURE), MESSAGE)) === false;

/** What this page computes with. sha256By, ed25519By: "browser" or "page". */
async function choose() {
  const sha = await passes(() => hashes(browserSha256));
  const ed = await passes(() => verifies(browserVerify));
  const chosen = {
    sha256: sha ? browserSha256 : async (bytes) => plainSha256(bytes),
    verify: ed ? browserVerify : async (...signed) => plainVerify(...signed),
    sha256By: sha ? "browser" : "page",
    ed25519By: ed ? "browser" : "page",
  };
  if (!((await hashes(chosen.sha256)) && (await verifies(chosen.verify)))) {
    throw new Error("this browser computes wrongly: the page cannot be used in it");
  }
  return chosen;
}

let choice = null;

/** The primitives, chosen once, each after a known answer was computed with it. */
export function primitives() {
  choice ??= choose();
  return choice;
}

export async function sha256(bytes) {
  return (await primitives()).sha256(bytes);
}

/** Whether this key made this signature (RFC 8032). S is looked at here, so that no browser can be laxer. */
export async function signedBy(key, signature, message) {
  return reduced(signature) && (await primitives()).verify(key, signature, message);
}
