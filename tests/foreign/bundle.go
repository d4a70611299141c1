package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const maxBundle = 64 << 20

// A bundle is what an auditor is given of one saga: docs/spec/bundle-v1.md. What is checked here is the note, the chain,
// the shared paths and the index entries; the form of lines and the disclosures are left to the other verifiers.
type bundle struct {
	Bundle      string               `json:"bundle"`
	Claim       string               `json:"claim"`
	Saga        string               `json:"saga"`
	Checkpoint  string               `json:"checkpoint"`
	Lines       [][2]json.RawMessage `json:"lines"`
	Anchors     [][2]int64           `json:"anchors"`
	Log         [][2]json.RawMessage `json:"log"`
	Proof       []string             `json:"proof"`
	Entries     [][3]json.RawMessage `json:"entries"`
	Disclosures []string             `json:"disclosures"`
}

// A written line is what a trace line says of its place in its saga, and its hash. number is its place in the bundle.
type written struct {
	Saga   string `json:"saga"`
	Seq    int64  `json:"seq"`
	Prev   string `json:"prev"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	number int64
	leaf   tlog.Hash
}

func verifyBundle(path, pinned, origin string) (answer, error) {
	key, err := parseVkey(pinned)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > maxBundle {
		return nil, refuse("too-large", "%d bytes", len(data))
	}
	var b bundle
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil || decoder.More() || b.Bundle != "agent-saga-bundle-v1" {
		return nil, refuse("bad-bundle", "no bundle of version 1: %v", err)
	}
	state, _, err := openCheckpoint([]byte(b.Checkpoint), origin, key)
	if err != nil {
		return nil, err
	}
	if err := b.check(state); err != nil {
		return nil, err
	}
	return answer{"claim": b.Claim, "saga": b.Saga, "size": state.size, "lines": len(b.Lines)}, nil
}

func (b *bundle) check(state checkpoint) error {
	lines, err := readLines(b.Lines)
	if err != nil {
		return err
	}
	own, err := readLines(b.Log)
	if err != nil {
		return err
	}
	if err := b.belongs(lines, own); err != nil {
		return err
	}
	ends, err := b.ends(lines)
	if err != nil {
		return err
	}
	leaves, err := b.placed(ends, own)
	if err != nil {
		return err
	}
	if err := checkLeaves(leaves, state.size, b.Proof, state.root); err != nil || b.Claim == "part" {
		return err
	}
	return b.indexed(lines, own, state)
}

// readLines reads lines in ascending order; of two that follow each other the later names the earlier.
func readLines(pairs [][2]json.RawMessage) ([]written, error) {
	var found []written
	for _, pair := range pairs {
		var one written
		var text string
		if err := read(pair[:], &one.number, &text); err != nil {
			return nil, refuse("bad-bundle", "%v", err)
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			return nil, refuse("bad-line", "%v", err)
		}
		one.leaf = tlog.RecordHash([]byte(text))
		if n := len(found); n > 0 {
			before := found[n-1]
			if before.number >= one.number || before.Seq >= one.Seq {
				return nil, refuse("wrong-order", "%d after %d", one.number, before.number)
			}
			if one.Seq == before.Seq+1 && one.Prev != hex.EncodeToString(before.leaf[:]) {
				return nil, refuse("broken-chain", "line %d does not name the line before", one.number)
			}
		}
		found = append(found, one)
	}
	return found, nil
}

func (b *bundle) belongs(lines, own []written) error {
	for i, one := range lines {
		switch {
		case one.Saga != b.Saga || one.Saga == "log":
			return refuse("wrong-saga", "line %d is of %s", one.number, one.Saga)
		case one.Seq != one.number:
			return refuse("wrong-seq", "line %d", one.number)
		case i == 0 && one.number != 0:
			return refuse("no-beginning", "line 0 is not shown")
		case i == 0 && one.Prev != strings.Repeat("0", 64):
			return refuse("broken-chain", "line 0 names a line before it")
		}
	}
	for _, one := range own {
		if one.Saga != "log" {
			return refuse("not-log-line", "line %d is of %s", one.number, one.Saga)
		}
	}
	return nil
}

// ends gives the lines that must be placed: the last of a whole saga; of a part the first and last of each stretch.
func (b *bundle) ends(lines []written) ([]written, error) {
	due, is := map[string]int{"whole": 1, "part": 0, "absent": 2}[b.Claim]
	if !is || len(b.Entries) != due || (b.Claim == "absent") != (len(lines) == 0) {
		return nil, refuse("bad-claim", "%q with %d entries and %d lines", b.Claim, len(b.Entries), len(lines))
	}
	var found []written
	for i, one := range lines {
		if i == 0 || lines[i-1].number+1 != one.number {
			found = append(found, one)
		}
		if i+1 == len(lines) || lines[i+1].number != one.number+1 {
			found = append(found, one)
		}
	}
	if b.Claim != "whole" {
		return found, nil
	}
	if len(found) != 2 {
		return nil, refuse("gap", "a whole saga in %d stretches", len(found)/2)
	}
	return found[1:], nil
}

// placed gathers the leaves that the shared paths are over.
func (b *bundle) placed(ends, own []written) (map[int64]tlog.Hash, error) {
	if len(ends) != len(b.Anchors) {
		return nil, refuse("bad-anchors", "%d, expected %d", len(b.Anchors), len(ends))
	}
	leaves := map[int64]tlog.Hash{}
	seq, index := int64(-1), int64(-1)
	for i, anchor := range b.Anchors {
		moved := anchor[0] - seq
		if anchor[0] != ends[i].number || anchor[1]-index < moved || (moved == 0 && anchor[1] != index) {
			return nil, refuse("bad-anchors", "line %d at %d", anchor[0], anchor[1])
		}
		seq, index = anchor[0], anchor[1]
		leaves[index] = ends[i].leaf
	}
	for _, one := range own {
		if _, twice := leaves[one.number]; twice {
			return nil, refuse("bad-anchors", "two lines at %d", one.number)
		}
		leaves[one.number] = one.leaf
	}
	return leaves, nil
}

// indexed checks the claim against the index, whose root stands in the last line of the checkpoint.
func (b *bundle) indexed(lines, own []written, state checkpoint) error {
	if len(own) == 0 || own[len(own)-1].Type != "log.indexed" {
		return refuse("no-index", "no index is shown")
	}
	index := own[len(own)-1]
	if index.number != state.size-1 {
		return refuse("stale-index", "line %d of %d", index.number, state.size)
	}
	var root tlog.Hash
	if data, err := hex.DecodeString(index.Root); err != nil || copy(root[:], data) != tlog.HashSize {
		return refuse("bad-line", "a root of %q", index.Root)
	}
	entries, err := b.entries()
	if err == nil && b.Claim == "absent" {
		err = checkAbsent(b.Saga, entries, index.Size, root)
	} else if err == nil {
		err = b.whole(lines[len(lines)-1], entries[0], index.Size, root)
	}
	if refused, is := err.(*refusal); is && (refused.reason == "not-included" || refused.reason == "bad-index") {
		return refuse("not-in-index", "%v", err)
	}
	return err
}

func (b *bundle) entries() ([]placed, error) {
	var found []placed
	for _, one := range b.Entries {
		var p placed
		if err := read(one[:], &p.Place, &p.Entry, &p.Path); err != nil {
			return nil, refuse("bad-bundle", "an entry: %v", err)
		}
		p.Entry += "\n"
		found = append(found, p)
	}
	return found, nil
}

// whole: the index says as many lines as are shown, and ends with the last of them.
func (b *bundle) whole(last written, entry placed, size int64, root tlog.Hash) error {
	said, err := entry.check(size, root)
	if err != nil {
		return err
	}
	if said.key != keyOf(b.Saga) {
		return refuse("wrong-entry", "the entry is of another saga")
	}
	if said.lines != last.number+1 || said.head != hex.EncodeToString(last.leaf[:]) {
		return refuse("not-whole", "the index says %d lines, %d are shown", said.lines, last.number+1)
	}
	if said.last != b.Anchors[0][1] {
		return refuse("wrong-entry", "the last line stands at %d, the index says %d", b.Anchors[0][1], said.last)
	}
	return nil
}
