package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/config"
)

// validity is how long those of issue are good.
const validity = 2400 * time.Hour

// issue makes a certificate that signs itself, in PEM, with its key.
func issue(t *testing.T, name string, expires time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(expires.Unix()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: expires.Add(-validity), NotAfter: expires,
	}
	signed, err := x509.CreateCertificate(rand.Reader, made, made, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// pairOfFiles is a certificate on disk.
type pairOfFiles struct{ config.TLS }

func newPairOfFiles(t *testing.T) pairOfFiles {
	t.Helper()
	dir := t.TempDir()
	return pairOfFiles{config.TLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}}
}

func (p pairOfFiles) write(t *testing.T, cert, key []byte) {
	t.Helper()
	for path, text := range map[string][]byte{p.CertFile: cert, p.KeyFile: key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACertificateIsReplacedWithoutARestart(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	files := newPairOfFiles(t)
	cert, key := issue(t, "first.test", now.Add(time.Hour))
	files.write(t, cert, key)
	logs, seen := observer.New(zapcore.InfoLevel)
	reg := prometheus.NewRegistry()
	c, err := certificateOf(files.TLS, func() time.Time { return now }, zap.New(logs), reg)
	if err != nil {
		t.Fatal(err)
	}
	shows := func(name string, end time.Time) {
		t.Helper()
		shown, err := c.config().GetCertificate(nil)
		if err != nil || shown.Leaf.Subject.CommonName != name {
			t.Fatalf("shows %v (%v), want %s", shown.Leaf.Subject, err, name)
		}
		if got := reading(t, reg, "causeway_tls_certificate_expiry_timestamp_seconds", ""); got != float64(end.Unix()) {
			t.Errorf("%s expires at %v, measured %v", name, end.Unix(), got)
		}
	}
	look := func(times int) {
		for range times {
			c.look()
		}
	}
	shows("first.test", now.Add(time.Hour))
	look(3)
	if seen.Len() != 0 {
		t.Errorf("nothing has changed, and it says %v", seen.All())
	}
	next, nextKey := issue(t, "second.test", now.Add(2*time.Hour))
	old, oldKey := issue(t, "past.test", now.Add(-time.Minute))
	for name, bad := range map[string]struct {
		cert, key []byte
		said      string
	}{
		"another one's key": {next, key, "private key does not match"},
		"no PEM":            {[]byte("hello"), key, "failed to find any PEM data"},
		"half a file":       {next[:len(next)/2], nextKey, "PEM"},
		"an empty key":      {next, nil, "PEM data in key input"},
		"one that expired":  {old, oldKey, "expired at 2026-11-21T11:59:00Z"},
	} {
		files.write(t, bad.cert, bad.key)
		look(4)
		shows("first.test", now.Add(time.Hour))
		lines := seen.TakeAll()
		if len(lines) != 1 || lines[0].Level != zapcore.ErrorLevel {
			t.Fatalf("%s: it says %v", name, lines)
		}
		if reason := lines[0].ContextMap()["error"].(string); !strings.Contains(reason, bad.said) || !strings.Contains(reason, files.CertFile) {
			t.Errorf("%s: the reason is %s", name, reason)
		}
	}
	if err := os.Remove(files.KeyFile); err != nil {
		t.Fatal(err)
	}
	look(3)
	shows("first.test", now.Add(time.Hour))
	if lines := seen.TakeAll(); len(lines) != 1 || !strings.Contains(lines[0].ContextMap()["error"].(string), "tls.key_file") {
		t.Errorf("a file that is gone: it says %v", lines)
	}
	files.write(t, next, nextKey)
	look(1)
	shows("first.test", now.Add(time.Hour)) // the other file may still be on its way
	look(1)
	shows("second.test", now.Add(2*time.Hour))
	for outcome, want := range map[string]float64{"taken": 1, "refused": 6} {
		if got := reading(t, reg, "causeway_tls_certificate_reloads_total", outcome); got != want {
			t.Errorf("%s: counted %v, want %v", outcome, got, want)
		}
	}
}

func TestACertificateThatCannotBeReadFailsTheStart(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cert, key := issue(t, "good.test", now.Add(time.Hour))
	_, other := issue(t, "other.test", now.Add(time.Hour))
	for want, pair := range map[string][2][]byte{"does not match": {cert, other}, "PEM": {key, cert}} {
		files := newPairOfFiles(t)
		files.write(t, pair[0], pair[1])
		if _, err := certificateOf(files.TLS, time.Now, zap.NewNop(), nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), files.CertFile) {
			t.Errorf("got %v, want %q and the file's name", err, want)
		}
	}
	if _, err := certificateOf(newPairOfFiles(t).TLS, time.Now, zap.NewNop(), nil); err == nil || !strings.Contains(err.Error(), "tls.cert_file") || !strings.Contains(err.Error(), "tls.key_file") {
		t.Errorf("files that are not there: %v", err)
	}
	logs, seen := observer.New(zapcore.ErrorLevel)
	files := newPairOfFiles(t)
	expired, expiredKey := issue(t, "past.test", now.Add(-time.Hour))
	files.write(t, expired, expiredKey)
	if _, err := certificateOf(files.TLS, time.Now, zap.New(logs), nil); err != nil || seen.FilterMessageSnippet("expired").Len() != 1 {
		t.Errorf("an expired one is shown and complained of: %v %v", err, seen.All())
	}
	early, earlyKey := issue(t, "future.test", now.Add(validity+time.Hour))
	files.write(t, early, earlyKey)
	if _, err := certificateOf(files.TLS, time.Now, zap.New(logs), nil); err != nil || seen.FilterMessageSnippet("not good yet").Len() != 1 {
		t.Errorf("one that is not good yet is shown and complained of: %v %v", err, seen.All())
	}
}

func TestACertificateThatIsNotGoodYetWaitsForItsTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	files := newPairOfFiles(t)
	good, goodKey := issue(t, "good.test", now.Add(24*time.Hour))
	files.write(t, good, goodKey)
	logs, seen := observer.New(zapcore.InfoLevel)
	c, err := certificateOf(files.TLS, func() time.Time { return now }, zap.New(logs), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	looks := func(why, name string, lines int, said string) {
		t.Helper()
		for range 4 {
			c.look()
		}
		got := seen.TakeAll()
		if shown := c.current.Load().Leaf.Subject.CommonName; shown != name || len(got) != lines {
			t.Fatalf("%s: it shows %s and says %v", why, shown, got)
		}
		if lines > 0 && !strings.Contains(fmt.Sprint(got[0].ContextMap()["error"]), said) {
			t.Errorf("%s: it says %v", why, got[0].ContextMap())
		}
	}
	early, earlyKey := issue(t, "early.test", now.Add(validity+time.Hour))
	files.write(t, early, earlyKey)
	looks("an hour too early", "good.test", 1, "not good before 2026-11-21T13:00:00Z")
	now = now.Add(time.Hour - time.Second)
	looks("a second too early", "good.test", 0, "")
	files.write(t, good, goodKey)
	looks("the one that is shown, again", "good.test", 1, "")
	now = now.Add(time.Second)
	looks("the time of one that is gone", "good.test", 0, "")
	files.write(t, early, earlyKey)
	looks("in time", "early.test", 1, "")
	late, lateKey := issue(t, "late.test", now.Add(validity+time.Hour))
	files.write(t, late, lateKey)
	looks("an hour too early, again", "early.test", 1, "not good before 2026-11-21T14:00:00Z")
	now = now.Add(time.Hour)
	looks("its time has come", "late.test", 1, "")
}
