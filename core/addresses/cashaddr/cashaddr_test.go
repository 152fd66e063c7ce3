package cashaddr_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"causeway/core/addresses/bech32"
	"causeway/core/addresses/cashaddr"
	_ "causeway/test/fixedseed"
)

func TestEncode_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 65).Draw(t, "data")
		prefix := rapid.SampledFrom([]string{"bitcoincash", "ecash", "kaspa"}).Draw(t, "prefix")
		text := cashaddr.Encode(prefix, data)
		got, reason := cashaddr.Decode(make([]byte, 200), prefix, text[len(prefix)+1:], &bech32.Values)
		if reason != "" || !bytes.Equal(got, data) {
			t.Fatalf("%s came back as %x, want %x", text, got, data)
		}
	})
}
