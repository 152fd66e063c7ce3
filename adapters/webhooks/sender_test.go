package webhooks_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/dns/dnsmessage"

	"causeway/adapters/webhooks"
	"causeway/core"
)

// clock is the time of the published test vector.
func clock() time.Time { return time.Unix(1614265330, 0) }

// roundTrip is a network that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func instead(f roundTrip) func(string, http.RoundTripper) http.RoundTripper {
	return func(string, http.RoundTripper) http.RoundTripper { return f }
}

func answer(status int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body)}
}

// send sends the message of the published test vector to an endpoint.
func send(t *testing.T, e webhooks.Endpoint, o webhooks.Options) error {
	t.Helper()
	o.Clock, o.Version = clock, "1.2.3"
	o.Render = func(core.Event) ([]byte, error) { return []byte(`{"test": 2432232314}`), nil }
	if e.Secret == "" {
		e.Secret = secret
	}
	s, err := webhooks.New(webhooks.Config{"shop": e}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.Send(t.Context(), "shop", core.Event{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek"})
}

// message returns the text of an error for operators.
func message(t *testing.T, err error) string {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Unavailable {
		t.Fatalf("got %v, want core.Unavailable", err)
	}
	if strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "whsec_") {
		t.Errorf("a secret is in the error: %v", err)
	}
	return e.Message
}

// TestSender_Vector sends the message of the published test vector: github:standard-webhooks/standard-webhooks,
// libraries/go/webhook_test.go TestWebhookSign @449485c, the same as in the libraries of the other languages, such as
// libraries/javascript/src/webhook.test.ts "sign function works" @10d3e46.
func TestSender_Vector(t *testing.T) {
	t.Parallel()
	const published = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for name, c := range map[string]struct {
		previous core.Secret
		accepted []core.Secret
	}{
		"one secret": {"", []core.Secret{secret}},
		"rotation":   {secretOf(64), []core.Secret{secret, secretOf(64)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			err := send(t, webhooks.Endpoint{URL: "https://shop.test/hook?token=planted", PreviousSecret: c.previous}, webhooks.Options{
				Wrap: instead(func(r *http.Request) (*http.Response, error) {
					got = r
					body, _ = io.ReadAll(r.Body)
					return answer(http.StatusNoContent, http.NoBody), nil
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			for header, want := range map[string]string{
				"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
				"Content-Type": "application/json", "User-Agent": "Causeway/1.2.3",
			} {
				if got.Header.Get(header) != want {
					t.Errorf("%s: got %q, want %q", header, got.Header.Get(header), want)
				}
			}
			if got.Method != http.MethodPost || got.URL.String() != "https://shop.test/hook?token=planted" {
				t.Errorf("got %s %s", got.Method, got.URL)
			}
			signatures := strings.Split(got.Header.Get("webhook-signature"), " ")
			if len(signatures) != len(c.accepted) || signatures[0] != published {
				t.Errorf("got signatures %q, want %d, the first %s", signatures, len(c.accepted), published)
			}
			for _, accepted := range c.accepted {
				w, err := standardwebhooks.NewWebhook(accepted.Reveal())
				if err != nil {
					t.Fatal(err)
				}
				if err := w.VerifyIgnoringTimestamp(body, got.Header); err != nil {
					t.Errorf("a receiver with one of the secrets refuses: %v", err)
				}
			}
		})
	}
}

// TestSender_Answers judges what receivers answer.
func TestSender_Answers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string // empty: accepted
		retry   time.Duration
	}{
		"200": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "planted") }, "", 0},
		"204": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "", 0},
		"301": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/planted", http.StatusMovedPermanently)
		}, "answered 301; redirects are not followed", 0},
		"307": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/planted", http.StatusTemporaryRedirect)
		}, "answered 307; redirects are not followed", 0},
		"400":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "planted", 400) }, "answered 400", 0},
		"410":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, "answered 410: it wants no more events; remove it from the settings", 0},
		"500":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "planted", 500) }, "answered 500", 0},
		"seconds": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "90"); w.WriteHeader(429) }, "answered 429", 90 * time.Second},
		"a year": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "31536000")
			w.WriteHeader(503)
		}, "answered 503", time.Hour},
		"a date": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", clock().Add(time.Minute).UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, "answered 503", time.Minute},
		"an endless body": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
					return
				}
			}
		}, "", 0},
		"an endless header": {func(w http.ResponseWriter, _ *http.Request) { hijacked(w, strings.Repeat("X-Planted: x\r\n", 10_000)) }, "did not answer as HTTP requires", 0},
		"no HTTP":           {func(w http.ResponseWriter, _ *http.Request) { hijacked(w, "\r\rplanted\r\n\r\n") }, "did not answer as HTTP requires", 0},
		"closed":            {func(w http.ResponseWriter, _ *http.Request) { hijacked(w, "") }, "closed the connection without an answer", 0},
		"reset": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}, "was not reached: connection reset by peer", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			defer server.Close()
			err := send(t, webhooks.Endpoint{URL: core.Secret(server.URL + "/planted"), AllowPrivate: true}, webhooks.Options{})
			if c.want == "" {
				if err != nil {
					t.Errorf("got %v, want success", err)
				}
				return
			}
			if got := message(t, err); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if e, _ := errors.AsType[*core.Error](err); e.RetryAfter != c.retry {
				t.Errorf("got Retry-After %v, want %v", e.RetryAfter, c.retry)
			}
		})
	}
}

// hijacked answers with a text that is the whole connection.
func hijacked(w http.ResponseWriter, text string) {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if text != "" {
		_, _ = io.Copy(out, io.MultiReader(strings.NewReader("HTTP/1.1 200 OK\r\n"), strings.NewReader(text)))
		_ = out.Flush()
	}
	_ = conn.Close()
}

// slow is a body that never arrives.
type slow struct{ done <-chan struct{} }

func (s slow) Read([]byte) (int, error) {
	<-s.done
	return 0, context.Canceled
}

// TestSender_Slow measures how long a slow receiver keeps a try.
func TestSender_Slow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		respond roundTrip
		want    string // empty: accepted
		after   time.Duration
	}{
		"no answer": {func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, "did not answer within 10 s", 10 * time.Second},
		"200 and a slow body": {func(r *http.Request) (*http.Response, error) {
			return answer(http.StatusOK, slow{r.Context().Done()}), nil
		}, "", time.Second},
		"500 and a slow body": {func(r *http.Request) (*http.Response, error) {
			return answer(http.StatusInternalServerError, slow{r.Context().Done()}), nil
		}, "answered 500", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := send(t, webhooks.Endpoint{URL: "https://shop.test/planted"}, webhooks.Options{Wrap: instead(c.respond)})
				if c.want == "" && err != nil || c.want != "" && message(t, err) != c.want {
					t.Errorf("got %v, want %q", err, c.want)
				}
				if took := time.Since(start); took != c.after {
					t.Errorf("it took %v, want %v", took, c.after)
				}
			})
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s, err := webhooks.New(webhooks.Config{"shop": {URL: "https://shop.test/planted", Secret: secret}}, webhooks.Options{
			Clock: clock,
			Wrap: instead(func(r *http.Request) (*http.Response, error) {
				cancel()
				<-r.Context().Done()
				return nil, r.Context().Err()
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Post(ctx, "shop", "evt_1", nil)
		if got := message(t, err); got != "the try was interrupted" || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("unknown endpoint", func(t *testing.T) {
		t.Parallel()
		s, err := webhooks.New(nil, webhooks.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Post(t.Context(), "planned", "evt_1", nil)
		if got := message(t, err); got != "is not in the settings" {
			t.Errorf("got %q", got)
		}
	})
}

// TestSender_TLS names what is wrong with TLS.
func TestSender_TLS(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	t.Cleanup(old.Close)
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(plain.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	later := func() time.Time { return secure.Certificate().NotAfter.Add(time.Hour) }
	for name, c := range map[string]struct {
		server *httptest.Server
		tls    *tls.Config
		want   string // empty: accepted
	}{
		"trusted":           {secure, &tls.Config{RootCAs: trusted}, ""},
		"unknown authority": {secure, nil, "TLS: the certificate is signed by an unknown authority"},
		"expired":           {secure, &tls.Config{RootCAs: trusted, Time: later}, "TLS: the certificate has expired or is not valid yet"},
		"another host":      {secure, &tls.Config{RootCAs: trusted, ServerName: "planted.test"}, "TLS: the certificate is for other hosts"},
		"old protocol":      {old, &tls.Config{RootCAs: trusted}, "TLS: the handshake failed"},
		"plain HTTP":        {plain, nil, "TLS: the port is not one of https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(c.server.URL)
			if err != nil {
				t.Fatal(err)
			}
			u.Scheme, u.Path = "https", "/planted"
			err = send(t, webhooks.Endpoint{URL: core.Secret(u.String()), AllowPrivate: true}, webhooks.Options{TLS: c.tls})
			if c.want == "" && err != nil || c.want != "" && message(t, err) != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// resolver answers with each address once, and with the last one again.
func resolver(addresses ...string) *net.Resolver {
	var asked atomic.Int64
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			in := bufio.NewReader(server)
			for {
				size := make([]byte, 2) // net.Pipe is a stream: messages have the frame of TCP
				if _, err := io.ReadFull(in, size); err != nil {
					return
				}
				query := make([]byte, int(size[0])<<8|int(size[1]))
				var m dnsmessage.Message
				if _, err := io.ReadFull(in, query); err != nil || m.Unpack(query) != nil {
					return
				}
				m.Response, m.Additionals = true, nil
				address := ""
				if len(addresses) > 0 && m.Questions[0].Type == dnsmessage.TypeA {
					address = addresses[min(int(asked.Add(1)), len(addresses))-1]
				}
				if len(addresses) == 0 {
					m.RCode = dnsmessage.RCodeNameError
				}
				if ip, err := netip.ParseAddr(address); err == nil {
					m.Answers = []dnsmessage.Resource{{
						Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
						Body:   &dnsmessage.AResource{A: ip.As4()},
					}}
				}
				out, err := m.Pack()
				if err != nil {
					return
				}
				_, _ = server.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...))
			}
		}()
		return client, nil
	}}
}

// TestSender_Addresses sends nothing to addresses that no endpoint has.
func TestSender_Addresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host string
		want string
	}{
		"loopback":              {"127.0.0.1", "an address of this machine, 127.0.0.1; set webhooks.shop.allow_private if that is intended"},
		"loopback IPv6":         {"::1", "an address of this machine, ::1; set"},
		"private A":             {"10.0.0.7", "a private address, 10.0.0.7; set webhooks.shop.allow_private if that is intended"},
		"private B":             {"172.31.0.1", "a private address, 172.31.0.1; set"},
		"private C":             {"192.168.0.1", "a private address, 192.168.0.1; set"},
		"unique local":          {"fd00::7", "a private address, fd00::7; set"},
		"carrier-grade NAT":     {"100.64.0.1", "a private address of a carrier, 100.64.0.1; set"},
		"IPv4-mapped":           {"::ffff:10.0.0.7", "a private address, 10.0.0.7; set"},
		"NAT64":                 {"64:ff9b::a00:7", "a private address, 64:ff9b::a00:7; set"},
		"NAT64, loopback":       {"64:ff9b::7f00:1", "an address of this machine, 64:ff9b::7f00:1; set"},
		"NAT64, local":          {"64:ff9b:1::a00:7", "a reserved address, 64:ff9b:1::a00:7, which receives no webhooks"},
		"6to4":                  {"2002:a00:7::1", "a private address, 2002:a00:7::1; set"},
		"IPv4-compatible":       {"::10.0.0.7", "a reserved address, ::a00:7, which"},
		"Teredo":                {"2001::1", "a reserved address, 2001::1, which"},
		"link-local":            {"169.254.169.254", "a link-local address, 169.254.169.254, which receives no webhooks"},
		"link-local IPv6":       {"fe80::1", "a link-local address, fe80::1, which"},
		"multicast":             {"224.0.0.1", "a multicast address, 224.0.0.1, which"},
		"multicast IPv6":        {"ff02::1", "a multicast address, ff02::1, which"},
		"unspecified":           {"0.0.0.0", "the unspecified address, 0.0.0.0, which"},
		"unspecified IPv6":      {"::", "the unspecified address, ::, which"},
		"this network":          {"0.1.2.3", "a reserved address, 0.1.2.3, which"},
		"broadcast":             {"255.255.255.255", "a reserved address, 255.255.255.255, which"},
		"documentation":         {"192.0.2.1", "a reserved address, 192.0.2.1, which"},
		"documentation IPv6":    {"2001:db8::1", "a reserved address, 2001:db8::1, which"},
		"deprecated site-local": {"fec0::1", "a reserved address, fec0::1, which"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := url.URL{Scheme: "https", Host: net.JoinHostPort(c.host, "1"), Path: "/planted"}
			err := send(t, webhooks.Endpoint{URL: core.Secret(u.String())}, webhooks.Options{})
			if got, want := message(t, err), "resolves to "+c.want; !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	t.Run("public addresses are admitted", func(t *testing.T) {
		t.Parallel()
		for _, ip := range []string{"1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1"} {
			if err := webhooks.Admit(netip.MustParseAddr(ip)); err != nil {
				t.Errorf("%s: %v", ip, err)
			}
		}
	})
}

// TestSender_Rebinding resolves a host to a private address, also after it resolved to an address that was accepted.
func TestSender_Rebinding(t *testing.T) {
	t.Parallel()
	received := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	target := core.Secret("http://rebind.test:" + port + "/planted")
	t.Run("private", func(t *testing.T) {
		t.Parallel()
		err := send(t, webhooks.Endpoint{URL: target}, webhooks.Options{Resolver: resolver("10.0.0.7")})
		if got := message(t, err); got != "resolves to a private address, 10.0.0.7; set webhooks.shop.allow_private if that is intended" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("at the second look", func(t *testing.T) {
		t.Parallel()
		s, err := webhooks.New(webhooks.Config{"shop": {URL: target, Secret: secret, AllowPrivate: true}}, webhooks.Options{
			Clock: clock, Resolver: resolver("127.0.0.1", "169.254.169.254"),
			Wrap: func(_ string, base http.RoundTripper) http.RoundTripper {
				return roundTrip(func(r *http.Request) (*http.Response, error) {
					r.Close = true // each try connects, and resolves the name
					return base.RoundTrip(r)
				})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Post(t.Context(), "shop", "evt_1", nil); err != nil {
			t.Errorf("got %v, want success", err)
		}
		_, err = s.Post(t.Context(), "shop", "evt_2", nil)
		if got := message(t, err); got != "resolves to a link-local address, 169.254.169.254, which receives no webhooks" {
			t.Errorf("got %q", got)
		}
		if received.Load() != 1 {
			t.Errorf("received %d, want 1", received.Load())
		}
	})
	t.Run("no such host", func(t *testing.T) {
		t.Parallel()
		err := send(t, webhooks.Endpoint{URL: target}, webhooks.Options{Resolver: resolver()})
		if got := message(t, err); got != "its host does not exist in DNS" {
			t.Errorf("got %q", got)
		}
	})
}

// TestSender_Ourselves sends nothing to the listeners of the process, under any of their addresses.
func TestSender_Ourselves(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("received %s", r.URL) }))
	t.Cleanup(server.Close)
	own, ok := server.Listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(server.Listener.Addr())
	}
	t.Run("the same port of another machine", func(t *testing.T) {
		t.Parallel()
		listener := &net.TCPAddr{Port: 1}
		err := send(t, webhooks.Endpoint{URL: "https://10.0.0.7:1/planted"}, webhooks.Options{
			Listeners: func() []net.Addr { return []net.Addr{listener} },
		})
		if got := message(t, err); !strings.HasPrefix(got, "resolves to a private address") {
			t.Errorf("got %q: another machine may listen on the same port", got)
		}
	})
	for name, listener := range map[string]net.Addr{
		"its address":   own,
		"all addresses": &net.TCPAddr{IP: net.IPv6unspecified, Port: own.Port},
		"no address":    &net.TCPAddr{Port: own.Port},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, allow := range []bool{true, false} {
				err := send(t, webhooks.Endpoint{URL: core.Secret(server.URL + "/planted"), AllowPrivate: allow}, webhooks.Options{
					Listeners: func() []net.Addr { return []net.Addr{nil, listener} },
				})
				if got, want := message(t, err), "resolves to ourselves, "+own.String(); !strings.HasPrefix(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// TestSender_Connections reuses connections, bounds their number, and ignores proxies of the environment.
func TestSender_Connections(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	const tries, most = 64, 16
	var (
		mu        sync.Mutex
		open, top int
		opened    atomic.Int64
	)
	reached := make(chan struct{}) // no connection is free until all are used
	var once sync.Once
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		open++
		top = max(top, open)
		if open == most {
			once.Do(func() { close(reached) })
		}
		mu.Unlock()
		<-reached
		mu.Lock()
		open--
		mu.Unlock()
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	s, err := webhooks.New(webhooks.Config{"shop": {URL: core.Secret(server.URL), Secret: secret, AllowPrivate: true}},
		webhooks.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range tries {
		all.Go(func() {
			if _, err := s.Post(t.Context(), "shop", fmt.Sprint("evt_", n), nil); err != nil {
				t.Errorf("try %d: %v", n, err)
			}
		})
	}
	all.Wait()
	if top != most || opened.Load() != most {
		t.Errorf("got %d at once over %d connections, want %d over %d", top, opened.Load(), most, most)
	}
}
