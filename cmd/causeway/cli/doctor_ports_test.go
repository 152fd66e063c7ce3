package cli

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/config"
)

// occupant is the address of a server that answers like a causeway's listener, or like nothing of ours.
func occupant(t *testing.T, start func(http.Handler) *httptest.Server, answer http.HandlerFunc) string {
	t.Helper()
	server := start(answer)
	t.Cleanup(server.Close)
	_, address, _ := strings.Cut(server.URL, "://")
	return address
}

func TestPortsAreFreeOrOurs(t *testing.T) {
	t.Parallel()
	public := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req_abcdefghijkl")
		w.WriteHeader(http.StatusNotFound)
	}
	operator := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"live"}`) }
	foreign := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "7f3c")
		_, _ = io.WriteString(w, `{"status":"other"}`)
	}
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+"/elsewhere", http.StatusFound)
	}
	plain, secured := occupant(t, httptest.NewServer, public), occupant(t, httptest.NewTLSServer, public)
	ours, theirs := occupant(t, httptest.NewServer, operator), occupant(t, httptest.NewServer, foreign)
	redirects, theirsSecured := occupant(t, httptest.NewServer, away), occupant(t, httptest.NewTLSServer, foreign)
	const free = "127.0.0.1:0"
	for name, c := range map[string]struct {
		listen, operator string
		tls              bool
		want             [2]Verdict
		found            [2]string
	}{
		"free":                         {free, free, false, [2]Verdict{Fine, Fine}, [2]string{"free", "free"}},
		"ours":                         {plain, ours, false, [2]Verdict{Fine, Fine}, [2]string{"a causeway runs here", "a causeway runs here"}},
		"ours, with TLS":               {secured, ours, true, [2]Verdict{Fine, Fine}, [2]string{"a causeway runs here", "a causeway runs here"}},
		"another program's":            {theirs, theirs, false, [2]Verdict{Broken, Broken}, [2]string{"another program", "another program"}},
		"another's, with TLS":          {theirsSecured, free, true, [2]Verdict{Broken, Fine}, [2]string{"another program", "free"}},
		"another's beside ours":        {theirs, ours, false, [2]Verdict{Broken, Fine}, [2]string{"another program", "a causeway runs here"}},
		"ours beside another's":        {plain, theirs, false, [2]Verdict{Fine, Broken}, [2]string{"a causeway runs here", "another program"}},
		"one that sends us elsewhere":  {redirects, redirects, false, [2]Verdict{Broken, Broken}, [2]string{"another program", "another program"}},
		"not of this machine":          {"192.0.2.1:80", free, false, [2]Verdict{Broken, Fine}, [2]string{"listen", "free"}},
		"ours at the operator's alone": {free, ours, false, [2]Verdict{Fine, Fine}, [2]string{"free", "a causeway runs here"}},
	} {
		d := bystander(t)
		d.cfg.Listen, d.cfg.OperatorListen = c.listen, c.operator
		if c.tls {
			d.cfg.TLS = config.TLS{CertFile: "unread", KeyFile: "unread"}
		}
		for i, f := range d.ports(t.Context()) {
			if f.State != c.want[i] || !strings.Contains(f.Found, c.found[i]) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestWhoHoldsAPortAndIsSilentIsNotOurs has a program accept connections and say nothing.
func TestWhoHoldsAPortAndIsSilentIsNotOurs(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	silent, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	d := bystander(t)
	d.cfg.Listen, d.cfg.OperatorListen = silent.Addr().String(), "127.0.0.1:0"
	if f := d.ports(t.Context())[0]; f.State != Broken || !strings.Contains(f.Found, "another program") {
		t.Errorf("%+v", f)
	}
}
