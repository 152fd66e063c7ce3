package blake2b_test

import (
	"bytes"
	"testing"

	library "golang.org/x/crypto/blake2b"
	"pgregory.net/rapid"

	"causeway/core/addresses/blake2b"
	_ "causeway/test/fixedseed"
)

// TestSum compares hashes without a personalization with the library's. The vectors of Zcash's unified
// addresses check the personalization.
func TestSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "message")
		size := rapid.IntRange(1, library.Size).Draw(t, "size")
		h, err := library.New(size, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = h.Write(message)
		if got, want := blake2b.Sum(size, "", message), h.Sum(nil); !bytes.Equal(got[:size], want) {
			t.Fatalf("BLAKE2b-%d of %x: got %x, want %x", size, message, got[:size], want)
		}
	})
}
