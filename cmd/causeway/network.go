package main

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"net/http"
	"time"

	"causeway/core"
)

const (
	dialTimeout      = 3 * time.Second
	tlsTimeout       = 3 * time.Second
	idlePerProvider  = 16
	idleConnection   = 90 * time.Second
	maxUpstreamBytes = 64 << 10 // of an answer's headers
)

// network is the real outside world: the machine's network, clock and random numbers.
func network() surroundings {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return surroundings{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    tlsTimeout,
			MaxIdleConnsPerHost:    idlePerProvider,
			IdleConnTimeout:        idleConnection,
			MaxResponseHeaderBytes: maxUpstreamBytes,
		},
		Clock:   time.Now,
		Entropy: systemEntropy,
	}
}

func systemEntropy() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process where the system has no entropy
	return binary.LittleEndian.Uint64(b[:])
}

var _ core.Entropy = systemEntropy
