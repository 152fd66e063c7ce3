package wire_test

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/wire"
)

// TestSocketMessagesHaveTheDocumentedShape holds what the venues say first on their sockets against recordings of such sessions, message by message of one kind.
func TestSocketMessagesHaveTheDocumentedShape(t *testing.T) {
	t.Parallel()
	for venue, of := range map[string]struct {
		target, first string
		kinds         []string // what tells messages apart
	}{
		"kraken": {
			krakenSocket, `{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","XBT/USD"],"event_trigger":"bbo","snapshot":true},"req_id":1}`,
			[]string{`"channel":"status"`, `"success":true`, `"success":false`, `"type":"snapshot"`, `"channel":"heartbeat"`},
		},
		"binance": {binanceSocket + "/stream?streams=btcusdt@bookTicker", `{"method":"SUBSCRIBE","params":["ethusdt@bookTicker"],"id":1}`, []string{`"stream":`, `"result":`}},
	} {
		t.Run(venue, func(t *testing.T) {
			t.Parallel()
			recorded := recordedMessages(t, venue)
			c := connect(t, wire.New(newWorld(t)), of.target, func() {})
			c.say(of.first)
			for heard := map[string]bool{}; len(heard) < len(of.kinds); {
				message := c.hear()
				i := slices.IndexFunc(of.kinds, func(kind string) bool { return strings.Contains(message, kind) })
				if i < 0 || heard[of.kinds[i]] {
					continue
				}
				heard[of.kinds[i]] = true
				document := shape{}
				for _, m := range recorded {
					if strings.Contains(m, of.kinds[i]) {
						document.join(shapeOf(t, m, ""))
					}
				}
				if len(document) == 0 {
					t.Errorf("no message with %s is recorded", of.kinds[i])
					continue
				}
				for _, what := range differences(document, shapeOf(t, message, "")) {
					t.Errorf("%q, which is not among the known divergences: %s", what, message)
				}
			}
		})
	}
}

// join adds what another shape has.
func (s shape) join(other shape) {
	for place, kinds := range other {
		if s[place] == nil {
			s[place] = map[string]bool{}
		}
		maps.Copy(s[place], kinds)
	}
}

// recordedMessages are those of the adapter's recordings: its session, and single messages.
func recordedMessages(t *testing.T, venue string) []string {
	t.Helper()
	var out []string
	folder := filepath.Join("..", "..", "adapters", "providers", venue, "testdata")
	for _, name := range []string{"socket_session.jsonl", "socket_refused.json", "socket_subscribed.json"} {
		file, err := os.Open(filepath.Join(folder, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if text := strings.ReplaceAll(strings.ReplaceAll(lines.Text(), `": `, `":`), `, "`, `,"`); strings.TrimSpace(text) != "" {
				out = append(out, text)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
