package main

import (
	"bytes"
	"encoding/hex"
	"strings"
)

func (v *vector) noteBytes() ([]byte, error) {
	if v.NoteHex != "" {
		return hex.DecodeString(v.NoteHex)
	}
	var whole bytes.Buffer
	whole.WriteString(v.Note)
	for _, part := range v.NoteParts {
		var text string
		var times int
		if err := read(part[:], &text, &times); err != nil {
			return nil, err
		}
		whole.WriteString(strings.Repeat(text, times))
	}
	return whole.Bytes(), nil
}

func (v *vector) answerNote() (answer, error) {
	key, err := parseVkey(v.Pin.Vkey)
	if err != nil {
		return nil, err
	}
	data, err := v.noteBytes()
	if err != nil {
		return nil, err
	}
	_, _, err = openNote(data, key)
	return nil, err
}

func (v *vector) open(data []byte) (checkpoint, error) {
	key, err := parseVkey(v.Pin.Vkey)
	if err != nil {
		return checkpoint{}, err
	}
	found, _, err := openCheckpoint(data, v.Pin.Origin, key)
	return found, err
}

func (v *vector) answerCheckpoint() (answer, error) {
	found, err := v.open([]byte(v.Note))
	return answer{"size": found.size, "root": found.root}, err
}

func (v *vector) answerCosignature() (answer, error) {
	log, err := parseVkey(v.Pin.Vkey)
	if err != nil {
		return nil, err
	}
	witness, err := parseVkey(v.Pin.Witness)
	if err != nil {
		return nil, err
	}
	_, lines, err := openCheckpoint([]byte(v.Note), v.Pin.Origin, log)
	if err != nil {
		return nil, err
	}
	at, err := checkCosigned([]byte(v.Note), lines, log, witness)
	return answer{"time": at}, err
}

func (v *vector) answerWitness() (answer, error) {
	found, err := v.open([]byte(v.Note))
	if err != nil || v.Seen == nil {
		return nil, err
	}
	proof, err := v.hashes()
	if err != nil {
		return nil, err
	}
	if found.size < v.Seen.Size {
		return nil, refuse("rolled-back", "%d lines", found.size)
	}
	return nil, between(*v.Seen, state{found.size, found.root.String()}, proof)
}

func (v *vector) answerProofFile() (answer, error) {
	text, err := v.text()
	if err != nil {
		return nil, err
	}
	leaf, err := leafOf(v.Entry)
	if err != nil {
		return nil, err
	}
	if _, err := parseVkey(v.Pin.Vkey); err != nil {
		return nil, err
	}
	bad := refuse("bad-proof", "%q", text)
	head, signed, is := strings.Cut(text, "\n\n")
	rows := strings.Split(head, "\n")
	if !is || len(rows) < 2 || rows[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(rows[1], "index ") {
		return nil, bad
	}
	index, is := number(strings.TrimPrefix(rows[1], "index "))
	if !is || len(rows)-2 > maxPath {
		return nil, bad
	}
	for _, row := range rows[2:] {
		if _, err := fromBase64(row); err != nil {
			return nil, err
		}
	}
	found, err := v.open([]byte(signed))
	if err != nil {
		return nil, err
	}
	return answer{"index": index, "size": found.size}, checkInclusion(leaf, index, found.size, rows[2:], found.root)
}

func (v *vector) answerContinuation() (answer, error) {
	text, err := v.text()
	if err != nil {
		return nil, err
	}
	bad := refuse("bad-proof", "%q", text)
	rows := strings.Split(text, "\n")
	if len(rows) < 3 || rows[0] != "agent-saga-consistency-v1" || rows[len(rows)-1] != "" {
		return nil, bad
	}
	first, second, _ := strings.Cut(rows[1], " ")
	old, one := number(first)
	new, two := number(second)
	if !one || !two {
		return nil, bad
	}
	for _, row := range rows[2 : len(rows)-1] {
		if _, err := fromBase64(row); err != nil {
			return nil, err
		}
	}
	if v.Later.Size < v.Earlier.Size {
		return nil, refuse("rolled-back", "%d lines", v.Later.Size)
	}
	if old != v.Earlier.Size || new != v.Later.Size {
		return nil, refuse("wrong-sizes", "%d and %d", old, new)
	}
	return nil, between(v.Earlier, v.Later, rows[2:len(rows)-1])
}
