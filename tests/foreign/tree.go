package main

import (
	"crypto/sha256"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

func soundSize(size int64) error {
	if size < 1 || size > maxSize {
		return refuse("bad-size", "a tree of %d leaves", size)
	}
	return nil
}

// left is the number of leaves of the left subtree.
func left(size int64) int64 {
	k := int64(1)
	for 2*k < size {
		k *= 2
	}
	return k
}

func checkInclusion(leaf tlog.Hash, index, size int64, path []string, root tlog.Hash) error {
	if err := soundSize(size); err != nil {
		return err
	}
	if index < 0 || index >= size {
		return refuse("bad-index", "leaf %d of %d", index, size)
	}
	proof, err := hashes(path, maxPath)
	if err != nil {
		return err
	}
	if due := inclusionLength(index, size); len(proof) != due {
		return refuse("bad-path", "%d hashes, expected %d", len(proof), due)
	}
	if err := tlog.CheckRecord(proof, size, root, index, leaf); err != nil {
		return refuse("not-included", "%v", err)
	}
	return nil
}

func inclusionLength(index, size int64) int {
	length := 0
	for size > 1 {
		if k := left(size); index < k {
			size = k
		} else {
			index, size = index-k, size-k
		}
		length++
	}
	return length
}

func checkConsistency(old, new int64, path []string, oldRoot, newRoot tlog.Hash) error {
	if err := soundSize(new); err != nil {
		return err
	}
	if old < 0 || old > new {
		return refuse("bad-size", "from %d to %d", old, new)
	}
	proof, err := hashes(path, 2*maxPath)
	if err != nil {
		return err
	}
	if due := consistencyLength(old, new); len(proof) != due {
		return refuse("bad-path", "%d hashes, expected %d", len(proof), due)
	}
	if old == 0 {
		if oldRoot != sha256.Sum256(nil) {
			return refuse("inconsistent", "a log of nothing has the hash of nothing")
		}
		return nil
	}
	if err := tlog.CheckTree(proof, new, newRoot, old, oldRoot); err != nil {
		return refuse("inconsistent", "%v", err)
	}
	return nil
}

func consistencyLength(old, new int64) int {
	if old == 0 || old == new {
		return 0
	}
	length, whole := 0, true
	for old != new {
		if k := left(new); old <= k {
			new = k
		} else {
			old, new, whole = old-k, new-k, false
		}
		length++
	}
	if !whole {
		length++
	}
	return length
}

// checkLeaves checks many leaves at once: the proof has the largest subtrees that hold none of them, from the left.
func checkLeaves(leaves map[int64]tlog.Hash, size int64, path []string, root tlog.Hash) error {
	if err := soundSize(size); err != nil {
		return err
	}
	wanted := make([]int64, 0, len(leaves))
	for index := range leaves {
		if index < 0 || index >= size {
			return refuse("bad-index", "leaf %d of %d", index, size)
		}
		wanted = append(wanted, index)
	}
	if len(wanted) == 0 {
		return refuse("bad-index", "no leaves")
	}
	sort.Slice(wanted, func(i, j int) bool { return wanted[i] < wanted[j] })
	proof, err := hashes(path, maxPath*len(leaves))
	if err != nil {
		return err
	}
	found, rest, err := combine(leaves, wanted, 0, size, proof)
	if err == nil && len(rest) > 0 {
		err = refuse("bad-path", "%d hashes too many", len(rest))
	}
	if err == nil && found != root {
		err = refuse("not-included", "not under the root of %d", size)
	}
	return err
}

func combine(leaves map[int64]tlog.Hash, wanted []int64, start, size int64, proof []tlog.Hash) (tlog.Hash, []tlog.Hash, error) {
	if len(wanted) == 0 {
		if len(proof) == 0 {
			return tlog.Hash{}, nil, refuse("bad-path", "too few hashes")
		}
		return proof[0], proof[1:], nil
	}
	if size == 1 {
		return leaves[start], proof, nil
	}
	k := left(size)
	cut := sort.Search(len(wanted), func(i int) bool { return wanted[i] >= start+k })
	first, proof, err := combine(leaves, wanted[:cut], start, k, proof)
	if err != nil {
		return tlog.Hash{}, nil, err
	}
	second, proof, err := combine(leaves, wanted[cut:], start+k, size-k, proof)
	return tlog.NodeHash(first, second), proof, err
}

// A storage keeps the hashes of a log in the order of package tlog.
type storage []tlog.Hash

func (s *storage) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = (*s)[index]
	}
	return found, nil
}

func store(entries [][]byte) (*storage, error) {
	kept := &storage{}
	for i, entry := range entries {
		more, err := tlog.StoredHashes(int64(i), entry, kept)
		if err != nil {
			return nil, err
		}
		*kept = append(*kept, more...)
	}
	return kept, nil
}

func rootOf(entries [][]byte) (tlog.Hash, error) {
	if len(entries) == 0 {
		return sha256.Sum256(nil), nil // package tlog says zeros, RFC 9162 the hash of nothing
	}
	kept, err := store(entries)
	if err != nil {
		return tlog.Hash{}, err
	}
	return tlog.TreeHash(int64(len(entries)), kept)
}

// accumulate hashes every root, inclusion path and consistency proof up to a size, all made by package tlog.
func accumulate(sizes int64) ([]byte, error) {
	entries := make([][]byte, sizes)
	for i := range entries {
		entries[i] = []byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}
	}
	kept, err := store(entries)
	if err != nil {
		return nil, err
	}
	total := sha256.New()
	add := func(some []tlog.Hash) {
		for _, one := range some {
			total.Write(one[:])
		}
	}
	for size := int64(1); size <= sizes; size++ {
		root, err := tlog.TreeHash(size, kept)
		if err != nil {
			return nil, err
		}
		add([]tlog.Hash{root})
		for index := int64(0); index < size; index++ {
			path, err := tlog.ProveRecord(size, index, kept)
			if err != nil {
				return nil, err
			}
			add(path)
		}
		for old := int64(1); old < size; old++ {
			proof, err := tlog.ProveTree(size, old, kept)
			if err != nil {
				return nil, err
			}
			add(proof)
		}
	}
	return total.Sum(nil), nil
}
