package upstream

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// Bounds of the stored responses of a client.
const (
	maxKept      = 64
	maxKeptBytes = 8 << 20
	maxValidator = 1 << 10
)

// kept is a response that the provider may confirm as unchanged.
type kept struct {
	status   int
	etag     string
	modified string
	body     []byte
	used     uint64 // value of keeper.count at the last use
}

// ask adds the validators to a request.
func (k *kept) ask(h http.Header) {
	if k == nil {
		return
	}
	if k.etag != "" {
		h.Set("If-None-Match", k.etag)
	}
	if k.modified != "" {
		h.Set("If-Modified-Since", k.modified)
	}
}

// keeper stores the responses to conditional requests of one client and drops the least recently
// used ones.
type keeper struct {
	mu    sync.Mutex
	pages map[string]*kept
	bytes int
	count uint64
}

// page returns the key of a request.
func page(path string, query url.Values) string { return path + "?" + query.Encode() }

// conditional reports whether a stored response may be used.
func (q Question) conditional() bool {
	return q.Conditional && (q.Method == "" || q.Method == http.MethodGet)
}

// recall returns the stored response to a conditional request, or nil.
func (k *keeper) recall(q Question) *kept {
	if !q.conditional() {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	found := k.pages[page(q.Path, q.Query)]
	if found != nil {
		k.count++
		found.used = k.count
	}
	return found
}

// learn stores a response that its reader accepted (err is nil) and that has a validator. It
// removes a stored response that the reader rejects.
func (k *keeper) learn(q Question, a Answer, err error) {
	if !q.conditional() || a.unchanged == (err == nil) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name := page(q.Path, q.Query)
	k.forget(name)
	validators := len(a.etag) + len(a.modified)
	if a.unchanged || a.Fault() != nil || validators == 0 || validators > maxValidator || len(a.Body) > maxKeptBytes {
		return
	}
	for len(k.pages) >= maxKept || k.bytes+len(a.Body) > maxKeptBytes {
		k.forget(slices.MinFunc(slices.Collect(maps.Keys(k.pages)), func(x, y string) int {
			return int(k.pages[x].used) - int(k.pages[y].used) //nolint:gosec // counts of requests
		}))
	}
	if k.pages == nil {
		k.pages = map[string]*kept{}
	}
	k.count++
	k.pages[name] = &kept{status: a.Status, etag: a.etag, modified: a.modified, body: a.Body, used: k.count}
	k.bytes += len(a.Body)
}

func (k *keeper) forget(name string) {
	if old, ok := k.pages[name]; ok {
		k.bytes -= len(old.body)
		delete(k.pages, name)
	}
}
