package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
)

// benchCase is one kind of request. The bare server gives the same bytes that Causeway gave when the run began.
type benchCase struct {
	name, target string
	method, path string
	header       map[string]string
	body         string
	conditional  bool // send back the ETag of a first answer
}

const validateBody = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

var cases = []benchCase{
	{name: "GET /v1/pairs", target: "≥ 0.92", method: "GET", path: "/v1/pairs"},
	{name: "GET /v1/pairs, gzip", target: "≥ 0.92", method: "GET", path: "/v1/pairs", header: map[string]string{"Accept-Encoding": "gzip"}},
	{name: "GET /v1/pairs?currency=NGN", target: "≥ 0.90", method: "GET", path: "/v1/pairs?currency=NGN"},
	{name: "GET /v1/banks?country=NG, gzip", target: "", method: "GET", path: "/v1/banks?country=NG", header: map[string]string{"Accept-Encoding": "gzip"}},
	{name: "GET /v1/banks?country=NG, 304", target: "≥ 0.90", method: "GET", path: "/v1/banks?country=NG", conditional: true},
	{name: "POST /v1/validate", target: "≥ 0.85 of encoding/json", method: "POST", path: "/v1/validate", body: validateBody},
}

// key tells the cases' answers apart.
func (c benchCase) key() string { return c.path + " " + c.header["Accept-Encoding"] }

// request is the bytes on the wire, so that the load costs the other core as little as possible.
func (c benchCase) request(ctx context.Context, url string) ([]byte, error) {
	header := map[string]string{"Host": "bench", "Accept": "*/*"}
	maps.Copy(header, c.header)
	if c.conditional {
		first, err := fetch(ctx, c, url)
		if err != nil {
			return nil, err
		}
		header["If-None-Match"] = first.header.Get("ETag")
	}
	if c.body != "" {
		header["Content-Type"], header["Content-Length"] = "application/json", fmt.Sprint(len(c.body))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", c.method, c.path)
	for name, value := range header {
		fmt.Fprintf(&b, "%s: %s\r\n", name, value)
	}
	b.WriteString("\r\n" + c.body)
	return []byte(b.String()), nil
}

// fetched is one answer of Causeway.
type fetched struct {
	status int
	header http.Header
	body   []byte
}

func fetch(ctx context.Context, c benchCase, url string) (fetched, error) {
	req, err := http.NewRequestWithContext(ctx, c.method, url+c.path, strings.NewReader(c.body))
	if err != nil {
		return fetched{}, err
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fetched{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s answered %d: %s", c.method, c.path, resp.StatusCode, body)
	}
	return fetched{resp.StatusCode, resp.Header, body}, err
}
