package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/tlog"
)

// A state is the size and root of a log.
type state struct {
	Size int64  `json:"size"`
	Root string `json:"root"`
}

// A vector has the members of all kinds; `proof` is a list of hashes or the text of a file.
type vector struct {
	Kind string `json:"kind"`
	Pin  struct {
		Origin  string `json:"origin"`
		Vkey    string `json:"vkey"`
		Witness string `json:"witness"`
	} `json:"pin"`
	state
	placed
	Entries   json.RawMessage      `json:"entries"`
	Index     int64                `json:"index"`
	Old       int64                `json:"old"`
	New       int64                `json:"new"`
	OldRoot   string               `json:"old_root"`
	NewRoot   string               `json:"new_root"`
	Proof     json.RawMessage      `json:"proof"`
	Leaves    [][2]json.RawMessage `json:"leaves"`
	Sizes     int64                `json:"sizes"`
	Digest    string               `json:"digest"`
	Note      string               `json:"note"`
	NoteHex   string               `json:"note_hex"`
	NoteParts [][2]json.RawMessage `json:"note_parts"`
	Seen      *state               `json:"seen"`
	Earlier   state                `json:"earlier"`
	Later     state                `json:"later"`
	Saga      string               `json:"saga"`
	Key       string               `json:"key"`
}

var kinds = map[string]func(*vector) (answer, error){
	"root":             (*vector).answerRoot,
	"inclusion":        (*vector).answerInclusion,
	"consistency":      (*vector).answerConsistency,
	"leaves":           (*vector).answerLeaves,
	"accumulated":      (*vector).answerAccumulated,
	"note":             (*vector).answerNote,
	"checkpoint":       (*vector).answerCheckpoint,
	"cosignature":      (*vector).answerCosignature,
	"witness":          (*vector).answerWitness,
	"tlog-proof":       (*vector).answerProofFile,
	"consistency-file": (*vector).answerContinuation,
	"index-key":        (*vector).answerKey,
	"index-entry":      (*vector).answerEntry,
	"present":          (*vector).answerPresent,
	"absent":           (*vector).answerAbsent,
}

func answerVector(path string) (answer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var v vector
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	run, is := kinds[v.Kind]
	if !is {
		return nil, fmt.Errorf("a vector of unknown kind %q", v.Kind)
	}
	return run(&v)
}

func (v *vector) hashes() (found []string, err error) {
	return found, json.Unmarshal(v.Proof, &found)
}

func (v *vector) text() (found string, err error) {
	return found, json.Unmarshal(v.Proof, &found)
}

func hash(text string) (tlog.Hash, error) { return tlog.ParseHash(text) }

func leafOf(entry string) (tlog.Hash, error) {
	data, err := hex.DecodeString(entry)
	return tlog.RecordHash(data), err
}

func (v *vector) answerRoot() (answer, error) {
	var texts []string
	if err := json.Unmarshal(v.Entries, &texts); err != nil {
		return nil, err
	}
	entries := make([][]byte, len(texts))
	for i, text := range texts {
		data, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		entries[i] = data
	}
	found, err := rootOf(entries)
	if err == nil && found.String() != v.Root {
		err = fmt.Errorf("the root is %v", found)
	}
	return nil, err
}

func (v *vector) answerInclusion() (answer, error) {
	leaf, err := leafOf(v.Entry)
	if err != nil {
		return nil, err
	}
	root, err := hash(v.Root)
	if err != nil {
		return nil, err
	}
	return nil, checkInclusion(leaf, v.Index, v.Size, v.Path, root)
}

func (v *vector) answerConsistency() (answer, error) {
	proof, err := v.hashes()
	if err != nil {
		return nil, err
	}
	return nil, between(state{v.Old, v.OldRoot}, state{v.New, v.NewRoot}, proof)
}

func between(old, new state, proof []string) error {
	first, err := hash(old.Root)
	if err != nil {
		return err
	}
	second, err := hash(new.Root)
	if err != nil {
		return err
	}
	return checkConsistency(old.Size, new.Size, proof, first, second)
}

func (v *vector) answerLeaves() (answer, error) {
	leaves := map[int64]tlog.Hash{}
	for _, pair := range v.Leaves {
		var index int64
		var entry string
		if err := read(pair[:], &index, &entry); err != nil {
			return nil, err
		}
		leaf, err := leafOf(entry)
		if err != nil {
			return nil, err
		}
		leaves[index] = leaf
	}
	proof, err := v.hashes()
	if err != nil {
		return nil, err
	}
	root, err := hash(v.Root)
	if err != nil {
		return nil, err
	}
	return nil, checkLeaves(leaves, v.Size, proof, root)
}

// read takes a list of values of several types apart.
func read(list []json.RawMessage, into ...any) error {
	if len(list) != len(into) {
		return fmt.Errorf("a list of %d, expected %d", len(list), len(into))
	}
	for i, one := range list {
		if err := json.Unmarshal(one, into[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *vector) answerAccumulated() (answer, error) {
	found, err := accumulate(v.Sizes)
	if err == nil && hex.EncodeToString(found) != v.Digest {
		err = fmt.Errorf("the digest is %x", found)
	}
	return nil, err
}

func (v *vector) answerKey() (answer, error) {
	if found := keyOf(v.Saga); found != v.Key {
		return nil, fmt.Errorf("the key is %s", found)
	}
	return nil, nil
}

func (v *vector) answerEntry() (answer, error) {
	_, err := parseEntry(v.Entry)
	return nil, err
}

func (v *vector) answerPresent() (answer, error) {
	root, err := hash(v.Root)
	if err != nil {
		return nil, err
	}
	_, err = v.placed.check(v.Size, root)
	return nil, err
}

func (v *vector) answerAbsent() (answer, error) {
	var two []placed
	if err := json.Unmarshal(v.Entries, &two); err != nil {
		return nil, err
	}
	root, err := hash(v.Root)
	if err != nil {
		return nil, err
	}
	return nil, checkAbsent(v.Saga, two, v.Size, root)
}
