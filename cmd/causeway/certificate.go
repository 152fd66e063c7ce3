package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core"
)

// certificateLook is how often the files of the certificate are looked at. They are two, small, and compared by what is in them: a mounted Secret changes
// by a link, and a copied file may have any date.
const certificateLook = time.Second

// certificate is what the public listener shows: a pair of files, read again when they change. A pair that does not hold leaves the one before in its
// place.
type certificate struct {
	files config.TLS
	clock core.Clock
	log   *zap.Logger

	current atomic.Pointer[tls.Certificate]
	seen    [sha256.Size]byte // of what was there at the last look
	tried   [sha256.Size]byte // of what was tried last, good or bad
	again   time.Time         // when that is to be tried again, for it was not good yet; zero: never

	expiry  prometheus.Gauge
	reloads *prometheus.CounterVec
}

// newCertificate reads the certificate, if the public listener is to have one; else it has none to show and only its metrics exist.
func newCertificate(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (*certificate, error) {
	return certificateOf(cfg.TLS, time.Now, log, reg)
}

func certificateOf(files config.TLS, clock core.Clock, log *zap.Logger, reg prometheus.Registerer) (*certificate, error) {
	auto := promauto.With(reg)
	expiry := auto.NewGaugeVec(prometheus.GaugeOpts{
		Name: "causeway_tls_certificate_expiry_timestamp_seconds", Help: "When the certificate expires that is shown; absent without TLS. To be alerted on.",
	}, nil)
	c := &certificate{files: files, clock: clock, log: log, reloads: auto.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_tls_certificate_reloads_total", Help: "Changes of the certificate's files, by what became of them: taken, or refused, and the one before is still shown.",
	}, []string{"outcome"})}
	if !files.On() {
		return c, nil
	}
	c.expiry = expiry.WithLabelValues()
	c.reloads.WithLabelValues("taken")
	c.reloads.WithLabelValues("refused")
	cert, key, err := c.read()
	if err != nil {
		return nil, err
	}
	pair, err := c.parse(cert, key)
	if err != nil {
		return nil, err
	}
	if end := pair.Leaf.NotAfter; end.Before(clock()) {
		log.Error("the certificate has expired; clients will refuse it until its files are replaced", zap.Time("expired", end))
	}
	if from := pair.Leaf.NotBefore; from.After(clock()) {
		log.Error("the certificate is not good yet; clients will refuse it until then, or until its files are replaced", zap.Time("from", from))
	}
	c.seen = sum(cert, key)
	c.tried = c.seen
	c.show(pair)
	return c, nil
}

// config is that of a listener that shows the certificate; nil where there is none.
func (c *certificate) config() *tls.Config {
	if !c.files.On() {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// Run looks at the files until ctx ends.
func (c *certificate) Run(ctx context.Context) {
	if !c.files.On() {
		return
	}
	tick := time.NewTicker(certificateLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.look()
		}
	}
}

// look takes over what is in the files, if it is new, whole, and the same as at the look before: two files are not written in one instant.
func (c *certificate) look() {
	cert, key, err := c.read()
	now := sum(cert, key)
	if err != nil {
		now = sum([]byte(err.Error()), nil)
	}
	settled := now == c.seen
	c.seen = now
	due := !c.again.IsZero() && !c.clock().Before(c.again)
	if !settled || now == c.tried && !due {
		return
	}
	c.tried, c.again = now, time.Time{}
	var pair *tls.Certificate
	if err == nil {
		pair, err = c.parse(cert, key)
	}
	if err == nil {
		err = c.timely(pair.Leaf)
	}
	if err != nil {
		c.reloads.WithLabelValues("refused").Inc()
		c.log.Error("the files of the certificate have changed and are not in order; the one before is still shown", zap.Error(err),
			zap.Time("expires", c.current.Load().Leaf.NotAfter))
		return
	}
	c.reloads.WithLabelValues("taken").Inc()
	c.show(pair)
	c.log.Info("a new certificate is shown", zap.Time("expires", pair.Leaf.NotAfter), zap.Strings("names", pair.Leaf.DNSNames))
}

// timely says why a new certificate is not to be shown now. One that is not good yet is tried again when it is.
func (c *certificate) timely(leaf *x509.Certificate) error {
	switch now := c.clock(); {
	case leaf.NotAfter.Before(now):
		return fmt.Errorf("tls.cert_file %s: the new certificate expired at %s", c.files.CertFile, leaf.NotAfter.UTC().Format(time.RFC3339))
	case leaf.NotBefore.After(now):
		c.again = leaf.NotBefore
		return fmt.Errorf("tls.cert_file %s: the new certificate is not good before %s, and is tried again then", c.files.CertFile, leaf.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

func (c *certificate) show(pair *tls.Certificate) {
	c.current.Store(pair)
	c.expiry.Set(float64(pair.Leaf.NotAfter.Unix()))
}

// read reads both files.
func (c *certificate) read() (cert, key []byte, err error) {
	cert, certErr := os.ReadFile(c.files.CertFile)
	key, keyErr := os.ReadFile(c.files.KeyFile)
	return cert, key, errors.Join(wrap("tls.cert_file", certErr), wrap("tls.key_file", keyErr))
}

func wrap(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}

// parse makes a certificate of PEM. The errors of crypto/tls name no part of a key.
func (c *certificate) parse(cert, key []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file %s and tls.key_file %s: %w", c.files.CertFile, c.files.KeyFile, err)
	}
	return &pair, nil
}

func sum(cert, key []byte) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat(cert, []byte{0}, key))
}
