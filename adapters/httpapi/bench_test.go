package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/pairs"
)

// sink is a ResponseWriter that costs nothing.
type sink struct {
	header http.Header
	status int
	body   []byte
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(b []byte) (int, error) {
	s.body = b
	return len(b), nil
}

// realistic is an API with 120 pairs, its access log on, as it runs.
func realistic(tb testing.TB, count int) (http.Handler, *pairBook) {
	tb.Helper()
	book := &pairBook{}
	book.publish(manyPairs(count))
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zapcore.InfoLevel))
	api, err := httpapi.New(httpapi.Config{Sandbox: true},
		httpapi.Services{Pairs: book, Banks: bankService(tb), Recipients: newResolver(), Addresses: newValidator(), Currencies: currencies(), Countries: countries()},
		log, prometheus.NewRegistry(), time.Now, func() uint64 { return 0x0123456789abcdef })
	if err != nil {
		tb.Fatal(err)
	}
	return api.Handler(), book
}

func manyPairs(count int) *pairs.Snapshot {
	s := &pairs.Snapshot{ID: 1, At: noon, FreshUntil: noon.Add(10 * time.Second)}
	counters := []string{"KES", "NGN", "USD"}
	for i := range count {
		q := quote("BTC", counters[i%3], "93501695.36", "88919802.32")
		q.Pair.Base = fmt.Sprintf("C%04d", i/3)
		q.ID = q.Pair.ID()
		s.Quotes = append(s.Quotes, q)
	}
	return s
}

func request(target string, header ...string) *http.Request {
	u, _ := url.Parse(target)
	r := &http.Request{Method: http.MethodGet, URL: u, Host: "localhost", Proto: "HTTP/1.1", Header: http.Header{}}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	return r
}

// bare is a net/http handler that writes the same bytes: what a Go server can do at best.
func bare(body []byte) http.Handler {
	mux := http.NewServeMux()
	length := []string{fmt.Sprint(len(body))}
	mux.HandleFunc("GET /v1/pairs", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = []string{"application/json"}, length
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	})
	mux.HandleFunc("POST /v1/validate", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Type, Address, Currency, Network, Memo string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Type != "address" || q.Currency == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		v := core.Verdict{Valid: true, Format: "p2wpkh", Environment: core.Mainnet, Checksum: true, Normalized: q.Address}
		w.Header()["Content-Type"] = []string{"application/json"}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "message": "Address checked", "data": struct {
			Type        string `json:"type"`
			Address     string `json:"address"`
			Currency    string `json:"currency"`
			Network     string `json:"network"`
			Valid       bool   `json:"valid"`
			Format      string `json:"format"`
			Environment string `json:"environment"`
			Checksum    bool   `json:"checksum"`
			Normalized  string `json:"normalized"`
		}{"address", q.Address, q.Currency, q.Currency, v.Valid, v.Format, string(v.Environment), v.Checksum, v.Normalized}})
	})
	return mux
}

// BenchmarkPairs compares the list over a loopback connection with the bare handler.
func BenchmarkPairs(b *testing.B) {
	ours, _ := realistic(b, 120)
	w := &sink{header: http.Header{}}
	ours.ServeHTTP(w, request("/v1/pairs"))
	for _, c := range []struct {
		name    string
		handler http.Handler
		header  string
	}{
		{"bare", bare(bytes.Clone(w.body)), ""},
		{"ours", ours, ""},
		{"ours gzip", ours, "gzip"},
	} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			for b.Loop() {
				r, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+"/v1/pairs", nil)
				if c.header != "" {
					r.Header.Set("Accept-Encoding", c.header)
				}
				res, err := client.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
}

// BenchmarkHandler measures the handlers alone, the whole middleware included.
func BenchmarkHandler(b *testing.B) {
	ours, _ := realistic(b, 120)
	w := &sink{header: http.Header{}}
	ours.ServeHTTP(w, request("/v1/pairs"))
	tag, reference := w.header.Get("Etag"), bare(bytes.Clone(w.body))
	body := strings.NewReader(goodAddress)
	post := request("/v1/validate")
	post.Method, post.Body = http.MethodPost, io.NopCloser(body)
	for _, c := range []struct {
		name    string
		handler http.Handler
		r       *http.Request
	}{
		{"bare pairs", reference, request("/v1/pairs")},
		{"pairs", ours, request("/v1/pairs")},
		{"pairs gzip", ours, request("/v1/pairs", "Accept-Encoding: gzip")},
		{"pairs of a currency", ours, request("/v1/pairs?currency=NGN")},
		{"pairs spliced", ours, request("/v1/pairs?currency=NGN&type=crypto&sort=desc")},
		{"not modified", ours, request("/v1/pairs", "If-None-Match: "+tag)},
		{"one pair", ours, request("/v1/pairs/C0001NGN")},
		{"bare validate", reference, post},
		{"validate", ours, post},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				body.Reset(goodAddress)
				c.handler.ServeHTTP(w, c.r)
			}
		})
	}
}

// BenchmarkFilter asks books of different sizes for the same three pairs: what it costs must not grow with the book. New combinations of
// filters are asked for after more of them than are kept, so that each is selected and put together anew.
func BenchmarkFilter(b *testing.B) {
	for _, count := range []int{100, 1_000, 10_000} {
		handler, _ := realistic(b, count)
		w := &sink{header: http.Header{}}
		for i := range 100 {
			handler.ServeHTTP(w, request(fmt.Sprintf("/v1/pairs?type=crypto&base=C%04d", i%(count/3))))
			handler.ServeHTTP(w, request(fmt.Sprintf("/v1/pairs?type=crypto&sort=desc&base=C%04d", i%(count/3))))
		}
		for _, c := range []struct{ name, target string }{
			{"base", "/v1/pairs?base=C0007"},
			{"currency", "/v1/pairs?currency=C0007"},
			{"id", "/v1/pairs?id=C0007NGN"},
			{"one_pair", "/v1/pairs/C0007NGN"},
			{"combined", "/v1/pairs?currency=C0007&type=crypto&counter=NGN"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, count), func(b *testing.B) {
				r := request(c.target)
				b.ReportAllocs()
				for b.Loop() {
					clear(w.header)
					handler.ServeHTTP(w, r)
				}
			})
		}
	}
}

// BenchmarkPublication makes a publication of which every pair changed ready for readers: its pairs encoded, indexed and compared with those
// before, the whole list compressed twice.
func BenchmarkPublication(b *testing.B) {
	for _, count := range []int{100, 10_000} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			_, book := realistic(b, count)
			even, odd := manyPairs(count), manyPairs(count)
			for i := range odd.Quotes {
				odd.Quotes[i].Buy = dec("93501700.01")
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				book.publish([]*pairs.Snapshot{even, odd}[i%2])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/pair")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newWorld(b)
	}
}

// BenchmarkStreams has a thousand clients follow prices over loopback connections, all of which change with every publication. An
// operation is one publication, from its making to the last byte that the last client read.
func BenchmarkStreams(b *testing.B) {
	const clients = 1000
	w := newWorld(b, live)
	server := httptest.NewServer(w.handler)
	defer server.Close()
	var told sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{}}
	for range clients {
		s := follow(b, client, server.URL+"/v1/pairs/stream")
		s.next()
		defer s.body.Close()
		go func() {
			for {
				if _, err := s.read(); err != nil {
					return
				}
				told.Done()
			}
		}()
	}
	book, id := manyPairs(120), uint64(8)
	for b.Loop() {
		for i := range book.Quotes {
			book.Quotes[i].Buy = dec("93501695.36").Add(dec(strconv.FormatUint(id, 10)))
		}
		next := *book
		next.ID, id = id, id+1
		told.Add(clients)
		w.pairs.publish(&next)
		told.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/clients, "µs/event")
}
