package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/negotiation"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/maypok86/otter/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
)

// minCompressed is the size from which compression is worth it, in bytes.
const minCompressed = 256

// encoded is a response body that is encoded once and sent many times, with a strong ETag for each
// content coding. A compressed form is made when it is first requested.
type encoded struct {
	plain      *form
	gzip, zstd func() *form // nil: not offered
}

// form is an encoded body in one content coding, with its headers.
type form struct {
	body   []byte
	tag    string
	header http.Header // Content-Type, Content-Length, ETag, Content-Encoding; all responses share them
}

// newEncoded returns the response with a body. If compress is false, it is sent in no other form.
func newEncoded(contentType string, body []byte, compress bool) *encoded {
	tag := fmt.Sprintf("%016x", xxhash.Sum64(body))
	e := &encoded{plain: newForm(contentType, "", tag, body)}
	if compress && len(body) >= minCompressed {
		e.gzip = sync.OnceValue(func() *form { return newForm(contentType, "gzip", tag+"-gzip", gzipped(body)) })
		e.zstd = sync.OnceValue(func() *form {
			return newForm(contentType, "zstd", tag+"-zstd", zstdEncoder().EncodeAll(body, nil))
		})
	}
	return e
}

func newForm(contentType, coding, tag string, body []byte) *form {
	f := &form{body: body, tag: `"` + tag + `"`, header: http.Header{}}
	f.header.Set("Content-Type", contentType)
	f.header.Set("Content-Length", strconv.Itoa(len(body)))
	f.header.Set("ETag", f.tag)
	if coding != "" {
		f.header.Set("Content-Encoding", coding)
	}
	return f
}

// zstdEncoder is shared: EncodeAll is safe for concurrent use. The window is far below the 8 MiB
// that RFC 9659 allows, because bodies are smaller and every encoder keeps a window in memory.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<17), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return enc
})

func gzipped(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a bytes.Buffer accepts every write
	_ = w.Close()
	return out.Bytes()
}

// codings are the content codings of responses. The first one is chosen if the client weights it
// like another.
var codings = []string{"identity", "zstd", "gzip"}

// choose returns the form for a value of Accept-Encoding.
func (e *encoded) choose(accept string) *form {
	if e.gzip == nil || accept == "" {
		return e.plain
	}
	switch negotiation.SelectQValue(accept, codings) {
	case "zstd":
		return e.zstd()
	case "gzip":
		return e.gzip()
	}
	return e.plain
}

// Values of Cache-Control. RFC 9111 lets shared caches store what is public, so respond makes the
// responses of operations that need a key private.
const (
	cacheHour       = "public, max-age=3600, stale-if-error=86400"
	cacheRevalidate = "public, no-cache"
	cacheNever      = "private, no-store"
)

// respond returns the response with e, or 304 if the client has it.
func (e *encoded) respond(cacheControl string) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		f, h := e.choose(r.Header.Get("Accept-Encoding")), w.Header()
		h.Add("Vary", "Accept-Encoding")
		if requestFrom(r.Context()).operation.keyed {
			h.Set("Cache-Control", strings.Replace(cacheControl, "public", "private", 1))
		} else {
			h.Set("Cache-Control", cacheControl)
		}
		if matchesETag(r.Header.Get("If-None-Match"), f.tag) {
			h["Etag"] = f.header["Etag"]
			w.WriteHeader(http.StatusNotModified)
			return
		}
		maps.Copy(h, f.header)
		_, _ = w.Write(f.body)
	}}
}

// matchesETag reports whether If-None-Match lists the ETag or is *. Weak tags match, as RFC 9110
// defines it.
func matchesETag(header, etag string) bool {
	if header == "" {
		return false
	}
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// respondOnce returns the response with data that is encoded for this request alone.
func respondOnce[T any](message string, data T, cacheControl string) *huma.StreamResponse {
	return newEncoded("application/json", apierror.Encode(envelope.NewSuccess(message, data)), false).respond(cacheControl)
}

// pick returns the encoded items at some indexes.
func pick(items []json.RawMessage, at []int) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(at))
	for _, i := range at {
		out = append(out, items[i])
	}
	return out
}

// maxCached is how many filtered lists are kept per publication: more than the clients of one
// publication usually request.
const maxCached = 64

// encodedCache keeps what one publication was encoded to, by request. Otter keeps what is requested
// often, so that a client cannot displace it with requests that never repeat.
type encodedCache[K comparable, V any] struct {
	once sync.Once
	kept interface { // Go would compile a generic type again for each type, and in each package that uses the API
		GetIfPresent(key any) (any, bool)
		SetIfAbsent(key, value any) (any, bool)
		EstimatedSize() int
	}
}

// cached returns the kept value, or the value that encode returns and, if keep is true, keeps it. It
// is no method for the same reason.
func cached[K comparable, V any](c *encodedCache[K, V], key K, encode func() (v V, keep bool, err error)) (V, error) {
	c.once.Do(func() { // most publications of a sandbox's worlds are not requested
		c.kept = otter.Must(&otter.Options[any, any]{
			MaximumSize: maxCached, Executor: func(maintain func()) { maintain() }, Logger: &otter.NoopLogger{},
		})
	})
	kept, ok := c.kept.GetIfPresent(key)
	if !ok {
		v, keep, err := encode()
		if !keep || err != nil {
			return v, err
		}
		kept, _ = c.kept.SetIfAbsent(key, v) // another request may have been faster
	}
	v, _ := kept.(V)
	return v, nil
}

// jsonOutput is the response of an operation whose result must not be stored.
type jsonOutput[T any] struct {
	CacheControl string `header:"Cache-Control" hidden:"true"`
	Body         envelope.Success[T]
}

func newJSONOutput[T any](message string, data T) *jsonOutput[T] {
	return &jsonOutput[T]{CacheControl: "no-store", Body: envelope.NewSuccess(message, data)}
}
