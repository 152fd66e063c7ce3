package main

import (
	"testing"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/memory"
	"causeway/ports"
)

// TestWhatIsShared checks what a server to share things on changes.
func TestWhatIsShared(t *testing.T) {
	t.Parallel()
	const url, key = "CAUSEWAY_REDIS__URL=redis://127.0.0.1:1", "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef"
	production := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=k", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=k", "CAUSEWAY_AUTH__KEYS=0123456789abcdef"}
	for name, c := range map[string]struct {
		env          []string
		book, sealed bool
	}{
		"a sandbox":                       {nil, false, false},
		"a sandbox with Redis":            {[]string{url, key}, false, false},
		"production":                      {production, false, false},
		"production of several processes": {append([]string{url, key}, production...), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cache ports.NameCache
			var book *replica
			if err := fx.New(graph(settings(t, c.env...), zap.NewNop(), make(failures, 2)), fx.Populate(&cache, &book)).Err(); err != nil {
				t.Fatal(err)
			}
			if _, local := cache.(*memory.Cache); local == c.sealed {
				t.Errorf("the cache is %T", cache)
			}
			if (book.book != nil) != c.book {
				t.Errorf("the book of prices is %T", book.book)
			}
		})
	}
}
