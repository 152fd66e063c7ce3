package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestDoctorLooksAtTheCertificate(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		lasts   time.Duration // from now; it is good for 100 days
		mode    os.FileMode
		other   bool // with the key of another one
		without bool // without a file of the key
		want    verdict
		found   string
	}{
		"about to expire":           {lasts: 13 * day, mode: 0o600, want: worrying, found: "for api.test, until"},
		"expired":                   {lasts: -time.Minute, mode: 0o600, want: broken, found: "expired"},
		"not good yet":              {lasts: 101 * day, mode: 0o600, want: broken, found: "not good before"},
		"with another one's key":    {lasts: 9 * day, mode: 0o600, other: true, want: broken, found: "private key does not match"},
		"without a key":             {lasts: 9 * day, without: true, want: broken, found: "tls.key_file"},
		"good for long":             {lasts: 60 * day, mode: 0o640, want: fine, found: "for api.test, until"},
		"with a key for all to see": {lasts: 60 * day, mode: 0o644, want: worrying, found: "open to others"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := newPairOfFiles(t)
			cert, key := issue(t, "api.test", time.Now().Add(c.lasts))
			if c.other {
				_, key = issue(t, "api.test", time.Now().Add(c.lasts))
			}
			files.write(t, cert, key)
			if c.without {
				_ = os.Remove(files.KeyFile)
			} else if err := os.Chmod(files.KeyFile, c.mode); err != nil {
				t.Fatal(err)
			}
			d := bystander(t, nil, "CAUSEWAY_TLS__CERT_FILE="+files.CertFile, "CAUSEWAY_TLS__KEY_FILE="+files.KeyFile)
			f := d.tls(t.Context())[0]
			if f.State != c.want || !strings.Contains(f.Found, c.found) || (f.State > fine) != (f.Do != "") || strings.Contains(f.Found, "\n") {
				t.Errorf("%+v", f)
			}
		})
	}
	if f := bystander(t, nil).tls(t.Context())[0]; f.State != skipped {
		t.Errorf("without one: %+v", f)
	}
}
