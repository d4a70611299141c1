package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A checkpoint is the state of a log.
type checkpoint struct {
	size int64
	root tlog.Hash
}

func openCheckpoint(data []byte, origin string, key *vkey) (checkpoint, []line, error) {
	text, lines, err := readNote(data)
	if err != nil {
		return checkpoint{}, nil, err
	}
	said, found, err := readCheckpoint(string(text))
	if err != nil {
		return checkpoint{}, nil, err
	}
	if said != origin {
		return checkpoint{}, nil, refuse("wrong-origin", "%q", said)
	}
	return found, lines, checkSigned(data, text, lines, key)
}

func readCheckpoint(text string) (string, checkpoint, error) {
	bad := refuse("bad-checkpoint", "%q", text)
	rows := strings.Split(text, "\n")
	if len(rows) != 4 || rows[3] != "" {
		return "", checkpoint{}, bad
	}
	count := utf8.RuneCountInString(rows[0])
	size, is := number(rows[1])
	if count == 0 || count > maxName || !prints(rows[0]) || !is || size > maxSize {
		return "", checkpoint{}, bad
	}
	root, err := fromBase64(rows[2])
	if err != nil {
		return "", checkpoint{}, err
	}
	if len(root) != tlog.HashSize {
		return "", checkpoint{}, bad
	}
	found := checkpoint{size: size}
	copy(found.root[:], root)
	return rows[0], found, nil
}

// checkCosigned checks a witness's signatures on a checkpoint that the log signed, and gives the latest time.
func checkCosigned(data []byte, lines []line, log, witness *vkey) (uint64, error) {
	if witness.kind != kindWitness {
		return 0, refuse("wrong-key", "of %s", witness.name)
	}
	text, _, err := readNote(data)
	if err != nil {
		return 0, err
	}
	blobs, err := by(text, lines, witness)
	if err != nil {
		return 0, err
	}
	opened, err := note.Open(data, note.VerifierList(log, witness))
	if err != nil || len(opened.Sigs) != 2 {
		return 0, fmt.Errorf("package note does not find both signatures: %v", err)
	}
	latest := uint64(0)
	for _, blob := range blobs {
		if at, _ := witnessTime(blob); at > latest {
			latest = at
		}
	}
	return latest, nil
}
