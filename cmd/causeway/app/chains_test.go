package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// A network that is far behind logs its progress at most once a minute, and when it has caught up.
func TestTransactionEvents_CatchUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		events := newTransactionEvents(zap.New(core), prometheus.NewRegistry())
		const head = 100_000
		events.Read("ETH", 50, 149, 0) // not far behind
		for height := int64(100); height <= head; height += 100 {
			time.Sleep(100 * time.Millisecond)
			events.Read("BSC", height, head, 0)
		}
		events.Read("BSC", head+1, head+1, 0)
		var left []int64
		for _, l := range logs.FilterMessage("reading the blocks that were missed").All() {
			left = append(left, l.ContextMap()["left"].(int64))
		}
		if want := []int64{99_900, 39_900}; !slices.Equal(left, want) {
			t.Errorf("got the blocks left %v, want %v", left, want)
		}
		if all := logs.FilterMessage("the network is read to its newest block").All(); len(all) != 1 || logs.Len() != 3 {
			t.Errorf("got %v", logs.All())
		}
	})
}

// A network of a sandbox without payments is neither late nor in the metrics.
func TestSandbox_ChainsInTime(t *testing.T) {
	t.Parallel()
	var reg *prometheus.Registry
	s := &sandboxFixture{newTestApp(t, settings(t), zap.NewNop(), withCurrencies(t, "USDT"), fx.Populate(&reg)), t}
	w, err := s.Worlds.Find("default")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if rec := s.ask(http.MethodGet, "/v1/transactions", ""); rec.Code != http.StatusOK ||
		strings.Contains(rec.Body.String(), "deposits_delayed") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "causeway_transactions_delayed" {
			t.Errorf("got %v, want no such metric in a sandbox", f)
		}
	}
}
