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

// A bundle is what an auditor is given of one saga: docs/spec/bundle-v1.md.
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

// A written line is what the form of a trace line tells here: its place in its saga, and its hash.
type written struct {
	Saga string `json:"saga"`
	Seq  int64  `json:"seq"`
	Prev string `json:"prev"`
	Type string `json:"type"`
	Size int64  `json:"size"`
	Root string `json:"root"`
	leaf tlog.Hash
}

func verifyBundle(path, pinned, origin string) (answer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) > maxBundle {
		return nil, refuse("bad-bundle", "%d bytes", len(data))
	}
	key, err := parseVkey(pinned)
	if err != nil {
		return nil, err
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
	lines, err := b.chain()
	if err != nil {
		return err
	}
	leaves, last, err := b.anchored(lines)
	if err != nil {
		return err
	}
	if len(leaves) > 0 || len(b.Proof) > 0 {
		if err := checkLeaves(leaves, state.size, b.Proof, state.root); err != nil {
			return err
		}
	}
	return b.claimed(lines, last, state)
}

// chain reads the lines of the saga; within a stretch each names the one before.
func (b *bundle) chain() (map[int64]written, error) {
	found := map[int64]written{}
	before := int64(-2)
	for _, pair := range b.Lines {
		var seq int64
		var text string
		if err := read(pair[:], &seq, &text); err != nil {
			return nil, refuse("bad-bundle", "%v", err)
		}
		one, err := readWritten(text)
		if err != nil {
			return nil, err
		}
		if one.Saga != b.Saga || one.Seq != seq || seq <= before {
			return nil, refuse("bad-line", "line %d", seq)
		}
		if previous, is := found[seq-1]; is && one.Prev != hex.EncodeToString(previous.leaf[:]) {
			return nil, refuse("broken-chain", "line %d does not name the line before", seq)
		}
		found[seq], before = one, seq
	}
	return found, nil
}

func readWritten(text string) (written, error) {
	var found written
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return found, refuse("bad-line", "%v", err)
	}
	found.leaf = tlog.RecordHash([]byte(text))
	return found, nil
}

// anchored gathers the leaves that the proof must hold: both ends of each stretch, but for line 0 of a whole saga.
func (b *bundle) anchored(lines map[int64]written) (map[int64]tlog.Hash, *written, error) {
	leaves := map[int64]tlog.Hash{}
	at := map[int64]bool{}
	before := [2]int64{-1, -1}
	for _, pair := range b.Anchors {
		shown, is := lines[pair[0]]
		if !is || pair[0] <= before[0] || pair[1] <= before[1] {
			return nil, nil, refuse("bad-anchor", "line %d at %d", pair[0], pair[1])
		}
		leaves[pair[1]], at[pair[0]], before = shown.leaf, true, pair
	}
	if missing := b.unanchored(lines, at); missing >= 0 {
		return nil, nil, refuse("bad-anchor", "line %d is not anchored", missing)
	}
	var last *written
	for _, pair := range b.Log {
		var index int64
		var text string
		if err := read(pair[:], &index, &text); err != nil {
			return nil, nil, refuse("bad-bundle", "%v", err)
		}
		own, err := readWritten(text)
		if err != nil {
			return nil, nil, err
		}
		if _, twice := leaves[index]; twice || own.Saga != "log" {
			return nil, nil, refuse("bad-log-line", "at %d", index)
		}
		leaves[index], last = own.leaf, &own
	}
	return leaves, last, nil
}

// unanchored gives the first end of a stretch without an anchor; -1 when all have one.
func (b *bundle) unanchored(lines map[int64]written, at map[int64]bool) int64 {
	for seq := range lines {
		_, before := lines[seq-1]
		_, after := lines[seq+1]
		if (!after || (!before && b.Claim != "whole")) && !at[seq] {
			return seq
		}
	}
	return -1
}

// claimed checks what the claim adds: the index entries under the root of the last line of the checkpoint.
func (b *bundle) claimed(lines map[int64]written, last *written, state checkpoint) error {
	if b.Claim == "part" {
		if _, is := lines[0]; !is {
			return refuse("bad-claim", "line 0 is not shown")
		}
		return nil
	}
	var at int64 = -1
	if n := len(b.Log); n > 0 {
		if err := json.Unmarshal(b.Log[n-1][0], &at); err != nil {
			return refuse("bad-bundle", "%v", err)
		}
	}
	if last == nil || at != state.size-1 || last.Type != "log.indexed" {
		return refuse("no-index", "the last line of the checkpoint is no log.indexed that is shown")
	}
	var root tlog.Hash
	if data, err := hex.DecodeString(last.Root); err != nil || copy(root[:], data) != tlog.HashSize {
		return refuse("no-index", "%q", last.Root)
	}
	entries, err := b.placed()
	if err != nil {
		return err
	}
	switch b.Claim {
	case "absent":
		return checkAbsent(b.Saga, entries, last.Size, root)
	case "whole":
		return b.whole(lines, entries, last.Size, root)
	}
	return refuse("bad-claim", "%q", b.Claim)
}

func (b *bundle) placed() ([]placed, error) {
	var found []placed
	for _, one := range b.Entries {
		var p placed
		if err := read(one[:], &p.Place, &p.Entry, &p.Path); err != nil || strings.Contains(p.Entry, "\n") {
			return nil, refuse("bad-bundle", "an entry: %v", err)
		}
		p.Entry += "\n"
		found = append(found, p)
	}
	return found, nil
}

// whole: the index says as many lines as are shown, and ends with the last of them.
func (b *bundle) whole(lines map[int64]written, entries []placed, size int64, root tlog.Hash) error {
	if len(entries) != 1 || len(b.Anchors) == 0 {
		return refuse("bad-claim", "%d entries, %d anchors", len(entries), len(b.Anchors))
	}
	said, err := entries[0].check(size, root)
	if err != nil {
		return err
	}
	end := int64(len(lines)) - 1
	leaf := lines[end].leaf
	anchor := b.Anchors[len(b.Anchors)-1]
	if said.key != keyOf(b.Saga) || said.lines != end+1 || said.head != hex.EncodeToString(leaf[:]) {
		return refuse("not-whole", "the index says %d lines, %d are shown", said.lines, end+1)
	}
	if _, first := lines[0]; !first || anchor != [2]int64{end, said.last} {
		return refuse("not-whole", "the last line stands at %d, the index says %d", anchor[1], said.last)
	}
	return nil
}
