package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"causeway/core"
)

// holderAnswers is how long whoever holds a port may take to say who it is. It is on this machine.
const holderAnswers = 2 * time.Second

// ports looks whether the addresses to listen on are free, or a causeway has them.
func (d *Doctor) ports(ctx context.Context) []Finding {
	var out []Finding
	for _, l := range []struct {
		check, address, key string
		ours                func(context.Context) bool
	}{
		{"public address", d.cfg.Listen, "listen", d.servesPublic},
		{"operator's address", d.cfg.OperatorListen, "operator_listen", d.servesOperator},
	} {
		var lc net.ListenConfig
		ln, err := lc.Listen(ctx, "tcp", l.address)
		switch {
		case err == nil:
			_ = ln.Close()
			out = append(out, Finding{l.check, Fine, l.address + " is free", ""})
		case !errors.Is(err, syscall.EADDRINUSE):
			out = append(out, Finding{l.check, Broken, reasonOf(err), "set " + l.key + " to an address of this machine that the user may listen on"})
		case l.ours(ctx):
			out = append(out, Finding{l.check, Fine, l.address + " is in use, and a causeway runs here", ""})
		default:
			out = append(out, Finding{l.check, Broken, l.address + " is in use by another program", "stop that, or set " + l.key + " to another address"})
		}
	}
	return out
}

// servesPublic reports whether a causeway answers at the public address: every answer of one has the id of the request.
func (d *Doctor) servesPublic(ctx context.Context) bool {
	scheme := "http"
	if d.cfg.TLS.On() {
		scheme = "https"
	}
	ours := false
	askHere(ctx, scheme, d.cfg.Listen, func(resp *http.Response) { ours = strings.HasPrefix(resp.Header.Get("X-Request-Id"), "req_") })
	return ours
}

// servesOperator reports whether a causeway answers at the operator's address.
func (d *Doctor) servesOperator(ctx context.Context) bool {
	var answered operatorResponse
	askHere(ctx, "http", d.cfg.OperatorListen, func(resp *http.Response) {
		if json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&answered) != nil {
			answered.Status = ""
		}
	})
	return answered.Status == "live"
}

// askHere asks whoever listens on an address of this machine whether it is alive, and has its answer read, if there is one.
func askHere(ctx context.Context, scheme, listen string, read func(*http.Response)) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, done := context.WithTimeout(ctx, holderAnswers)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/livez", http.NoBody)
	if err != nil {
		return
	}
	client := &http.Client{
		Transport: &http.Transport{ // without a proxy: it is this machine
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // its certificate is for another name, and it is told nothing
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	read(resp)
}

// reasonOf is the innermost text of an error of the network, without addresses of others.
func reasonOf(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Op + ": " + op.Err.Error()
	}
	if core.CodeOf(err) != "" {
		return string(core.CodeOf(err))
	}
	return err.Error()
}
