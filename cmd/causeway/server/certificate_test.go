package server

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/config"
	"causeway/test/testcert"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// issue returns a self-signed certificate and its key in PEM.
func issue(t *testing.T, name string, from, until time.Time) (cert, key []byte) {
	t.Helper()
	return testcert.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: until,
	})
}

// fixture is a certificate "first" in files, with a clock.
type fixture struct {
	*Certificate
	files     config.TLS
	cert, key []byte
	now       time.Time
	logs      *observer.ObservedLogs
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	files := config.TLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}
	f := &fixture{files: files, now: now}
	f.cert, f.key = issue(t, "first", now.Add(-time.Hour), now.Add(time.Hour))
	f.write(t, f.cert, f.key)
	return f
}

func (f *fixture) write(t *testing.T, cert, key []byte) {
	t.Helper()
	for path, text := range map[string][]byte{f.files.CertFile: cert, f.files.KeyFile: key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) load(t *testing.T) error {
	t.Helper()
	log, logs := observed()
	f.logs = logs
	c, err := LoadCertificate(t.Context(), f.files, func() time.Time { return f.now }, log, prometheus.NewRegistry())
	f.Certificate = c
	return err
}

// errors returns the logged errors, and forgets them.
func (f *fixture) errors() []string {
	var out []string
	for _, line := range f.logs.TakeAll() {
		if line.Level == zapcore.ErrorLevel {
			out = append(out, line.ContextMap()["error"].(string))
		}
	}
	return out
}

func (f *fixture) name() string { return f.current.Load().Leaf.Subject.CommonName }

func TestCertificate_Replaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.load(t); err != nil {
		t.Fatal(err)
	}
	f.check()
	cert, key := issue(t, "second", now.Add(-time.Hour), now.Add(2*time.Hour))
	f.write(t, cert, key)
	f.check()
	if got := f.name(); got != "first" {
		t.Errorf("%s is used although the other file may still change", got)
	}
	f.now = now.Add(time.Minute)
	f.check()
	if got := f.name(); got != "second" {
		t.Errorf("%s is used", got)
	}
	if got, want := testutil.ToFloat64(f.expiry.WithLabelValues()), float64(now.Add(2*time.Hour).Unix()); got != want {
		t.Errorf("expiry is %v, want %v", got, want)
	}
	if got, want := testutil.ToFloat64(f.lastRead.WithLabelValues()), float64(f.now.Unix()); got != want {
		t.Errorf("last read is %v, want %v", got, want)
	}
}

func TestCertificate_Rejected(t *testing.T) {
	t.Parallel()
	next, nextKey := issue(t, "next", now.Add(-time.Hour), now.Add(time.Hour))
	expired, expiredKey := issue(t, "expired", now.Add(-time.Hour), now.Add(-time.Minute))
	for name, c := range map[string]struct {
		cert, key []byte
		want      string
	}{
		"another key":    {next, expiredKey, "private key does not match"},
		"no PEM":         {[]byte("hello"), nextKey, "failed to find any PEM data"},
		"half a file":    {next[:len(next)/2], nextKey, "PEM"},
		"an empty key":   {next, nil, "PEM data in key input"},
		"expired":        {expired, expiredKey, "expired at 2026-11-21T11:59:00Z"},
		"a file is gone": {next, []byte("remove"), "tls.key_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if err := f.load(t); err != nil {
				t.Fatal(err)
			}
			f.write(t, c.cert, c.key)
			if string(c.key) == "remove" {
				_ = os.Remove(f.files.KeyFile)
			}
			for range 4 {
				f.check()
			}
			if got := f.errors(); len(got) != 1 || !strings.Contains(got[0], c.want) || f.name() != "first" {
				t.Errorf("%s is used, logged %q, want %q once", f.name(), got, c.want)
			}
			if got := testutil.ToFloat64(f.reloads.WithLabelValues("rejected")); got != 1 {
				t.Errorf("counted %v", got)
			}
		})
	}
}

func TestCertificate_NotValidYet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.load(t); err != nil {
		t.Fatal(err)
	}
	cert, key := issue(t, "early", now.Add(time.Minute), now.Add(time.Hour))
	f.write(t, cert, key)
	for range 3 {
		f.check()
	}
	const want = "not valid before 2026-11-21T12:01:00Z"
	if got := f.errors(); len(got) != 1 || !strings.Contains(got[0], want) || f.name() != "first" {
		t.Errorf("%s is used, logged %q", f.name(), got)
	}
	f.now = now.Add(time.Minute)
	f.check()
	if f.name() != "early" {
		t.Errorf("%s is used", f.name())
	}
}

// TestCertificate_ReadHangs replaces a file by a pipe that nothing writes to.
func TestCertificate_ReadHangs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := errors.Join(os.Remove(f.files.KeyFile), syscall.Mkfifo(f.files.KeyFile, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadCertificate(ctx, f.files, time.Now, zap.NewNop(), prometheus.NewRegistry()); err == nil ||
		!strings.Contains(err.Error(), "cannot be read in time") {
		t.Errorf("got %v", err)
	}
	pipe, err := os.OpenFile(f.files.KeyFile, os.O_WRONLY, 0) // ends the read
	if err != nil {
		t.Fatal(err)
	}
	_ = pipe.Close()
}

func TestLoadCertificate_Error(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, f *fixture)
		want   string
	}{
		"swapped": {func(t *testing.T, f *fixture) { f.write(t, f.key, f.cert) }, "PEM"},
		"no key":  {func(_ *testing.T, f *fixture) { _ = os.Remove(f.files.KeyFile) }, "tls.key_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c.change(t, f)
			if err := f.load(t); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestLoadCertificate_NotValid(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.now = now.Add(2 * time.Hour)
	if err := f.load(t); err != nil {
		t.Fatal(err)
	}
	if got := f.errors(); len(got) != 1 || !strings.Contains(got[0], "expired") {
		t.Errorf("logged %q", got)
	}
}
