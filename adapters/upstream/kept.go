package upstream

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// Bounds of what a client keeps for conditional questions.
const (
	maxKept      = 64
	maxKeptBytes = 8 << 20
	maxValidator = 1 << 10
)

// kept is an answer that the provider may call unchanged.
type kept struct {
	status   int
	etag     string
	modified string
	body     []byte
	used     uint64 // the keeper's count when it was last of use
}

// ask adds to a request what the provider compares with.
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

// keeper keeps the answers of one client in memory, the latest used ones.
type keeper struct {
	mu    sync.Mutex
	pages map[string]*kept
	bytes int
	count uint64
}

// page names what a question asks for.
func page(path string, query url.Values) string { return path + "?" + query.Encode() }

// conditional reports whether a question may be answered by what is kept.
func (q Question) conditional() bool {
	return q.Conditional && (q.Method == "" || q.Method == http.MethodGet)
}

// recall returns what is kept of a conditional question, or nil.
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

// learn keeps an answer that its reader accepted (err is nil), if the provider can be asked whether it is unchanged. What a reader refuses
// although it is unchanged is forgotten.
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
			return int(k.pages[x].used) - int(k.pages[y].used) //nolint:gosec // counts of questions
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
