package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/adapters/storage"
	"causeway/adapters/storage/storagetest"
	"causeway/adapters/webhooks"
	"causeway/core"
	"causeway/core/delivery"
	"causeway/ports"
)

// BenchmarkWebhooks delivers 10,000 events to ten endpoints, of which one refuses connections, one answers 500 and one
// never answers. It reports how many events a live endpoint received per second.
func BenchmarkWebhooks(b *testing.B) {
	const events, live = 10_000, 7
	for name, cfg := range map[string]storage.Config{
		"SQLite": {Dir: b.TempDir()}, "PostgreSQL": {URL: storagetest.Database(b)},
	} {
		b.Run(name, func(b *testing.B) {
			store, err := storage.Open(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = store.Close() })
			ctx, stop := context.WithCancel(b.Context())
			endpoints, all := webhooks.Config{}, make(chan struct{})
			var mu sync.Mutex
			received := map[string]bool{} // by endpoint and event
			for i := range live {
				s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					before := len(received)
					received[fmt.Sprint(i, r.Header.Get(standardwebhooks.HeaderWebhookID))] = true
					if len(received) == live*events && before < live*events {
						close(all)
					}
				}))
				defer s.Close()
				endpoints[fmt.Sprint("live", i)] = receiverAt(s.URL)
			}
			refusing := httptest.NewServer(http.NotFoundHandler())
			refusing.Close()
			failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
			}))
			defer failing.Close()
			hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // before the end of the connection is noticed
				<-r.Context().Done()
			}))
			defer hanging.Close()
			endpoints["refusing"], endpoints["failing"] = receiverAt(refusing.URL), receiverAt(failing.URL)
			endpoints["hanging"] = receiverAt(hanging.URL)
			body := []byte(strings.Repeat("x", 1000)) // about as long as an event
			sender, err := webhooks.New(endpoints, webhooks.Options{
				Clock: time.Now, Version: "test", Render: func(core.Event) ([]byte, error) { return body, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			service := delivery.New(delivery.Config{
				Endpoints: endpoints.Endpoints(), Store: store.Transactions().Deliveries(), Sender: sender, Clock: time.Now,
				Entropy: SystemEntropy, Events: delivery.Events{Failed: func(endpoint string, err error) { b.Error(endpoint, err) }},
			})
			if err := service.Plan(ctx); err != nil { // the endpoints receive events from now on
				b.Fatal(err)
			}
			commitEvents(b, store.Transactions(), events)
			began := time.Now()
			ended := make(chan struct{})
			go func() { service.Run(ctx); close(ended) }()
			select {
			case <-all:
			case <-time.After(3 * time.Minute):
				b.Error("some events did not arrive")
			}
			b.ReportMetric(events/time.Since(began).Seconds(), "events/s")
			b.ReportMetric(0, "ns/op")
			stop()
			<-ended
		})
	}
}

func receiverAt(url string) webhooks.Endpoint {
	return webhooks.Endpoint{
		Account: "shop", URL: core.Secret(url), Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", AllowPrivate: true,
	}
}

// commitEvents writes the events of as many payments.
func commitEvents(b *testing.B, store ports.TransactionStore, events int) {
	b.Helper()
	state, err := store.Lease(b.Context(), "BTC", "test", 0)
	if err != nil {
		b.Fatal(err)
	}
	batch := ports.ChainBatch{State: state, Before: state.Tip}
	for i := range events {
		hash, now := fmt.Sprint("payment ", i), time.Now().UTC().Truncate(time.Microsecond)
		batch.Transactions = append(batch.Transactions, core.Transaction{
			ID: core.TransactionID("BTC", hash, 0), Network: "BTC", Hash: hash, User: core.DepositUser{Account: "shop"},
			Currency: "BTC", Units: decimal.NewFromInt(1), Status: core.Pending, Revision: 1, Created: now, Updated: now,
		})
	}
	if err := store.Commit(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
}
