package config

import (
	"errors"
	"fmt"
	"time"
)

// Server bounds what callers can take of a process.
type Server struct {
	HeaderTimeout         time.Duration `json:"header_timeout" doc:"how long the header of a request may take to arrive, and a TLS handshake"`
	BodyTimeout           time.Duration `json:"body_timeout" doc:"how long its body may take"`
	WriteTimeout          time.Duration `json:"write_timeout" doc:"how long an answer may take to be made and sent; an event of a stream has 10s"`
	IdleTimeout           time.Duration `json:"idle_timeout" doc:"how long a connection may stay open without a request"`
	MaxHeaderBytes        int           `json:"max_header_bytes" doc:"largest header of a request, in bytes"`
	MaxConnections        int           `json:"max_connections" doc:"connections at once; more wait until one is closed. 0: one per MiB of the memory limit"`
	MaxInFlight           int           `json:"max_in_flight" doc:"requests whose answers are made at once; one more is told 503 and Retry-After. Who sends his body or takes his answer slowly is not among them. Streams are counted apart. 0: no limit"`
	MaxInFlightPerAddress int           `json:"max_in_flight_per_address" doc:"of those, requests of one address (a network of IPv6); one more is told 429. Where a proxy in front is not among api.trusted_proxies all its callers are one address. 0: no limit"`
	MaxStreams            int           `json:"max_streams" doc:"clients that follow prices at once; 0: no limit"`
	MaxStreamsPerCaller   int           `json:"max_streams_per_caller" doc:"streams of one key, or of one address without a key; 0: no limit"`
}

// TLS names the files of the certificate that the public listener shows.
type TLS struct {
	CertFile string `json:"cert_file" doc:"PEM file of the certificate and those between it and its authority; a change is live within two seconds. Empty: plain HTTP, behind a proxy"`
	KeyFile  string `json:"key_file" doc:"PEM file of its private key"`
}

// On reports whether the public listener speaks TLS.
func (t TLS) On() bool { return t.CertFile != "" }

// Check returns what is wrong with the names.
func (t TLS) Check() error {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return fmt.Errorf("tls.cert_file and tls.key_file belong together, and one of them is empty")
	}
	return nil
}

// server has room for a thousand slow answers and for the clients of a whole country's front end, and cuts off who takes seconds for what takes
// a good client milliseconds.
func server() Server {
	return Server{
		HeaderTimeout: 5 * time.Second, BodyTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 8 << 10, MaxInFlight: 1024, MaxInFlightPerAddress: 256, MaxStreams: 8192, MaxStreamsPerCaller: 2048,
	}
}

// Check returns every value that would keep good clients out or bad ones in.
func (s Server) Check() error {
	var faults []error
	between := func(key string, value, least, most time.Duration) {
		if value < least || value > most {
			faults = append(faults, fmt.Errorf("server.%s is %s; accepted: %s to %s", key, value, least, most))
		}
	}
	between("header_timeout", s.HeaderTimeout, 100*time.Millisecond, time.Minute)
	between("body_timeout", s.BodyTimeout, 100*time.Millisecond, 5*time.Minute)
	between("write_timeout", s.WriteTimeout, 10*time.Second, 10*time.Minute) // an account is looked up for 8 s
	between("idle_timeout", s.IdleTimeout, 100*time.Millisecond, time.Hour)
	count := func(key string, value, least, most int) {
		if value < least || value > most {
			faults = append(faults, fmt.Errorf("server.%s is %d; accepted: %d to %d", key, value, least, most))
		}
	}
	count("max_header_bytes", s.MaxHeaderBytes, 4<<10, 1<<20)
	count("max_connections", s.MaxConnections, 0, 1<<20)
	count("max_in_flight", s.MaxInFlight, 0, 1<<20)
	count("max_in_flight_per_address", s.MaxInFlightPerAddress, 0, 1<<20)
	count("max_streams", s.MaxStreams, 0, 1<<20)
	count("max_streams_per_caller", s.MaxStreamsPerCaller, 0, 1<<20)
	return errors.Join(faults...)
}
