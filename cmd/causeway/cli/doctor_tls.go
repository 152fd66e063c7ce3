package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"causeway/config"
)

// strangers are the bits of a key file's mode that nobody should have: what others may do, and writing by the group. That a group reads it is usual, for
// a mounted Secret as for Debian's ssl-cert.
const strangers fs.FileMode = 0o027

// tls looks whether the certificate of the public listener can be shown, and for how long.
func (d *Doctor) tls(context.Context) []Finding {
	const check = "certificate"
	if !d.cfg.TLS.On() {
		return []Finding{{check, Skipped, "none is configured: plain HTTP, behind a proxy that has one", ""}}
	}
	pair, err := loadCertificate(d.cfg.TLS)
	if err != nil {
		return []Finding{{check, Broken, strings.ReplaceAll(err.Error(), "\n", "; "), "put the certificate and the key that belongs to it there, in PEM, and let the user that causeway runs as read both"}}
	}
	leaf, now := pair.Leaf, d.clock()
	out := Finding{check, Fine, fmt.Sprintf("for %s, until %s", strings.Join(leaf.DNSNames, ", "), leaf.NotAfter.UTC().Format(time.RFC3339)), ""}
	info, err := os.Stat(d.cfg.TLS.KeyFile)
	switch {
	case leaf.NotAfter.Before(now):
		out.State, out.Found, out.Do = Broken, "it expired at "+leaf.NotAfter.UTC().Format(time.RFC3339)+": clients refuse it", "renew it; a running process takes new files by itself"
	case leaf.NotBefore.After(now):
		out.State, out.Found, out.Do = Broken, "it is not good before "+leaf.NotBefore.UTC().Format(time.RFC3339)+": clients refuse it until then", "look at the clock of this machine, or put one there that is good already"
	case leaf.NotAfter.Sub(now) < expiresSoon:
		out.State, out.Do = Worrying, "renew it, and see why that did not happen by itself; a running process takes new files by itself"
	case err == nil && info.Mode().Perm()&strangers != 0:
		out.State, out.Found, out.Do = Worrying, fmt.Sprintf("%s is open to others (%s)", d.cfg.TLS.KeyFile, info.Mode().Perm()), "chmod 0600 "+d.cfg.TLS.KeyFile
	}
	return []Finding{out}
}

// loadCertificate reads the files of the certificate. The errors of crypto/tls show no part of the key.
func loadCertificate(files config.TLS) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	if err != nil {
		return pair, fmt.Errorf("tls.cert_file %s and tls.key_file %s: %w", files.CertFile, files.KeyFile, err)
	}
	return pair, nil
}
