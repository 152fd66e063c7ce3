package inject

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/faults"
)

const (
	pieces = 20          // of a body that dribbles
	nobody = time.Minute // to read a part of a response
)

// slow is an answer whose header comes line by line, or whose body comes in pieces. Where the connection cannot be taken over (in process, HTTP/2) a
// header is held back as a whole.
type slow struct {
	http.ResponseWriter

	r            *http.Request
	header, body time.Duration // how long each takes
	conn         net.Conn      // that was taken over; nil: none
	started      bool
}

func newSlow(w http.ResponseWriter, r *http.Request, hit faults.Hit) *slow {
	s := &slow{ResponseWriter: w, r: r}
	if hit.Effect.Kind == faults.SlowHeaders {
		s.header = hit.Delay()
	} else {
		s.body = hit.Delay()
	}
	return s
}

// WriteHeader sends the header in its time.
func (s *slow) WriteHeader(status int) {
	if s.started {
		return
	}
	s.started = status >= http.StatusOK
	if s.header == 0 || !s.started {
		s.ResponseWriter.WriteHeader(status)
		return
	}
	conn, _, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		pause(s.r, s.header)
		s.ResponseWriter.WriteHeader(status)
		return
	}
	s.conn = conn
	lines := s.lines(status)
	for _, line := range lines {
		if _, err := s.give(line); err != nil {
			return // nobody is there any more
		}
		pause(s.r, s.header/time.Duration(len(lines)))
	}
	_, _ = s.give([]byte("\r\n"))
}

// lines are those of a header on a connection that ends behind the answer.
func (s *slow) lines(status int) [][]byte {
	s.Header().Set("Connection", "close")
	var all bytes.Buffer
	_ = s.Header().Write(&all) // a buffer takes everything
	first := "HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n"
	lines := bytes.SplitAfter(all.Bytes(), []byte("\r\n"))
	return append([][]byte{[]byte(first)}, lines[:len(lines)-1]...) // nothing is behind the last one
}

// give writes to the connection that was taken over, and closes it where nobody reads.
func (s *slow) give(p []byte) (int, error) {
	patience := time.AfterFunc(nobody, func() { _ = s.conn.Close() })
	defer patience.Stop()
	return s.conn.Write(p)
}

// Write sends a part of the body in its time.
func (s *slow) Write(p []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	switch {
	case s.conn != nil:
		return s.give(p)
	case s.body == 0:
		return s.ResponseWriter.Write(p)
	}
	written := 0
	for i := range pieces {
		s.Flush()
		pause(s.r, s.body/pieces)
		n, err := s.ResponseWriter.Write(p[len(p)*i/pieces : len(p)*(i+1)/pieces])
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// Flush sends what was written so far.
func (s *slow) Flush() {
	if s.conn == nil {
		_ = http.NewResponseController(s.ResponseWriter).Flush()
	}
}

// SetWriteDeadline allows for what is slow on purpose: no client is to be dropped for that.
func (s *slow) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		at = at.Add(s.header + s.body)
	}
	if s.conn != nil {
		return s.conn.SetWriteDeadline(at)
	}
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(at)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *slow) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// end closes a connection that was taken over.
func (s *slow) end() {
	if s.conn != nil {
		_ = s.conn.Close()
	}
}
