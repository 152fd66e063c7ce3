package inject

import (
	"net/http"
	"time"

	"causeway/simulator/faults"
)

// pieces is the number of parts in which a body dribbles.
const pieces = 20

// slow is a response whose header or whose body takes long.
type slow struct {
	http.ResponseWriter

	r            *http.Request
	header, body time.Duration // how long each takes
	started      bool
}

func newSlow(w http.ResponseWriter, r *http.Request, hit faults.Hit) *slow {
	if hit.Effect.Kind == faults.SlowHeaders {
		return &slow{ResponseWriter: w, r: r, header: hit.Delay()}
	}
	return &slow{ResponseWriter: w, r: r, body: hit.Delay()}
}

// WriteHeader sends the header after its time.
func (s *slow) WriteHeader(status int) {
	if !s.started && status >= http.StatusOK {
		s.started = true
		pause(s.r, s.header)
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body in its time.
func (s *slow) Write(p []byte) (int, error) {
	if !s.started {
		s.WriteHeader(http.StatusOK)
	}
	if s.body == 0 {
		return s.ResponseWriter.Write(p)
	}
	written := 0
	for i := range pieces {
		_ = http.NewResponseController(s.ResponseWriter).Flush()
		pause(s.r, s.body/pieces)
		n, err := s.ResponseWriter.Write(p[len(p)*i/pieces : len(p)*(i+1)/pieces])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// SetWriteDeadline allows for the time that the response takes on purpose.
func (s *slow) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		at = at.Add(s.header + s.body)
	}
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(at)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *slow) Unwrap() http.ResponseWriter { return s.ResponseWriter }
