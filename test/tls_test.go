package test_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"causeway/test/driver"
	"causeway/test/testcert"
)

// certificateFiles are the files of a process's certificate.
type certificateFiles struct {
	dir  string
	pool *x509.CertPool // all certificates that were written
}

func (s *certificateFiles) file(name string) string { return filepath.Join(s.dir, name) }

func (s *certificateFiles) env() []string {
	return []string{"CAUSEWAY_TLS__CERT_FILE=" + s.file("tls.crt"), "CAUSEWAY_TLS__KEY_FILE=" + s.file("tls.key")}
}

// write replaces the files by a new certificate of 127.0.0.1.
func (s *certificateFiles) write(t *testing.T, serial int64) {
	t.Helper()
	cert, key := testcert.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "causeway.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	})
	for name, text := range map[string][]byte{"tls.crt": cert, "tls.key": key} {
		if err := os.WriteFile(s.file(name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.pool.AppendCertsFromPEM(cert)
}

// client returns a client that trusts the certificates.
func (s *certificateFiles) client(change func(*tls.Config)) *http.Client {
	cfg := &tls.Config{RootCAs: s.pool, MinVersion: tls.VersionTLS10}
	if change != nil {
		change(cfg)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: cfg, ForceAttemptHTTP2: true, DisableKeepAlives: true}, Timeout: 5 * time.Minute}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	files := &certificateFiles{dir: t.TempDir(), pool: x509.NewCertPool()}
	files.write(t, 1)
	c, err := driver.Run(binary, files.env()...)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(c.API, "http://")
	url := "https://" + address
	serial := func() int64 { // of the certificate in use
		t.Helper()
		resp, err := files.client(nil).Get(url + "/v1/pairs")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if strict := resp.Header.Get("Strict-Transport-Security"); resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 || resp.TLS.Version != tls.VersionTLS13 || strict != "max-age=31536000" {
			t.Errorf("got %s %d, TLS %x, HSTS %q", resp.Proto, resp.StatusCode, resp.TLS.Version, strict)
		}
		return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d is in use, want 1", got)
	}
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
		old := files.client(func(cfg *tls.Config) { cfg.MinVersion, cfg.MaxVersion = version, version })
		if resp, err := old.Get(url + "/v1/pairs"); err == nil {
			_ = resp.Body.Close()
			t.Errorf("TLS %x is accepted", version)
		}
	}
	if got, _ := responses(t, connect(t, address, "GET /v1/pairs HTTP/1.1\r\nHost: x\r\n\r\n")); len(got) != 1 || got[0] != http.StatusBadRequest {
		t.Errorf("a request without TLS got %v", got)
	}
	if got, _ := responses(t, connect(t, address, "\x16\x03\x01")); len(got) > 0 {
		t.Errorf("half a handshake got %v", got)
	}
	if strings.Contains(c.Log(), "TLS handshake") {
		t.Error("failed handshakes are logged")
	}
	if metrics := string(driver.Get(t, c.Operator+"/metrics").Body); !strings.Contains(metrics, "\ncauseway_tls_certificate_expiry_timestamp_seconds ") {
		t.Error("the expiry of the certificate is not exported")
	}

	if err := os.WriteFile(files.file("tls.crt"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	wait(t, "an error about the bad file", func() bool { return strings.Contains(c.Log(), "the previous one stays in use") })
	if got := serial(); got != 1 {
		t.Errorf("certificate %d is in use after a bad file, want 1", got)
	}
	files.write(t, 2)
	wait(t, "the new certificate", func() bool { return serial() == 2 })

	stream, err := files.client(nil).Get(url + "/v1/pairs/stream?id=BTCNGN")
	if err != nil || stream.ProtoMajor != 2 {
		t.Fatalf("a stream: %v", err)
	}
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewReader(stream.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := c.Process().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "\nretry: ") {
		t.Errorf("the stream ended with %v: %.300s", err, rest)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, c.Log())
	}
}
