package app

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"net/http"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Environment is the outside of a world: everything that a simulated world replaces.
type Environment struct {
	Transport http.RoundTripper
	Clock     core.Clock
	Entropy   core.Entropy
	History   ports.RateHistory // past prices

	// The fields below are the data of a simulated world. They are empty in production.

	Banks        []core.Bank            // added to the banks of the catalog
	Listings     core.PriceCatalog      // added to the listings of the catalog
	Seed         string                 // determines deposit addresses
	TestNetworks bool                   // addresses of test networks are valid
	Unlimited    bool                   // providers have no rate limits
	Deposits     ports.DepositStore     // keeps the deposit addresses
	Transactions ports.TransactionStore // keeps what users received
}

// NewEnvironment returns the real outside: the network, the system clock and the system's random
// numbers.
func NewEnvironment(history ports.RateHistory) Environment {
	const (
		dialTimeout      = 3 * time.Second
		handshakeTimeout = 3 * time.Second
		idleTimeout      = 90 * time.Second
		idlePerProvider  = 16
		maxHeaderBytes   = 64 << 10
	)
	return Environment{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    handshakeTimeout,
			MaxIdleConnsPerHost:    idlePerProvider,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
		Clock:   time.Now,
		Entropy: SystemEntropy,
		History: history,
	}
}

// SystemEntropy returns 64 random bits of the operating system.
func SystemEntropy() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the process instead
	return binary.LittleEndian.Uint64(b[:])
}
