package main

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	maxSize = 1<<53 - 1
	maxPath = 53
	maxName = 256
	maxNote = 65536
	maxSigs = 64
)

// fromBase64 reads the one spelling of base64: Go's decoder passes over line breaks, so the text is encoded again.
func fromBase64(text string) ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, refuse("bad-base64", "%q", text)
	}
	return data, nil
}

// hashes reads the hashes of a proof, each of 32 bytes.
func hashes(texts []string, most int) ([]tlog.Hash, error) {
	if len(texts) > most {
		return nil, refuse("bad-path", "%d hashes", len(texts))
	}
	found := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		data, err := fromBase64(text)
		if err != nil {
			return nil, err
		}
		if len(data) != tlog.HashSize {
			return nil, refuse("bad-path", "a hash of %d bytes", len(data))
		}
		copy(found[i][:], data)
	}
	return found, nil
}

// number reads a decimal without sign and leading zeros, of at most 16 digits.
func number(text string) (int64, bool) {
	if text == "" || len(text) > 16 || (text[0] == '0' && text != "0") {
		return 0, false
	}
	var found int64
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		found = 10*found + int64(digit-'0')
	}
	return found, true
}

// prints says whether all of a text can be seen.
func prints(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// soundName says whether a text may name a key.
func soundName(name string) bool {
	count := utf8.RuneCountInString(name)
	spaced := strings.IndexFunc(name, unicode.IsSpace) >= 0
	return 0 < count && count <= maxName && !spaced && !strings.Contains(name, "+") && prints(name)
}
