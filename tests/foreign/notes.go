package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

const (
	kindLog     = 1
	kindWitness = 4
)

// A vkey is whose signature to accept. For a witness it is the note.Verifier that package note lacks.
type vkey struct {
	text string
	name string
	kind byte
	id   uint32
	raw  ed25519.PublicKey
}

func (k *vkey) Name() string    { return k.name }
func (k *vkey) KeyHash() uint32 { return k.id }

func (k *vkey) Verify(text, blob []byte) bool {
	if k.kind == kindLog {
		return len(blob) == ed25519.SignatureSize && ed25519.Verify(k.raw, text, blob)
	}
	at, is := witnessTime(blob)
	signed := append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", at)), text...)
	return is && ed25519.Verify(k.raw, signed, blob[8:])
}

func witnessTime(blob []byte) (uint64, bool) {
	if len(blob) != 8+ed25519.SignatureSize {
		return 0, false
	}
	at := binary.BigEndian.Uint64(blob)
	return at, at < 1<<63
}

func parseVkey(text string) (*vkey, error) {
	bad := refuse("bad-key", "%q", text)
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 || !soundName(parts[0]) {
		return nil, bad
	}
	data, err := fromBase64(parts[2])
	if err != nil || len(data) != 1+ed25519.PublicKeySize || (data[0] != kindLog && data[0] != kindWitness) {
		return nil, bad
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), data...))
	key := &vkey{text, parts[0], data[0], binary.BigEndian.Uint32(sum[:]), data[1:]}
	if hex.EncodeToString(sum[:4]) != parts[1] || weak(key.raw) {
		return nil, bad
	}
	if _, err := note.NewVerifier(text); key.kind == kindLog && err != nil {
		return nil, bad
	}
	return key, nil
}

// small has the y of the points of order 1, 2, 4 and 8, little-endian, in hex (RFC 8032, 5.1.3).
var small = map[string]bool{
	strings.Repeat("00", 32):                                           true,
	"01" + strings.Repeat("00", 31):                                    true,
	"ec" + strings.Repeat("ff", 30) + "7f":                             true,
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05": true,
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a": true,
}

// weak says whether a key is a point of small order, or its y is not below the prime 2^255 - 19.
func weak(raw []byte) bool {
	y := append([]byte{}, raw...)
	y[31] &= 0x7f
	full := y[31] == 0x7f && y[0] >= 0xed
	for _, b := range y[1:31] {
		full = full && b == 0xff
	}
	return full || small[hex.EncodeToString(y)]
}

// A line is one signature line.
type line struct {
	name string
	id   uint32
	blob []byte
}

// readNote reads a note in its one spelling.
func readNote(data []byte) (text []byte, lines []line, err error) {
	bad := refuse("bad-note", "no signed note")
	if len(data) > maxNote || !utf8.Valid(data) {
		return nil, nil, bad
	}
	if bytes.IndexFunc(data, func(r rune) bool { return r < ' ' && r != '\n' }) >= 0 {
		return nil, nil, bad
	}
	at := bytes.LastIndex(data, []byte("\n\n"))
	if at < 0 || !bytes.HasSuffix(data[at+2:], []byte("\n")) {
		return nil, nil, bad
	}
	rows := strings.Split(string(data[at+2:len(data)-1]), "\n")
	if len(rows) > maxSigs {
		return nil, nil, bad
	}
	for _, row := range rows {
		one, err := readLine(row)
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, one)
	}
	return data[:at+1], lines, nil
}

func readLine(row string) (line, error) {
	bad := refuse("bad-note", "%q", row)
	if !strings.HasPrefix(row, "— ") {
		return line{}, bad
	}
	name, encoded, is := strings.Cut(strings.TrimPrefix(row, "— "), " ")
	if !is || !soundName(name) {
		return line{}, bad
	}
	data, err := fromBase64(encoded)
	if err != nil {
		return line{}, err
	}
	if len(data) < 5 {
		return line{}, bad
	}
	return line{name, binary.BigEndian.Uint32(data), data[4:]}, nil
}

// by gives the blobs of the lines that claim to be of a key; all must verify.
func by(text []byte, lines []line, key *vkey) ([][]byte, error) {
	var found [][]byte
	for _, one := range lines {
		if one.name != key.name || one.id != key.id {
			continue
		}
		if !key.Verify(text, one.blob) {
			return nil, refuse("bad-signature", "of %s", key.name)
		}
		found = append(found, one.blob)
	}
	if len(found) == 0 {
		return nil, refuse("unsigned", "by %s", key.name)
	}
	return found, nil
}

// openNote checks a note under a log's key, here and by package note.
func openNote(data []byte, key *vkey) (string, []line, error) {
	text, lines, err := readNote(data)
	if err != nil {
		return "", nil, err
	}
	return string(text), lines, checkSigned(data, text, lines, key)
}

func checkSigned(data, text []byte, lines []line, key *vkey) error {
	if key.kind != kindLog {
		return refuse("wrong-key", "of %s", key.name)
	}
	if _, err := by(text, lines, key); err != nil {
		return err
	}
	theirs, err := note.NewVerifier(key.text)
	if err != nil {
		return err
	}
	opened, err := note.Open(data, note.VerifierList(theirs))
	if err != nil {
		return err
	}
	if opened.Text != string(text) {
		return fmt.Errorf("package note reads another text")
	}
	return nil
}
