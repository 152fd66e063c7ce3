package base32_test

import (
	"bytes"
	stdbase32 "encoding/base32"
	"testing"

	"pgregory.net/rapid"

	"causeway/core/addresses/base32"
	_ "causeway/test/fixedseed"
)

// TestDecode compares with the standard library where that is strict: one spelling for every text.
func TestDecode(t *testing.T) {
	t.Parallel()
	encoding := stdbase32.StdEncoding.WithPadding(stdbase32.NoPadding)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")), 1, 60, -1).Draw(t, "text")
		want, err := encoding.DecodeString(text)
		canonical := err == nil && encoding.EncodeToString(want) == text
		got, reason := base32.Decode(make([]byte, 60), text)
		if (reason == "") != canonical || canonical && !bytes.Equal(got, want) {
			t.Fatalf("%s: got %x, %q, want %x, %v", text, got, reason, want, canonical)
		}
	})
}
