package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is one kind of request. The bare server sends the bytes that causeway sent before the run.
type request struct {
	target      string // in production mode
	sandbox     string // target in sandbox mode; empty: not measured there
	method      string
	path        string
	encoding    string // Accept-Encoding
	body        string
	conditional bool // sends If-None-Match with the ETag of a first response
}

var requests = []request{
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/pairs"},
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/pairs", encoding: "gzip"},
	{target: "≥ 0.60", method: "GET", path: "/v1/pairs", encoding: "zstd"},
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/banks"},
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/banks", encoding: "gzip"},
	{target: "≥ 0.60", method: "GET", path: "/v1/banks", encoding: "zstd"},
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/banks", conditional: true},
	{target: "≥ 0.60", sandbox: "≥ 0.45", method: "GET", path: "/v1/pairs?currency=NGN"},
	{
		target: "≥ 0.50", method: "POST", path: "/v1/validate",
		body: `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`,
	},
}

func (r request) key() string { return r.path + " " + r.encoding }

func (r request) String() string {
	name := r.method + " " + r.path
	if r.encoding != "" {
		name += ", " + r.encoding
	}
	if r.conditional {
		name += ", 304"
	}
	return name
}

// recorded is a response of causeway that the bare server repeats.
type recorded struct {
	Header http.Header
	Body   []byte
}

func (r request) http(url string) *http.Request {
	req := must(http.NewRequest(r.method, url+r.path, strings.NewReader(r.body)))
	if r.encoding != "" {
		req.Header.Set("Accept-Encoding", r.encoding)
	}
	return req
}

var client = http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}}

// send sends the request once. A status other than 200 is an error.
func (r request) send(url string) recorded {
	req := r.http(url)
	resp := must(client.Do(req))
	body := must(io.ReadAll(resp.Body))
	if resp.StatusCode != http.StatusOK {
		check(fmt.Errorf("%s: status %d: %s", r, resp.StatusCode, body))
	}
	resp.Header.Del("Date")
	check(resp.Body.Close())
	return recorded{resp.Header, body}
}

// bytes returns the request as it goes over the wire, so that sending it costs the other core little.
func (r request) bytes(url string) []byte {
	req := r.http(url)
	if r.conditional {
		first := r.send(url)
		req.Header.Set("If-None-Match", first.Header.Get("ETag"))
	}
	var wire bytes.Buffer
	check(req.Write(&wire))
	return wire.Bytes()
}

// compareRequests prints the CPU time per request of a causeway in a mode and of a bare server in alternating rounds.
func compareRequests(out io.Writer, p *process, mode string, round time.Duration, rounds int) {
	bare := startBare(p.url)
	defer bare.stop()
	p.baseline = p.cpuRate(5 * time.Second)
	fmt.Fprintf(out, "background work without requests: %.1f ms of CPU per second, subtracted below\n", p.baseline*1e3)
	fmt.Fprintf(out, "request, %s mode\tCPU µs\tbare µs\tbare ÷ causeway\ttarget\n", mode)
	for _, r := range requests {
		if mode == "sandbox" {
			r.target = r.sandbox
		}
		if r.target == "" {
			continue
		}
		wire := r.bytes(p.url)
		var ours, theirs, ratios []float64
		for range rounds {
			a, b := p.cost(wire, round), bare.cost(wire, round)
			ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, b/a)
		}
		fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.2f\t%s\n", r, median(ours), median(theirs), median(ratios), r.target)
	}
}

// cost returns the CPU time of one request in microseconds, over a round of requests on 8 connections.
func (p *process) cost(wire []byte, round time.Duration) float64 {
	begin := time.Now()
	before := p.cpu()
	var count atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { p.hammer(wire, begin.Add(round), &count) })
	}
	group.Wait()
	spent := (p.cpu() - before).Seconds() - p.baseline*time.Since(begin).Seconds()
	return spent * 1e6 / float64(count.Load())
}

// hammer sends one request after another on one connection.
func (p *process) hammer(wire []byte, until time.Time, count *atomic.Int64) {
	conn := must(net.Dial("tcp", strings.TrimPrefix(p.url, "http://")))
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReaderSize(conn, 128<<10)
	for time.Now().Before(until) {
		must(conn.Write(wire))
		resp := must(http.ReadResponse(reader, nil))
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotModified {
			check(fmt.Errorf("unexpected response: %s", resp.Status))
		}
		must(io.Copy(io.Discard, resp.Body))
		count.Add(1)
	}
}

// startBare records what causeway responds and starts this program again as the bare server.
func startBare(url string) *process {
	responses := map[string]recorded{}
	for _, r := range requests {
		responses[r.key()] = r.send(url)
	}
	text := must(json.Marshal(responses))
	dir := must(os.MkdirTemp("", "bare"))
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "responses.json")
	check(os.WriteFile(file, text, 0o600))
	return start(os.Args[0], "public", "/v1/pairs", []string{"GOMAXPROCS=1"}, "-bare", file)
}

// serveBare serves recorded responses with a stock server, and POST /v1/validate with encoding/json.
func serveBare(path string) error {
	text := must(os.ReadFile(path))
	var responses map[string]recorded
	check(json.Unmarshal(text, &responses))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		response := responses[r.URL.RequestURI()+" "+r.Header.Get("Accept-Encoding")]
		maps.Copy(w.Header(), response.Header)
		if r.Header.Get("If-None-Match") != "" {
			w.Header().Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(response.Body)
	})
	mux.HandleFunc("POST /v1/validate", func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), responses["/v1/validate "].Header)
		bareValidate(w, r)
	})
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Fprintf(os.Stderr, `{"msg":"listening","listener":"public","address":%q}`+"\n", listener.Addr())
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	return server.Serve(listener)
}

// bareValidate decodes, checks and encodes as POST /v1/validate does, without judging the address.
func bareValidate(w http.ResponseWriter, r *http.Request) {
	var in struct{ Type, Currency, Address, Network, Memo string }
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &in) != nil || in.Type != "address" || in.Currency == "" ||
		len(in.Address) > 512 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	type verdict struct {
		Type        string `json:"type"`
		Address     string `json:"address"`
		Currency    string `json:"currency"`
		Network     string `json:"network"`
		Valid       bool   `json:"valid"`
		Format      string `json:"format"`
		Environment string `json:"environment"`
		Checksum    bool   `json:"checksum"`
		Normalized  string `json:"normalized"`
	}
	out := must(json.Marshal(map[string]any{"status": "success", "message": "Address checked", "data": verdict{
		Type: in.Type, Address: in.Address, Currency: in.Currency, Network: "BTC",
		Valid:  strings.HasPrefix(in.Address, "bc1"),
		Format: "p2wpkh", Environment: "mainnet", Checksum: true, Normalized: strings.ToLower(in.Address),
	}}))
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}
