package server

import (
	"bytes"
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

const (
	certificateInterval = time.Second     // between two reads of the files; they are small
	certificateTimeout  = 5 * time.Second // of a read: a network file system may hang
)

// Certificate is the TLS certificate of the public listener. It is read again when its files
// change; files that cannot be read or used leave the previous certificate in place.
type Certificate struct {
	files   config.TLS
	clock   core.Clock
	log     *zap.Logger
	timeout time.Duration

	current  atomic.Pointer[tls.Certificate]
	used     contents      // of the current certificate
	previous contents      // at the previous check
	rejected string        // error that was last reported
	pending  chan contents // a read that is under way; nil: none

	expiry, lastRead *prometheus.GaugeVec // without labels; no series without TLS
	reloads          *prometheus.CounterVec
}

// contents are the contents of both files, or the error of reading them.
type contents struct {
	cert, key []byte
	err       error
}

func (c contents) equal(other contents) bool {
	return bytes.Equal(c.cert, other.cert) && bytes.Equal(c.key, other.key) &&
		fmt.Sprint(c.err) == fmt.Sprint(other.err)
}

// LoadCertificate reads the certificate, if TLS is on.
func LoadCertificate(
	files config.TLS, clock core.Clock, log *zap.Logger, reg prometheus.Registerer,
) (*Certificate, error) {
	c := &Certificate{
		files: files, clock: clock, log: log, timeout: certificateTimeout,
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
	read := c.read()
	pair, err := c.parse(read)
	if err != nil {
		return nil, err
	}
	if err := c.validate(pair.Leaf); err != nil {
		log.Error("clients will reject the certificate", zap.Error(err))
	}
	c.use(pair, read)
	return c, nil
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

// Watch checks the files until ctx ends.
func (c *Certificate) Watch(ctx context.Context) {
	if !c.files.On() {
		return
	}
	tick := time.NewTicker(certificateInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.check()
		}
	}
}

// check uses the contents of the files if they are new, valid and the same as at the previous
// check: two files are not replaced at the same instant. A certificate that is not valid yet is
// used once it is.
func (c *Certificate) check() {
	read := c.read()
	settled := read.equal(c.previous)
	c.previous = read
	if !settled {
		return
	}
	if read.equal(c.used) {
		c.rejected = ""
		return
	}
	pair, err := c.parse(read)
	if err == nil {
		err = c.validate(pair.Leaf)
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
}

// read reads both files. A read that takes longer than the timeout goes on in the background, and
// the next call waits for it.
func (c *Certificate) read() contents {
	if c.pending == nil {
		c.pending = make(chan contents, 1)
		go readFiles(c.files, c.pending)
	}
	select {
	case read := <-c.pending:
		c.pending = nil
		if read.err == nil {
			c.lastRead.WithLabelValues().Set(float64(c.clock().Unix()))
		}
		return read
	case <-time.After(c.timeout):
		return contents{err: fmt.Errorf("tls.cert_file %s and tls.key_file %s: reading took longer than %s",
			c.files.CertFile, c.files.KeyFile, c.timeout)}
	}
}

func readFiles(files config.TLS, result chan<- contents) {
	cert, certErr := os.ReadFile(files.CertFile)
	if certErr != nil {
		certErr = fmt.Errorf("tls.cert_file: %w", certErr)
	}
	key, keyErr := os.ReadFile(files.KeyFile)
	if keyErr != nil {
		keyErr = fmt.Errorf("tls.key_file: %w", keyErr)
	}
	result <- contents{cert, key, errors.Join(certErr, keyErr)}
}

// parse returns the certificate of the files. Errors of crypto/tls contain no part of a key.
func (c *Certificate) parse(read contents) (*tls.Certificate, error) {
	if read.err != nil {
		return nil, read.err
	}
	pair, err := tls.X509KeyPair(read.cert, read.key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file %s and tls.key_file %s: %w", c.files.CertFile, c.files.KeyFile, err)
	}
	return &pair, nil
}

func (c *Certificate) validate(leaf *x509.Certificate) error {
	switch now := c.clock(); {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("tls.cert_file %s: the certificate expired at %s",
			c.files.CertFile, leaf.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("tls.cert_file %s: the certificate is not valid before %s",
			c.files.CertFile, leaf.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}
