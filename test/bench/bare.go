package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// recorded is an answer of Causeway that the bare server repeats.
type recorded struct {
	Header http.Header
	Body   []byte
}

// serveBare is the limit for a Go server on net/http: handlers that write ready bytes, with the headers that they need.
func serveBare(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var answers map[string]recorded
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.RequestURI()+" "+r.Header.Get("Accept-Encoding")]
		h := w.Header()
		maps.Copy(h, a.Header) // the same answer, headers included: what is compared is what makes it
		if r.Header.Get("If-None-Match") != "" {
			h.Del("Content-Length")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(a.Body)
	})
	validated := answers["/v1/validate "].Header
	mux.HandleFunc("POST /v1/validate", func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), validated)
		validateWithEncodingJSON(w, r)
	})
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, ln.Addr())
	server := &http.Server{ // the time-outs cost timers: the same ones as Causeway's, so that only handlers are compared
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	return server.Serve(ln)
}

// validateWithEncodingJSON is the reference of POST /v1/validate: it decodes, checks and encodes with encoding/json. It judges no address.
func validateWithEncodingJSON(w http.ResponseWriter, r *http.Request) {
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
		Type        string   `json:"type"`
		Address     string   `json:"address"`
		Currency    string   `json:"currency"`
		Network     string   `json:"network"`
		Valid       bool     `json:"valid"`
		Warnings    []string `json:"warnings"`
		Format      string   `json:"format"`
		Environment string   `json:"environment"`
		Checksum    bool     `json:"checksum"`
		Normalized  string   `json:"normalized"`
	}
	out, err := json.Marshal(map[string]any{"status": "success", "message": "The address is valid", "data": verdict{
		Type: in.Type, Address: in.Address, Currency: in.Currency, Network: "BTC", Valid: strings.HasPrefix(in.Address, "bc1"),
		Warnings: []string{}, Format: "p2wpkh", Environment: "mainnet", Checksum: true, Normalized: strings.ToLower(in.Address),
	}})
	if err != nil {
		http.Error(w, "internal", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}
