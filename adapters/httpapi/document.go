package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// minPacked is the size from which a document is compressed: a smaller one gains nothing.
const minPacked = 256

// document is an answer ready to be sent: its bytes and headers, in every coding. It never changes; a coding other than
// identity is made when it is asked for first, once. Without a packer it has only identity.
type document struct {
	contentType []string
	identity    representation
	packer      *packer
	packed      [codings]struct {
		once  sync.Once
		asked atomic.Bool // by a reader
		representation
	}
}

// representation is a document in one coding. Its headers are shared by all answers and never written to.
type representation struct {
	body   []byte
	tag    string
	etag   []string
	length []string
	coding []string // nil for identity
}

func newDocument(p *packer, contentType []string, body []byte) *document {
	tag := make([]byte, 0, 18)
	tag = append(tag, '"')
	sum := xxhash.Sum64(body)
	for shift := 60; shift >= 0; shift -= 4 {
		tag = append(tag, "0123456789abcdef"[sum>>shift&15])
	}
	tag = append(tag, '"')
	return &document{contentType: contentType, packer: p, identity: represent(body, string(tag), nil)}
}

func represent(body []byte, tag string, coding []string) representation {
	headers := []string{tag, strconv.Itoa(len(body))}
	return representation{body: body, tag: tag, etag: headers[:1:1], length: headers[1:], coding: coding}
}

// as returns the document in a coding, or in identity where compressing gains nothing.
func (d *document) as(c coding) *representation {
	if c == identity || d.packer == nil || len(d.identity.body) < minPacked {
		return &d.identity
	}
	p := &d.packed[c]
	if !p.asked.Load() { // a store each time would cost all readers the cache line
		p.asked.Store(true)
	}
	d.pack(c)
	return &p.representation
}

func (d *document) pack(c coding) {
	p := &d.packed[c]
	p.once.Do(func() {
		body, name := d.packer.pack(c, d.identity.body)
		tag := d.identity.tag
		p.representation = represent(body, tag[:len(tag)-1]+"-"+name[0]+`"`, name)
	})
}

// succeed makes the codings that readers took of the document before, so that those who come back do not wait for it.
func (d *document) succeed(before *document) {
	for c := range codings {
		if c != identity && before.packed[c].asked.Load() {
			d.pack(c)
		}
	}
}

// serve answers with a document, or says that the client has it. cache is the value of Cache-Control.
func (x *exchange) serve(d *document, cache []string) {
	x.send(d.as(chooseCoding(x.r.Header[headerAcceptEncoding], zstandard)), d.contentType, cache)
}

func (x *exchange) send(rep *representation, contentType, cache []string) {
	if x.op.keyed {
		cache = private(cache)
	}
	h := x.w.Header()
	h[headerETag], h[headerCacheControl], h[headerVary] = rep.etag, cache, x.api.vary
	if tags := x.r.Header[headerIfNoneMatch]; len(tags) > 0 && matches(tags, rep.tag) {
		x.WriteHeader(http.StatusNotModified)
		return
	}
	h[headerType], h[headerLength] = contentType, rep.length
	if rep.coding != nil {
		h[headerEncoding] = rep.coding
	}
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(rep.body)
}

// private keeps an answer that needs a key from caches that several share: RFC 9111, section 3.5, lets them give it to anybody where it says public.
func private(cache []string) []string {
	rest, public := strings.CutPrefix(cache[0], "public")
	if !public {
		return cache
	}
	return []string{"private" + rest}
}

// later is a document that is made when it is asked for first, once.
type later struct {
	once sync.Once
	*document
}

func (l *later) get(make func() *document) *document {
	l.once.Do(func() { l.document = make() })
	return l.document
}
