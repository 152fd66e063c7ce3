package app

import (
	"testing"

	"go.uber.org/zap"
)

// TestNewBook checks which configurations share prices.
func TestNewBook(t *testing.T) {
	t.Parallel()
	redis := []string{"CAUSEWAY_REDIS__URL=redis://127.0.0.1:1", "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef"}
	for name, c := range map[string]struct {
		env  []string
		want bool
	}{
		"sandbox":               {nil, false},
		"production":            {productionEnv(), false},
		"production with Redis": {productionEnv(redis...), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a := newTestApp(t, settings(t, c.env...), zap.NewNop()); (a.book.book != nil) != c.want {
				t.Errorf("the book of prices is %T", a.book.book)
			}
		})
	}
}
