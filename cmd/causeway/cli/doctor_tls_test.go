package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issue returns a self-signed certificate for api.test and its key, in PEM.
func issue(t *testing.T, expires time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"api.test"}, NotBefore: expires.Add(-100 * 24 * time.Hour), NotAfter: expires,
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

func TestDoctorLooksAtTheCertificate(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		lasts   time.Duration // from now; it is good for 100 days
		mode    os.FileMode
		other   bool // with the key of another one
		without bool // without a file of the key
		want    Verdict
		found   string
	}{
		"about to expire":           {lasts: 13 * day, mode: 0o600, want: Worrying, found: "for api.test, until"},
		"expired":                   {lasts: -time.Minute, mode: 0o600, want: Broken, found: "expired"},
		"not good yet":              {lasts: 101 * day, mode: 0o600, want: Broken, found: "not good before"},
		"with another one's key":    {lasts: 9 * day, mode: 0o600, other: true, want: Broken, found: "private key does not match"},
		"without a key":             {lasts: 9 * day, without: true, want: Broken, found: "tls.key_file"},
		"good for long":             {lasts: 60 * day, mode: 0o640, want: Fine, found: "for api.test, until"},
		"with a key for all to see": {lasts: 60 * day, mode: 0o644, want: Worrying, found: "open to others"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert, key := issue(t, time.Now().Add(c.lasts))
			if c.other {
				_, key = issue(t, time.Now().Add(c.lasts))
			}
			dir := t.TempDir()
			certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
			if err := errors.Join(os.WriteFile(certFile, cert, 0o600), os.WriteFile(keyFile, key, 0o600), os.Chmod(keyFile, c.mode)); err != nil {
				t.Fatal(err)
			}
			if c.without {
				_ = os.Remove(keyFile)
			}
			d := bystander(t, "CAUSEWAY_TLS__CERT_FILE="+certFile, "CAUSEWAY_TLS__KEY_FILE="+keyFile)
			f := d.tls(t.Context())[0]
			if f.State != c.want || !strings.Contains(f.Found, c.found) || (f.State > Fine) != (f.Do != "") || strings.Contains(f.Found, "\n") {
				t.Errorf("%+v", f)
			}
		})
	}
	if f := bystander(t).tls(t.Context())[0]; f.State != Skipped {
		t.Errorf("without one: %+v", f)
	}
}
