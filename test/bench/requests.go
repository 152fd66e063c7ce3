package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is one kind of request. The bare server sends the bytes that causeway sent before the run.
type request struct {
	target      string
	method      string
	path        string
	encoding    string // Accept-Encoding
	body        string
	conditional bool // sends If-None-Match with the ETag of a first response
}

var requests = []request{
	{target: "≥ 0.70", method: "GET", path: "/v1/pairs"},
	{target: "≥ 0.70", method: "GET", path: "/v1/pairs", encoding: "gzip"},
	{target: "≥ 0.70", method: "GET", path: "/v1/pairs", encoding: "zstd"},
	{target: "≥ 0.70", method: "GET", path: "/v1/banks"},
	{target: "≥ 0.70", method: "GET", path: "/v1/banks", encoding: "gzip"},
	{target: "≥ 0.70", method: "GET", path: "/v1/banks", encoding: "zstd"},
	{target: "≥ 0.70", method: "GET", path: "/v1/banks", conditional: true},
	{target: "", method: "GET", path: "/v1/pairs?currency=NGN"},
	{target: "≥ 0.50", method: "POST", path: "/v1/validate",
		body: `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`},
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

// send sends the request once.
func (r request) send(ctx context.Context, url string) (recorded, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, url+r.path, strings.NewReader(r.body))
	if err != nil {
		return recorded{}, err
	}
	if r.encoding != "" {
		req.Header.Set("Accept-Encoding", r.encoding)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	resp, err := client.Do(req)
	if err != nil {
		return recorded{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", r, resp.StatusCode, body)
	}
	resp.Header.Del("Date")
	return recorded{resp.Header, body}, errors.Join(err, resp.Body.Close())
}

// bytes returns the request as it goes over the wire, so that sending it costs the other core little.
func (r request) bytes(ctx context.Context, url string) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", r.method, r.path)
	if r.encoding != "" {
		fmt.Fprintf(&b, "Accept-Encoding: %s\r\n", r.encoding)
	}
	if r.conditional {
		first, err := r.send(ctx, url)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "If-None-Match: %s\r\n", first.Header.Get("ETag"))
	}
	if r.body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(r.body))
	}
	return []byte(b.String() + "\r\n" + r.body), nil
}

// compareRequests prints the CPU time per request of a causeway and of a bare server in alternating rounds.
func compareRequests(ctx context.Context, out io.Writer, p *process, round time.Duration, rounds int) error {
	bare, err := startBare(ctx, p.url)
	if err != nil {
		return err
	}
	defer bare.stop()
	if p.baseline, err = p.cpuRate(ctx, 5*time.Second); err != nil {
		return err
	}
	fmt.Fprintf(out, "background work without requests: %.1f ms of CPU per second, subtracted below\n", p.baseline*1e3)
	fmt.Fprintln(out, "request, production mode\tCPU µs\tbare µs\tbare ÷ causeway\ttarget")
	for _, r := range requests {
		wire, err := r.bytes(ctx, p.url)
		if err != nil {
			return err
		}
		var ours, theirs, ratios []float64
		for range rounds {
			a, err := p.cost(ctx, wire, round)
			if err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
			b, err := bare.cost(ctx, wire, round)
			if err != nil {
				return fmt.Errorf("%s, bare: %w", r, err)
			}
			ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, b/a)
		}
		fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.2f\t%s\n", r, median(ours), median(theirs), median(ratios), r.target)
	}
	return nil
}

// cost returns the CPU time of one request in microseconds, over a round of requests on 8 connections.
func (p *process) cost(ctx context.Context, wire []byte, round time.Duration) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, round)
	defer cancel()
	begin := time.Now()
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	var count atomic.Int64
	var group sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		group.Go(func() { errs <- p.hammer(ctx, wire, &count) })
	}
	group.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	after, cpuErr := p.cpu()
	spent := (after - before).Seconds() - p.baseline*time.Since(begin).Seconds()
	return spent * 1e6 / float64(count.Load()), errors.Join(err, cpuErr)
}

// hammer sends one request after another on one connection until ctx ends.
func (p *process) hammer(ctx context.Context, wire []byte, count *atomic.Int64) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReaderSize(conn, 128<<10)
	for ctx.Err() == nil {
		if _, err := conn.Write(wire); err != nil {
			return err
		}
		if err := discardResponse(reader); err != nil {
			return err
		}
		count.Add(1)
	}
	return nil
}

// discardResponse reads one response that has a Content-Length or no body.
func discardResponse(r *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.Contains(line, []byte(" 200 ")) && !bytes.Contains(line, []byte(" 304 ")) {
			return fmt.Errorf("unexpected response: %s", bytes.TrimSpace(line))
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(line) == len("\r\n") {
			_, err = r.Discard(length)
			return err
		}
	}
}

// startBare records what causeway responds and starts this program again as the bare server.
func startBare(ctx context.Context, url string) (*process, error) {
	responses := map[string]recorded{}
	for _, r := range requests {
		response, err := r.send(ctx, url)
		if err != nil {
			return nil, err
		}
		responses[r.key()] = response
	}
	text, err := json.Marshal(responses)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "bare*.json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.Write(text); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "-bare", file.Name())
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return start(cmd, "/v1/pairs", "public")
}

// serveBare serves recorded responses with a stock server, and POST /v1/validate with encoding/json.
func serveBare(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var responses map[string]recorded
	if err := json.Unmarshal(text, &responses); err != nil {
		return err
	}
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
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
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil || in.Type != "address" || in.Currency == "" || len(in.Address) > 512 {
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
	out, err := json.Marshal(map[string]any{"status": "success", "message": "Address checked", "data": verdict{
		Type: in.Type, Address: in.Address, Currency: in.Currency, Network: "BTC", Valid: strings.HasPrefix(in.Address, "bc1"),
		Format: "p2wpkh", Environment: "mainnet", Checksum: true, Normalized: strings.ToLower(in.Address),
	}})
	if err != nil {
		http.Error(w, "internal", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}
