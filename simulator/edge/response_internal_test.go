package edge

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TestBodies_HashedOnce: lists are sent often, and hashing one costs more than sending it.
func TestBodies_HashedOnce(t *testing.T) {
	t.Parallel()
	c := newBodies()
	for _, test := range []struct {
		name, tag, body string
		kept            bool
	}{
		{"a strong ETag", `"a"`, "one list", true},
		{"another ETag", `"b"`, "two list", true},
		{"an ETag that is taken, of another length", `"a"`, "a longer list", true},
		{"a weak ETag", `W/"a"`, "one LIST", false},
		{"no ETag", "", "an error", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, again := c.of(test.tag, []byte(test.body)), c.of(test.tag, []byte(test.body))
			if *first != *newBody([]byte(test.body)) {
				t.Errorf("got %+v for %q", first, test.body)
			}
			if (first == again) != test.kept {
				t.Errorf("the body was hashed again: %t, want %t", first != again, !test.kept)
			}
		})
	}
}

// TestResponse_Body: the journal keeps the same of a body however it is written.
func TestResponse_Body(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("list", maxStart)
	for _, test := range []struct {
		name   string
		length int
		parts  []string
	}{
		{"nothing", 0, nil},
		{"whole", len(long), []string{long}},
		{"whole, of unknown length", 0, []string{long}},
		{"in parts", len(long), []string{long[:10], long[10:]}},
		{"after an empty part", len(long), []string{"", long}},
		{"cut off", len(long), []string{long[:10]}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := &response{
				ResponseWriter: httptest.NewRecorder(), status: http.StatusOK, length: int64(test.length), bodies: newBodies(),
			}
			p.Header().Set("Etag", strconv.Quote(test.name))
			for _, part := range test.parts {
				_, _ = p.Write([]byte(part))
			}
			all := strings.Join(test.parts, "")
			got := p.body()
			if got.sum != sha256.Sum256([]byte(all)) || got.start != all[:min(len(all), maxStart)] || p.bytes != int64(len(all)) {
				t.Errorf("got %d bytes, start of %d, sum %s", p.bytes, len(got.start), got.sum)
			}
		})
	}
}

// TestResponse_Stream: of a stream of events, which has any length, the journal keeps the size only.
func TestResponse_Stream(t *testing.T) {
	t.Parallel()
	p := &response{ResponseWriter: httptest.NewRecorder(), status: http.StatusOK, stream: true}
	for range 3 {
		_, _ = p.Write([]byte("event: change\n\n"))
	}
	if got := p.body(); *got != (body{}) || p.bytes != 45 {
		t.Errorf("got %d bytes, start %q, sum %s", p.bytes, got.start, got.sum)
	}
}
