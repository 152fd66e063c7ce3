package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSimTapes(t *testing.T) {
	t.Parallel()
	l := newSimLab(t)
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "tape.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const answer = `{"at":"0s","provider":"kraken","path":"/0/public/Ticker","status":200,"body":{"error":[],"result":{}}}` + "\n"
	good := file(answer + `{"at":"2s","provider":"coinbase","path":"/products/BTC-USD/ticker"}` + "\n")
	l.shows("world create taped clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	l.shows("tape play "+good+" lasts=90s title=quiet recorded=2025-11-16T12:00:00Z --world taped", "t1", "quiet", "2026-11-16T12:01:30Z", "coinbase kraken", "2")
	l.shows("tape list --world taped", "t1", "ANSWERED")
	l.shows("tape list --world taped -o json", `"answered": 0`)
	l.shows("tape play "+good+" lasts=5s repeat=true --world taped", "t2", "-")
	l.shows("tape remove t1 --world taped", "t2")
	l.fails("tape remove t1 --world taped", 2, "not_found", "t1")
	l.fails("tape play "+good, 2, "request_validation", "lasts", "more than 0s")
	l.fails("tape play "+file(answer+answer+`{"at":"3s","provider":"mtgox","path":"/","status":200}`)+" lasts=5s", 2, "line 3: provider", "accepted: binance")
	l.fails("tape play "+file(answer+`{"at":"3s","supplier":"kraken"}`)+" lasts=5s", 2, "line 2: supplier", "provider, path, query")
	l.fails("tape play "+file(answer+"\n"+answer[:40])+" lasts=5s", 1, "line 2", "is no JSON")
	l.fails("tape play "+file("")+" lasts=5s", 1, "line 1", "is no JSON")
	l.fails("tape play "+good+" speed=2", 2, "speed", "lasts", "recorded")
	l.fails("tape play /no/such/file lasts=5s", 1, "no such file")
}
