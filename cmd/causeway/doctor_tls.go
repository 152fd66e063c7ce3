package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// strangers are the bits of a key file's mode that nobody should have: what others may do, and writing by the group. That a group reads it is usual, for
// a mounted Secret as for Debian's ssl-cert.
const strangers fs.FileMode = 0o027

// tls looks whether the certificate of the public listener can be shown, and for how long.
func (d *doctor) tls(context.Context) []finding {
	const check = "certificate"
	if !d.cfg.TLS.On() {
		return []finding{{check, skipped, "none is configured: plain HTTP, behind a proxy that has one", ""}}
	}
	shown, err := certificateOf(d.cfg.TLS, d.outside.Clock, zap.NewNop(), prometheus.NewRegistry())
	if err != nil {
		return []finding{{check, broken, strings.ReplaceAll(err.Error(), "\n", "; "), "put the certificate and the key that belongs to it there, in PEM, and let the user that causeway runs as read both"}}
	}
	leaf, now := shown.current.Load().Leaf, d.outside.Clock()
	out := finding{check, fine, fmt.Sprintf("for %s, until %s", strings.Join(leaf.DNSNames, ", "), leaf.NotAfter.UTC().Format(time.RFC3339)), ""}
	info, err := os.Stat(d.cfg.TLS.KeyFile)
	switch {
	case leaf.NotAfter.Before(now):
		out.State, out.Found, out.Do = broken, "it expired at "+leaf.NotAfter.UTC().Format(time.RFC3339)+": clients refuse it", "renew it; a running process takes new files by itself"
	case leaf.NotBefore.After(now):
		out.State, out.Found, out.Do = broken, "it is not good before "+leaf.NotBefore.UTC().Format(time.RFC3339)+": clients refuse it until then", "look at the clock of this machine, or put one there that is good already"
	case leaf.NotAfter.Sub(now) < expiresSoon:
		out.State, out.Do = worrying, "renew it, and see why that did not happen by itself; a running process takes new files by itself"
	case err == nil && info.Mode().Perm()&strangers != 0:
		out.State, out.Found, out.Do = worrying, fmt.Sprintf("%s is open to others (%s)", d.cfg.TLS.KeyFile, info.Mode().Perm()), "chmod 0600 "+d.cfg.TLS.KeyFile
	}
	return []finding{out}
}
