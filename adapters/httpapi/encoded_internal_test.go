package httpapi

import (
	"strconv"
	"testing"
)

// TestEncodedCache_KeepsWhatIsRequestedOften requests one list again and again among lists that are
// requested once each.
func TestEncodedCache_KeepsWhatIsRequestedOften(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]int{"an empty cache": 0, "a full cache": 10 * maxCached} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cache encodedCache[string, *encoded]
			encodings := 0
			stranger := func(i int) {
				_, _ = cached(&cache, "random "+strconv.Itoa(i), func() (*encoded, bool, error) { return &encoded{}, true, nil })
			}
			for i := range before {
				stranger(i)
			}
			for i := range 1000 {
				_, _ = cached(&cache, "often", func() (*encoded, bool, error) {
					encodings++
					return &encoded{}, true, nil
				})
				stranger(before + i)
			}
			if encodings > 10 {
				t.Errorf("the list was encoded %d times for 1000 requests", encodings)
			}
			if n := cache.kept.EstimatedSize(); n > maxCached {
				t.Errorf("%d lists are kept, want at most %d", n, maxCached)
			}
		})
	}
}

// TestEncodedCache_EncodesInParallel encodes a list while another one is encoded.
func TestEncodedCache_EncodesInParallel(t *testing.T) {
	t.Parallel()
	var cache encodedCache[string, int]
	inner := 0
	outer, _ := cached(&cache, "outer", func() (int, bool, error) {
		inner, _ = cached(&cache, "inner", func() (int, bool, error) { return 2, true, nil })
		return 1, true, nil
	})
	if outer != 1 || inner != 2 {
		t.Errorf("got %d and %d", outer, inner)
	}
}
