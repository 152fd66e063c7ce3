package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core"
)

// certificateInterval is the time between two reads of the files, which are small.
const certificateInterval = time.Second

// Certificate is the TLS certificate of the public listener. It is read again when its files
// change; files that cannot be read or used leave the previous certificate in place.
type Certificate struct {
	files config.TLS
	clock core.Clock
	log   *zap.Logger

	current  atomic.Pointer[tls.Certificate]
	used     contents // of the current certificate
	previous contents // at the previous check
	rejected string   // error that was last reported

	expiry, lastRead *prometheus.GaugeVec // without labels; no series without TLS
	reloads          *prometheus.CounterVec
}

// contents are the contents of both files, or the error of reading them.
type contents struct {
	cert, key string
	err       string
}

func readFiles(files config.TLS) contents {
	cert, err := os.ReadFile(files.CertFile)
	if err != nil {
		return contents{err: "tls.cert_file: " + err.Error()}
	}
	key, err := os.ReadFile(files.KeyFile)
	if err != nil {
		return contents{err: "tls.key_file: " + err.Error()}
	}
	return contents{cert: string(cert), key: string(key)}
}

// ReadCertificate reads the certificate in files. Its errors contain no part of the key.
func ReadCertificate(files config.TLS) (*tls.Certificate, error) {
	return parse(files, readFiles(files))
}

func parse(files config.TLS, read contents) (*tls.Certificate, error) {
	if read.err != "" {
		return nil, errors.New(read.err)
	}
	pair, err := tls.X509KeyPair([]byte(read.cert), []byte(read.key))
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file %s and tls.key_file %s: %w", files.CertFile, files.KeyFile, err)
	}
	return &pair, nil
}

// CheckValidity returns an error if a certificate has expired or is not valid yet.
func CheckValidity(leaf *x509.Certificate, now time.Time) error {
	switch {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("the certificate expired at %s", leaf.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

// LoadCertificate reads the certificate, if TLS is on. It returns an error if ctx ends first: a read
// from a network file system may hang.
func LoadCertificate(
	ctx context.Context, files config.TLS, clock core.Clock, log *zap.Logger, reg prometheus.Registerer,
) (*Certificate, error) {
	c := &Certificate{
		files: files, clock: clock, log: log,
		expiry: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_tls_certificate_expiry_timestamp_seconds",
			Help: "Expiry of the TLS certificate in use.",
		}, nil),
		lastRead: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "causeway_tls_certificate_last_read_timestamp_seconds",
			Help: "Last successful read of the TLS certificate files.",
		}, nil),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_tls_certificate_reloads_total",
			Help: "Changes of the TLS certificate files by outcome: used or rejected.",
		}, []string{"outcome"}),
	}
	reg.MustRegister(c.expiry, c.lastRead, c.reloads)
	if !files.On() {
		return c, nil
	}
	read := make(chan contents, 1)
	go func() { read <- readFiles(files) }()
	select {
	case first := <-read:
		pair, err := parse(files, first)
		if err != nil {
			return nil, err
		}
		if err := CheckValidity(pair.Leaf, clock()); err != nil {
			log.Error("clients will reject the certificate", zap.Error(err))
		}
		c.use(pair, first)
		return c, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("tls.cert_file %s and tls.key_file %s cannot be read in time: %w",
			files.CertFile, files.KeyFile, ctx.Err())
	}
}

// Config returns the configuration of a server that uses the certificate; nil if TLS is off.
func (c *Certificate) Config() *tls.Config {
	if !c.files.On() {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// Watch checks the files until ctx ends. While a read hangs, the certificate stays in use, and the
// metric of the last read shows it.
func (c *Certificate) Watch(ctx context.Context) {
	if !c.files.On() {
		return
	}
	core.Repeat(ctx, func() time.Duration {
		c.check()
		return certificateInterval
	})
}

// check uses the contents of the files if they are new, valid and the same as at the previous
// check: two files are not replaced at the same instant. A certificate that is not valid yet is
// used once it is.
func (c *Certificate) check() {
	read := readFiles(c.files)
	if read.err == "" {
		c.lastRead.WithLabelValues().Set(float64(c.clock().Unix()))
	}
	settled := read == c.previous
	c.previous = read
	if !settled || read == c.used {
		return
	}
	pair, err := parse(c.files, read)
	if err == nil {
		err = CheckValidity(pair.Leaf, c.clock())
	}
	if err != nil {
		if err.Error() != c.rejected {
			c.reloads.WithLabelValues("rejected").Inc()
			c.log.Error("cannot use the new certificate; the previous one stays in use", zap.Error(err),
				zap.Time("expires", c.current.Load().Leaf.NotAfter))
		}
		c.rejected = err.Error()
		return
	}
	c.use(pair, read)
	c.reloads.WithLabelValues("used").Inc()
	c.log.Info("certificate replaced",
		zap.Time("expires", pair.Leaf.NotAfter), zap.Strings("names", pair.Leaf.DNSNames))
}

func (c *Certificate) use(pair *tls.Certificate, read contents) {
	c.current.Store(pair)
	c.used, c.previous, c.rejected = read, read, ""
	c.expiry.WithLabelValues().Set(float64(pair.Leaf.NotAfter.Unix()))
	c.lastRead.WithLabelValues().Set(float64(c.clock().Unix()))
}
