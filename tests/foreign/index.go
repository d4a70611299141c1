package main

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	lowest  = strings.Repeat("0", 64)
	highest = strings.Repeat("f", 64)
	form    = regexp.MustCompile(`^agent-saga-index-v1 ([0-9a-f]{64}) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9a-f]{64})\n$`)
)

// An entry is what the index says of one saga.
type entry struct {
	text               string
	key, head          string
	first, last, lines int64
}

func (e entry) sentinel() bool { return e.key == lowest || e.key == highest }

func (e entry) leaf() tlog.Hash { return tlog.RecordHash([]byte(e.text)) }

func keyOf(saga string) string {
	sum := sha256.Sum256([]byte("agent-saga/index/v1\x00" + saga))
	return hex.EncodeToString(sum[:])
}

func parseEntry(text string) (entry, error) {
	bad := refuse("bad-index-entry", "%q", text)
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return entry{}, bad
	}
	found := entry{text: text, key: parts[1], head: parts[5]}
	for i, into := range []*int64{&found.first, &found.last, &found.lines} {
		value, is := number(parts[2+i])
		if !is {
			return entry{}, bad
		}
		*into = value
	}
	span := found.last - found.first + 1
	sound := found.last < maxSize && 0 < found.lines && found.lines <= span && (found.lines == 1) == (span == 1)
	if found.sentinel() {
		sound = found.first == 0 && found.last == 0 && found.lines == 0 && found.head == lowest
	}
	if !sound {
		return entry{}, bad
	}
	return found, nil
}

// A placed entry stands at a place of the index, with its path to the index root.
type placed struct {
	Entry string   `json:"entry"`
	Place int64    `json:"place"`
	Path  []string `json:"path"`
}

func (p placed) check(size int64, root tlog.Hash) (entry, error) {
	found, err := parseEntry(p.Entry)
	if err != nil {
		return entry{}, err
	}
	due := ""
	if p.Place == size-1 {
		due = highest
	} else if p.Place == 0 {
		due = lowest
	}
	if found.sentinel() != (due != "") || (due != "" && due != found.key) {
		return entry{}, refuse("bad-index-entry", "place %d of %d", p.Place, size)
	}
	return found, checkInclusion(found.leaf(), p.Place, size, p.Path, root)
}

func checkAbsent(saga string, two []placed, size int64, root tlog.Hash) error {
	if len(two) != 2 {
		return refuse("not-absent", "%d entries", len(two))
	}
	before, err := two[0].check(size, root)
	if err != nil {
		return err
	}
	after, err := two[1].check(size, root)
	if err != nil {
		return err
	}
	key := keyOf(saga)
	if two[1].Place != two[0].Place+1 || before.key >= key || key >= after.key {
		return refuse("not-absent", "%s", saga)
	}
	return nil
}
