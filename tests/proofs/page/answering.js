// Answers vectors with the functions of the page that this is evaluated in, as answering.py does with Python's.
// The value of this file is a function from vectors to answers: {"ok": true, ...} or {"reason": WORD}.

(() => {
  const bytes64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const hashes = (texts) => texts.map(bytes64);
  const leafOf = (hex) => leafHash(fromHex(hex));
  const joined = (parts) => utf8(parts.map(([text, times]) => text.repeat(times)).join(""));
  const state = ({ size, root }) => ({ size, root: bytes64(root) });
  const placedOf = ({ entry, place, path }) => ({ entry: parseEntry(entry), place, path: hashes(path) });
  const pinOf = async ({ origin, vkey }) => ({ origin, log: await parseVkey(vkey), witnesses: [], monitors: [] });
  const same = (one, other) => {
    if (one !== other) throw new Error(`${one} is not ${other}`);
  };

  const noteOf = (v) => (v.note_hex !== undefined ? fromHex(v.note_hex) : joined(v.note_parts ?? [[v.note, 1]]));

  async function rootOf(leaves, start, count) {
    if (count === 0) return sha256(new Uint8Array(0));
    if (count === 1) return leaves[start];
    const left = leftOf(count);
    return nodeHash(await rootOf(leaves, start, left), await rootOf(leaves, start + left, count - left));
  }

  const KINDS_OF_VECTORS = {
    root: async (v) => {
      const leaves = await Promise.all(v.entries.map(leafOf));
      same(toBase64(await rootOf(leaves, 0, leaves.length)), v.root);
    },
    inclusion: async (v) => checkInclusion(await leafOf(v.entry), v.index, v.size, hashes(v.path), bytes64(v.root)),
    consistency: (v) => checkConsistency(v.old, v.new, hashes(v.proof), bytes64(v.old_root), bytes64(v.new_root)),
    leaves: async (v) => {
      const leaves = new Map();
      for (const [index, entry] of v.leaves) leaves.set(index, await leafOf(entry));
      await checkLeaves(leaves, v.size, hashes(v.proof), bytes64(v.root));
    },
    note: async (v) => {
      const note = parseNote(noteOf(v));
      await checkSignature(note, await parseVkey(v.pin.vkey));
    },
    checkpoint: async (v) => {
      const { checkpoint } = await openCheckpoint(noteOf(v), await pinOf(v.pin));
      return { size: checkpoint.size, root: toBase64(checkpoint.root) };
    },
    cosignature: async (v) => {
      const { note } = await openCheckpoint(noteOf(v), await pinOf(v.pin));
      return { time: Number((await checkCosignature(note, await parseVkey(v.pin.witness))).at) };
    },
    witness: async (v) => {
      const { checkpoint } = await openCheckpoint(noteOf(v), await pinOf(v.pin));
      if (!v.seen) return;
      if (checkpoint.size < v.seen.size) throw new Refuted("rolled-back", "");
      await checkConsistency(v.seen.size, checkpoint.size, hashes(v.proof), bytes64(v.seen.root), checkpoint.root);
    },
    "tlog-proof": async (v) => {
      const { index, checkpoint } = await checkTlogProof(utf8(v.proof), fromHex(v.entry), await pinOf(v.pin));
      return { index, size: checkpoint.size };
    },
    "consistency-file": (v) => checkContinues(state(v.earlier), state(v.later), parseContinuation(utf8(v.proof))),
    "index-key": async (v) => same(await keyOf(v.saga), v.key),
    "index-entry": async (v) => same(parseEntry(v.entry).text, v.entry),
    present: async (v) => void (await checkPlaced(placedOf(v), v.size, bytes64(v.root))),
    absent: async (v) => {
      const [before, after] = v.entries.map(placedOf);
      await checkAbsent(v.saga, before, after, v.size, bytes64(v.root));
    },
    bundle: async (v) => {
      const given = v.consistency === undefined ? null : parseContinuation(utf8(v.consistency));
      const earlier = v.earlier === undefined ? null : { note: utf8(v.earlier), continuation: given };
      const bytes = v.base64 === undefined ? utf8(v.bundle) : bytes64(v.base64);
      const proven = await verifyBundle(bytes, await parsePins(v.pin), earlier);
      const { claim, lines, withheld, opened, signed } = proven;
      const counts = { lines: lines.length, withheld: withheld.length, opened: opened.length };
      return { claim, ...counts, audited: signed.monitors.length > 0 };
    },
    line: async (v) => {
      const text = fromUtf8(v.base64 === undefined ? joined(v.parts ?? [[v.line, 1]]) : bytes64(v.base64));
      if (text === null) throw new LineFault("not UTF-8");
      decodeLine(text);
      same(toHex(await leafHash(utf8(text))), v.leaf);
    },
    signature: async (v) => ({ valid: await signedBy(fromHex(v.key), fromHex(v.signature), fromHex(v.message)) }),
    pins: async (v) => void (await parsePins(v.text)),
    disclosure: async (v) => {
      const { digest } = await parseDisclosure(v.disclosure, 0);
      same(digest, v.digest);
    },
  };

  async function answer(vector) {
    try {
      return { ok: true, ...(await KINDS_OF_VECTORS[vector.kind](vector)) };
    } catch (fault) {
      if (fault instanceof Refuted) return { reason: fault.reason };
      if (fault instanceof KeyFault) return { reason: "bad-key" };
      if (fault instanceof LineFault) return { reason: "bad-line" };
      return { crash: String(fault.stack ?? fault) };
    }
  }

  return async (vectors) => {
    const answers = [];
    for (const vector of vectors) answers.push(await answer(vector));
    return answers;
  };
})()
